// SPDX-License-Identifier: Apache-2.0
// Views of a run: its cases, speed over size, roofline.
const state = { logX: true, logY: false, wide: false, allRoofs: false };

// ---- cases ----

const statusColumn = {
  title: "status", value: (result) => result.status + (result.reason ? `: ${result.reason}` : ""),
  tone: (result) => ["wrong", "failed"].includes(result.status) ? "bad"
    : result.status === "ok" ? "" : "warn",
};
const caseColumn = { title: "case", value: (result) => result.id,
  show: (result) => caseLink(result.anchor, breakable(result.id)) };
const timeColumns = [
  numbers("time", (result) => result.summary?.median_ns, time),
  numbers("±95%", spread, (share) => percent(share, 2)),
];
const rateColumns = [
  { title: "rate", number: true, value: (result) => result.rates?.gops ?? result.rates?.gbps,
    show: rateText },
  numbers("of limit", (result) => result.limit?.share, (share) => percent(share)),
];
const clockColumn = numbers("GHz", (result) => result.clock?.ghz);

// The ratio with the fastest case of that owner; null: of any.
const closest = (result, owner) => (result.ratios ?? []).filter((ratio) =>
  (owner === null || ownerOf(ratio.baseline) === owner) && known(ratio.speedup))
  .reduce((best, ratio) => best && best.speedup <= ratio.speedup ? best : ratio, null);
function ratioColumns(list) {
  const owners = [...new Set(list.flatMap((result) => (result.ratios ?? [])
    .map((ratio) => ownerOf(ratio.baseline))))];
  const several = owners.length > 2;
  return (several ? [null] : owners).map((owner) => ({
    title: several ? "vs the fastest baseline" : `vs ${short(owner || "baseline", 24)}`,
    number: true, value: (result) => closest(result, owner)?.speedup,
    show: (result) => {
      const ratio = closest(result, owner);
      return ratio ? [several ? short(ownerOf(ratio.baseline), 24) : "",
        `${ratio.unpaired ? "~" : ""}${times(ratio.speedup)}`,
        ratio.ci ? range(ratio.ci, digits) : ""].filter(Boolean).join(" ") : "–";
    },
  }));
}
// Counters and metrics that the user asked for.
function askedColumns(list) {
  const names = new Set(list.flatMap((result) => ["counters", "metrics"].flatMap((kind) =>
    Object.entries(result[kind] ?? {}).filter(([, of]) => of.asked).map(([name]) => name))));
  const of = (result, name) => result.counters?.[name] ?? result.metrics?.[name];
  return [...names].slice(0, 20).map((name) => ({
    title: short(name, 30), number: true, value: (result) => of(result, name)?.value,
    show: (result) => `${digits(of(result, name)?.value)}${of(result, name)?.doubt ? "?" : ""}`,
  }));
}
function caseTable(caption, list, more = {}) {
  return table(caption, [caseColumn, ...timeColumns, ...rateColumns, ...ratioColumns(list),
    numbers("vs one thread", (result) => result.gain?.times, times),
    clockColumn, ...askedColumns(list), statusColumn], list,
  { anchor: (result) => result.anchor, ...more });
}
const FOLDED = 12;
function drawCases(body) {
  const list = results.filter((result) => result.role !== "roof" && matches(result.id));
  if (list.length)
    body.append(el("details", { open: list.length <= FOLDED && !page.gate },
      el("summary", {}, `${plural(list.length, "case")} with times, intervals and ratios`),
      caseTable(`Cases, ${plural(list.length, "row")}`, list)));
}

// ---- matrix: a row for each kernel, a column for each size ----

const SIZES = 16;
// The row of a case: "avx512/fma", "openblas,coretype=SkylakeX/sgemm"; a module that all kernels
// are of is not named.
const modules = new Set(results.filter((result) => result.role === "kernel").map((result) => labelOf(result.id)));
const kernelOf = (result) => [result.role === "kernel" && modules.size === 1 ? "" : labelOf(result.id), result.isa === "lib" ? "" : result.isa,
  result.variant].filter(Boolean).join("/");
