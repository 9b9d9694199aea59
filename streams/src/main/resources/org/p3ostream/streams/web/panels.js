"use strict";

/* Panels beside the charts. Each shows one answer of the API, and says so while there is none. */
const P3oPanels = (() => {
  const { element, number } = P3oPlots;
  const byId = (id) => document.getElementById(id);

  function head(panel, title, explain) {
    if (title) panel.append(element("h3", "", title));
    if (explain) panel.append(element("p", "explain", explain));
    const body = element("div", "body");
    panel.append(body);
    return body;
  }

  /* columns: [title, read(row), "amount" for numbers]; read gives a text or an element. The first column heads its row. */
  function table(caption, columns, rows) {
    const made = element("table");
    made.append(element("caption", "visually-hidden", caption));
    const header = element("tr");
    for (const [title, , kind] of columns) {
      const cell = element("th", kind === "amount" ? "amount" : "", title);
      cell.scope = "col";
      header.append(cell);
    }
    const top = element("thead");
    top.append(header);
    const body = element("tbody");
    for (const row of rows) {
      const line = element("tr");
      columns.forEach(([, read, kind], i) => {
        const value = read(row);
        const cell = element(i === 0 ? "th" : "td", kind || "");
        if (i === 0) cell.scope = "row";
        cell.append(value === null || value === undefined ? "–" : value);
        line.append(cell);
      });
      body.append(line);
    }
    made.append(top, body);
    const scroll = element("div", "table");
    scroll.append(made);
    return scroll;
  }

  function bar(share) {
    const made = element("span", "bar");
    made.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
    made.setAttribute("aria-hidden", "true");
    return made;
  }

  function seconds(value) {
    if (value === null || value === undefined) return "–";
    if (value < 1) return `${Math.round(value * 1000)} ms`;
    if (value < 120) return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
    return value < 7200 ? `${Math.round(value / 60)} min` : `${Math.round(value / 3600)} h`;
  }

  function notReady(body, reason) {
    body.replaceChildren(element("p", "not-ready", `Not ready: ${reason}`));
  }

  function none(body, text) {
    body.replaceChildren(element("p", "not-ready", text));
  }

  /* A share as a percentage. */
  function percent(value) {
    return value === null || value === undefined ? "–" : `${number(100 * value)} %`;
  }

  const PANELS = [
    {
      id: "staleness",
      path: "/api/staleness",
      title: "Staleness histogram",
      explain: "Trained tokens by the number of updates between sampling and training them, over the newest windows.",
      show(body, data) {
        const tokens = data.histogram.reduce((sum, one) => sum + one.tokens, 0);
        if (tokens === 0) return none(body, "No trained tokens yet.");
        body.replaceChildren(
          table(
            "Trained tokens by staleness",
            [
              ["versions", (one) => String(one.staleness)],
              ["share", (one) => bar(one.tokens / tokens), "bar-cell"],
              ["", (one) => percent(one.tokens / tokens), "amount"],
              ["tokens", (one) => number(one.tokens), "amount"],
            ],
            data.histogram,
          ),
          element("p", "explain", `${number(tokens)} tokens of ${number(data.windows)} windows.`),
        );
      },
    },
    {
      id: "lag",
      path: "/api/staleness",
      title: "Lag, now",
      explain: "What lies in the log and is not trained yet. Lag is records and windows, age is seconds.",
      show(body, data) {
        const list = element("dl", "big-list");
        const figures = [["records", number(data.lagRecords)], ["complete windows", number(data.lagWindows)], ["oldest", seconds(data.lagSeconds)]];
        for (const [name, value] of figures) {
          const group = element("div");
          group.append(element("dt", "", name), element("dd", "", value));
          list.append(group);
        }
        body.replaceChildren(list);
      },
    },
    {
      id: "latencies",
      path: "/api/latencies",
      title: "Stage latency",
      explain: "From the prompt to the group it became, and on to the step that trained it.",
      show(body, data) {
        if (data.stages.length === 0) return none(body, "No stage has been passed yet.");
        const names = { dispatched_to_sampled: "dispatched → sampled", sampled_to_trained: "sampled → trained", dispatched_to_trained: "dispatched → trained" };
        body.replaceChildren(
          table(
            "Latency by stage",
            [
              ["stage", (one) => names[one.stage] || one.stage],
              ["mean", (one) => seconds(one.meanSeconds), "amount"],
              ["median", (one) => seconds(one.p50Seconds), "amount"],
              ["95 %", (one) => seconds(one.p95Seconds), "amount"],
              ["longest", (one) => seconds(one.maxSeconds), "amount"],
              ["groups", (one) => number(one.count), "amount"],
            ],
            data.stages,
          ),
        );
      },
    },
    {
      id: "versions",
      path: "/api/versions?limit=8",
      title: "ESS by policy version",
      explain: "Tokens of each version, merged over the steps that trained them.",
      show(body, data) {
        if (data.versions.length === 0) return none(body, "No tokens have been trained yet.");
        body.replaceChildren(
          table(
            "Effective sample size by policy version",
            [
              ["version", (one) => String(one.policyVersion)],
              ["ESS", (one) => bar(one.normalizedEss || 0), "bar-cell"],
              ["", (one) => number(one.normalizedEss), "amount"],
              ["mean ratio", (one) => number(one.ratioMean), "amount"],
              ["tokens", (one) => number(one.tokens), "amount"],
              ["steps", (one) => (one.fromStep === one.toStep ? String(one.fromStep) : `${one.fromStep}–${one.toStep}`), "amount"],
            ],
            data.versions,
          ),
        );
      },
    },
    {
      id: "producers",
      path: "/api/producers",
      title: "Producers",
      explain: "Rates are over the last minute. A producer that is silent for more than a minute is an alert.",
      show(body, data) {
        if (data.producers.length === 0) return none(body, "No producer has published yet.");
        body.replaceChildren(
          table(
            "Producers",
            [
              ["producer", (one) => one.producerId],
              ["groups/s", (one) => number(one.groupsPerSecond), "amount"],
              ["tokens/s", (one) => number(one.tokensPerSecond), "amount"],
              ["silent for", (one) => seconds(one.silentSeconds), "amount"],
              ["staleness, mean", (one) => number(one.stalenessMean), "amount"],
              ["largest", (one) => number(one.stalenessMax), "amount"],
              ["reward", (one) => number(one.rewardMean), "amount"],
              ["groups", (one) => number(one.groups), "amount"],
              ["responses", (one) => number(one.responses), "amount"],
              ["given up", (one) => number(one.failures), "amount"],
            ],
            data.producers,
          ),
        );
      },
    },
    {
      id: "tasks",
      path: "/api/tasks",
      title: "Tasks",
      explain: "Reward and length by data set.",
      show(body, data) {
        if (data.tasks.length === 0) return none(body, "No responses yet.");
        const reasons = (one) => Object.entries(one.finishReasons || {}).map(([name, count]) => `${name} ${number(count)}`).join(", ");
        body.replaceChildren(
          table(
            "Tasks",
            [
              ["task", (one) => one.task],
              ["reward", (one) => number(one.rewardMean), "amount"],
              ["length", (one) => number(one.lengthMean), "amount"],
              ["truncated", (one) => percent(one.truncatedFraction), "amount"],
              ["responses", (one) => number(one.responses), "amount"],
              ["ended by", reasons],
            ],
            data.tasks,
          ),
        );
      },
    },
    {
      id: "dead-letters",
      path: "/api/dead-letters",
      title: "Dead letters",
      explain: "Records that were not trained on, by reason. ZERO_VARIANCE and STALE are sampled again on purpose.",
      show(body, data) {
        if (data.total === 0) return none(body, "None.");
        body.replaceChildren(
          table(
            "Dead letters by reason",
            [
              ["reason", (one) => one.reason],
              ["records", (one) => number(one.count), "amount"],
              ["last", (one) => (one.lastAt ? new Date(one.lastAt).toLocaleTimeString() : "–"), "amount"],
            ],
            data.reasons,
          ),
        );
      },
    },
  ];

  const gone = new Set();

  async function ask(path) {
    const answer = await fetch(path, { headers: { Accept: "application/json" } });
    if (answer.status === 401) location.reload(); // to the page that asks for the token
    if (!answer.ok) {
      const told = await answer.json().catch(() => ({}));
      throw Object.assign(new Error(told.reason || `answered ${answer.status}`), { status: answer.status });
    }
    return answer.json();
  }

  function mount() {
    for (const panel of PANELS) panel.body = head(byId(panel.id), panel.title, panel.explain);
    PANELS.forEach((panel) => notReady(panel.body, "not asked yet"));
    const rules = head(byId("rules"), "", "Computed by the server from the log; Prometheus sees the same as p3o_alert_firing.");
    const snapshots = byId("snapshots");
    snapshots.addEventListener("toggle", () => snapshots.open && showSnapshots(snapshots.querySelector(".panel")));
    return { refresh, alerts: (told) => showAlerts(told, rules) };
  }

  /* Asks once for each path, whoever shows it. */
  async function refresh() {
    const paths = [...new Set(PANELS.map((panel) => panel.path))].filter((path) => !gone.has(path));
    await Promise.all(
      paths.map(async (path) => {
        const shown = PANELS.filter((panel) => panel.path === path);
        try {
          const data = await ask(path);
          shown.forEach((panel) => panel.show(panel.body, data));
        } catch (e) {
          if (e.status === 404) gone.add(path);
          shown.forEach((panel) => notReady(panel.body, e.status === 404 ? "this service does not tell" : e.message));
        }
      }),
    );
  }

  async function showSnapshots(panel) {
    try {
      const told = await ask("/api/snapshots?limit=20");
      panel.replaceChildren(
        table(
          "Newest snapshots",
          [
            ["version", (one) => String(one.version)],
            ["step", (one) => String(one.step), "amount"],
            ["kind", (one) => one.kind],
            ["bytes", (one) => number(one.bytes), "amount"],
            ["SHA-256", (one) => element("code", "", one.sha256)],
          ],
          told.snapshots,
        ),
      );
    } catch (e) {
      notReady(panel, e.message);
    }
  }

  let announced = "";

  /* What fires stands on top; it is replaced only when it changes, so that it is read out once. */
  function showAlerts(told, rules) {
    const firing = told.alerts.filter((alert) => alert.state === "FIRING");
    const unknown = told.alerts.filter((alert) => alert.state === "UNKNOWN").length;
    const now = firing.map((alert) => alert.rule).join();
    const box = byId("alerts");
    if (firing.length === 0) {
      const calm = `No alerts${unknown ? `; ${unknown} of ${told.alerts.length} rules cannot tell yet` : ""}.`;
      if (box.textContent !== calm) box.replaceChildren(element("p", "calm", calm));
    } else if (now !== announced) {
      box.replaceChildren(
        ...firing.map((alert) => {
          const line = element("p", "alert");
          line.dataset.severity = alert.severity;
          line.dataset.rule = alert.rule;
          line.append(element("strong", "", alert.title), element("span", "", `${alert.detail}.`));
          return line;
        }),
      );
    }
    announced = now;
    const words = { OK: "✓ ok", FIRING: "⚠ firing", UNKNOWN: "? unknown" };
    rules.replaceChildren(
      table(
        "Alert rules",
        [
          ["rule", (alert) => alert.title],
          ["state", (alert) => element("span", alert.state === "FIRING" ? "note-bad" : "", words[alert.state])],
          ["severity", (alert) => alert.severity.toLowerCase()],
          ["found", (alert) => alert.detail],
        ],
        told.alerts,
      ),
    );
  }

  return { mount, ask, seconds, table };
})();
