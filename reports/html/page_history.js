// SPDX-License-Identifier: Apache-2.0
// Views of a history: a time line for each case and host.
const past = { byDate: false };
const when = (entry) => Date.parse(entry.started_at);
const lineOf = (entry) => `${entry.id} on ${entry.fingerprint}`;
const day = (at) => new Date(at).toISOString().slice(0, 10);

function historyTable(caption, entries) {
  return table(caption, [
    { title: "date", value: (entry) => entry.started_at },
    { title: "commit", value: (entry) => entry.commit ?? "" },
    { title: "label", value: (entry) => entry.label ?? "" },
    { title: "time", number: true, value: (entry) => entry.median_ns,
      show: (entry) => time(entry.median_ns) },
    { title: "interval", number: true, value: (entry) => entry.ci_ns?.[0],
      show: (entry) => range(entry.ci_ns, time) },
    { title: "change", number: true, value: (entry) => entry.change,
      show: (entry) => known(entry.change) ? `~${change(entry.change)}` : "–" },
    { title: "verdict", value: (entry) => [entry.verdict ?? (entry.status === "ok" ? "" : entry.status),
      known(entry.compared) ? change(entry.compared) : "", entry.compared_ci
        ? range(entry.compared_ci, change) : "", entry.reason].filter(Boolean).join(" ") }], entries);
}
function timelineConfig(entries) {
  const timed = entries.filter((entry) => entry.median_ns > 0);
  const dated = past.byDate && timed.every((entry) => known(when(entry)));
  const top = Math.max(...timed.map((entry) => entry.median_ns));
  const [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [0, "ns"]].find(([least]) => top >= least);
  const scale = size || 1;
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
    y: axis(`time per call (${unit})`, false, reach(data, "y")) },
    plugins: { marks: { lines: shiftsOf(entries).map((shift) => ({ x: data[timed.indexOf(shift)]?.x,
      colour: "bad", dash: [4, 3], label: shiftText(shift) })).filter((line) => known(line.x)) } } },
  };
}
// Entries from which on a case is faster or slower.
const shiftsOf = (entries) => entries.filter((entry) => entry.shift);
const shiftText = (entry) => `since ${entry.commit || entry.label || day(when(entry))}: ${
  change(entry.shift.change)} ${range(entry.shift.ci, change)}`;

function drawHistory(body) {
  const lines = [...groupBy(page.history.filter((entry) => matches(entry.id)), lineOf)];
  figures(body, lines, "charts", ([name, entries]) => el("div", {},
    figure(`${name}${entries[0].cpu ? `, ${entries[0].cpu}` : ""}`, () => timelineConfig(entries),
      () => historyTable(name, entries), { height: 260 }),
    shiftsOf(entries).length ? el("ul", {}, shiftsOf(entries).map((entry) =>
      el("li", {}, shiftText(entry)))) : null));
}
