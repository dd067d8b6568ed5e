// SPDX-License-Identifier: Apache-2.0
// Views of a fleet: each case on all hosts of a kind, and what hosts differ in.
const TONES = { slow: "bad", fast: "good" };
const odd = (one) => (one.hosts ?? []).filter((host) => host.verdict !== "alike");
const offText = (host) => `${host.node} ${host.verdict}, ${change(host.ratio - 1)}`;
const medianText = (one) => one.id === "cycle" ? `${plain(1 / one.median_ns, 4)} GHz` : time(one.median_ns);

// Hosts that a row names.
const NAMED = 3;
const named = (list, text) => [...list.slice(0, NAMED).map(text),
  list.length > NAMED ? `and ${list.length - NAMED} more` : null].filter(Boolean);

// Within the band a host is like the others.
function fleetRow(one, scale) {
  const outliers = odd(one), alike = Math.exp(Math.max((one.z_limit ?? 0) * one.spread, Math.log1p(page.least)));
  const dots = one.hosts.map((host) => ({ at: host.ratio, class: TONES[host.verdict],
    text: `${host.node}: ${change(host.ratio - 1)}, ${time(host.median_ns)}, ${plural(host.runs_ns.length, "run")}` }));
  dots.sort((a, b) => (a.class ? 1 : 0) - (b.class ? 1 : 0));
  return [one.id, strip(scale, { lines: [{ at: 1, class: "mid" }], dots,
    bands: one.judged ? [{ class: "usual", lo: 1 / alike, hi: alike }] : [] },
  `${one.id}: ${plural(one.hosts.length, "host")}, ${outliers.length
    ? outliers.map(offText).join("; ") : "none stands out"}`),
  el("span", {}, medianText(one)), el("span", { class: "dim" }, one.judged ? `spread ${percent(one.spread)}` : "too few hosts to judge"),
  named(outliers, (host) => el("strong", { class: TONES[host.verdict] }, change(host.ratio - 1)))];
}
// Cases in which the same hosts stand out: the first of them, and the others folded.
const FIRST = 4;
function fleetGroup(who, list, scale, top) {
  const rows = (part) => rowsOf([top(), ...part.map((one) => fleetRow(one, scale))], who);
  const rest = list.slice(FIRST);
  return el("div", {}, el("h4", {}, `${who} in ${plural(list.length, "case")}`), rows(list.slice(0, FIRST)),
    rest.length ? el("details", {}, el("summary", {}, `${rest.length} more`),
      paged(rest, 2 * FIGURES, "cases", (place, part) => place.append(rows(part)))) : null);
}
function kindTitle(kind) {
  const hosts = page.hosts.filter((host) => host.kind === kind);
  return `${hosts[0]?.is?.cpu ?? "unknown CPU"}, ${plural(hosts.length, "host")} of kind ${kind ?? "unknown"}`;
}
function fleetTable(cases) {
  const rows = cases.flatMap((one) => one.hosts.map((host) => ({ one, host })));
  return table("Hosts", [
    { title: "host", value: ({ host }) => host.node },
    { title: "case", value: ({ one }) => one.id },
    numbers("time", ({ host }) => host.median_ns, time),
    { title: "of the median", number: true, value: ({ host }) => host.ratio, show: ({ host }) => change(host.ratio - 1) },
    { title: "z", number: true, value: ({ host }) => host.z },
    { title: "runs", number: true, value: ({ host }) => host.runs_ns.length },
    { title: "verdict", value: ({ one, host }) => one.judged ? host.verdict : "not judged",
      tone: ({ host }) => TONES[host.verdict] ?? "" }], rows, { sort: 3, descending: true });
}
function drawFleet(body) {
  const cases = (page.fleet ?? []).filter((one) => one.hosts && matches(one.id));
  for (const [kind, list] of groupBy(cases, (one) => one.kind)) {
    // All cases have one axis, so that a host's distance can be compared.
    const ratios = list.flatMap((one) => one.hosts.map((host) => host.ratio)).concat(0.97, 1.03);
    const scale = scaleOf(ratios), [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    const top = () => ["", axisRow(scale, [[1, "median"], [least, change(least - 1)], [most, change(most - 1)]])];
    const told = (host) => `${host.node} ${host.verdict}`;
    const groups = [...groupBy(list, (one) => odd(one).map(told).join(", "))]
      .sort(([a, x], [b, y]) => !a - !b || y.length - x.length);
    body.append(el("h3", {}, kindTitle(kind)), paged(groups, FIGURES, "groups", (place, part) =>
      place.append(...part.map(([who, cases]) => fleetGroup(who ? named(odd(cases[0]), told).join(", ") : "No host stands out", cases, scale, top)))),
      el("details", {}, el("summary", {}, "Table of all hosts"), fleetTable(list)));
  }
}
function drawDifferences(body) {
  body.append(table("What hosts differ in", [
    { title: "fact", value: (one) => one.fact },
    { title: "value", value: (one) => one.value ?? "unknown" },
    { title: "hosts", number: true, value: (one) => one.nodes.length },
    { title: "who", value: (one) => one.nodes.slice(0, 8).join(", ") + (one.nodes.length > 8 ? " ..." : "") }],
  page.differences.flatMap(({ fact, values }) => values.map((value) => ({ fact, ...value, nodes: value.nodes ?? [] })))));
}
