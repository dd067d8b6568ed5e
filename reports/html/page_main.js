// SPDX-License-Identifier: Apache-2.0
// The page itself: its head, its views, and the case that the address names.
const quoted = (word) => /^[\w@%+=:,./-]+$/.test(word) ? word
  : `'${word.replace(/'/g, "'\\''")}'`;

async function copy(text, from) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(from);
    document.execCommand("copy");
  }
}
function commandPart() {
  if (!page.argv)
    return null;
  const text = page.argv.map(quoted).join(" "), code = el("code", {}, text);
  const button = el("button", { type: "button", on: { click: async () => {
    await copy(text, code);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  } } }, "Copy");
  button.setAttribute("aria-label", "Copy the command");
  return el("div", { class: "command" }, code, button);
}
function statusText() {
  const cases = results.filter((result) => result.role !== "roof");
  return [...groupBy(cases, (result) => result.status)].map(([status, list]) =>
    `${list.length} ${status}`).join(", ");
}
// A command at the end of a line stands as code. Its words stay whole, but for one that is wider than the line.
function answerLine(line) {
  const [, words, command] = /^(.*?)((?:scripts\/quiet\.sh )?simdbench [a-z-]+ .*)?$/s.exec(line);
  return el("p", { class: "answer" }, words, command ? el("code", {}, command.split(" ").flatMap((word, i) =>
    [i ? " " : "", el("span", { class: "word" }, word)])) : null);
}
const folded = (summary, lines) => el("details", { class: "answer" }, el("summary", {}, summary), ...lines);
// The middle of many lines is folded, so that a phone shows what follows. If there are several
// candidates, each shows its verdict, and folds the lines of its sizes.
function answerLines(lines) {
  const all = lines.map(answerLine), middle = all.slice(4, -2);
  if (page.judge?.length > 1) {
    const heads = lines.flatMap((line, i) => line.startsWith("at ") ? [] : [i]);
    return heads.flatMap((at, i) => heads[i + 1] === at + 1 || at === all.length - 1 ? all[at]
      : [all[at], folded("At each size", all.slice(at + 1, heads[i + 1]))]);
  }
  return middle.length < 3 ? all
    : [...all.slice(0, 4), folded(`${middle.length} more`, middle), ...all.slice(-2)];
}
const compared = page.gate?.kind === "stored" ? "runs" : "builds";
function drawHead() {
  const { host, tool } = page, head = document.getElementById("head");
  const why = results.some((result) => result.explanation);
  const title = page.checks ? "simdbench doctor" : page.scopes ? "simdbench license"
    : page.fleet ? "simdbench: many machines" : page.cases ? "simdbench history" : page.studies ? "simdbench study"
    : page.rows ? "simdbench compare" : page.gate ? `simdbench: two ${compared}` : why ? "simdbench: why"
    : page.judge ? "simdbench judge" : page.audit || page.settings?.dispatcher !== undefined ? "simdbench audit"
      : page.argv?.[1] === "threads" ? "simdbench threads" : "simdbench run";
  document.title = [title, page.started_at].filter(Boolean).join(", ");
  const how = facts([
    ["cases", results.length ? `${results.filter((result) => result.role !== "roof").length}: ${
      statusText()}` : null],
    ["interrupted", page.interrupted ? "yes: what follows is what there was" : null],
    ["host", host ? [host.cpu, host.virtualisation, host.kernel, host.os,
      host.fingerprint ? `fingerprint ${host.fingerprint}` : ""].filter(Boolean).join(", ") : null],
    ["no PMU", host?.pmu?.reason],
    ["run", tool ? [`simdbench ${tool.version ?? ""}`, tool.commit ? `commit ${tool.commit}` : "",
      tool.compiler, page.seed ? `seed ${page.seed}` : "", page.started_at].filter(Boolean)
      .join(", ") : null],
    ["label", page.settings?.label],
    ["settings", page.settings?.project_options
      ? `${page.settings.project_options} from ${page.settings.project}` : null],
    ...(page.sources ?? []).map((source) => ["also from", [source.name, source.cpu,
      source.started_at].filter(Boolean).join(", ")])]);
  head.append(el("h1", {}, title), ...answerLines(page.answer ?? []), how.childElementCount || page.argv
    ? el("details", {}, el("summary", {}, "How it was measured"), commandPart() ?? "", how) : "");
}

// ---- the case that the address names ----

