// SPDX-License-Identifier: Apache-2.0
// Views of an explanation: findings, bounds, experiments, and the hot loops with their heat.
function evidenceLine(evidence) {
  const against = evidence.of ? `${digits(evidence.factor)} of ${evidence.of}` : null;
  return `${evidence.text ?? evidence.what}: ${digits(evidence.value)} ${evidence.unit ?? ""}${
    evidence.ci ? ` ${range(evidence.ci, digits)}` : ""} (${evidence.at_least ? "at least"
    : "at most"} ${digits(evidence.threshold)}${against ? `, ${against}` : ""}${
    evidence.source ? `; ${evidence.source}` : ""})`;
}
// Two bars: the time as it is, and with the experiment.
function beforeAfter(one) {
  const most = Math.max(1, one.ratio);
  return el("div", { class: "pair" }, [["as it is", 1], [one.text ?? one.name, one.ratio]]
    .map(([name, value]) => [el("span", {}, name), bar([["fill", value / most, ""]],
      `${name}: ${times(value)}`), el("span", { class: "right" }, times(value))]));
}
const shownBy = { flipped: "shown by an experiment", structural: "seen in the code",
  modelled: "calculated" };
function findingCard(finding, why) {
  const line = (name, text) => text ? el("p", {}, el("strong", {}, `${name}: `), text) : null;
  const tried = (why.experiments ?? []).find((one) => one.name === finding.experiment &&
    known(one.ratio));
  const open = finding.cause === "unexplained";
  return el("div", { class: "card", role: "group", "aria-label": finding.cause }, el("h4", {}, open ? finding.text : finding.cause,
    open ? "" : el("span", { class: "dim" }, ` · ${[shownBy[finding.confidence] ?? finding.confidence, known(finding.share)
      ? `${percent(finding.share, 0)} of the time` : ""].filter(Boolean).join(", ")}`)),
  open ? null : el("p", {}, finding.text ?? ""), tried ? beforeAfter(tried) : null,
  line("Try", finding.remedy), el("details", {}, el("summary", {}, "Evidence"),
    el("ul", {}, (finding.evidence ?? []).map((one) => el("li", {}, evidenceLine(one))),
      (finding.against ?? []).map((one) => el("li", {}, `against it: ${evidenceLine(one)}`))),
    line("To refute", finding.refute)));
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
  const counts = Object.entries(loop.counts ?? {}).filter(([, value]) => value).map(([name, value]) => `${name} ${digits(value)}`);
  return el("div", {}, el("h4", {}, `Loop ${loop.where}${loop.source ? `, ${loop.source}` : ""}`),
    loop.code ? codeTable(loop) : null, el("details", {}, el("summary", {}, "Facts of this loop"),
      facts([["share of instructions", known(loop.share) ? percent(loop.share) : null],
        ["iterations of a call", known(loop.iterations) ? digits(loop.iterations) : null],
        ["trips", known(loop.trips) ? digits(loop.trips) : null], ["mix", loop.mix],
        ["of an iteration", counts.join(", ")]])));
}

// A bar of segments [class, share, text], from the left.
function bar(segments, label) {
  return el("div", { class: "bar", role: "img", "aria-label": label }, segments.map(([kind, share,
    text]) => {
    const part = el("span", { class: kind, title: text }, text);
    part.style.setProperty("width", `${100 * Math.min(Math.max(share, 0), 1)}%`);
    return part;
  }));
}
// The time of an iteration: what the largest bound needs of it, and what nothing explains.
function boundsFigure(why) {
  const all = [...why.bounds].filter((bound) => bound.cycles > 0)
    .sort((a, b) => b.cycles - a.cycles);
  const top = all.find((bound) => !bound.refuted), rest = why.cycles - top?.cycles;
  const name = top?.text ?? top?.name;
  const said = !top || !known(rest) ? "" : `${digits(why.cycles)} cycles measured; ${name}: ${
    digits(top.cycles)} (${percent(top.cycles / why.cycles, 0)})${rest > 0
    ? `; beyond all bounds: ${digits(rest)} (${percent(rest / why.cycles, 0)}), hatched` : ""}`;
  const whole = Math.max(why.cycles, top?.cycles);
  return el("figure", {}, el("figcaption", {}, el("h4", {}, "Time of an iteration")),
    said ? [bar([["fill", top.cycles / whole, name], ["rest", rest / whole, ""]], said),
      el("p", {}, said)] : null,
    el("details", {}, el("summary", {}, "All bounds"), table("Bounds", [
      { title: "bound", value: (bound) => bound.text ?? bound.name },
      numbers("cycles", (bound) => bound.cycles),
      { title: "limits the work", value: (bound) => bound.limits ? "yes"
        : bound.refuted ? "no: the time refutes it" : "" }], all)));
}
function experimentsFigure(why, title) {
  const changes = ({ ratio, ci }) => Math.abs(ratio - 1) >= 0.02 && !(ci?.[0] <= 1 && ci[1] >= 1);
  const done = why.experiments.filter((one) => known(one.ratio));
  const tried = done.filter(changes), none = done.filter((one) => !changes(one));
  const data = tried.map((one, row) => ({ x: one.ratio, y: row, lo: one.ci?.[0], hi: one.ci?.[1],
    title: one.name, lines: [one.text ?? "", `${times(one.ratio)} ${range(one.ci, digits)}`] }));
  const ends = [1, ...tried.flatMap((one) => [one.ratio, ...(one.ci ?? [])])];
  const rest = none.length ? el("p", { class: "dim" }, `Changed nothing: ${
    none.map((one) => one.name).join(", ")}`) : null;
  return tried.length === 0 ? rest : el("div", {}, figure(`Experiments: ${title}`, () => ({
    type: "scatter", data: { datasets: [{ label: "time with it over time without", interval: "x",
      pointRadius: 4.5, borderColor: colour("c0"), backgroundColor: colour("c0"), data }] },
    options: { scales: { x: axis("time with it over time without", true,
      { min: Math.min(...ends) / 1.1, max: Math.max(...ends) * 1.1 }),
      y: rowAxis(tried.map((one) => one.name)) },
    plugins: { marks: { lines: [{ x: 1, colour: "dim" }] } } },
  }), () => table("Experiments", [{ title: "experiment", value: (one) => one.name },
    { title: "changes", value: (one) => one.text ?? "" },
    numbers("ratio", (one) => one.ratio, times), interval((one) => one.ci),
    { title: "not tried", value: (one) => one.absent ?? "" }], why.experiments),
  { height: 90 + 22 * tried.length }), rest);
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
      ["nothing explains", why.residual?.share > 0 ? `${percent(why.residual.share)} (${
        digits(why.residual.cycles)} cycles)` : null]]),
    why.bounds ? boundsFigure(why) : null,
    (result.findings ?? []).map((finding) => findingCard(finding, why)), (why.loops ?? []).map(loopPart),
    why.experiments?.some((one) => known(one.ratio)) ? experimentsFigure(why, result.id) : null);
}
const EXPLAINED = 5;
function drawExplanations(body) {
  const list = results.filter((result) => result.explanation && matches(result.id));
  if (list.length)
    body.append(paged(list, EXPLAINED, "cases", (place, part) =>
      place.append(...part.map(explained))));
}
