"use strict";

/* Fills the report of a study from its data. Values become text, never markup. */
(() => {
  const byId = (id) => document.getElementById(id);
  const { element, number, colour, ranges } = P3oPlots;
  const data = JSON.parse(byId("data").textContent);
  const HUES = ["--series-a", "--series-b", "--series-c", "--series-d", "--series-e", "--series-f"];
  const DASHES = [undefined, [7, 4], [2, 3]];
  const MEAN = "mean";
  const styles = data.algorithms.map((algorithm, i) => ({
    label: algorithm.title,
    column: algorithm.name,
    colour: `var(${HUES[i % HUES.length]})`,
    dash: DASHES[Math.floor(i / HUES.length) % DASHES.length],
    width: 2,
  }));

  // ---- what the runs say

  const of = (scenario, algorithm) => data.results.filter((run) => run.scenario === scenario && run.algorithm === algorithm);

  function average(values) {
    const known = values.filter((value) => value !== null && value !== undefined);
    return known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length;
  }

  function deviation(values) {
    const known = values.filter((value) => value !== null);
    const mean = average(known);
    return known.length < 2 ? 0 : Math.sqrt(known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (known.length - 1));
  }

  /* A column for each algorithm: of one seed, or the mean over those that got so far. */
  function curve(name, scenario, seed, smooth) {
    const columns = { step: Array.from({ length: data.steps }, (none, step) => step) };
    for (const algorithm of data.algorithms) {
      const runs = of(scenario, algorithm.name)
        .filter((run) => (seed === MEAN || run.seed === seed) && run.curves[name])
        .map((run) => (smooth ? P3oPlots.mean(run.curves[name]) : run.curves[name]));
      columns[algorithm.name] = columns.step.map((step) => average(runs.map((values) => values[step])));
    }
    return columns;
  }

  function choose(fieldset, legend, options, changed) {
    fieldset.append(element("legend", "", legend));
    options.forEach(([value, text], i) => {
      const label = element("label");
      const input = element("input");
      Object.assign(input, { type: "radio", name: fieldset.id, value, checked: i === 0 });
      input.addEventListener("change", () => changed(value));
      label.append(input, element("span", "", text));
      fieldset.append(label);
    });
    return options[0][0];
  }

  // ---- points with their spread: a place for each scenario, beside each other in it the algorithms

  function mountOutcome(container) {
    const count = data.algorithms.length;
    const places = [];
    data.scenarios.forEach((scenario, s) =>
      data.algorithms.forEach((algorithm, a) => {
        const runs = of(scenario.name, algorithm.name);
        places.push({ at: s + ((a - (count - 1) / 2) * 0.7) / count, algorithm: a, values: runs.map((run) => run.heldOut), failed: runs.map((run) => !run.executed) });
      }),
    );
    places.sort((one, other) => one.at - other.at);
    const figure = element("figure", "plot wide");
    figure.id = "plot-outcome";
    const list = element("ul", "readout");
    styles.forEach((style) => {
      const item = element("li");
      const mark = element("span", "", "●");
      mark.style.color = style.colour;
      item.append(mark, element("span", "", style.label));
      list.append(item);
    });
    const canvas = element("div", "canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "Held-out reward by scenario and algorithm; the same figures are in the first table.");
    const caption = element("figcaption", "", "Large: mean over seeds with its sample standard deviation; small: each seed, hollow where the run failed the execution part of the gate. The broken line is the mean of the warm starts.");
    figure.append(list, canvas, caption);
    container.append(figure);
    const warm = average(data.results.map((run) => run.warmStart));

    function dot(context, x, y, radius, stroke, filled) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.strokeStyle = stroke;
      if (filled) {
        context.fillStyle = stroke;
        context.fill();
      }
      context.stroke();
    }

    function draw(u) {
      const context = u.ctx;
      const scale = window.devicePixelRatio || 1;
      const y = (value) => u.valToPos(value, "y", true);
      context.save();
      context.lineWidth = 1.5 * scale;
      if (warm !== null) {
        context.setLineDash([5 * scale, 5 * scale]);
        context.strokeStyle = colour("var(--muted)");
        context.beginPath();
        context.moveTo(u.bbox.left, y(warm));
        context.lineTo(u.bbox.left + u.bbox.width, y(warm));
        context.stroke();
        context.setLineDash([]);
      }
      for (const { at, algorithm, values, failed } of places) {
        const x = u.valToPos(at, "x", true);
        const hue = colour(styles[algorithm].colour);
        const good = values.filter((value, i) => value !== null && !failed[i]);
        values.forEach((value, i) => value !== null && dot(context, x, y(value), 2 * scale, hue, !failed[i]));
        if (good.length > 0) {
          const mean = average(good);
          const spread = deviation(good);
          context.strokeStyle = hue;
          context.beginPath();
          context.moveTo(x, y(mean - spread));
          context.lineTo(x, y(mean + spread));
          context.stroke();
          dot(context, x, y(mean), 4.5 * scale, hue, true);
        }
      }
      context.restore();
    }

    const line = (name) => () => colour(name);
    const axis = { stroke: line("var(--muted)"), ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const short = (scenario) => (scenario.title.length > 16 ? scenario.name : scenario.title);
    const plot = new uPlot(
      {
        width: Math.max(160, canvas.clientWidth),
        height: canvas.clientHeight,
        padding: [8, 8, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: () => [-0.6, data.scenarios.length - 0.4] }, y: { range: () => [-0.02, 1.02] } },
        axes: [
          { ...axis, size: 30, grid: { show: false }, splits: () => data.scenarios.map((scenario, s) => s), values: () => data.scenarios.map(short) },
          { ...axis, size: 44, grid: { stroke: line("var(--grid)"), width: 1 }, label: "right answers", labelSize: 20, labelFont: "12px system-ui, sans-serif" },
        ],
        series: [{}, { stroke: "transparent", points: { show: false } }],
        hooks: { draw: [draw] },
      },
      [places.map((place) => place.at), places.map((place) => average(place.values))],
      canvas,
    );
    document.addEventListener("p3o-theme", () => plot.redraw(false, true));
    new ResizeObserver(() => canvas.clientWidth > 0 && plot.setSize({ width: canvas.clientWidth, height: canvas.clientHeight })).observe(canvas);
  }

  function mountSweep(container) {
    const levels = [...data.scenarios].sort((one, other) => one.level - other.level);
    const columns = { step: levels.map((scenario) => scenario.level) };
    const series = [];
    data.algorithms.forEach((algorithm, i) => {
      const column = (name, runs) => {
        columns[name] = levels.map((scenario) => average(of(scenario.name, algorithm.name).filter(runs).map((run) => run.essMean)));
      };
      column(algorithm.name, (run) => run.executed);
      series.push({ ...styles[i], width: 2.5 });
      data.seeds.forEach((seed) => {
        column(`${algorithm.name} ${seed}`, (run) => run.executed && run.seed === seed);
        series.push({ ...styles[i], label: seed, column: `${algorithm.name} ${seed}`, width: 0.75, dash: [2, 3] });
      });
    });
    const [plot] = P3oPlots.charts(
      [
        {
          id: "sweep",
          title: `Mean ESS of a run by ${data.sweep}`,
          at: data.sweep.split(",")[0],
          axis: "fraction of the window",
          series,
          range: () => [0, 1.02],
          read: "Heavy: mean over seeds; dotted: each seed. Spearman's correlation is in the tables below.",
        },
      ],
      container,
    );
    plot.show(columns);
  }

  const CURVES = [
    { id: "reward", title: "Reward", axis: "mean reward of ten steps", range: ranges.unitOrPadded, smooth: true, read: "Training reward at the scenario's sampling temperature, averaged over ten steps." },
    { id: "ess", title: "Effective sample size", axis: "fraction of the window", range: () => [0, 1.02], read: "1: the window counts in full, as if the trained policy itself had sampled it." },
    { id: "cap", title: "Cap on the ratio", axis: "cap", range: () => [0, 1.02], read: "Of the algorithms that have one: for P3O it is the effective sample size." },
    { id: "kl", title: "Exact KL to what sampled", axis: "nats per token", log: true, range: ranges.fromZero, read: "Mean over the tokens of a step, over the whole vocabulary." },
    { id: "gradNorm", title: "Gradient norm", axis: "L2 norm", log: true, range: ranges.fromZero, read: "Before clipping at optimizer.clipNorm: what is above it drowns what the rewards say." },
    { id: "clipFraction", title: "Clip fraction", axis: "fraction of tokens", range: ranges.fromZero, read: "Tokens whose gradient the clip removed; of the algorithms that have one." },
    { id: "ratioAboveOne", title: "Fraction of ratios above 1", axis: "fraction of tokens", range: () => [0, 1.02], read: "Tokens that have become likelier than they were when they were sampled." },
  ];

  function mountCurves(container) {
    const plots = P3oPlots.charts(CURVES.map((chart) => ({ ...chart, series: styles })), container);
    const show = () => CURVES.forEach((chart, i) => plots[i].show(curve(chart.id, scenario, seed, chart.smooth)));
    let scenario = choose(byId("scenario"), "scenario", data.scenarios.map(({ name, title }) => [name, title]), (value) => {
      scenario = value;
      show();
    });
    let seed = choose(byId("seed"), "seed", [[MEAN, "mean of all"], ...data.seeds.map((one) => [one, one])], (value) => {
      seed = value;
      show();
    });
    show();
  }

  function mountTable(table, open) {
    const details = element("details");
    details.open = open;
    details.append(element("summary", "", table.title));
    if (table.note) details.append(element("p", "", table.note));
    const scroll = element("div", "table");
    const grid = element("table");
    const head = element("tr");
    table.columns.forEach((column) => head.append(Object.assign(element("th", "", column), { scope: "col" })));
    const body = element("tbody");
    for (const row of table.rows) {
      const line = element("tr");
      row.forEach((cell) => line.append(element("td", "", cell)));
      body.append(line);
    }
    grid.append(element("thead"), body);
    grid.tHead.append(head);
    scroll.append(grid);
    details.append(scroll);
    byId("tables").append(details);
  }

  P3oPlots.mountTheme(byId("theme"));
  document.title = `P3O Stream: ${data.title}`;
  byId("title").textContent = data.title;
  byId("question").textContent = data.question;
  if (data.runs < data.planned) {
    byId("warning").hidden = false;
    byId("warning").textContent = data.status;
  }
  const figure = (name, value, note) => P3oPlots.figure(byId("figures"), name)(value, note);
  figure("Runs", `${data.runs} of ${data.planned}`, `${data.scenarios.length} scenarios × ${data.algorithms.length} algorithms × ${data.seeds.length} seeds`);
  figure("Executed as planned", `${data.executed} of ${data.runs}`, "passed the execution part of the gate");
  figure("Learnt", `${data.passed} of ${data.runs}`, "passed the quality part too");
  figure("Steps", number(data.steps), "of each run");
  data.rules.forEach((rule) => byId("rules").append(element("li", "", rule)));
  byId("settings").textContent = data.settings;
  mountOutcome(byId("outcome"));
  if (data.sweep) mountSweep(byId("sweep"));
  mountCurves(byId("curves"));
  data.tables.forEach((table, i) => mountTable(table, i === 0));
})();
