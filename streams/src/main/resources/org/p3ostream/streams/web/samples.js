"use strict";

/* Prompts and responses of a step, token by token. Texts become text, never markup. */
const P3oSamples = (() => {
  const { element, number } = P3oPlots;
  const BUSY = 503;
  const AGAIN_MILLIS = 1000;

  /* Classes of behaviour probability: lowest probability, name. Told apart by the kind of line as well as by colour. */
  const CLASSES = [
    [0.9, "at least 0.9"],
    [0.5, "0.5 to 0.9"],
    [0.1, "0.1 to 0.5"],
    [0.01, "0.01 to 0.1"],
    [0, "less than 0.01"],
  ];

  /* Classes of the importance ratio: lowest ratio, name. */
  const RATIOS = [
    [1.2, "1.2 or more"],
    [1.02, "1.02 to 1.2"],
    [0.98, "0.98 to 1.02"],
    [0.8, "0.8 to 0.98"],
    [0, "less than 0.8"],
  ];

  const ratioClass = (ratio) => 1 + RATIOS.findIndex(([least]) => ratio >= least);

  function classOf(logprob) {
    const probability = Math.exp(logprob);
    return 1 + CLASSES.findIndex(([least]) => probability >= least);
  }

  /* A token as it can be seen: what has no text shows its id, a line break shows that it is one. */
  function tokenElement(token) {
    const silent = token.text === null || token.text === "";
    const made = element("span", silent ? "no-text" : "", silent ? `⟨${token.id}⟩` : token.text.replaceAll("\n", "↵\n"));
    made.dataset.p = classOf(token.behaviorLogprob);
    made.dataset.loss = token.inLoss;
    made.title = describe(token);
    return made;
  }

  function describe(token) {
    const text = token.text ? JSON.stringify(token.text) : "no text";
    return `${text}, id ${token.id}, probability ${number(Math.exp(token.behaviorLogprob))}, log-prob ${number(token.behaviorLogprob)} nats${token.ratio === undefined || token.ratio === null ? "" : `, ratio ${number(token.ratio)}`}${token.inLoss ? "" : ", not in the loss"}`;
  }

  /* `by` is what the tokens are marked by: probability or ratio. */
  function legend(by, title, classes, key) {
    const list = element("ul", "legend");
    list.dataset.of = by;
    list.append(element("li", "", title));
    classes.forEach(([, name], i) => {
      const item = element("li");
      const sample = element("span", "tokens");
      const token = element("span", "", "abc");
      token.dataset[key] = i + 1;
      sample.append(token);
      item.append(sample, ` ${name}`);
      list.append(item);
    });
    return list;
  }

  /* Tokens that the arrow keys walk along. */
  function tokenLine(tokens, name) {
    const box = element("div", "tokens");
    const spans = tokens.map(tokenElement);
    box.append(...spans);
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `${name}: ${tokens.map((token) => token.text || "").join("")}. Arrow keys walk from token to token.`);
    const readout = element("p", "readout-line");
    readout.setAttribute("aria-live", "polite");
    let at = -1;
    const go = (to) => {
      if (at >= 0) spans[at].classList.remove("here");
      at = to;
      if (at >= 0) spans[at].classList.add("here");
      readout.textContent = at < 0 ? "" : `token ${at + 1} of ${tokens.length}: ${describe(tokens[at])}`;
    };
    box.addEventListener("keydown", (event) => {
      const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: spans.length - 1 };
      if (event.key === "Escape") go(-1);
      else if (event.key in moves && spans.length > 0) go(Math.max(0, Math.min(spans.length - 1, moves[event.key])));
      else return;
      event.preventDefault();
    });
    box.addEventListener("blur", () => go(-1));
    box.addEventListener("pointerover", (event) => {
      const over = spans.indexOf(event.target);
      if (over >= 0) go(over);
    });
    return [box, readout];
  }

  function responseElement(response, index) {
    const made = element("section", "response");
    const title = element("h4", "", `Response ${index + 1}`);
    title.append(element("b", "reward-chip", `reward ${number(response.reward)}`));
    const parts = Object.entries(response.rewardComponents);
    if (parts.length > 1) title.append(element("span", "", parts.map(([name, value]) => `${name} ${number(value)}`).join(", ")));
    const versions = [...new Set(response.versionSegments.map((one) => one.policyVersion))];
    title.append(
      element("span", "", `ended by ${response.finishReason}`),
      element("span", "", `${response.tokenCount} tokens`),
      element("span", "", `mean log-prob ${number(response.meanBehaviorLogprob)}`),
      element("span", "", `sampled by version ${versions.length > 1 ? versions.join(", ") : response.policyVersion} at T = ${number(response.temperature)}`),
    );
    made.append(title, ...tokenLine(response.tokens, `Response ${index + 1}`));
    if (response.tokens.length < response.tokenCount) {
      made.append(element("p", "explain", `The first ${response.tokens.length} of ${response.tokenCount} tokens.`));
    }
    return made;
  }

  function groupElement(group) {
    const made = element("article", "samples");
    made.append(
      element("h3", "", `Group ${group.groupId}, trained in step ${group.step}`),
      element(
        "p",
        "sample-facts",
        `prompt ${group.promptId} · producer ${group.producerId} · attempt ${group.attempt} · staleness ${number(group.stalenessMax)} · sampled in ${number(group.generationMillis)} ms at ${new Date(group.generatedAt).toLocaleTimeString()} · rollouts-${group.partition}@${group.recordOffset}`,
      ),
    );
    if (group.textNote) made.append(element("p", "explain", `Token ids instead of texts: ${group.textNote}.`));
    made.append(
      element("div", "prompt", group.prompt === null ? group.promptTokens.map((id) => `⟨${id}⟩`).join("") : group.prompt),
      choice(made),
      legend("ratio", "ratio of a token:", RATIOS, "r"),
      legend("probability", "behaviour probability of a token:", CLASSES, "p"),
      element("p", "explain ratio-note", "Computing the ratios …"),
      ...group.responses.map(responseElement),
    );
    made.dataset.by = "probability";
    return made;
  }

  /* What tokens are marked by; ratios once there are any. */
  function choice(made) {
    const bar = element("div", "controls");
    bar.append(element("span", "", "Marked by"));
    for (const by of ["ratio", "probability"]) {
      const button = element("button", "", by);
      button.type = "button";
      button.dataset.by = by;
      button.disabled = by === "ratio";
      button.setAttribute("aria-pressed", String(by === "probability"));
      button.addEventListener("click", () => markBy(made, by));
      bar.append(button);
    }
    return bar;
  }

  function markBy(made, by) {
    made.dataset.by = by;
    for (const button of made.querySelectorAll("button[data-by]")) button.setAttribute("aria-pressed", String(button.dataset.by === by));
  }

  /* The service is busy for a moment now and then: asks again for as long as the answer is wanted. */
  async function insist(ask, isWanted, onBusy) {
    for (;;) {
      try {
        return await ask();
      } catch (e) {
        if (e.status !== BUSY || !isWanted()) throw e;
        onBusy(e);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLIS));
        if (!isWanted()) throw e;
      }
    }
  }

  /* Ratios come after the texts: the service computes them again from the weights in the log. */
  async function addRatios(made, group) {
    const note = made.querySelector(".ratio-note");
    let told;
    try {
      const ask = () => P3oPanels.ask(`/api/groups/${group.groupId}/ratios`);
      told = await insist(ask, () => made.isConnected, () => {});
    } catch (e) {
      note.textContent = `No ratios: ${e.message}. The probability is the one that the producer recorded when it sampled the token.`;
      return;
    }
    const ended = group.responses.map((response, i) => [response, i]).filter(([response]) => response.finishReason !== "ABORTED");
    const sections = made.querySelectorAll(".response");
    ended.forEach(([response, i], nth) => {
      const spans = sections[i].querySelectorAll(".tokens > span");
      (told.responses[nth] || []).forEach((ratio, t) => {
        const token = response.tokens[t];
        if (!token || ratio === null) return;
        token.ratio = ratio;
        spans[t].dataset.r = ratioClass(ratio);
        spans[t].title = describe(token);
      });
    });
    note.textContent = `Ratio of the policy that step ${told.step} updated (version ${told.trainedVersion}) to the probability that the producer recorded, before cap or clip, computed again from the weights in the log.`;
    made.querySelector("button[data-by=ratio]").disabled = false;
    markBy(made, "ratio");
  }

  /* newest() tells the newest step; steps beyond it cannot be asked for. */
  function mount(container, newest) {
    const controls = element("div", "controls");
    const label = element("label", "", "Step");
    const input = Object.assign(element("input"), { type: "number", min: 0, id: "samples-step" });
    label.htmlFor = input.id;
    const before = element("button", "", "‹ before");
    const after = element("button", "", "next ›");
    const last = element("button", "", "newest");
    for (const button of [before, after, last]) button.type = "button";
    controls.append(label, input, before, after, last);
    const list = element("ul", "groups");
    const view = element("div");
    view.setAttribute("aria-live", "polite");
    container.append(element("p", "explain", "What was sampled for a step: choose the step, then a group."), controls, list, view);

    let asked = 0;
    async function say(work) {
      const mine = ++asked;
      const isWanted = () => mine === asked;
      try {
        const made = await insist(work, isWanted, sayNotReady);
        if (isWanted()) made();
      } catch (e) {
        if (isWanted()) sayNotReady(e);
      }
    }

    function sayNotReady(e) {
      view.replaceChildren(element("p", "not-ready", `Not ready: ${e.message}`));
    }

    function openStep(step) {
      input.value = step;
      say(async () => {
        const told = await P3oPanels.ask(`/api/groups?step=${step}`);
        return () => {
          list.replaceChildren(
            ...told.groups.map((group) => {
              const item = element("li");
              const button = element("button", "", `group ${group.groupId}`);
              button.type = "button";
              button.dataset.group = group.groupId;
              button.setAttribute("aria-pressed", "false");
              button.addEventListener("click", () => openGroup(group.groupId));
              item.append(button);
              return item;
            }),
          );
          if (told.groups.length > 0) openGroup(told.groups[0].groupId);
          else view.replaceChildren(element("p", "not-ready", "This step trained no group."));
        };
      });
    }

    function openGroup(id) {
      for (const button of list.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.group === String(id)));
      say(async () => {
        const group = await P3oPanels.ask(`/api/groups/${id}`);
        return () => {
          const made = groupElement(group);
          view.replaceChildren(made);
          container.dataset.group = id;
          addRatios(made, group);
        };
      });
    }

    const step = () => (input.value === "" ? newest() : Number(input.value));
    const clamped = (to) => openStep(Math.max(0, Math.min(newest(), to)));
    input.addEventListener("change", () => clamped(step()));
    before.addEventListener("click", () => clamped(step() - 1));
    after.addEventListener("click", () => clamped(step() + 1));
    last.addEventListener("click", () => clamped(newest()));
    return {
      openFirst: () => input.value === "" && newest() >= 0 && clamped(newest()),
      forget() {
        asked++; // what was asked for is of the other run
        input.value = "";
        list.replaceChildren();
        view.replaceChildren();
      },
    };
  }

  return { mount };
})();
