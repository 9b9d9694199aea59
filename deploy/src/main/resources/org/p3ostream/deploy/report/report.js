"use strict";

/* Fills the report from its data. Values become text, never markup. */
(() => {
  const byId = (id) => document.getElementById(id);
  const { element } = P3oPlots;
  const data = JSON.parse(byId("data").textContent);

  function text(id, value) {
    byId(id).textContent = value;
    byId(id).hidden = !value;
  }

  function fact({ name, value, note }) {
    const text = note ? `${value} (${note})` : value;
    const group = element("div", text.length > 40 ? "wide" : "");
    group.append(element("dt", "", name), element("dd", "", text));
    byId("facts").append(group);
  }

  function pretty(json) {
    try {
      return JSON.stringify(JSON.parse(json), null, 2);
    } catch (e) {
      return json;
    }
  }

  P3oPlots.mountTheme(byId("theme"));
  document.title = `P3O Stream: ${data.title}`;
  text("title", data.title);
  text("lede", data.lede);
  text("warning", data.warning);
  for (const { name, value, note } of data.figures) P3oPlots.figure(byId("figures"), name)(value, note);
  data.facts.forEach(fact);
  if (data.configuration) {
    byId("configuration").hidden = false;
    byId("configuration").querySelector("pre").textContent = `${pretty(data.configuration)}\n\nenvironment ${JSON.stringify(data.environment, null, 2)}`;
  }
  for (const [name, meaning] of Object.entries(data.meanings)) {
    const row = element("tr");
    row.append(element("td"), element("td", "", meaning));
    row.firstChild.append(element("code", "", name));
    byId("columns").append(row);
  }
  const shown = data.columns.step.length;
  if (shown < data.steps) {
    byId("sampled").textContent =
      `Drawn are ${shown} of ${data.steps} steps: of every stretch its first step and its extremes, so no spike is lost; steps.csv has all of them.`;
  }
  P3oPlots.mount(byId("plots")).show(data.columns);
})();