// Half the share looks half as dark, and a little less.
const shaded = (cell, share) => {
  cell.style.setProperty("--share", Math.min(Math.max(share || 0, 0), 1) ** 1.5);
  return cell;
};
// A row is a name and its cells, null where there is none.
function cellsTable(caption, [first, ...heads], rows) {
  return el("div", { class: "table", role: "group", tabindex: 0, "aria-label": caption },
    el("table", { class: "matrix" }, el("caption", {}, caption), el("thead", {}, el("tr", {},
      el("th", { scope: "col" }, first), heads.map((head) => el("th", { scope: "col", class: "right" }, breakable(head))))),
    el("tbody", {}, rows.map(([name, cells]) => el("tr", {}, el("td", {}, breakable(name)),
      cells.map((cell) => cell ?? el("td", { class: "right dim" }, "–")))))));
}
const sizeHead = (result) => short(sizeOf(result) > 0 ? sizeText(sizeOf(result)) : result.shape ?? "");
// A cell has the share of the limit, or of the speed of the fastest one at that size; or the time.
function matrixCell(result, best, limited, paired) {
  const share = limited ? result.limit?.share
    : paired ? best.summary.median_ns / result.summary.median_ns : null;
  return shaded(el("td", { class: "cell right" }, caseLink(result.anchor, known(share)
    ? limited ? percent(share, 0) : `${share.toFixed(2)}x` : time(result.summary.median_ns),
  { class: "number", title: [result.id, ...hover(result)].join("\n") }),
  result.fastest && paired ? el("span", { class: "best", role: "img", "aria-label": "the fastest" }, "★") : null), share);
}
// "n1c64h56" may break in front of a letter with its number, a number nowhere, a path behind its slashes.
const breakable = (text) => text.split(/(?<=\/)|(?<=\d)(?=[a-z]\d)/).flatMap((part, i) => i ? [el("wbr"), part] : [part]);
function matrix(family, cases, shapes) {
  const own = cases.filter((result) => result.role !== "baseline");
  // An audit and a verdict ask which kernel is fastest, not how far each is from its limit.
  const limited = !page.audit && !page.judge && own.every((result) => known(result.limit?.share)) && own.length > 0;
  const columns = shapes.map((shape) => {
    const members = cases.filter((result) => result.shape === shape);
    const mine = members.filter((result) => result.role !== "baseline");
    const best = (mine.length ? mine : members).reduce((a, b) =>
      b.summary.median_ns < a.summary.median_ns ? b : a);
    // Only kernels that took turns have a fastest one, and all of them must have a time.
    const brief = results.some((result) => result.status === "short" && result.role === "kernel" &&
      result.threads === members[0].threads && result.group === members[0].group);
    const paired = !brief && members.every((result) => result.group === members[0].group);
    return { shape, best, brief, paired, of: new Map(members.map((result) => [kernelOf(result), result])) };
  });
  // The fastest kernel first, by its mean speed beside the fastest of each size.
  const ranking = columns.filter(({ paired }) => paired);
  const mean = (row) => {
    const parts = ranking.filter(({ of }) => of.has(row)).map(({ of, best }) =>
      best.summary.median_ns / of.get(row).summary.median_ns);
    return parts.reduce((a, b) => a + b, 0) / (parts.length || 1);
  };
  const rows = [...new Set(cases.map(kernelOf))].sort((a, b) => mean(b) - mean(a));
  const level = ranking.some(({ of }) => [...of.values()].filter((result) => result.fastest).length > 1);
  const caption = `${family.title}: ${limited ? "share of its own limit"
    : ranking.length ? "speed beside that of the fastest kernel" : "times of kernels that took no turns"}${
    ranking.length ? "; ★ the fastest kernel of a size" : ""}${level ? ", or several that are level" : ""}${
    !limited && columns.some(({ brief }) => brief) ? "; times where another one is too short to be timed" : ""}`;
  return cellsTable(caption, ["kernel", ...columns.map(({ best }) => sizeHead(best))], rows.map((row) => [row, columns.map(({ of, best, paired }) =>
    of.has(row) ? matrixCell(of.get(row), best, limited, paired) : null)]));
}
// Families with no more sizes than a table has room for; `test` chooses cases.
function sizeParts(test) {
  return families().flatMap((family) => {
    const cases = family.cases.filter((result) => test(result) && matches(result.id))
      .sort((a, b) => sizeOf(a) - sizeOf(b) || 0);
    const shapes = [...new Set(cases.map((result) => result.shape))], parts = [];
    for (let i = 0; i < shapes.length; i += SIZES) {
      const some = shapes.slice(i, i + SIZES);
      parts.push({ family, shapes: some, cases: cases.filter((result) => some.includes(result.shape)) });
    }
    return parts;
  });
}
function drawMatrix(body) {
  // A time that is no longer than what measures it ranks nothing.
  figures(body, sizeParts((result) => isMeasured(result) && result.status !== "short"), "matrices",
    ({ family, cases, shapes }) => matrix(family, cases, shapes));
}

