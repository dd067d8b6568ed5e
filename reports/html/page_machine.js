// SPDX-License-Identifier: Apache-2.0
// Views of doctor (what costs here, and what to type) and of license (the clock under each
// kind of work).
function checkCard(check) {
  return el("div", { class: "card", role: "group", "aria-label": check.check },
    el("h3", {}, check.check, el("span", { class: "dim" }, ` ${check.value}`)),
    el("p", {}, check.costs), el("p", {}, el("strong", {}, "Try: "), check.advice));
}
function drawCosts(body) {
  const found = page.checks.filter((check) => !check.ok && matches(check.check));
  if (found.length)
    body.append(el("div", { class: "cards" }, found.map(checkCard)));
}
function drawChecks(body) {
  body.append(table("Checks", [{ title: "check", value: (check) => check.check },
    { title: "value", value: (check) => check.value },
    { title: "state", value: (check) => check.ok ? "ok" : "costs", tone: (check) => check.ok ? "good" : "warn" }],
  page.checks.filter((check) => matches(check.check))));
}

const TOO_FEW = "too few rounds were undisturbed";
const timedClass = (one) => known(one.ratio);
function classRow(one, scale) {
  const slow = one.ratio_ci && one.ratio_ci[1] < 1 - page.free_up_to;
  return [one.class, timedClass(one) ? strip(scale, { lines: [{ at: 1, class: "mid" }], dots: [{ at: one.ratio,
    ci: one.ratio_ci, class: slow ? "bad" : "", text: percent(one.ratio, 2) }] },
  `${one.class}: ${percent(one.ratio, 2)} of the scalar clock`) : el("span", { class: "dim" }, one.skipped || TOO_FEW),
  timedClass(one) ? [el("span", {}, percent(one.ratio, 2)), el("span", { class: "dim" }, `${digits(one.ghz)} GHz`)] : null];
}
function drawClock(body) {
  const all = page.scopes.flatMap((scope) => scope.classes ?? []).filter(timedClass);
  // A loss of less than a tenth is no heavy one, and no long way on the axis.
  const scale = scaleOf(all.flatMap((one) => [one.ratio, ...(one.ratio_ci ?? [])]).concat(0.9, 1.02));
  const top = () => ["", axisRow(scale, [[1, "100%"], [0.9, "90%"]])];
  page.scopes.forEach((scope, i) => {
    const name = ["One core", "All cores"][i];
    body.append(el("h3", {}, `${name}${scope.cpus ? `: CPU ${scope.cpus.join(", ")}` : ""}`),
      scope.classes?.some(timedClass) ? rowsOf([top(), ...scope.classes.map((one) => classRow(one, scale))], name)
        : el("p", {}, scope.skipped || TOO_FEW));
  });
}
function drawNet(body) {
  const points = page.net.flatMap((net) => net.shapes ?? []);
  const speeds = points.flatMap((point) => [point.speedup, ...(point.speedup_ci ?? [])]).filter(known).concat(0.95, 1.05);
  const scale = scaleOf(speeds), most = Math.max(...speeds);
  const top = () => ["", axisRow(scale, [[1, "as fast"], [most, times(most)]])];
  for (const net of page.net)
    body.append(el("h3", {}, net.op), net.shapes ? rowsOf([top(), ...net.shapes.map((point) => [point.shape,
      strip(scale, { lines: [{ at: 1, class: "mid" }], dots: [{ at: point.speedup, ci: point.speedup_ci,
        class: point.speedup_ci?.[1] < 1 ? "bad" : "", text: times(point.speedup) }] },
      `${point.shape}: ${times(point.speedup)}`), el("span", {}, times(point.speedup)),
      el("span", { class: "dim" }, range(point.speedup_ci, digits))])], net.op) : el("p", {}, net.skipped ?? ""));
}
