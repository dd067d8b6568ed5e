// SPDX-License-Identifier: Apache-2.0
// The document, and what all views derive from it. Members that are null or empty are absent.
const page = JSON.parse(document.getElementById("data").textContent);
// The cases of a fleet are no time lines.
if (page.fleet_version) {
  page.fleet = page.cases;
  delete page.cases;
}
const results = page.results ?? [];
const caches = [["L1", page.host?.l1d_bytes], ["L2", page.host?.l2u_bytes],
  ["L3", page.host?.l3u_bytes]].filter(([, bytes]) => bytes > 0);

const isMeasured = (result) => result.summary?.median_ns > 0;
const isRoof = (result) => result.role === "roof" || result.op === "roof";
const perCall = (result, total) => Math.max(total / Math.max(result.iterations ?? 1, 1) -
  (result.overhead_ns ?? 0), 0);
// "maxplus-f32" is made of f32.
const elementOf = (result) => (result.type ?? "").split("-").pop();
// The case without its shape: a line over sizes.
// Harnesses write a shape behind a slash.
const seriesOf = ({ id, shape }) => id.endsWith(`/${shape}`) ? id.slice(0, -shape.length - 1)
  : id.replace(`@${shape}`, "");
// The module of a case, with its options; "" of own kernels.
const labelOf = (id) => id.split("/")[0].split(":").slice(0, -1).join(":");
// The owner of a baseline: "openblas", or the file that it was merged from.
const ownerOf = (id) => labelOf(id).split(",")[0];

// Cases are found by their anchor, which is their id; roofs stand in several groups.
const byAnchor = new Map(), byId = new Map();
{
  const seen = new Map();
  for (const result of results) {
    const n = (seen.get(result.id) ?? 0) + 1;
    seen.set(result.id, n);
    result.anchor = n > 1 ? `${result.id}#${n}` : result.id;
    byAnchor.set(result.anchor, result);
    if (n === 1)
      byId.set(result.id, result);
  }
}

function groupBy(list, key) {
  const groups = new Map();
  for (const item of list) {
    const name = key(item);
    if (!groups.has(name))
      groups.set(name, []);
    groups.get(name).push(item);
  }
  return groups;
}

// Groups of the run that differ in their shape alone: what one picture over sizes shows.
function families() {
  const found = new Map();
  for (const members of groupBy(results, (result) => `${result.group} ${result.threads}`).values()) {
    const cases = members.filter((result) => result.role !== "roof");
    if (!cases.length)
      continue;
    const first = cases.find((result) => result.role === "kernel") ?? cases[0];
    const settings = Object.entries(first.threads > 1 ? { threads: first.threads, ...first.settings } : first.settings ?? {})
      .map(([name, value]) => `${name}=${value}`);
    const from = first.op !== "roof" ? null : first.work?.bytes ? "memory" : "registers";
    const title = [first.op, first.type, from, first.layout, ...settings].filter(Boolean)
      .join(", ");
    if (!found.has(title))
      found.set(title, { title, cases: [], roofs: [] });
    const family = found.get(title);
    family.cases.push(...cases);
    for (const roof of members.filter((result) => result.role === "roof"))
      family.roofs.push({ roof, like: first });
  }
  return [...found.values()];
}

// ---- numbers as text ----

const known = (value) => typeof value === "number" && isFinite(value);
// Four digits, but never fewer than all before the point; whole numbers as they are.
function digits(value, n = 4) {
  if (!known(value))
    return "–";
  const size = Math.abs(value);
  if (size >= 1e9 || (size && size < 1e-4))
    return value.toExponential(2);
  return Number.isInteger(value) || size >= 10 ** n ? value.toFixed(0) : value.toPrecision(n);
}
const plain = (value, n = 6) => String(Number(value.toPrecision(n)));
function scaled(value, unit, steps) {
  if (!known(value))
    return "–";
  const step = steps.find(([size]) => Math.abs(value) >= size) ?? steps[steps.length - 1];
  return `${(value / step[0]).toPrecision(4)} ${step[1]}${unit}`;
}
const time = (ns) => scaled(ns, "s", [[1e9, ""], [1e6, "m"], [1e3, "u"], [1, "n"]]);
// A size as the command line takes it: 64Ki, or 256000, which is round already.
const sizeText = (size) => size && size % 2 ** 20 === 0 ? `${size / 2 ** 20}Mi`
  : size > 1e4 && size % 1024 === 0 && size % 1000 ? `${size / 1024}Ki` : String(size);