// ---- several threads ----

// Certainly faster is shaded, certainly slower is red, and what may be either is dim.
function gainCell(result) {
  const { times: gain, ci } = result.gain, ran = result.threads_used || result.threads;
  const tone = ci?.[1] < 1 ? " bad" : ci?.[0] > 1 ? "" : " dim";
  return shaded(el("td", { class: `cell right${tone}` },
    caseLink(result.anchor, `${gain.toFixed(2)}x`, { class: "number", title: [result.id, ci
      ? `interval ${range(ci, digits)}` : "no interval", `${percent(gain / ran, 0)} of ${plural(ran, "thread")}`,
    ...hover(result)].join("\n") })), tone ? 0 : gain / ran);
}
function gainTable({ family, cases, shapes }) {
  // A limit stands in the column of the cases that it was measured beside.
  const roofs = family.roofs.filter(({ roof, like }) => roof.gain && shapes.includes(like.shape));
  const rows = (list, name, of, shape) => [...groupBy(list, name)].map(([row, members]) => [row,
    shapes.map((at) => members.filter((one) => shape(one) === at).map((one) => gainCell(of(one)))[0] ?? null)]);
  return cellsTable(`${family.title}: how many times as fast as one thread; dark: all that its threads can gain`,
    ["kernel", ...shapes.map((shape) => sizeHead(cases.find((result) => result.shape === shape)))], [
      ...rows(cases, kernelOf, (one) => one, (one) => one.shape),
      ...rows(roofs, ({ roof }) => `limit ${roof.isa}/${roof.variant}`, ({ roof }) => roof, ({ like }) => like.shape)]);
}
function drawGain(body) {
  figures(body, sizeParts((result) => result.gain), "tables", gainTable);
}

// ---- speed over size ----

// "64", "64x64x64" and "inplace64" are sizes, and so is what a stream touches; of other shapes
// the order alone is known.
function sizeOf(result) {
  const { shape = "", layout = "" } = result;
  const found = /^(\d+)(?:x\1)*$/.exec(shape.startsWith(layout) ? shape.slice(layout.length) : shape);
  return result.rung?.working_set > 0 ? result.rung.working_set : found ? Number(found[1]) : NaN;
}
function shapeAxis(cases, log) {
  const shapes = [...new Map(cases.map((result) => [result.shape, result])).values()];
  if (shapes.every((result) => sizeOf(result) > 0)) {
    const sizes = [...new Set(shapes.map(sizeOf))].sort((a, b) => a - b);
    const ticks = sizes.length <= 14 ? ticksAt(sizes, log ? Math.log : Number) : {};
    const [min, max] = [sizes[0], sizes[sizes.length - 1]];
    const room = log ? { min: min / 1.15, max: max * 1.15 }
      : { min: min - (max - min) * 0.03, max: max + (max - min) * 0.03 || 1 };
    return { at: sizeOf, scale: axis(isRoof(shapes[0]) ? "bytes" : "size", log,
      { ...ticks, ...room, ...(sizes.length <= 14
        ? { ticks: { callback: sizeText } } : {}) }) };
  }
  const names = shapes.sort((a, b) => (a.work?.ops ?? 0) - (b.work?.ops ?? 0))
    .map((result) => result.shape ?? "");
  const place = new Map(names.map((name, i) => [name, i]));
  return { at: (result) => place.get(result.shape ?? ""), scale: axis("shape, by work", false,
    { min: -0.4, max: names.length - 0.6, ...(names.length <= 30 ? ticksAt([...names.keys()])
      : {}),
    ticks: { callback: (value) => short(names[value] ?? "", 26) } }) };
}

