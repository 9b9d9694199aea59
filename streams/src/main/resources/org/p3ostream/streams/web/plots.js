"use strict";

/*
 * The charts of a run, for the report and for the live page. Data come as columns: an object of arrays of one length, one entry per
 * step, null where a value is not known. Columns are those of steps.csv.
 */
const P3oPlots = (() => {
  const MEAN_OF = 10;
  const STACK = [
    ["waitMillis", "wait", "var(--series-f)"],
    ["prePassMillis", "pre-pass", "var(--series-a)"],
    ["updateMillis", "update", "var(--series-b)"],
    ["encodeMillis", "encode", "var(--series-e)"],
    ["previousCommitMillis", "commit", "var(--series-c)"],
    ["previousCheckpointMillis", "checkpoint", "var(--series-d)"],
  ];

  /* axis: what the y axis counts; read: what one sees and how to read it; say: the same for the steps at hand. */
  const CHARTS = [
    {
      id: "reward",
      title: "Reward",
      axis: "mean reward",
      series: [
        { label: "step", column: "rewardMean", colour: "var(--faint)", width: 1 },
        { label: `mean of ${MEAN_OF} steps`, column: "rewardMeanOfTen", colour: "var(--series-a)", width: 2.5 },
      ],
      range: unitOrPadded,
      read: "Mean over the responses of a step, higher is better; the heavy line averages ten steps, so that a single hard window does not mislead.",
      say: (c) => first(c, "rewardMeanOfTen", "From", "to"),
    },
    {
      id: "ess",
      title: "Effective sample size and cap",
      axis: "fraction of the window",
      series: [
        { label: "ESS", column: "normalizedEss", colour: "var(--series-a)", width: 3 },
        { label: "cap", column: "adaptiveCap", colour: "var(--series-b)", width: 1.5, dash: [6, 5] },
      ],
      range: () => [0, 1.02],
      read: "1 means that the window counts in full, as if the trained policy itself had sampled it; P3O caps every ratio at this value and"
        + " leans on the KL for the rest, so a dip is a step that trusted its data less.",
      say: (c) => extreme(c, "normalizedEss", Math.min, "Lowest"),
    },
    {
      id: "ratio",
      title: "Importance ratio",
      axis: "new / old probability",
      log: true,
      series: [
        { label: "max", column: "ratioMax", colour: "var(--series-b)", width: 1.5, dash: [6, 3] },
        { label: "mean", column: "ratioMean", colour: "var(--series-a)", width: 2.5 },
      ],
      range: padded,
      read: "How much likelier the trained policy makes a token than the policy that sampled it, before the cap: the mean belongs near 1, and a"
        + " rising maximum is single tokens running away.",
      say: (c) => extreme(c, "ratioMax", Math.max, "Largest"),
    },
    {
      id: "kl",
      title: "Drift from the sampling policy (KL)",
      axis: "nats per token",
      log: true,
      series: [
        { label: "k3 estimate", column: "behaviorKlProxyMeanNats", colour: "var(--series-b)", width: 1.5, dash: [6, 3] },
        { label: "exact", column: "behaviorKlExactMeanNats", colour: "var(--series-a)", width: 2.5 },
      ],
      range: fromZero,
      read: "How far the trained policy has moved from the one that sampled, estimated from the sampled tokens (k3) and, where the run computes"
        + " it, exact over the whole vocabulary: small and flat is fresh data, a lasting rise means that the producers fall behind or the"
        + " updates are too large.",
      say: (c) =>
        extreme(c, "behaviorKlExactMeanNats", Math.max, "Largest exact") || extreme(c, "behaviorKlProxyMeanNats", Math.max, "Largest estimate"),
    },
    {
      id: "gradient",
      title: "Gradient norm",
      axis: "L2 norm",
      log: true,
      series: [{ label: "norm", column: "gradNorm", colour: "var(--series-a)", width: 2 }],
      range: fromZero,
      read: "Size of the whole gradient of a step, before clipping: a spike is one hard window, a drop to nothing a window whose groups were"
        + " each all right or all wrong, and a climb that stays says that the training is coming apart.",
      say: (c) => extreme(c, "gradNorm", Math.max, "Largest"),
    },
    {
      id: "staleness",
      title: "Staleness",
      axis: "policy versions",
      whole: true,
      series: [
        { label: "max", column: "stalenessMaxVersions", colour: "var(--series-b)", width: 1, dash: [3, 3] },
        { label: "mean", column: "stalenessMeanVersions", colour: "var(--series-a)", width: 2.5 },
        { label: "min", column: "stalenessMinVersions", colour: "var(--series-c)", width: 1, dash: [6, 4] },
      ],
      bands: [[1, 3]],
      range: (min, max) => [0, Math.max(1, max === null ? 1 : max) * 1.1],
      read: "How many updates lie between sampling a token and training on it: 0 is on-policy, the band goes from the freshest to the stalest"
        + " token of the window, and dispatch.maxStaleness + dispatch.syncInterval - 1 bounds it.",
      say: (c) => extreme(c, "stalenessMaxVersions", Math.max, "Largest"),
    },
    {
      id: "throughput",
      title: "Throughput",
      axis: "tokens per second",
      series: [
        { label: "step", column: "trainedTokensPerSecond", colour: "var(--faint)", width: 1 },
        { label: `mean of ${MEAN_OF} steps`, column: "trainedTokensPerSecondOfTen", colour: "var(--series-a)", width: 2.5 },
      ],
      range: fromZero,
      read: "Tokens in the loss over the time since the step before, waiting included: a lasting fall is a role that cannot keep up.",
      say: (c) => first(c, "trainedTokensPerSecondOfTen", "From", "to"),
    },
    {
      id: "phases",
      title: "Where the time of a step goes",
      axis: "milliseconds",
      stacked: true,
      series: STACK.map(([column, label, colour]) => ({ label, column, colour, width: 1 })),
      range: fromZero,
      robust: true,
      read: "Waiting for rollouts (grey) means that the producers are the bottleneck, the other colours are the learner's own work; commit and"
        + " checkpoint are those after the step before.",
      say: (c) => `${median(c, "stepMillis", " ms")} ${extreme(c, "stepMillis", Math.max, "Longest", " ms")}`.trim(),
    },
  ];

  // ---- numbers

  function number(value) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size >= 1e6 || size < 1e-3) return value.toExponential(1).replace("e+", "e");
    if (size >= 1000) return Math.round(value).toLocaleString("en-US");
    if (Number.isInteger(value)) return String(value);
    return size >= 100 ? value.toFixed(1) : size >= 10 ? value.toFixed(2) : size >= 0.1 ? value.toFixed(3) : value.toPrecision(3);
  }

  function tick(value) {
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size >= 1e6 || size < 1e-3) return value.toExponential(0).replace("e+", "e");
    if (size >= 1000) return value.toLocaleString("en-US");
    return String(Number(value.toPrecision(6)));
  }

  function known(values) {
    return (values || []).filter((value) => value !== null && Number.isFinite(value));
  }

  function first(columns, name, from, to) {
    const values = known(columns[name]);
    return values.length === 0 ? "" : `${from} ${number(values[0])} ${to} ${number(values[values.length - 1])}.`;
  }

  function quantile(values, fraction) {
    const sorted = Float64Array.from(values).sort();
    return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))];
  }

  function median(columns, name, unit) {
    const values = known(columns[name]);
    return values.length === 0 ? "" : `Median ${number(quantile(values, 0.5))}${unit}.`;
  }

  function extreme(columns, name, pick, word, unit = "") {
    const values = columns[name] || [];
    let best = -1;
    for (let i = 0; i < values.length; i++) {
      if (values[i] !== null && Number.isFinite(values[i]) && (best < 0 || (values[i] !== values[best] && pick(values[i], values[best]) === values[i]))) best = i;
    }
    return best < 0 ? "" : `${word} ${number(values[best])}${unit}, at step ${columns.step[best]}.`;
  }

  // ---- ranges: (min, max), both null when nothing is known

  function padded(min, max) {
    if (min === null) return [0, 1];
    const pad = (max - min) * 0.08 || Math.abs(max) * 0.1 || 1;
    return [min - pad, max + pad];
  }

  function fromZero(min, max) {
    return max === null || max <= 0 ? [0, 1] : [Math.min(0, min), max * 1.06];
  }

  function unitOrPadded(min, max) {
    return min === null || (min >= 0 && max <= 1) ? [0, 1.02] : padded(min, max);
  }

  /* One-digit bounds, so that the scale ends at a value that can be written; six decades at most, lower values leave the plot. */
  function decades(lowest, max) {
    const min = Math.max(lowest, max * 1e-6);
    const down = 10 ** Math.floor(Math.log10(min));
    const up = 10 ** Math.floor(Math.log10(max));
    return [Math.floor(min / down + 1e-9) * down, Math.ceil(max / up - 1e-9) * up];
  }

  function logSplits(min, max) {
    const span = Math.log10(max / min);
    const digits = span > 3.5 ? [1] : span > 1.8 ? [1, 3] : [1, 2, 5];
    const every = span > 8 ? 2 : 1;
    const splits = [];
    for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e += every) {
      for (const digit of digits) {
        const split = Number(`${digit}e${e}`);
        if (split >= min * 0.999 && split <= max * 1.001) splits.push(split);
      }
    }
    return splits;
  }

  // ---- data

  /* Means over ten steps, unless the data bring them. */
  function derive(columns) {
    return {
      rewardMeanOfTen: runningMean(columns.rewardMean || []),
      trainedTokensPerSecondOfTen: runningRate(columns.validTokens || [], columns.stepMillis || []),
      ...columns,
    };
  }

  function runningMean(values) {
    const last = [];
    return values.map((value) => {
      if (value === null) return null;
      last.push(value);
      if (last.length > MEAN_OF) last.shift();
      return last.reduce((a, b) => a + b, 0) / last.length;
    });
  }

  function runningRate(tokens, millis) {
    const last = [];
    return tokens.map((count, i) => {
      if (count === null || !(millis[i] > 0)) return null;
      last.push([count, millis[i]]);
      if (last.length > MEAN_OF) last.shift();
      const sum = last.reduce((a, b) => [a[0] + b[0], a[1] + b[1]], [0, 0]);
      return (1000 * sum[0]) / sum[1];
    });
  }

  function ends(steps) {
    return [steps[0], steps[steps.length - 1]];
  }

  // ---- colours: written as in the style sheet, resolved when something is drawn

  function colour(name) {
    const variable = /^var\((--[a-z-]+)\)$/.exec(name);
    return variable ? getComputedStyle(document.documentElement).getPropertyValue(variable[1]).trim() : name;
  }

  // ---- elements

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function swatch(series, stacked) {
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg");
    svg.setAttribute("width", "22");
    svg.setAttribute("height", "10");
    svg.setAttribute("aria-hidden", "true");
    const line = document.createElementNS(ns, "line");
    for (const [name, value] of Object.entries({ x1: 0, x2: 22, y1: 5, y2: 5 })) line.setAttribute(name, value);
    line.style.stroke = series.colour;
    line.style.strokeWidth = stacked ? 10 : Math.max(2, series.width);
    if (series.dash) line.style.strokeDasharray = series.dash.join(" ");
    svg.append(line);
    return svg;
  }

  const hovered = { announce: null };

  /* One chart in its card. */
  class Plot {
    constructor(chart, container) {
      this.chart = chart;
      this.plot = null;
      this.columns = { step: [] };
      this.figure = element("figure", "plot");
      this.figure.id = `plot-${chart.id}`;
      const head = element("div", "plot-head");
      head.append(element("h3", "", chart.title), this.place = element("span", "plot-unit"));
      const list = element("ul", "readout");
      this.amounts = chart.series.map((series) => {
        const item = element("li");
        const amount = element("span", "amount", "–");
        item.append(swatch(series, chart.stacked), element("span", "", series.label), amount);
        list.append(item);
        return amount;
      });
      this.canvas = element("div", "canvas");
      this.canvas.tabIndex = 0;
      this.canvas.setAttribute("role", "img");
      this.caption = element("figcaption");
      this.figure.append(head, list, this.canvas, this.caption);
      container.append(this.figure);
      this.canvas.addEventListener("keydown", (event) => this.key(event));
      new ResizeObserver(() => this.fit()).observe(this.canvas);
      this.describe();
    }

    show(columns) {
      this.columns = columns;
      const logarithmic = this.wantsLog();
      if (this.plot && this.logarithmic === logarithmic && this.hasData()) {
        const zoomed = this.zoomed();
        this.shown = ends(columns.step);
        this.plot.setData(this.data(), !zoomed);
        if (zoomed) this.plot.redraw();
      } else {
        this.draw(logarithmic);
      }
      this.readout();
      this.describe();
    }

    hasData() {
      return this.chart.series.some((series) => known(this.columns[series.column]).length > 0);
    }

    /* A log axis where the values need one: all of them positive but for a few zeros, and far apart. */
    wantsLog() {
      if (!this.chart.log) return false;
      const values = this.chart.series.flatMap((series) => known(this.columns[series.column]));
      const positive = values.filter((value) => value > 0);
      if (positive.length === 0 || values.some((value) => value < 0)) return false;
      return quantile(positive, 1) / quantile(positive, 0) > 8;
    }

    /* Upper end of the axis: a few steps that stand far out, the first above all, must not flatten the others. */
    top(max) {
      if (!this.chart.robust || max === null) return max;
      const usual = quantile(known(this.plot ? this.plot.data[1] : []), 0.97);
      return max > 2.5 * usual ? 1.4 * usual : max;
    }

    data() {
      const values = this.chart.series.map((series) => this.columns[series.column] || this.columns.step.map(() => null));
      if (this.chart.stacked) {
        for (let s = values.length - 2; s >= 0; s--) {
          const above = values[s + 1];
          values[s] = values[s].map((value, i) => (value === null ? null : value + (above[i] || 0)));
        }
      } else if (this.logarithmic) {
        return [this.columns.step, ...values.map((all) => all.map((value) => (value > 0 ? value : null)))];
      }
      return [this.columns.step, ...values];
    }

    draw(logarithmic) {
      if (this.plot) this.plot.destroy();
      this.plot = null;
      this.logarithmic = logarithmic;
      this.canvas.replaceChildren();
      if (!this.hasData()) {
        this.canvas.append(element("p", "no-data", "nothing to show yet"));
        return;
      }
      this.shown = ends(this.columns.step);
      this.plot = new uPlot(this.options(), this.data(), this.canvas);
    }

    options() {
      const chart = this.chart;
      const line = (name) => () => colour(name);
      const axis = { stroke: line("var(--muted)"), grid: { stroke: line("var(--grid)"), width: 1 }, ticks: { stroke: line("var(--grid)"), width: 1, size: 5 }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif" };
      const series = chart.series.map((one) => ({
        label: one.label,
        stroke: line(one.colour),
        width: one.width,
        dash: one.dash,
        fill: chart.stacked ? line(one.colour) : undefined,
        points: { size: chart.stacked ? 0 : 5, ...(this.columns.step.length > 40 || chart.stacked ? { show: false } : {}) },
      }));
      const log = this.logarithmic;
      return {
        width: Math.max(160, this.canvas.clientWidth),
        height: this.canvas.clientHeight,
        padding: [8, 8, 0, 0],
        legend: { show: false },
        cursor: { y: false, sync: { key: "p3o" }, drag: { x: true, y: false }, points: { size: chart.stacked ? 0 : 7 } },
        scales: {
          x: { time: false, range: (u, min, max) => (u.data[0].length === 1 ? [u.data[0][0] - 1, u.data[0][0] + 1] : [min, max]) },
          y: log
            ? { distr: 3, log: 10, range: (u, min, max) => (min === null ? [0.1, 1] : decades(min, max * 1.05)) }
            : { range: (u, min, max) => chart.range(min, this.top(max)) },
        },
        axes: [
          { ...axis, size: 26, gap: 4, space: 56, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6], values: (u, splits) => splits.map((split) => (Number.isInteger(split) ? tick(split) : "")) },
          {
            ...axis,
            label: log ? `${chart.axis}, log scale` : chart.axis,
            labelSize: 20,
            labelGap: 2,
            gap: 4,
            space: 32,
            size: (u, values) => Math.max(34, 14 + 7 * Math.max(...(values || [""]).map((value) => String(value || "").length))),
            values: (u, splits) => splits.map((split) => (split === null ? "" : tick(split))),
            ...(chart.whole ? { incrs: [1, 2, 5, 10, 20, 50, 100, 1000] } : {}),
            ...(log ? { splits: (u, i, min, max) => logSplits(min, max), filter: (u, splits) => splits } : {}),
          },
        ],
        series: [{}, ...series],
        bands: (chart.bands || []).map((pair) => ({ series: pair, fill: line("var(--band)") })),
        hooks: { setCursor: [() => this.readout()], setScale: [(u, scale) => scale === "x" && this.span(u.scales.x)] },
      };
    }

    /* Whether less is in view than was last shown; the data cannot tell, their arrays may have grown since. */
    zoomed() {
      const { min, max } = this.plot.scales.x;
      return min > this.shown[0] || max < this.shown[1];
    }

    /* Steps in view, for whoever looks from outside. */
    span({ min, max }) {
      this.figure.dataset.from = min;
      this.figure.dataset.to = max;
    }

    index() {
      const hover = this.plot ? this.plot.cursor.idx : null;
      return hover === null || hover === undefined ? this.columns.step.length - 1 : Math.min(hover, this.columns.step.length - 1);
    }

    value(series, index) {
      const values = this.columns[series.column];
      return values && index >= 0 ? values[index] : null;
    }

    /* Where on the x axis, in words. */
    at(index) {
      return `${this.chart.at || "step"} ${this.columns.step[index]}`;
    }

    /* Values of the step under the cursor; of the newest when there is none. */
    readout() {
      const index = this.index();
      this.place.textContent = index < 0 ? "" : this.at(index);
      this.chart.series.forEach((series, s) => {
        this.amounts[s].textContent = number(this.value(series, index));
      });
    }

    describe() {
      const say = this.chart.say ? this.chart.say(this.columns) : "";
      const read = element("span", "", this.chart.read);
      this.caption.replaceChildren(...(say ? [element("strong", "", say), " ", read] : [read]));
      this.canvas.setAttribute("aria-label", `${this.chart.title} by ${this.chart.at || "step"}, ${this.chart.axis}. ${say} Arrow keys read values.`);
    }

    key(event) {
      if (!this.plot) return;
      const last = this.columns.step.length - 1;
      const at = this.index();
      const by = event.shiftKey ? 10 : 1;
      const moves = { ArrowLeft: at - by, ArrowRight: at + by, Home: 0, End: last };
      if (event.key === "Escape") {
        this.plot.setCursor({ left: -10, top: -10 }, true, true);
      } else if (event.key in moves) {
        const index = Math.min(last, Math.max(0, moves[event.key]));
        this.plot.setCursor({ left: this.plot.valToPos(this.columns.step[index], "x"), top: 10 }, true, true);
        const values = this.chart.series.map((series) => `${series.label} ${number(this.value(series, index))}`);
        hovered.announce.textContent = `${this.chart.title}, ${this.at(index)}: ${values.join(", ")}`;
      } else {
        return;
      }
      event.preventDefault();
    }

    fit() {
      if (this.plot && this.canvas.clientWidth > 0) {
        this.plot.setSize({ width: this.canvas.clientWidth, height: this.canvas.clientHeight });
      }
    }

    recolour() {
      if (this.plot) this.plot.redraw(false, true);
    }
  }

  /* Charts of a caller's own in container, described like those above; `at` names what the x axis counts. Each is filled by show(columns). */
  function charts(descriptions, container) {
    if (!hovered.announce) {
      hovered.announce = element("p", "visually-hidden");
      hovered.announce.setAttribute("aria-live", "polite");
      container.after(hovered.announce);
    }
    const plots = descriptions.map((chart) => new Plot(chart, container));
    document.addEventListener("p3o-theme", () => plots.forEach((plot) => plot.recolour()));
    return plots;
  }

  /* Makes all charts in container, and those of a caller behind them; show(columns) fills them. */
  function mount(container, more = []) {
    const plots = charts([...CHARTS, ...more], container);
    return {
      show(columns) {
        const all = derive(columns);
        plots.forEach((plot) => plot.show(all));
      },
    };
  }

  // ---- light and dark

  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  function chosenTheme() {
    try {
      return localStorage.getItem("p3o-theme") || "auto";
    } catch (e) {
      return "auto"; // storage is switched off
    }
  }

  function applyTheme(choice) {
    document.documentElement.dataset.theme = choice === "auto" ? (dark.matches ? "dark" : "light") : choice;
    document.dispatchEvent(new Event("p3o-theme"));
  }

  /* Fills a fieldset with the choice between auto, light and dark. */
  function mountTheme(fieldset) {
    fieldset.append(element("legend", "visually-hidden", "Colours"));
    for (const choice of ["auto", "light", "dark"]) {
      const label = element("label");
      const input = element("input");
      Object.assign(input, { type: "radio", name: "theme", value: choice, checked: choice === chosenTheme() });
      input.addEventListener("change", () => {
        try {
          localStorage.setItem("p3o-theme", choice);
        } catch (e) {
          // storage is switched off: the choice lasts as long as the page
        }
        fieldset.dataset.choice = choice;
        applyTheme(choice);
      });
      label.append(input, element("span", "", choice[0].toUpperCase() + choice.slice(1)));
      fieldset.append(label);
    }
    fieldset.dataset.choice = chosenTheme();
    dark.addEventListener("change", () => applyTheme(fieldset.dataset.choice));
    applyTheme(fieldset.dataset.choice);
  }

  /* A figure of the header: name, value, note. */
  function figure(list, name) {
    const group = element("div");
    const value = element("dd", "value", "–");
    const note = element("dd", "note");
    group.append(element("dt", "", name), value, note);
    list.append(group);
    return (text, remark = "") => {
      value.textContent = text;
      note.textContent = remark;
    };
  }

  return { mount, charts, mountTheme, figure, element, number, colour, mean: runningMean, ranges: { padded, fromZero, unitOrPadded } };
})();