const amount = (value, unit) => known(value) && Math.abs(value) < 1e4 ? `${digits(value)} ${unit}`
  : scaled(value, unit, [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]);
const percent = (share, n = 1) => known(share) ? `${(100 * share).toFixed(n)}%` : "–";
const change = (share) => !known(share) ? "–"
  : `${share < 0 ? "−" : "+"}${(100 * Math.abs(share)).toFixed(Math.abs(share) < 0.1 ? 2 : 1)}%`;
const times = (value) => known(value) ? `${digits(value)}x` : "–";
const range = (ci, text) => ci ? `[${text(ci[0])}, ${text(ci[1])}]` : "–";
// The far end of an interval, as a share of the median.
const spread = (result) => result.summary?.ci_ns
  ? Math.max(result.summary.ci_ns[1] - result.summary.median_ns,
    result.summary.median_ns - result.summary.ci_ns[0]) / result.summary.median_ns
  : null;
const short = (text, n = 48) => text.length <= n ? text
  : `${text.slice(0, Math.ceil(n / 2) - 1)}…${text.slice(-Math.floor(n / 2))}`;
// "gemm/maxplus-f32/avx512/fma@256x256x256" keeps its kernel, then its shape, then its op.
function shortId(id, n = 48) {
  const [, owner, op, kernel, shape] = /^([^/]*:)?([^/]+)\/.*?([^/@]+\/[^/@]+)@(.*)$/.exec(id) ?? [];
  if (id.length <= n || !shape)
    return short(id, n);
  const bare = `${owner ?? ""}${kernel}@`, full = `${owner ?? ""}${op}/…/${kernel}@${shape}`;
  return full.length <= n ? full : bare.length + 6 <= n ? `${bare}${short(shape, n - bare.length)}`
    : short(`${bare}${shape}`, n);
}

// ---- rates ----

const isStream = (result) => known(result.limit?.gbps);
// GB/s where memory streams limit most of the cases, else operations, else time.
function unitOf(cases) {
  const rated = cases.filter(({ rates }) => known(rates?.gops) || known(rates?.gbps));
  if (!rated.length)
    return { name: "ns", label: "time per call", of: (result) => result.summary.median_ns };
  const streams = rated.filter((result) => isStream(result) || !known(result.rates.gops)).length;
  return streams * 2 > rated.length
    ? { name: "gbps", label: "GB/s", of: (result) => result.rates?.gbps }
    : { name: "gops", label: "Gop/s", of: (result) => result.rates?.gops };
}
// The rate that a roof allows to a case, in that unit.
function roofRate(roof, like, unit) {
  const { gops, gbps } = roof.rates ?? {};
  const { ops, bytes } = like.work ?? {};
  if (unit.name === "gops")
    return known(gops) && !known(gbps) ? gops : gbps * ops / bytes;
  return unit.name === "gbps" ? gbps ?? gops * bytes / ops : NaN;
}
const rateText = (result) => isStream(result) || !known(result.rates?.gops)
  ? known(result.rates?.gbps) ? `${digits(result.rates.gbps)} GB/s` : "–"
  : `${digits(result.rates.gops)} Gop/s`;
const allRates = (result) => [known(result.rates?.gops) ? `${digits(result.rates.gops)} Gop/s` : "",
  known(result.rates?.gbps) ? `${digits(result.rates.gbps)} GB/s` : ""].filter(Boolean).join(", ");

// The text beside a point.
function hover(result) {
  const lines = [];
  if (isMeasured(result)) {
    lines.push(`${time(result.summary.median_ns)}${result.summary.ci_ns
      ? ` ±${percent(spread(result), 2)}` : ", no interval"}`);
    if (allRates(result))
      lines.push(allRates(result));
  }
  if (known(result.limit?.share))
    lines.push(`${percent(result.limit.share)} of ${short(result.limit.id ?? "", 60)}`);
  if (known(result.clock?.ghz))
    lines.push(`${digits(result.clock.ghz)} GHz`);
  if (result.status !== "ok")
    lines.push(short(`${result.status}: ${result.reason ?? ""}`, 80));
  return lines;
}
