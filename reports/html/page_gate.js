// SPDX-License-Identifier: Apache-2.0
// Views of two builds: changes with their intervals, threshold and noise floor.
const VERDICTS = { REGRESSED: "bad", IMPROVED: "good", PLACED: "warn",
  INCONCLUSIVE: "warn", UNUSABLE: "warn" };
const verdictTone = (result) => VERDICTS[result.comparison.verdict] ?? "";
const CODES = { same: "same", nearly: "same but for", other: "other" };
const hasChange = ({ comparison }) => known(comparison?.change) && comparison.base_ns > 0 &&
  comparison.head_ns > 0;

function codeText(placement) {
  const text = CODES[placement?.code] ?? "";
  return placement?.code === "nearly"
    ? `${text} ${digits(placement.instructions)} in ${placement.where ?? "?"}` : text;
}

function gateTable(list) {
  const of = (name, show) => ({ number: true, title: name.replace("_ns", ""),
    value: (result) => result.comparison[name], show: (result) => show(result.comparison[name]) });
  return table("Changes: time of head over time of base, minus 1", [caseColumn,
    { title: "verdict", value: (result) => result.comparison.verdict, tone: verdictTone },
    of("change", change),
    interval((result) => result.comparison.ci, change),
    { title: "reason", value: (result) => result.comparison.reason ??
      result.comparison.code?.reason ?? result.comparison.placement?.unmoved ?? "" },
    numbers("as built", (result) => result.comparison.placement?.change, change),
    { title: "code", value: (result) => codeText(result.comparison.placement) },
    of("base_ns", (ns) => ns > 0 ? time(ns) : "–"), of("head_ns", (ns) => ns > 0 ? time(ns) : "–"),
    { ...of("floor", percent), title: "floor" },
    { ...of("delta", percent), title: "to exceed" }, of("detectable", percent),
    numbers("processes", (result) => result.comparison.processes || null)],
  list, { anchor: (result) => result.anchor, sort: 2, descending: true });
}

function forestConfig(cases) {
  const { threshold } = page.gate;
  const inks = cases.map((result) => colour(verdictTone(result) || "c0"));
  const data = cases.map((result, row) => ({
    x: 100 * result.comparison.change, y: row, lo: result.comparison.ci?.[0] * 100,
    hi: result.comparison.ci?.[1] * 100, title: result.id, anchor: result.anchor,
    lines: [`${result.comparison.verdict} ${change(result.comparison.change)} ${
      range(result.comparison.ci, change)}`, `${time(result.comparison.base_ns)} before, ${
      time(result.comparison.head_ns)} now`] }));
  const built = cases.flatMap(({ comparison: { placement }, id, anchor }, row) =>
    known(placement?.change) ? [{ x: 100 * placement.change, y: row, anchor,
      title: `${id} as built ${change(placement.change)}` }] : []);
  const limits = [-120, 120].map((sign) => ({ x: sign * (threshold ?? 0) }));
  const ends = reach([...data, ...built, ...limits], "x");
  return {
    type: "scatter", data: { datasets: [{
      label: "change", pointRadius: 4.5, interval: "x", pointBorderColor: inks,
      pointBackgroundColor: inks, borderColor: inks, data }, ...(built.length ? [{
      label: "as built, by its place too", pointRadius: 5, pointStyle: "rectRot",
      borderColor: colour("dim"), data: built }] : [])] },
    options: { scales: { x: axis("change of the time; right: slower", false,
      { ...ends, ...(ends.suggestedMax > 100 ? { min: -100 } : {}), ticks: { callback: (value) => `${plain(value, 3)}%` } }), y: rowAxis(cases.map((result) => result.id)) },
      plugins: { marks: {
        lines: [{ x: 0, colour: "dim" }, ...(known(threshold) ? [-1, 1].map((sign) => ({
          x: 100 * sign * threshold, dash: [5, 4], colour: "warn",
          label: sign > 0 ? "threshold" : "" })) : [])],
        bands: cases.map((result, row) => ({ row, lo: -100 * result.comparison.floor,
          hi: 100 * result.comparison.floor, colour: "grey" })).filter((band) => known(band.hi)),
      } } },
  };
}
// The trust that the changes deserve.
function trust(gate) {
  const lines = [];
  if (gate.refused)
    lines.push(`Times were not judged: ${gate.refused}.`);
  if (known(gate.drift))
    lines.push(`The machine changed by ${change(gate.drift)}, as ${gate.controls} libraries and ` +
      "limits say, whose code is the same; changes by op are without that.");
  if (gate.between > 0)
    lines.push(`Noise between the runs: ${percent(gate.between_alone ?? gate.between)}; a change must exceed ` +
      `twice that${gate.between > gate.between_alone
        ? `, with a neighbour on the core twice ${percent(gate.between)}` : ""}.`);
  return lines.map((line) => el("p", {}, line));
}
const pair = (before, after, show) => known(after)
  ? `${known(before) ? `${show(before)} to ` : ""}${show(after)}` : "";
