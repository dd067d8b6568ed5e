// SPDX-License-Identifier: Apache-2.0
// Views of studies: claims with their verdicts, and the account as a waterfall.
// Blue, orange and hatched: colours that nobody confuses.
const STRIP = { CONFIRMED: "fill", REFUTED: "against", UNDECIDED: "rest" };
const CLAIMS = { CONFIRMED: "good", REFUTED: "bad", UNDECIDED: "warn" };

// The format of a check's numbers: shares as percents, ratios as factors.
function checkText(check) {
  if (check.measure === "thread_ratio" || check.as === "ratio")
    return times;
  return ["limit_share", "noise", "explained"].includes(check.measure) ? (value) => percent(value)
    : (value) => digits(value);
}
function expectText(check) {
  const [lo, hi] = check.expect ?? [null, null], text = checkText(check);
  return lo === null && hi === null ? "" : lo === null ? `at most ${text(hi)}`
    : hi === null ? `${text === times ? "over" : "at least"} ${text(lo)}` : lo === hi ? text(lo) : `${text(lo)} to ${text(hi)}`;
}
// The point that decides: the first with the verdict of the whole.
const deciding = (check) => (check.points ?? []).find((point) => point.verdict === check.verdict) ??
  check.points?.[0];
const measureText = (check) => [check.measure === "time_ratio" ? "" : check.fact ?? check.metric ??
  check.event ?? check.measure, (check.of ?? []).join(check.as === "difference" ? " − " : "/")]
  .filter(Boolean).join(" ");
const verdictText = (claim) => [claim.verdict, claim.how, claim.contested ? "contested" : ""]
  .filter(Boolean).join(", ");

function evidenceText(check) {
  const mark = { CONFIRMED: "+", REFUTED: "−" }[check.verdict] ?? "?";
  const doubt = { REFUTED: ", not ", UNDECIDED: ", not for certain " }[check.verdict];
  const point = deciding(check);
  return `${mark} ${measureText(check)}${known(point?.value) ? ` ${checkText(check)(point.value)}`
    : ""}${doubt ? doubt + expectText(check) : ""}${
    check.reason ? `: ${check.reason}` : ""}${check.why ? ` (${check.why})` : ""}`;
}
function claimTable(study, claims) {
  return table(`Claims of ${study.name}`, [
    { title: "id", value: (claim) => claim.id },
    { title: "claim", value: (claim) => claim.quote ?? `${claim.text ?? ""} (ours)` },
    { title: "theirs", value: (claim) => claim.their ?? expectText(claim) },
    { title: "here", number: true, value: (claim) => deciding(claim)?.value,
      show: (claim) => checkText(claim)(deciding(claim)?.value) },
    { title: "interval", number: true, value: (claim) => deciding(claim)?.ci?.[0],
      show: (claim) => range(deciding(claim)?.ci, checkText(claim)) },
    { title: "verdict", value: verdictText, tone: (claim) => claim.contested ? "warn"
      : CLAIMS[claim.verdict] ?? "" },
    { title: "at", value: (claim) => deciding(claim)?.at ?? "" },
    { title: "cases", value: (claim) => (deciding(claim)?.cases ?? []).join(" "),
      show: (claim) => el("span", {}, (deciding(claim)?.cases ?? []).flatMap((id, i) =>
        [i ? " against " : "", caseLink(id, id)])) },
    { title: "evidence and reasons", value: (claim) => [claim.reason, claim.type
      ? `type: ${claim.type}` : null, ...(claim.evidence ?? []).map(evidenceText), claim.note]
      .filter(Boolean).join("; ") }],
  claims, { anchor: (claim) => deciding(claim)?.cases?.[0] });
}

