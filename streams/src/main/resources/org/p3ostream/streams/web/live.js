"use strict";

/*
 * The dashboard: follows /api/stream, shows what comes, and connects again by itself. What it draws is bounded: the past comes from the
 * server as few steps out of many, the newest steps one by one, and when these have become many, they are exchanged for few.
 */
(() => {
  const RECONNECT_MILLIS = 1500;
  const DRAW_MILLIS = 200;
  const RUN_MILLIS = 2000;
  const PANELS_MILLIS = 5000;
  const POINTS = 1000;
  const MOST_POINTS = 2 * POINTS;
  const MEAN_OF = 10;
  const byId = (id) => document.getElementById(id);
  const n = P3oPlots.number;
  const { fromZero } = P3oPlots.ranges;

  /* Charts beyond those of the report. */
  const CHARTS = [
    {
      id: "spread",
      title: "Spread of the importance ratio",
      axis: "standard deviation",
      log: true,
      series: [{ label: "std", column: "ratioStd", colour: "var(--series-a)", width: 2 }],
      range: fromZero,
      read: "Standard deviation of the ratio over the tokens of a window: it and the ESS tell the same story, this one without an end at 1.",
    },
    {
      id: "groups",
      title: "Groups trained",
      axis: "groups per second",
      series: [{ label: `mean of ${MEAN_OF} steps`, column: "groupsPerSecondOfTen", colour: "var(--series-a)", width: 2.5 }],
      range: fromZero,
      read: "Rollout groups that became part of a step, over the time since the step before.",
    },
    {
      id: "lag",
      title: "Lag behind the producers",
      axis: "complete windows",
      whole: true,
      series: [{ label: "windows", column: "lagWindows", colour: "var(--series-a)", width: 2 }],
      range: (min, max) => [0, Math.max(1, max === null ? 1 : max) * 1.1],
      read: "Windows that lay complete in the log behind the one being trained: at its upper end producers wait for the learner, at 0 the learner waits for producers.",
    },
    {
      id: "age",
      title: "Age of a rollout when it is trained",
      axis: "seconds",
      stacked: true,
      series: [
        { label: "sampling", column: "ageGenerationSeconds", colour: "var(--series-c)", width: 1 },
        { label: "queue", column: "ageQueueSeconds", colour: "var(--series-a)", width: 1 },
        { label: "held back", column: "ageHoldBackSeconds", colour: "var(--series-e)", width: 1 },
      ],
      range: fromZero,
      robust: true,
      read: "Where the time between the first token and the update went: in the sampler, in the log, and waiting for windows behind it.",
    },
  ];

  P3oPlots.mountTheme(byId("theme"));
  const plots = P3oPlots.mount(byId("plots"), CHARTS);
  const figure = (list) => (name) => [name, P3oPlots.figure(byId(list), name)];
  const hero = Object.fromEntries(["Reward", "ESS", "Staleness", "Steps per second"].map(figure("hero")));
  const figures = Object.fromEntries(["Step", "Policy version", "Last step", "Throughput", "Time of a step", "KL"].map(figure("figures")));
  const panels = P3oPanels.mount();

  /* Columns of steps.csv out of a step as /api/stream shows it. */
  const COLUMNS = {
    step: (s) => s.step,
    groups: (s) => s.groups,
    policyVersion: (s) => s.policyVersion,
    rewardMean: (s, t) => t.rewardMean,
    normalizedEss: (s, t) => t.normalizedEss,
    adaptiveCap: (s, t) => t.adaptiveCap,
    ratioMean: (s, t) => t.ratioMean,
    ratioStd: (s, t) => t.ratioStd,
    ratioMax: (s, t) => t.ratioMax,
    behaviorKlProxyMeanNats: (s, t) => t.behaviorKlProxyMean,
    behaviorKlExactMeanNats: (s, t) => t.behaviorKlExactMean,
    gradNorm: (s, t) => t.gradNorm,
    stalenessMinVersions: (s, t) => t.stalenessMin,
    stalenessMeanVersions: (s, t) => t.stalenessMean,
    stalenessMaxVersions: (s, t) => t.stalenessMax,
    lagWindows: (s, t) => t.lagWindows,
    ageGenerationSeconds: (s, t) => t.ageGenerationSeconds,
    ageQueueSeconds: (s, t) => t.ageQueueSeconds,
    ageHoldBackSeconds: (s, t) => t.ageHoldBackSeconds,
    validTokens: (s, t) => t.validTokens,
    stepMillis: (s) => s.stepMillis,
    waitMillis: (s) => s.phases.waitMillis,
    prePassMillis: (s) => s.phases.prePassMillis,
    updateMillis: (s) => s.phases.updateMillis,
    encodeMillis: (s) => s.phases.encodeMillis,
    previousCommitMillis: (s) => s.phases.previousCommitMillis,
    previousCheckpointMillis: (s) => s.phases.previousCheckpointMillis,
  };

  /* Means over the last ten steps. Those of the past come with it, taken before steps were left out. */
  const MEANS = {
    rewardMeanOfTen: ["rewardMean", null, 1],
    trainedTokensPerSecondOfTen: ["validTokens", "stepMillis", 1000],
    groupsPerSecondOfTen: ["groups", "stepMillis", 1000],
  };

  let columns = empty();
  let run = null; // of the stream
  let told = null; // of /api/runs
  let first = null;
  let newest = null; // number of the newest step
  let algorithm = "";
  let missing = 0;
  let lastStepAt = null; // by this page's clock
  let source = null;
  let thinning = false;
  let timer = null;
  let drawnAt = -DRAW_MILLIS;
  const samples = P3oSamples.mount(byId("samples"), () => (newest === null ? -1 : newest));

  function empty() {
    return Object.fromEntries([...Object.keys(COLUMNS), ...Object.keys(MEANS), "trainedTokensPerSecond"].map((name) => [name, []]));
  }

  function nextStep() {
    return newest === null ? 0 : newest + 1;
  }

  function add(step) {
    const training = step.training || {};
    for (const [name, read] of Object.entries(COLUMNS)) {
      const value = read(step, training);
      columns[name].push(Number.isFinite(value) ? value : null);
    }
    addMeans(columns.step.length - 1);
  }

  function addMeans(index) {
    const millis = columns.stepMillis[index];
    const tokens = columns.validTokens[index];
    columns.trainedTokensPerSecond[index] = tokens !== null && millis > 0 ? (1000 * tokens) / millis : null;
    for (const [name, [amount, per, factor]] of Object.entries(MEANS)) columns[name][index] = meanAt(index, amount, per, factor);
  }

  function meanAt(index, amount, per, factor) {
    const usable = (i) => columns[amount][i] !== null && (per === null || columns[per][i] > 0);
    if (!usable(index)) return null;
    let sum = 0;
    let weight = 0;
    for (let i = index, taken = 0; i >= 0 && taken < MEAN_OF; i--) {
      if (!usable(i)) continue;
      sum += columns[amount][i];
      weight += per === null ? 1 : columns[per][i];
      taken++;
    }
    return (factor * sum) / weight;
  }

  /* The past as few steps out of many; steps that came since then stay as they are. */
  async function load() {
    const past = await P3oPanels.ask(`/api/steps?points=${POINTS}`);
    const { step } = past.columns;
    if (step.length === 0) return;
    const end = step[step.length - 1];
    const since = columns.step.findIndex((one) => one > end);
    const kept = columns;
    columns = empty();
    for (const name of Object.keys(columns)) columns[name] = past.columns[name] ? [...past.columns[name]] : [];
    for (let i = 0; i < step.length; i++) {
      const millis = columns.stepMillis[i];
      columns.trainedTokensPerSecond.push(millis > 0 && columns.validTokens[i] !== null ? (1000 * columns.validTokens[i]) / millis : null);
    }
    if (since >= 0) for (const name of Object.keys(columns)) columns[name].push(...kept[name].slice(since));
    first = step[0];
    if (newest === null || end > newest) newest = end;
    const all = newest - first + 1;
    byId("sampled").textContent = columns.step.length < all - missing ? `Drawn are ${n(columns.step.length)} of ${n(all)} steps: of every stretch its first step and its extremes, so no spike is lost.` : "";
  }

  async function thin() {
    if (thinning || columns.step.length <= MOST_POINTS) return;
    thinning = true;
    try {
      while (columns.step.length > MOST_POINTS) await load(); // more may have come meanwhile
    } catch (e) {
      // the next step tries again
    } finally {
      thinning = false;
      draw();
    }
  }

  function draw() {
    if (timer !== null) return;
    timer = setTimeout(() => {
      requestAnimationFrame(() => {
        timer = null;
        drawnAt = performance.now();
        plots.show(columns);
        Object.assign(byId("plots").dataset, { steps: newest === null ? 0 : newest - first + 1 - missing, points: columns.step.length, missing });
        showFigures();
      });
    }, Math.max(0, DRAW_MILLIS - (performance.now() - drawnAt)));
  }

  function last(name) {
    const values = columns[name];
    for (let i = values.length - 1; i >= 0; i--) if (values[i] !== null) return values[i];
    return null;
  }

  function stepsPerSecond() {
    const millis = columns.stepMillis.slice(-MEAN_OF).filter((value) => value > 0);
    return millis.length === 0 ? null : (1000 * millis.length) / millis.reduce((a, b) => a + b, 0);
  }

  /* Two to three digits: what can be read from far away. */
  function short(value) {
    if (value === null || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    return size >= 1000 ? n(value) : size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
  }

  function showFigures() {
    const reward = columns.rewardMeanOfTen.filter((value) => value !== null);
    const scheduled = run && run.scheduleSteps ? run.scheduleSteps : null;
    const bound = told && told.stalenessBound !== null ? `, bound ${told.stalenessBound}` : "";
    hero.Reward(short(reward.length ? reward[reward.length - 1] : null), reward.length ? `mean of ${MEAN_OF} steps, began at ${short(reward[Math.min(MEAN_OF - 1, reward.length - 1)])}` : "waiting for the first step");
    hero.ESS(short(last("normalizedEss")), last("normalizedEss") === null ? "" : last("adaptiveCap") === null ? "of 1, no cap" : `of 1, cap ${short(last("adaptiveCap"))}`);
    hero.Staleness(short(last("stalenessMeanVersions")), last("stalenessMeanVersions") === null ? "" : `${n(last("stalenessMinVersions"))} to ${n(last("stalenessMaxVersions"))} versions${bound}`);
    hero["Steps per second"](short(stepsPerSecond()), newest === null ? "" : scheduled ? `step ${newest + 1} of ${scheduled}` : `step ${newest + 1}`);
    figures.Step(newest === null ? "–" : n(newest + 1), scheduled ? `of ${n(scheduled)} scheduled` : "");
    figures["Policy version"](n(last("policyVersion")), "after the newest step");
    figures.Throughput(n(last("trainedTokensPerSecondOfTen")), "tokens trained per second");
    figures["Time of a step"](last("stepMillis") === null ? "–" : `${n(last("stepMillis"))} ms`, last("waitMillis") === null ? "" : `waiting ${n(last("waitMillis"))} ms`);
    const exact = last("behaviorKlExactMeanNats");
    figures.KL(n(exact === null ? last("behaviorKlProxyMeanNats") : exact), exact === null ? "nats, k3 estimate" : "nats, exact");
    tick();
  }

  function tick() {
    figures["Last step"](lastStepAt === null ? "–" : `${P3oPanels.seconds(Math.round((performance.now() - lastStepAt) / 1000))} ago`.replace("0 ms ago", "now"), told && told.state === "STALLED" ? "later than usual" : "");
  }

  function say(state, text) {
    if (byId("state").textContent === text) return;
    byId("state").dataset.state = state;
    byId("state").textContent = text;
  }

  function detail() {
    const parts = [];
    if (run) parts.push(`run ${run.runId}`);
    if (run && run.startedAt) parts.push(`started ${new Date(run.startedAt).toLocaleString()}`);
    if (algorithm) parts.push(algorithm);
    byId("detail").textContent = parts.join(" · ");
    document.title = newest === null ? "P3O Stream: live" : `step ${newest + 1} · P3O Stream`;
  }

  /* Another run under this address: what was shown is not its past. */
  function forget() {
    columns = empty();
    first = newest = lastStepAt = null;
    missing = 0;
    byId("gap").hidden = true;
    samples.forget();
  }

  function takeRun(event) {
    const now = JSON.parse(event.data);
    const another = run && run.startedAt && now.startedAt && run.startedAt !== now.startedAt;
    run = !run || now.startedAt ? now : { ...now, startedAt: run.startedAt, scheduleSteps: run.scheduleSteps };
    if (another) {
      forget();
      connect();
    }
    say("live", nextStep() === 0 && now.newestStep < 0 ? "waiting for the first step" : "live");
    detail();
    draw();
  }

  function takeStep(event) {
    const step = JSON.parse(event.data);
    if (step.step < nextStep()) return;
    if (newest !== null && step.step > nextStep()) miss(nextStep(), step.step - 1, "they never came");
    if (first === null) first = step.step;
    add(step);
    newest = step.step;
    algorithm = step.algorithm;
    lastStepAt = performance.now();
    say("live", "live");
    detail();
    draw();
    thin();
    samples.openFirst();
  }

  function takeGap(event) {
    const gap = JSON.parse(event.data);
    if (newest !== null) miss(gap.from, gap.to, gap.reason);
    newest = newest === null ? null : gap.to;
  }

  function miss(from, to, reason) {
    missing += to - from + 1;
    byId("gap").textContent = `Steps ${from} to ${to} are not shown: ${reason}.`;
    byId("gap").hidden = false;
  }

  function connect() {
    if (source) source.close();
    const mine = (source = { close() {} });
    load()
      .then(() => {
        if (mine === source) follow();
      })
      .catch(() => {
        if (mine === source) lose();
      });
  }

  function follow() {
    source = new EventSource(`/api/stream?from=${nextStep()}`);
    const mine = source;
    const only = (take) => (event) => {
      if (mine === source) take(event);
    };
    source.addEventListener("run", only(takeRun));
    source.addEventListener("step", only(takeStep));
    source.addEventListener("gap", only(takeGap));
    source.onerror = only(lose);
    draw();
    samples.openFirst();
  }

  function lose() {
    say("lost", "connection lost, reconnecting");
    source.close();
    source = null;
    setTimeout(() => source === null && again(), RECONNECT_MILLIS);
  }

  /* Steps that are shown stay: only what came since is asked for. */
  function again() {
    if (newest === null) connect();
    else follow();
  }

  async function askRun() {
    const [runs, alerts] = await Promise.all([P3oPanels.ask("/api/runs"), P3oPanels.ask("/api/alerts")]);
    told = runs.runs[0];
    if (told.secondsSinceLastStep !== null) lastStepAt = performance.now() - 1000 * told.secondsSinceLastStep;
    if (told.algorithm) algorithm = told.algorithm;
    byId("run-state").dataset.state = told.state;
    if (byId("run-state").textContent !== told.state.toLowerCase()) byId("run-state").textContent = told.state.toLowerCase();
    panels.alerts(alerts);
    detail();
    tick();
  }

  /* Again and again, one at a time, and only while somebody looks. */
  function every(millis, work) {
    const once = async () => {
      if (!document.hidden) await work().catch(() => {}); // the stream tells that the connection is lost
      setTimeout(once, millis);
    };
    once();
  }

  window.p3oSteps = () => [...columns.step]; // for whoever looks from outside

  draw();
  connect();
  every(RUN_MILLIS, askRun);
  every(PANELS_MILLIS, panels.refresh);
  setInterval(tick, 1000);
})();