function speedPoint(result, unit, at) {
  const y = unit.of(result), { median_ns: median, ci_ns: ci } = result.summary;
  const ends = !ci ? [] : unit.name === "ns" ? ci : [y * median / ci[1], y * median / ci[0]];
  return { x: at(result), y, lo: ends[0], hi: ends[1], title: result.id, anchor: result.anchor,
    result };
}

// The widest instruction set has the plain line; libraries are dashed, and grey.
const DASHES = { scalar: [1.5, 2.5], sse2: [4, 3], avx2: [10, 3] };
function speedConfig(family, cases, unit) {
  const { at, scale } = shapeAxis(cases, state.logX);
  const series = [...groupBy(cases, seriesOf)];
  const variants = [...new Set(family.cases.filter((result) => result.role !== "baseline")
    .map((result) => result.variant))];
  const lines = series.map(([label, members]) => {
    const [first] = members, baseline = first.role === "baseline";
    const ink = colour(baseline ? "dim" : cycled(variants.indexOf(first.variant)));
    return {
      label, end: kernelOf(first) || label, data: members.map((result) => speedPoint(result, unit, at))
        .filter((point) => known(point.y)).sort((a, b) => a.x - b.x),
      borderColor: ink, backgroundColor: baseline ? colour("ground") : ink, borderWidth: 1.75,
      pointStyle: baseline ? "triangle" : "circle", pointRadius: baseline ? 4.5 : 3,
      borderDash: baseline ? [6, 3] : DASHES[first.isa] ?? [], interval: "y",
    };
  });
  return {
    type: "line", data: { datasets: [...lines, ...limitLines(family, series, unit, at)] },
    options: { layout: { padding: { right: endRoom() } }, scales: { x: scale, y: unit.name === "ns"
      ? axis(unit.label, true, { ticks: { callback: (value) => logTick(value) &&
        time(value).replace(/\.?0+ /, " ") } })
      : axis(unit.label, state.logY, { beginAtZero: !state.logY,
        suggestedMax: lines.flatMap((line) => line.data).reduce((most, { hi }) => Math.max(most, hi ?? 0), 0) }) } },
  };
}
// Roofs that limit one of these lines, grey, at the shapes that they were measured beside.
function limitLines(family, series, unit, at) {
  if (unit.name === "ns")
    return [];
  const name = (id) => (id ?? "").split("@")[0];
  const limits = (roof) => series.findIndex(([, members]) =>
    members.some((result) => name(result.limit?.id) === roof));
  const roofs = groupBy(family.roofs.filter(({ roof }) => isMeasured(roof)),
    ({ roof }) => name(roof.id));
  return [...roofs].filter(([roof]) => limits(roof) >= 0).map(([label, members]) => ({
    label: `limit ${label.replace("roof/", "")}`, borderColor: colour("grey"), borderWidth: 1,
    end: `limit ${label.split("/").slice(2).join("/")}`, pointRadius: 0, pointHitRadius: 6,
    data: members.map(({ roof, like }) => ({ x: at(like), y: roofRate(roof, like, unit),
      title: roof.id, anchor: roof.anchor, result: roof }))
      .filter((point) => known(point.x) && known(point.y)).sort((a, b) => a.x - b.x),
  }));
}