// Steps of an account: the total, its parts as factors one upon the other, the residual.
function steps(account, sum, reverse) {
  const pairs = (reverse ? account.reverse : account.parts) ?? [];
  const factors = (reverse ? sum.reverse : sum.parts) ?? [];
  const residual = reverse ? sum.reverse_residual : sum.residual;
  let at = 1;
  const list = [{ name: account.total.join("/"), kind: "total", from: 1, to: sum.total?.value,
    ...sum.total }];
  pairs.forEach((pair, i) => {
    const factor = factors[i] ?? {};
    const to = at * (factor.value ?? 1);
    list.push({ name: pair.join("/"), kind: "part", from: at, to, ...factor });
    at = to;
  });
  if (known(residual?.value))
    list.push({ name: "residual", kind: "residual", from: at, to: at * residual.value, ...residual });
  return list.filter((step) => known(step.value));
}
function waterfallConfig(list) {
  const inks = list.map((step) => colour({ total: "c7", part: "c0", residual: "c4" }[step.kind]));
  const ends = list.map((step) => step.ci
    ? { lo: step.from * step.ci[0], hi: step.from * step.ci[1] } : {});
  const all = list.flatMap((step, i) => [step.from, step.to, ends[i].lo, ends[i].hi]).filter(known);
  return {
    type: "bar", data: { labels: list.map((step) => short(step.name, 30)), datasets: [{
      label: "factor", backgroundColor: inks.map((ink) => `${ink}b0`), borderColor: inks,
      borderWidth: 1, borderSkipped: false, interval: "y", intervalColour: colour("text"),
      data: list.map((step, i) => ({ x: short(step.name, 30), y: [step.from, step.to], ...ends[i],
        title: step.name, lines: [`${times(step.value)} ${range(step.ci, digits)}`] })) }] },
    options: { scales: { x: { type: "category", grid: { display: false }, ticks: { maxRotation: 60 } },
      y: axis("factor of the time", true, { min: Math.min(...all) / 1.1, max: Math.max(...all) * 1.1,
        ticks: { callback: (value) => plain(value) === plain(value, 1) ? `${plain(value)}x` : "" } }) },
    plugins: { marks: { lines: [{ y: 1, colour: "dim" }] } } },
  };
}
function stepTable(list) {
  return table("The account", [{ title: "factor", value: (step) => step.name },
    { title: "kind", value: (step) => step.kind },
    numbers("value", (step) => step.value, times), interval((step) => step.ci)], list);
}
function accountFigures(study) {
  const { account } = study;
  return (account?.sums ?? []).flatMap((sum) => [false, true].map((reverse) => {
    const list = steps(account, sum, reverse);
    const title = `${study.name}: ${reverse ? "mended" : "broken"} one at a time${
      sum.at ? ` at ${sum.at}` : ""}`;
    if ((reverse && !account.reverse) || list.length < 2)
      return reverse || !sum.reason ? null : el("p", { class: "dim" }, `${title}: ${sum.reason}`);
    return figure(title, () => waterfallConfig(list), () => stepTable(list));
  })).filter(Boolean);
}

