// SPDX-License-Identifier: Apache-2.0
// The samples of cases, and all about one case.

// Times of the batches of a case over its median; of two builds, trials of head over base.
function samplesOf(result) {
  const trials = result.comparison?.trials;
  if (trials?.head_ns)
    return { own: trials.head_ns.map((ns, i) => ns / trials.base_ns[i]), apart: [], voided: [] };
  const shares = (totals) => (totals ?? []).map((total) =>
    perCall(result, total) / result.summary.median_ns);
  return { own: shares(result.samples_ns), apart: shares(result.apart?.samples_ns),
    voided: shares(result.voided_ns) };
}
const hasSamples = (result) => result.comparison?.trials?.head_ns?.length ||
  (isMeasured(result) && result.samples_ns?.length);

// Points beside each other in a row, the same at each drawing.
const jitter = (i) => ((i * 0.618034) % 1 - 0.5) * 0.62;

function stripConfig(cases) {
  const all = cases.map(samplesOf), every = all.flatMap(({ own }) => own).sort((a, b) => a - b);
  const typical = every[Math.floor(every.length * 0.98)] ?? 1;
  const edge = state.wide ? Infinity : Math.max(1 + (typical - 1) * 1.6, 1.02);
  const points = (kind) => all.flatMap((samples, row) => samples[kind].map((share, i) => ({
    x: Math.min(share, edge), y: row + jitter(i), title: cases[row].id, anchor: cases[row].anchor,
    lines: [`${digits(share)} of ${page.gate ? "base" : "the median"}${{ own: "",
      apart: ", set apart", voided: ", voided" }[kind]}`,
      share > edge ? "beyond the axis" : ""].filter(Boolean), beyond: share > edge })));
  const strip = (kind, label, ink, mark = "circle") => ({
    label, data: points(kind), borderColor: colour(ink), backgroundColor: `${colour(ink)}66`,
    pointRadius: (context) => context.raw?.beyond ? 4 : 2.2, pointBorderWidth: mark === "circle" ? 0.5 : 1,
    pointStyle: (context) => context.raw?.beyond ? "triangle" : mark, pointHitRadius: 2,
    pointRotation: 90,
  });
  const others = [strip("voided", "crosses: voided on evidence", "grey", "crossRot"),
    strip("apart", "set apart: beside another thread on the core", "grey")];
  return {
    type: "scatter",
    data: { datasets: [...others.filter((set) => set.data.length), strip("own", "samples", "c0")] },
    options: { scales: { x: axis(page.gate ? "time of head over time of base"
      : "time over the median of the case", false),
      y: rowAxis(cases.map((result) => result.id)) },
    plugins: { marks: { lines: [{ x: 1, colour: "dim" }] } } },
  };
}
const stripHeight = (n) => 70 + 26 * n;
function sampleTable(cases) {
  const count = (list) => list?.length ?? 0;
  return table("Samples", [caseColumn,
    { title: "samples", number: true, value: (result) => count(samplesOf(result).own) },
    { title: "set apart", number: true, value: (result) => count(result.apart?.samples_ns) },
    { title: "voided", number: true, value: (result) => result.voided ??
      result.comparison?.voided ?? 0 },
    ...timeColumns,
    numbers("minimum", (result) => result.summary?.min_ns, time),
    numbers("MAD", (result) => result.summary?.mad_ns, time)],
  cases, { anchor: (result) => result.anchor });
}
const STRIPS = 24;
function drawSamples(body) {
  const cases = results.filter((result) => result.role !== "roof" && hasSamples(result) &&
    matches(result.id));
  const parts = [];
  for (const members of groupBy(cases, (result) => `${result.op}, ${elementOf(result)}`).values())
    for (let i = 0; i < members.length; i += STRIPS)
      parts.push(members.slice(i, i + STRIPS));
  figures(body, parts, "charts", (part) => figure(
    `Samples: ${part[0].op} ${elementOf(part[0])}, ${plural(part.length, "case")}`,
    () => stripConfig(part), () => sampleTable(part), { height: stripHeight(part.length) }));
}

// ---- one case ----

function caseDetails(result) {
  const { summary, work } = result;
  const settings = Object.entries({ ...result.settings, ...result.module_options })
    .map(([name, value]) => `${name}=${value}`).join(", ");
  const box = el("div", {}, facts([
    ["time", summary ? `${time(summary.median_ns)} ${range(summary.ci_ns, time)}` : null],
    ["no interval", summary?.ci_reason], ["minimum", summary ? time(summary.min_ns) : null],
    ["rate", allRates(result)],
    ["limit", result.limit?.id ? `${percent(result.limit.share)} of ${result.limit.id}` : null],
    ["work of a call", work?.ops ? `${amount(work.ops, "op")}, ${amount(work.bytes ?? 0, "B")}` : null],
    ["clock", known(result.clock?.ghz) ? `${digits(result.clock.ghz)} GHz` : null],
    ["status", result.status + (result.reason ? `: ${result.reason}` : "")],
    ["settings", settings], ["implementation", result.implementation],
    ["module", [result.module_version, result.module_core].filter(Boolean).join(", ")],
    ["from", result.source], ["unranked", result.unranked],
    ["batches", `${result.samples_ns?.length ?? 0} samples, ${result.apart?.samples_ns?.length ?? 0
    } set apart, ${result.voided ?? 0} voided`]]));
  if (result.notes)
    box.append(el("ul", {}, result.notes.map((note) => el("li", {}, note))));
  if (hasSamples(result))
    box.append(figure("Samples of this case", () => stripConfig([result]),
      () => sampleTable([result]), { height: 130 }));
  if (result.ratios)
    box.append(table("Against baselines", [
      { title: "baseline", value: (ratio) => ratio.baseline,
        show: (ratio) => caseLink(ratio.baseline, ratio.baseline) },
      { title: "speedup", number: true, value: (ratio) => ratio.speedup,
        show: (ratio) => `${ratio.unpaired ? "~" : ""}${times(ratio.speedup)}` },
      interval((ratio) => ratio.ci)], result.ratios,
    { anchor: (ratio) => ratio.baseline }));
  const counted = [...Object.entries(result.counters ?? {}), ...Object.entries(result.metrics ?? {})];
  if (counted.length)
    box.append(el("details", {}, el("summary", {}, "Counters and metrics"),
      table("Counters and metrics of a call", [
        { title: "name", value: ([name]) => name },
        { title: "value", number: true, value: ([, of]) => of.value,
          show: ([, of]) => `${digits(of.value)}${of.unit ? ` ${of.unit}` : ""}` },
        { title: "remark", value: ([, of]) => of.absent ?? of.doubt ?? of.verdict ?? "" },
      ], counted)));
  if (result.comparison)
    box.append(gateTable([result]));
  if (result.explanation)
    box.append(explained(result));
  return box;
}