function rowsTable(gate) {
  return table("Geometric means of usable cases", [
    { title: "op", value: (row) => row.op }, { title: "ISA", value: (row) => row.isa },
    { title: "cases", number: true, value: (row) => row.usable,
      show: (row) => row.usable < row.cases ? `${row.usable} of ${row.cases}` : `${row.cases}` },
    numbers("change", (row) => row.change, change), interval((row) => row.ci, change),
    numbers("raw", (row) => row.raw === row.change ? null : row.raw, change),
    { title: "limit", value: (row) => row.share_after,
      show: (row) => pair(row.share_before, row.share_after, percent) },
    { title: "speed against", value: (row) => (row.versus ?? []).map((one) => `${one.baseline} ${
      pair(one.before, one.after, (times) => `${plain(times, 4)}x`)}`).join(", ") }], gate.rows);
}
const FOREST = 40;
function drawGate(body) {
  const { gate } = page;
  const rank = Object.keys({ REGRESSED: 0, ...VERDICTS });
  const list = results.filter((result) => result.comparison && matches(result.id));
  const changed = list.filter(hasChange).sort((a, b) => b.comparison.change - a.comparison.change);
  const parts = [];
  for (let i = 0; i < changed.length; i += FOREST)
    parts.push(changed.slice(i, i + FOREST));
  body.append(...trust(gate));
  figures(body, parts, "charts", (part) => figure("Changes, the worst first; grey: the noise floor",
    () => forestConfig(part), () => gateTable(part), { height: 90 + 24 * part.length }));
  if (gate.rows?.length)
    body.append(rowsTable(gate));
  body.append(el("details", {}, el("summary", {}, `${compared === "runs" ? "Runs" : "Builds"} and settings`), facts([
    ["verdicts", rank.concat("SAME").map((name) => [name, gate[name.toLowerCase()]])
      .filter(([, n]) => n).map(([name, n]) => `${n} ${name}`).join(", ")],
    ["threshold", percent(gate.threshold)], ["geometric mean", known(gate.geomean_change)
      ? change(gate.geomean_change) : null],
    ["this machine", gate.selftest],
    ["settings of this comparison", gate.settings],
    ["harness", gate.harness], ["placement", gate.harness && "code of a harness cannot be tried at " +
      "other places, so a change may be of the code or only of its place in memory"],
    ["remark", gate.remark],
    ["left out", gate.left_out], ["this CPU lacks", gate.lacking],
    ...(gate.arms ?? []).map((arm) => [arm.name, [arm.label, arm.path, arm.version,
      arm.commit, arm.build_id ? `build ${arm.build_id}` : "", arm.started_at, arm.host]
      .filter(Boolean).join(", ")])])));
  if (list.length)
    body.append(el("details", { open: list.length <= FOLDED },
      el("summary", {}, `All ${plural(list.length, "case")}`), gateTable(list)));
}

// ---- several runs beside the first ----

// Half as fast again, or slower by as much, is as dark as it gets.
function runCell({ times: gain, cases }, all) {
  return known(gain) ? shaded(el("td", { class: `right ${gain < 1 ? "heat" : "cell"}` },
    `${gain.toFixed(3)}x${cases < all ? ` (${cases})` : ""}`), Math.abs(Math.log2(gain) / Math.log2(1.5))) : null;
}
function drawRuns(body) {
  const rows = page.rows.filter((row) => row.runs[0].cases && matches(row.name));
  if (rows.length)
    body.append(cellsTable("How many times as fast as the first run", ["op and ISA", "cases", ...page.runs.map((run) => short(run.name, 24))],
      rows.map((row) => [row.name, [el("td", { class: "right" }, String(row.runs[0].cases)),
        ...row.runs.map((cell) => runCell(cell, row.runs[0].cases))]])),
    facts(page.runs.map((run) => [run.name, [run.path, run.commit ? `commit ${run.commit}` : "",
      run.build_id ? `build ${run.build_id.slice(0, 12)}` : "", run.started_at, run.cpu, run.fingerprint
        ? `fingerprint ${run.fingerprint}` : ""].filter(Boolean).join(", ")])));
}