const caseBox = el("section", { id: "case", hidden: true, "aria-label": "One case" });
function showCase() {
  const found = /^#case=(.*)$/.exec(location.hash);
  let anchor = "";
  try {
    anchor = decodeURIComponent(found?.[1] ?? "");
  } catch {
    anchor = "";
  }
  const result = byAnchor.get(anchor);
  clear(caseBox);
  caseBox.hidden = !result;
  if (!result)
    return;
  const title = el("h2", { tabindex: -1 }, result.id);
  caseBox.append(title, caseDetails(result), el("button", { type: "button", on: { click: () => {
    history.pushState(null, "", "#content");
    showCase();
  } } }, "Close"));
  caseBox.scrollIntoView();
  title.focus({ preventScroll: true });
}
addEventListener("hashchange", showCase);

// ---- views ----

function addSections() {
  const some = (test) => results.some(test);
  if (page.checks?.some((check) => !check.ok))
    addSection("costs", "What costs here", null, drawCosts);
  if (page.checks)
    addSection("checks", "All checks", null, drawChecks);
  if (page.scopes)
    addSection("clock", "Clock under each kind of work", "As a share of the clock under scalar work, with 95% intervals.", drawClock);
  if (page.net)
    addSection("net", "Work and clock together", "How many times faster avx512 is than the widest narrower set.", drawNet);
  if (page.fleet)
    addSection("fleet", "Cases on all hosts", "A dot is a host: its time over the median of its kind, to the right slower. " +
      "In the band it counts as alike.", drawFleet);
  if (page.differences)
    addSection("differences", "What hosts differ in", null, drawDifferences);
  if (page.cases)
    addSection("history", "History", "The median of each run with its 95% interval. Runs of " +
      "different days differ by more than code: a change here is no verdict.", drawHistory,
    [toggle(past, "byDate", "by date")]);
  if (page.rows)
    addSection("runs", "Runs beside the first", "Geometric means of medians. Blue is faster, orange slower; in parentheses, " +
      "how many of the cases a run has.", drawRuns);
  if (page.studies)
    addSection("studies", "Studies", "Claims and what this machine says of them.", drawStudies);
  if (page.gate)
    addSection("changes", `Two ${compared}`, "Changes of the time: head over base, minus 1.", drawGate);
  if (some((result) => result.explanation))
    addSection("why", "Why", "Causes with their evidence, bounds, and what the hot loops execute.",
      drawExplanations);
  const drawn = families().map(({ cases }) => cases.filter(isMeasured));
  if (some((result) => result.gain && result.role !== "roof"))
    addSection("gain", "Several threads", "Red: certainly slower than one thread; grey: it may be either.", drawGain);
  // Arms of a claim took turns with each other alone.
  if (!page.gate && !page.studies && drawn.some((cases) => cases.length > 1))
    addSection("matrix", "Each kernel at each size", null, drawMatrix);
  if (some((result) => result.role !== "roof"))
    addSection("cases", "Cases", null, drawCases);
  if (!page.studies && drawn.some(isCurve))
    addSection("speed", "Speed over size", "Medians with 95% intervals. A colour is a kernel, " +
      "its line tells the instruction set; grey: limits of the same rounds, and libraries " +
      "with triangles.", drawSpeed,
    [toggle(state, "logX", "sizes: log"), toggle(state, "logY", "speed: log")]);
  if (!page.studies && some((result) => isMeasured(result) && result.role !== "roof" &&
    (isRoof(result) || onRoofline(result))))
    addSection("roofline", "Roofline", "Roofs as this run measured them; a stream belongs to the " +
      "smallest cache that holds its operands. Of each cache and instruction set the fastest is " +
      "drawn; the table has all.", drawRoofline, [toggle(state, "allRoofs", "all roofs")]);
  if (some((result) => result.role !== "roof" && hasSamples(result)))
    addSection("samples", "Samples", "A point is a batch. Grey ones are none of the case: another " +
      "thread ran on the core beside them, or evidence voided them. Triangles lie beyond the " +
      "axis.", drawSamples, [toggle(state, "wide", "to the slowest")], true);
}
function drawBar() {
  const bar = document.getElementById("bar");
  let later = 0;
  const input = el("input", { type: "search", id: "filter", placeholder: page.checks ? "baseline" : "gemm avx512 *@64*",
    on: { input: () => {
      clearTimeout(later);
      later = setTimeout(() => setFilter(input.value), 150);
    } } });
  bar.append(...sections.map((section) => el("a", { href: `#${section.id}` }, section.title)),
    page.scopes ? "" : el("span", { class: "filter" }, el("label", { for: "filter" }, page.checks
      ? "Filter checks" : "Filter cases"), input));
}

drawHead();
document.getElementById("content").append(caseBox);
addSections();
for (const section of sections)
  section.draw();
drawBar();
showCase();