const SERIES = 8;
// One size is no curve; the matrix shows it.
const isCurve = (cases) => new Set(cases.map((result) => result.shape)).size > 1;
// Families whose cases match: one chart each, or one for each instruction set if there are
// many lines; libraries stand in each of these.
function speedCharts() {
  return families().flatMap((family) => {
    const measured = family.cases.filter(isMeasured);
    const cases = isCurve(measured) ? measured.filter((result) => matches(result.id)) : [];
    const libraries = cases.filter((result) => result.role === "baseline");
    const own = cases.filter((result) => result.role !== "baseline");
    const many = groupBy(cases, seriesOf).size > SERIES && own.length > 0;
    return [...(many ? groupBy(own, (result) => result.isa) : new Map([["", own]]))]
      .flatMap(([isa, members]) => {
        const series = [...groupBy(members, seriesOf).values()], parts = [];
        for (let i = 0; i < Math.max(series.length, 1); i += SERIES)
          parts.push([...series.slice(i, i + SERIES).flat(), ...libraries]);
        return parts.filter((part) => part.length).map((part, i) => ({ family, cases: part,
          title: [family.title, isa, parts.length > 1 ? `part ${i + 1} of ${parts.length}` : ""]
            .filter(Boolean).join(", ") }));
      });
  });
}
function drawSpeed(body) {
  figures(body, speedCharts(), "charts", ({ family, cases, title }) => {
    const unit = unitOf(cases);
    return figure(`Speed over size: ${title}`, () => speedConfig(family, cases, unit),
      () => caseTable(title, cases));
  });
}

// ---- roofline ----

// The shape 8192x512 passes over 8192 bytes 512 times in a call.
const operandBytes = (roof) => roof.work?.bytes / (roof.shape?.match(/^\d+x(\d+)$/)?.[1] ?? 1);
const levelOf = (roof) => roof.rung?.level ??
  caches.find(([, size]) => operandBytes(roof) <= size)?.[0] ?? "memory";
// The fastest roof of each name, instruction set and, of streams, level of memory.
function bestRoofs(list) {
  const rate = (roof) => roof.rates.gbps ?? roof.rates.gops;
  const best = new Map();
  for (const roof of list) {
    const stream = known(roof.rates?.gbps);
    const label = stream ? `${levelOf(roof)} ${roof.variant} ${roof.isa}`
      : `${roof.variant} ${roof.isa}`;
    const old = best.get(label);
    if (!old || rate(old.roof) < rate(roof))
      best.set(label, { label, roof, stream, kind: stream ? levelOf(roof) : roof.isa,
        rate: rate(roof) });
  }
  return [...best.values()].sort((a, b) => b.rate - a.rate);
}
// The first of each kind: the fastest.
const foremost = (roofs) => roofs.filter((roof, i) =>
  roofs.findIndex((other) => other.kind === roof.kind) === i);
function roofLines(roofs, [low, high]) {
  const streams = roofs.filter((roof) => roof.stream), mixes = roofs.filter((roof) => !roof.stream);
  const top = Math.max(...mixes.map((roof) => roof.rate), -Infinity);
  const steepest = Math.max(...streams.map((roof) => roof.rate), -Infinity);
  return (state.allRoofs ? roofs : foremost(roofs)).map((roof) => {
    const end = Math.min(top / roof.rate, high), begin = Math.max(roof.rate / steepest, low);
    const line = roof.stream ? [[low, low * roof.rate], [mixes.length ? end : high,
      (mixes.length ? end : high) * roof.rate]]
      : [[streams.length ? begin : low, roof.rate], [high, roof.rate]];
    const text = `${roof.label} ${amount(roof.rate, roof.stream ? "GB/s" : "Gop/s")}`;
    return {
      label: text, tag: text, borderColor: colour(roof.stream ? "c6" : "grey"),
      borderWidth: 1.25, borderDash: roof.stream ? [] : [6, 3], pointRadius: 0, pointHitRadius: 0,
      showLine: true, data: line.map(([x, y]) => ({ x, y, title: roof.roof.id,
        anchor: roof.roof.anchor, result: roof.roof })),
    };
  });
}
const intensity = (result) => result.work?.ops / result.work?.bytes;
const onRoofline = (result) => isMeasured(result) && intensity(result) > 0 &&
  isFinite(intensity(result)) && result.rates?.gops > 0;

