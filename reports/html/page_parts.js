// SPDX-License-Identifier: Apache-2.0
// Parts of a page: elements, tables that sort, pages of a long list, sections with a filter.
// All text goes in as text: no name is ever read as markup.
const ROWS = 100;

function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on")
      for (const [event, listener] of Object.entries(value))
        made.addEventListener(event, listener);
    else if (value !== null && value !== undefined && value !== false)
      made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

const caseLink = (anchor, text, attributes = {}) => byAnchor.has(anchor)
  ? el("a", { href: `#case=${encodeURIComponent(anchor)}`, ...attributes }, text) : text;

const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

function facts(pairs) {
  return el("dl", { class: "facts" }, pairs
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

// Shows `list` a page at a time: `show(part, begin)` fills the place below the buttons.
function paged(list, size, what, show) {
  const place = el("div"), bar = el("div", { class: "pager" }), box = el("div", {}, place, bar);
  const status = el("span", { role: "status", class: "dim" });
  let first = 0;
  const turn = (by) => () => { first += by; draw(); };
  const back = el("button", { type: "button", on: { click: turn(-size) } }, "Previous");
  const next = el("button", { type: "button", on: { click: turn(size) } }, "Next");
  function draw() {
    clear(place);
    const end = Math.min(first + size, list.length);
    show(place, list.slice(first, end), first);
    back.disabled = first === 0;
    next.disabled = end === list.length;
    status.textContent = `${what} ${first + 1} to ${end} of ${list.length}`;
  }
  if (list.length > size)
    bar.append(back, next, status);
  box.redraw = () => { first = 0; draw(); };
  draw();
  return box;
}

const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b
  : String(a).localeCompare(String(b), "en", { numeric: true });
const missing = (value) => value === null || value === undefined || Number.isNaN(value);

// A column: {title, value(row), show(row), number}. `value` sorts; `show` is text or an
// element, and the value itself if it is not there. `anchor(row)`: the case that the row's
// numbers lead to. Columns that are empty are left out.
function table(caption, all, rows, { anchor, sort, descending = false } = {}) {
  const columns = all.filter((column, i) => i === 0 || rows.some((row) =>
    !missing(column.value(row)) && column.value(row) !== ""));
  const heads = columns.map((column, i) => el("th", {
    scope: "col", class: column.number ? "right" : null, "aria-sort": "none",
  }, el("button", { type: "button", on: { click: () => sortBy(i) } }, column.title)));
  const list = [...rows];
  let sorted = -1, down = false;
  function cell(row, column) {
    const value = column.value(row);
    let content = column.show ? column.show(row) : missing(value) ? "–" : String(value);
    const to = anchor?.(row);
    if (column.number && to && typeof content === "string" && content !== "–")
      content = caseLink(to, content, { class: "number", tabindex: -1 });
    if (!column.number) {
      const kind = [[60, "long"], [24, "line"], [12, "words"], [-1, null]]
        .find(([length]) => String(value).length > length)[1];
      content = el("span", { class: kind, tabindex: kind === "long" ? 0 : null }, content);
    }
    return el("td", { class: [column.number ? "right" : "", column.tone?.(row) ?? ""].join(" ")
      .trim() || null }, content);
  }
  const pages = paged(list, ROWS, "rows", (place, part) => place.append(
    el("div", { class: "table", role: "group", tabindex: 0, "aria-label": caption },
      el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)),
        el("tbody", {}, part.map((row) => el("tr", {},
          columns.map((column) => cell(row, column)))))))));
  function sortBy(i, direction = sorted === i && !down) {
    const value = columns[i].value;
    sorted = i;
    down = direction;
    list.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return missing(x) || missing(y) ? missing(x) - missing(y) : (down ? -1 : 1) * order(x, y);
    });
    heads.forEach((head, j) => head.setAttribute("aria-sort",
      j !== i ? "none" : down ? "descending" : "ascending"));
    const focus = document.activeElement;
    pages.redraw();
    focus?.focus?.();
  }
  if (sort !== undefined)
    sortBy(sort, descending);
  return pages;
}

// A column of numbers, and one of intervals.
const numbers = (title, value, text = digits) => ({ title, number: true, value,
  show: (row) => text(value(row)) });
const interval = (of, text = digits) => ({ title: "interval", number: true,
  value: (row) => of(row)?.[0], show: (row) => range(of(row), text) });

// Removes what is in an element, and the charts in it.
function clear(element) {
  for (const canvas of element.querySelectorAll("canvas"))
    forgetChart(canvas);
  element.replaceChildren();
}

// ---- sections ----

const filter = { words: [] };
// True if an id has all words; * stands for anything.
function matches(id) {
  const text = (id ?? "").toLowerCase();
  return filter.words.every((word) => word.test(text));
}
function setFilter(text) {
  filter.words = text.toLowerCase().split(/\s+/).filter(Boolean).map((word) =>
    new RegExp(word.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
      .join(".*")));
  for (const section of sections)
    section.draw();
}

const sections = [];
// `draw(body)` fills the section, again whenever the filter or a tool changes.
function addSection(id, title, intro, draw, tools = [], folded = false) {
  const body = el("div");
  const section = {
    id, title, draw: () => {
      clear(body);
      draw(body);
      if (!body.childElementCount)
        body.append(el("p", { class: "dim" }, "Nothing here matches the filter."));
    },
  };
  sections.push(section);
  const content = [intro ? el("p", { class: "dim" }, intro) : null, tools.length
    ? el("div", { class: "tools", role: "group", "aria-label": `How ${title} is drawn` },
      tools.map((tool) => tool(section))) : null, body];
  document.getElementById("content").append(el("section", { id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, title), folded ? el("details", {},
      el("summary", {}, `Show ${title.toLowerCase()}`), content) : content));
}
// A button that turns a member of `state` on and off.
const toggle = (state, name, label) => (section) => {
  const button = el("button", { type: "button", "aria-pressed": String(state[name]), on: {
    click: () => {
      state[name] = !state[name];
      button.setAttribute("aria-pressed", String(state[name]));
      section.draw();
    } } }, label);
  return button;
};
