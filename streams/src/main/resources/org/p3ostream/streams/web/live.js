"use strict";

/* The live page: follows /api/stream, shows what comes, and connects again by itself. */
(() => {
  const RECONNECT_MILLIS = 1500;
  const byId = (id) => document.getElementById(id);
  P3oPlots.mountTheme(byId("theme"));
  const plots = P3oPlots.mount(byId("plots"));
  const figures = Object.fromEntries(
    ["Step", "Reward", "Effective sample size", "Staleness", "Throughput", "Time of a step"].map((name) => [name, P3oPlots.figure(byId("figures"), name)]),
  );

  /* Columns of steps.csv out of a step as /api/steps shows it. */
  const COLUMNS = {
    step: (s) => s.step,
    rewardMean: (s, t) => t.rewardMean,
    normalizedEss: (s, t) => t.normalizedEss,
    adaptiveCap: (s, t) => t.adaptiveCap,
    ratioMean: (s, t) => t.ratioMean,
    ratioMax: (s, t) => t.ratioMax,
    behaviorKlProxyMeanNats: (s, t) => t.behaviorKlProxyMean,
    behaviorKlExactMeanNats: (s, t) => t.behaviorKlExactMean,
    gradNorm: (s, t) => t.gradNorm,
    stalenessMinVersions: (s, t) => t.stalenessMin,
    stalenessMeanVersions: (s, t) => t.stalenessMean,
    stalenessMaxVersions: (s, t) => t.stalenessMax,
    validTokens: (s, t) => t.validTokens,
    stepMillis: (s) => s.stepMillis,
    trainedTokensPerSecond: (s, t) => (s.stepMillis > 0 ? (1000 * t.validTokens) / s.stepMillis : null),
    waitMillis: (s) => s.phases.waitMillis,
    prePassMillis: (s) => s.phases.prePassMillis,
    updateMillis: (s) => s.phases.updateMillis,
    encodeMillis: (s) => s.phases.encodeMillis,
    previousCommitMillis: (s) => s.phases.previousCommitMillis,
    previousCheckpointMillis: (s) => s.phases.previousCheckpointMillis,
  };

  let columns = empty();
  let run = null;
  let newest = null;
  let source = null;
  let drawing = false;

  function empty() {
    return Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, []]));
  }

  function add(step) {
    const training = step.training || {};
    for (const [name, read] of Object.entries(COLUMNS)) {
      const value = read(step, training);
      columns[name].push(Number.isFinite(value) ? value : null);
    }
    newest = step;
  }

  function nextStep() {
    return newest === null ? 0 : newest.step + 1;
  }

  function draw() {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      plots.show(columns);
      byId("plots").dataset.steps = columns.step.length;
      showFigures();
    });
  }

  function last(name) {
    const values = columns[name];
    for (let i = values.length - 1; i >= 0; i--) if (values[i] !== null) return values[i];
    return null;
  }

  function showFigures() {
    const n = P3oPlots.number;
    const reward = P3oPlots.mean(columns.rewardMean).filter((value) => value !== null);
    const scheduled = run && run.scheduleSteps ? `of ${run.scheduleSteps} scheduled` : "";
    figures.Step(newest === null ? "–" : n(newest.step + 1), newest === null ? scheduled : `${scheduled ? scheduled + ", " : ""}version ${newest.policyVersion}`);
    figures.Reward(n(reward.length ? reward[reward.length - 1] : null), reward.length ? `mean of 10 steps; first ${n(reward[Math.min(9, reward.length - 1)])}` : "");
    figures["Effective sample size"](n(last("normalizedEss")), last("adaptiveCap") == null ? (last("normalizedEss") == null ? "waiting for the first step" : "no cap") : `cap ${n(last("adaptiveCap"))}`);
    figures.Staleness(n(last("stalenessMeanVersions")), `${n(last("stalenessMinVersions"))} to ${n(last("stalenessMaxVersions"))} policy versions`);
    figures.Throughput(n(last("trainedTokensPerSecond")), "tokens trained per second");
    figures["Time of a step"](newest === null || newest.stepMillis === null ? "–" : `${n(newest.stepMillis)} ms`, newest === null ? "" : `waiting ${n(newest.phases.waitMillis)} ms`);
  }

  function say(state, text) {
    byId("state").dataset.state = state;
    byId("state").textContent = text;
  }

  function detail() {
    const parts = [];
    if (run) parts.push(`run ${run.runId}`);
    if (run && run.startedAt) parts.push(`started ${new Date(run.startedAt).toLocaleString()}`);
    if (newest) parts.push(newest.algorithm);
    byId("detail").textContent = parts.join(" · ");
    document.title = newest ? `step ${newest.step + 1} · P3O Stream` : "P3O Stream: live";
  }

  /* Another run under this address: what was shown is not its past. */
  function forget() {
    columns = empty();
    newest = null;
    byId("gap").hidden = true;
  }

  function takeRun(event) {
    const told = JSON.parse(event.data);
    const another = run && run.startedAt && told.startedAt && run.startedAt !== told.startedAt;
    const late = !run || told.startedAt ? told : { ...told, startedAt: run.startedAt, scheduleSteps: run.scheduleSteps };
    run = late;
    if (another) {
      forget();
      connect();
    }
    say("live", nextStep() === 0 && told.newestStep < 0 ? "waiting for the first step" : "live");
    detail();
    draw();
  }

  function takeStep(event) {
    const step = JSON.parse(event.data);
    if (step.step < nextStep()) return;
    add(step);
    say("live", "live");
    detail();
    draw();
  }

  function takeGap(event) {
    const gap = JSON.parse(event.data);
    byId("gap").textContent = `Steps ${gap.from} to ${gap.to} are not shown: ${gap.reason}.`;
    byId("gap").hidden = false;
  }

  function connect() {
    if (source) source.close();
    source = new EventSource(`/api/stream?from=${nextStep()}`);
    const mine = source;
    const only = (take) => (event) => {
      if (mine === source) take(event);
    };
    source.addEventListener("run", only(takeRun));
    source.addEventListener("step", only(takeStep));
    source.addEventListener("gap", only(takeGap));
    source.onerror = only(() => {
      say("lost", "connection lost, reconnecting");
      source.close();
      source = null;
      setTimeout(connect, RECONNECT_MILLIS);
    });
  }

  draw();
  connect();
})();