function rooflineConfig(cases, roofs) {
  const xs = cases.map(intensity);
  const balance = roofs.filter((roof) => roof.stream).map((roof) =>
    Math.max(...roofs.filter((other) => !other.stream).map((other) => other.rate)) / roof.rate)
    .filter((x) => x > 0 && isFinite(x));
  const ends = xs.length || balance.length ? [...xs, ...balance] : [1];
  const span = [Math.min(...ends) / 3, Math.max(...ends) * 3];
  const points = [...groupBy(cases, (result) => [result.module ?? result.op, result.isa].join(" "))]
    .map(([label, members], i) => ({
      label, borderColor: colour(cycled(i)), backgroundColor: colour(cycled(i)), interval: "y",
      pointStyle: members[0].role === "baseline" ? "triangle" : "circle", pointRadius: 4,
      showLine: false, data: members.map((result) => ({ ...speedPoint(result,
        { name: "gops", of: (one) => one.rates.gops }, intensity),
      name: [kernelOf(result), sizeOf(result) > 0 ? sizeText(sizeOf(result)) : ""].join(" "),
      lines: [`${digits(intensity(result))} operations a byte`] })),
    }));
  const lowest = Math.min(...cases.map((result) => result.rates.gops),
    ...roofs.map((roof) => roof.stream ? roof.rate * span[0] : roof.rate));
  return {
    type: "scatter", data: { datasets: [...points, ...roofLines(roofs, span)] },
    options: { scales: { x: axis("operations per byte", true, { min: span[0], max: span[1] }),
      y: axis("Gop/s", true, { min: lowest / 2 }) } },
  };
}
function roofTable(roofs) {
  return table("Measured roofs", [
    { title: "roof", value: (roof) => roof.label, show: (roof) =>
      caseLink(roof.roof.anchor, roof.label) },
    { title: "of", value: (roof) => roof.stream ? "memory" : "arithmetic" },
    { title: "rate", number: true, value: (roof) => roof.rate,
      show: (roof) => `${digits(roof.rate)} ${roof.stream ? "GB/s" : "Gop/s"}` },
    numbers("±95%", (roof) => spread(roof.roof), (share) => percent(share, 2)),
    { title: "operands", number: true, value: (roof) => operandBytes(roof.roof),
      show: (roof) => roof.stream ? amount(operandBytes(roof.roof), "B") : "–" },
  ], roofs, { anchor: (roof) => roof.roof.anchor });
}
function drawRoofline(body) {
  const key = (result) => `${elementOf(result)}, ${plural(result.threads ?? 1, "thread")}`;
  const roofs = groupBy(results.filter((result) => isRoof(result) && isMeasured(result)), key);
  const cases = groupBy(results.filter((result) => !isRoof(result) && onRoofline(result) &&
    matches(result.id)), key);
  const keys = [...new Set([...cases.keys(), ...roofs.keys()])];
  const list = keys.map((name) => [name, cases.get(name) ?? [], bestRoofs(roofs.get(name) ?? [])])
    .filter(([, members, best]) => members.length || (best.length && best.every((roof) =>
      roof.roof.role !== "roof" && matches(roof.roof.id))));
  figures(body, list, "charts", ([name, members, best]) => figure(`Roofline: ${name}`,
    () => rooflineConfig(members, best), () => el("div", {}, best.length ? roofTable(best) : "",
      table(`Cases of ${name}`, [caseColumn, numbers("operations per byte", intensity),
      ...rateColumns, ...timeColumns], members, { anchor: (result) => result.anchor })),
    { height: 480 }));
}