// Their expectation as a band, and the result of this machine as a dot, on one axis.
function claimStrip(claim, point) {
  const [lo, hi] = claim.expect ?? [null, null], text = checkText(claim);
  const tone = claim.contested ? "warn" : CLAIMS[claim.verdict] ?? "";
  const values = [lo, hi, point.value, ...(point.ci ?? [])].filter(known);
  const scale = scaleOf([...values, ...(claim.as === "ratio" ? [1] : [])], 0.12);
  const interval = !point.ci ? "" : point.ci[0] === point.ci[1] ? "exact" : range(point.ci, text);
  const here = `${text(point.value)} ${interval}`.trim();
  return [strip(scale, { bands: lo === hi ? [] : [{ class: "usual", lo, hi }],
    lines: [lo === hi ? { at: lo, class: "theirs" } : null, claim.as === "ratio" ? { at: 1, class: "mid" } : null].filter(Boolean),
    dots: [{ at: point.value, ci: point.ci, class: tone, text: here }] },
  `expected ${expectText(claim)}; here ${here}`),
  el("p", { class: "sides" }, el("span", {}, "theirs ", el("strong", {}, claim.their ?? expectText(claim)),
    claim.their ? el("span", { class: "dim" }, ` (the band: ${expectText(claim)})`) : null),
  el("span", {}, "here ", el("strong", { class: tone }, text(point.value)), el("span", { class: "dim" }, ` ${interval}`)))];
}
function claimEvidence(claim, point) {
  const cases = (point?.cases ?? []).flatMap((id, i) => [i ? " against " : "", caseLink(id, id)]);
  return el("details", {}, el("summary", {}, "Evidence"), el("ul", {},
    [[point?.at ? `at ${point.at}: ` : "", ...cases], claim.reason, ...(claim.evidence ?? []).map(evidenceText),
      claim.note, ...(claim.confounders ?? []).map((text) => `it may also be that ${text}`)]
      .filter((line) => line?.length && line.join?.("") !== "").map((line) => el("li", {}, line))));
}
function undecidedText(claim, point) {
  const [lo, hi] = point.ci ?? [], text = checkText(claim);
  const from = claim.expect?.[0] ?? -Infinity, to = claim.expect?.[1] ?? Infinity;
  const clear = (lo >= from && hi <= to) || lo > to || hi < from;
  return `Not decided: it lies between ${text(lo)} and ${text(hi)}, and the claim says ${expectText(claim)}${
    clear && point.floor > 0 ? `, but equal arms differ by ${(100 * point.floor).toFixed(1)}% here` : ""}.`;
}
function claimCard(claim) {
  const point = deciding(claim), answer = { CONFIRMED: claim.confirms, REFUTED: claim.refutes }[claim.verdict];
  return el("div", { class: "card", role: "group", "aria-label": `Claim ${claim.id}` },
    el("h4", {}, el("span", { class: claim.contested ? "warn" : CLAIMS[claim.verdict] ?? "" }, verdictText(claim)),
      el("span", { class: "dim" }, ` claim ${claim.id}`)),
    claim.quote ? el("blockquote", {}, claim.quote) : el("p", {}, `${claim.text ?? ""} (ours)`),
    answer || claim.verdict === "UNDECIDED" ? el("p", {}, answer ?? undecidedText(claim, point)) : null, claimStrip(claim, point), claimEvidence(claim, point));
}
function openClaims(claims) {
  return claims.length ? el("details", {}, el("summary", {}, `${plural(claims.length, "claim")} without a number here`),
    el("ul", {}, claims.map((claim) => el("li", {}, `${claim.id}: ${claim.quote ?? claim.text ?? ""}: ${[verdictText(claim),
      claim.reason ?? deciding(claim)?.reason].filter(Boolean).join(", ")}`, claim.type ? [" ", el("code", {}, claim.type)] : null)))) : null;
}
function drawStudies(body) {
  for (const study of page.studies) {
    const claims = (study.claims ?? []).filter((claim) => matches([claim.id, claim.quote, claim.text,
      ...(claim.points ?? []).flatMap((point) => point.cases ?? [])].join(" ")));
    if (!claims.length)
      continue;
    const counts = [...groupBy(study.claims, (claim) => claim.verdict)].sort();
    const tone = ([verdict]) => STRIP[verdict] ?? "open", text = ([verdict, list]) => `${list.length} ${verdict}`;
    body.append(el("h3", {}, study.title ?? study.name), facts([["study", study.name],
      ["source", [study.source?.title, study.source?.machine].filter(Boolean).join(", ")]]),
    bar(counts.map((entry) => [tone(entry), entry[1].length / study.claims.length, ""]), counts.map(text).join(", ")),
    el("p", { class: "key" }, counts.map((entry) => el("span", { class: tone(entry) }, text(entry)))));
    const measured = claims.filter((claim) => known(deciding(claim)?.value));
    body.append(el("div", { class: "cards" }, measured.map(claimCard)),
      openClaims(claims.filter((claim) => !measured.includes(claim))) ?? "",
      el("details", {}, el("summary", {}, "All claims as a table"), claimTable(study, claims)), ...accountFigures(study),
      el("details", {}, el("summary", {}, "What the arms do"), facts(Object.entries(study.arms ?? {})
        .map(([name, arm]) => [name, arm.is]))));
  }
}
