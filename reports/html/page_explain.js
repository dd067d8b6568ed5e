// SPDX-License-Identifier: Apache-2.0
// Views of an explanation: findings, bounds, experiments, and the hot loops with their heat.
function evidenceLine(evidence) {
  const against = evidence.of ? `${digits(evidence.factor)} of ${evidence.of}` : null;
  return `${evidence.text ?? evidence.what}: ${digits(evidence.value)} ${evidence.unit ?? ""}${
    evidence.ci ? ` ${range(evidence.ci, digits)}` : ""} (${evidence.at_least ? "at least"
    : "at most"} ${digits(evidence.threshold)}${against ? `, ${against}` : ""}${
    evidence.source ? `; ${evidence.source}` : ""})`;
}
function findingItem(finding) {
  const line = (name, text) => text ? [el("li", {}, `${name}: ${text}`)] : [];
  return el("li", {}, el("strong", {}, finding.cause), ` ${finding.text ?? ""} `,
    el("span", { class: "dim" }, [finding.confidence, known(finding.share)
      ? `${percent(finding.share, 0)} of the time` : ""].filter(Boolean).join(", ")),
    el("ul", {}, (finding.evidence ?? []).map((one) => el("li", {}, evidenceLine(one))),
      (finding.against ?? []).map((one) => el("li", {}, `against it: ${evidenceLine(one)}`)),
      line("to refute", finding.refute), line("remedy", finding.remedy)));
}

// A line is as hot as it was executed often, beside the hottest of its loop.
function codeTable(loop) {
  const most = Math.max(...loop.code.map((line) => line.executed ?? 0), 1);
  const rows = loop.code.map((line, i) => ({ ...line, place: i + 1 }));
  const made = table(`${loop.where}, ${plural(rows.length, "instruction")}`, [
    { title: "#", number: true, value: (line) => line.place },
    { title: "executed", number: true, value: (line) => line.executed },
    { title: "heat", number: true, value: (line) => (line.executed ?? 0) / most,
      show: (line) => {
        const share = (line.executed ?? 0) / most;
        const cell = el("span", { class: "heat" }, percent(share, 0));
        cell.style.setProperty("--share", share);
        return cell;
      } },
    { title: "latency", number: true, value: (line) => line.latency },
    { title: "cycles each", number: true, value: (line) => line.throughput },
    { title: "instruction", value: (line) => line.text, show: (line) => el("code", {}, line.text) },
    { title: "source", value: (line) => line.source ?? "" }], rows);
  return made;
}
function loopPart(loop) {
  const counts = Object.entries(loop.counts ?? {}).map(([name, value]) => `${name} ${digits(value)}`);
  return el("div", {}, el("h4", {}, `Loop ${loop.where}${loop.source ? `, ${loop.source}` : ""}`),
    facts([["share of instructions", known(loop.share) ? percent(loop.share) : null],
      ["iterations of a call", known(loop.iterations) ? digits(loop.iterations) : null],
      ["trips", known(loop.trips) ? digits(loop.trips) : null], ["mix", loop.mix],
      ["of an iteration", counts.join(", ")]]), loop.code ? codeTable(loop) : null);
}

function boundsFigure(why, title) {
  const all = [...why.bounds].sort((a, b) => b.cycles - a.cycles);
  const bounds = all.filter((bound) => !bound.refuted);
  const inks = () => bounds.map((bound) => colour(bound.limits ? "c1" : "c0"));
  return figure(`Bounds of an iteration: ${title}`, () => ({
    type: "bar", data: { labels: bounds.map((bound) => short(bound.text ?? bound.name, 34)),
      datasets: [{ label: "cycles", data: bounds.map((bound) => ({ x: bound.cycles,
        y: short(bound.text ?? bound.name, 34), title: bound.text ?? bound.name,
        lines: [`${digits(bound.cycles)} cycles${bound.limits ? ", a limit of the work" : ""}`] })),
      backgroundColor: inks(), maxBarThickness: 20 }] },
    options: { indexAxis: "y", scales: { x: axis("cycles", false, { beginAtZero: true,
      suggestedMax: why.cycles }), y: { type: "category", grid: { display: false } } },
    plugins: { marks: { lines: known(why.cycles) ? [{ x: why.cycles, colour: "bad",
      label: `measured ${digits(why.cycles)}`, width: 2 }] : [] } } },
  }), () => table("Bounds", [{ title: "bound", value: (bound) => bound.text ?? bound.name },
    { title: "cycles", number: true, value: (bound) => bound.cycles,
      show: (bound) => digits(bound.cycles) },
    { title: "limits the work", value: (bound) => bound.limits ? "yes"
      : bound.refuted ? "no: the time refutes it" : "" }], all),
  { height: 90 + 24 * bounds.length });
}
function experimentsFigure(why, title) {
  const tried = why.experiments.filter((one) => known(one.ratio));
  const data = tried.map((one, row) => ({ x: one.ratio, y: row, lo: one.ci?.[0], hi: one.ci?.[1],
    title: one.name, lines: [one.text ?? "", `${times(one.ratio)} ${range(one.ci, digits)}`] }));
  return figure(`Experiments: ${title}`, () => ({
    type: "scatter", data: { datasets: [{ label: "time with it over time without", interval: "x",
      pointRadius: 4.5, borderColor: colour("c0"), backgroundColor: colour("c0"), data }] },
    options: { scales: { x: axis("time with it over time without", false, reach(data, "x")),
      y: rowAxis(tried.map((one) => one.name)) },
    plugins: { marks: { lines: [{ x: 1, colour: "dim" }] } } },
  }), () => table("Experiments", [{ title: "experiment", value: (one) => one.name },
    { title: "changes", value: (one) => one.text ?? "" },
    { title: "ratio", number: true, value: (one) => one.ratio, show: (one) => times(one.ratio) },
    { title: "interval", number: true, value: (one) => one.ci?.[0],
      show: (one) => range(one.ci, digits) },
    { title: "not tried", value: (one) => one.absent ?? "" }], why.experiments),
  { height: 90 + 22 * tried.length });
}

function explained(result) {
  const why = result.explanation, { executed } = why;
  const sets = ["scalar", "sse", "avx", "avx512", "fma"].filter((name) =>
    executed?.[`share_${name}`] > 0).map((name) => `${percent(executed[`share_${name}`])} ${name}`);
  return el("div", {}, el("h3", {}, caseLink(result.anchor, result.id)),
    facts([["not traced", why.not_traced],
      ["executed", executed ? [`${digits(executed.instructions)} instructions a call`, ...sets,
        executed.widest_bits ? `at most ${executed.widest_bits} bits` : "", executed.modules]
        .filter(Boolean).join(", ") : null],
      ["measured", known(why.cycles) ? `${digits(why.cycles)} cycles an iteration` : null],
      ["nothing explains", known(why.residual?.share) ? `${percent(why.residual.share)} (${
        digits(why.residual.cycles)} cycles)` : null]]),
    result.findings ? [el("h4", {}, "Findings"), el("ol", {}, result.findings.map(findingItem))] : null,
    why.bounds ? boundsFigure(why, result.id) : null, (why.loops ?? []).map(loopPart),
    why.experiments?.some((one) => known(one.ratio)) ? experimentsFigure(why, result.id) : null);
}
const EXPLAINED = 5;
function drawExplanations(body) {
  const list = results.filter((result) => result.explanation && matches(result.id));
  if (list.length)
    body.append(paged(list, EXPLAINED, "cases", (place, part) =>
      place.append(...part.map(explained))));
}
