// SPDX-License-Identifier: Apache-2.0
// Views of a history: a time line for each case and host.
const past = { byDate: false };
const when = (entry) => Date.parse(entry.started_at);
const day = (at) => new Date(at).toISOString().slice(0, 10);

function historyTable(caption, entries) {
  return table(caption, [
    { title: "date", value: (entry) => entry.started_at },
    { title: "commit", value: (entry) => entry.commit ?? "" },
    { title: "label", value: (entry) => entry.label ?? "" },
    numbers("time", (entry) => entry.median_ns, time), interval((entry) => entry.ci_ns, time),
    { title: "change", number: true, value: (entry) => entry.change,
      show: (entry) => known(entry.change) ? `~${change(entry.change)}` : "–" },
    { title: "verdict", value: (entry) => [entry.verdict ?? (entry.status === "ok" ? "" : entry.status),
      known(entry.compared) ? change(entry.compared) : "", entry.compared_ci
        ? range(entry.compared_ci, change) : "", entry.reason].filter(Boolean).join(" ") }], entries);
}
function timelineConfig({ runs, changes = [] }) {
  const timed = runs.filter((entry) => entry.median_ns > 0);
  const dated = past.byDate && timed.every((entry) => known(when(entry)));
  const top = Math.max(...timed.map((entry) => entry.median_ns));
  const [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [0, "ns"]].find(([least]) => top >= least);
  const scale = size || 1;
  // A change of a few percent is no mountain.
  const middle = timed.map((entry) => entry.median_ns / scale).sort((a, b) => a - b)[timed.length >> 1];
  const data = timed.map((entry, i) => ({ x: dated ? when(entry) : i, y: entry.median_ns / scale,
    lo: entry.ci_ns?.[0] / scale, hi: entry.ci_ns?.[1] / scale,
    title: [entry.started_at, entry.commit, entry.label].filter(Boolean).join(" "),
    lines: [`${time(entry.median_ns)} ${range(entry.ci_ns, time)}`,
      known(entry.change) ? `~${change(entry.change)} since the run before` : ""].filter(Boolean) }));
  return {
    type: "line", data: { datasets: [{ label: "time", data, borderColor: colour("c0"),
      backgroundColor: colour("c0"), borderWidth: 1.5, pointRadius: 3.5, interval: "y" }] },
    options: { scales: { x: axis(dated ? "date" : "run", false, { offset: false,
      ...(dated ? {} : { min: -0.5, max: timed.length - 0.5 }), ticks: { precision: 0,
        callback: (value) => dated ? day(value) : Number.isInteger(value) && timed[value]
          ? short(timed[value].label || timed[value].commit || day(when(timed[value])), 14) : "" } }),
    y: axis(`time per call (${unit})`, false, reach([...data, { y: 0.95 * middle }, { y: 1.05 * middle }], "y")) },
    plugins: { marks: { lines: changes.map((since) => ({ dash: [4, 3],
      colour: since.change > 0 ? "bad" : "good", label: change(since.change),
      x: data[timed.indexOf(runs[since.run])]?.x })).filter((line) => known(line.x)) } } },
  };
}
// "since v2 (2026-11-21): +4.1% [+3.6%, +4.6%]": a case takes longer, or less long, from there on.
function changeText(runs, since) {
  const entry = runs[since.run];
  return `since ${entry.label || entry.commit || "?"} (${entry.started_at.slice(0, 10)}): ${
    change(since.change)} ${range(since.ci, change)}`;
}

// The last gate of a case, if it called a change and no run measured the case later.
function lastGate(line) {
  const gate = line.runs.filter((entry) => entry.verdict || entry.median_ns > 0).at(-1);
  return ["REGRESSED", "IMPROVED"].includes(gate?.verdict) ? gate : null;
}
const gateText = (gate) => `${gate.verdict} ${change(gate.compared)} by the gate of ${
  gate.started_at.slice(0, 10)}`;

// A case as a small picture with its last time; a click unfolds its chart and table.
function timeline(line) {
  const name = `${line.id} on ${line.fingerprint}`, timed = line.runs.filter((entry) => entry.median_ns > 0);
  const marks = (line.changes ?? []).map((since) => ({ at: timed.indexOf(line.runs[since.run]),
    class: since.change > 0 ? "bad" : "good" })).filter((mark) => mark.at >= 0);
  const texts = (line.changes ?? []).map((since) => changeText(line.runs, since));
  const gate = lastGate(line);
  if (gate)
    texts.push(gateText(gate));
  const last = timed.at(-1);
  const medians = timed.map((entry) => entry.median_ns);
  const told = last ? `${time(last.median_ns)} in the last of ${plural(timed.length, "run")}${timed.length > 1
    ? `, ${time(Math.min(...medians))} to ${time(Math.max(...medians))} in all` : ""}` : "no time";
  const alone = page.cases.every((other) => other.fingerprint === line.fingerprint);
  return el("details", { class: "timeline" }, el("summary", {}, rowOf("span", [alone ? line.id : name,
    sparkline(medians, marks, `${name}: ${[told, ...texts].join("; ")}`),
    el("span", {}, told), texts.map((text) => el("strong", { class: "since" }, text))])),
  figure([name, line.cpu].filter(Boolean).join(", "),
    () => timelineConfig(line), () => historyTable(name, line.runs), { height: 260 }));
}

function drawHistory(body) {
  // Cases that changed come first, the largest of their last changes on top.
  const last = (line) => Math.max(Math.abs(line.changes?.at(-1)?.change ?? 0),
    Math.abs(lastGate(line)?.compared ?? 0));
  const lines = page.cases.filter((line) => matches(line.id)).sort((a, b) => last(b) - last(a));
  const moved = (line) => line.changes || lastGate(line);
  const kinds = groupBy(lines, (line) => moved(line) ? "that changed"
    : line.seen ? "in which no change was found" : "with too few runs to see a change");
  for (const [kind, some] of [...kinds].sort(([a], [b]) => (b === "that changed") - (a === "that changed"))) {
    body.append(el("h3", {}, `${plural(some.length, "case")} ${kind}`));
    figures(body, some, "cases", timeline);
  }
}
