// SPDX-License-Identifier: Apache-2.0
// Small pictures of one line: values on an axis, and a value over time. They are SVG with
// places in percent, so that they are as wide as there is room.
function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined)
      made.setAttribute(name, value);
  made.append(...children.flat().filter(Boolean));
  return made;
}

// The place of values between the ends of all of them, as a share; by logarithm if they are
// positive and differ much.
function scaleOf(values, room = 0.06) {
  const all = values.filter(known);
  const log = Math.min(...all) > 0 && Math.max(...all) > 5 * Math.min(...all);
  const to = (value) => log ? Math.log(value) : value;
  const lo = to(Math.min(...all)), span = to(Math.max(...all)) - lo || Math.abs(lo) * 0.1 || 1;
  return (value) => room + (1 - 2 * room) * Math.min(Math.max((to(value) - lo) / span, 0), 1);
}

const TALL = 28;
const across = (share) => `${(100 * share).toFixed(2)}%`;
// `bands` {lo, hi, class}, `lines` {at, class} and `dots` {at, ci, class, text} in the units of `scale`; a missing
// end of a band is that of the picture.
function strip(scale, { bands = [], lines = [], dots = [] }, label) {
  const end = (value, otherwise) => known(value) ? scale(value) : otherwise;
  return svg("svg", { class: "strip", role: "img", "aria-label": label, height: TALL, width: "100%" },
    svg("line", { class: "base", x1: 0, x2: "100%", y1: TALL / 2, y2: TALL / 2 }),
    bands.map((band) => svg("rect", { class: band.class, y: 4, height: TALL - 8, rx: 2,
      x: across(end(band.lo, 0)), width: across(Math.max(end(band.hi, 1) - end(band.lo, 0), 0.004)) })),
    lines.map((line) => svg("line", { class: line.class, x1: across(scale(line.at)),
      x2: across(scale(line.at)), y1: 2, y2: TALL - 2 })),
    dots.flatMap((dot) => [dot.ci ? svg("line", { class: `whisker ${dot.class ?? ""}`,
      x1: across(scale(dot.ci[0])), x2: across(scale(dot.ci[1])), y1: TALL / 2, y2: TALL / 2 }) : null,
    svg("circle", { class: `dot ${dot.class ?? ""}`, cx: across(scale(dot.at)), cy: TALL / 2, r: 4.5 },
      dot.text ? svg("title", {}, dot.text) : null)]));
}

// Puts names of places on that axis, above the rows; a name that has no room beside an earlier one is left out.
const axisRow = (scale, places) => svg("svg", { class: "strip axis", "aria-hidden": "true", height: 16, width: "100%" },
  places.filter(([at], i) => places.slice(0, i).every(([other]) => Math.abs(scale(at) - scale(other)) > 0.13))
    .map(([at, text]) => svg("text", { x: across(scale(at)), y: 12, "text-anchor": "middle" }, text)));

// Values from left to right, at 1 to 100 of the picture; `marks` are places in the list.
function sparkline(values, marks, label) {
  // A change of a few percent is no mountain.
  const middle = [...values].sort((a, b) => a - b)[values.length >> 1];
  const scale = scaleOf([...values, middle * 0.92, middle * 1.08], 0.12), n = Math.max(values.length - 1, 1);
  const at = (i) => [(1 + 98 * i / n).toFixed(2), (100 * (1 - scale(values[i]))).toFixed(2)].join(" ");
  return svg("svg", { class: "spark", role: "img", "aria-label": label, viewBox: "0 0 100 100",
    preserveAspectRatio: "none", height: 36, width: "100%" },
  marks.map((mark) => svg("path", { class: `change ${mark.class}`, d: `M${(1 + 98 * mark.at / n).toFixed(2)} 0V100` })),
  svg("path", { class: "trend", d: values.map((_, i) => `${i ? "L" : "M"}${at(i)}`).join("") }),
  values.length ? svg("path", { class: "last", d: `M${at(values.length - 1)}h0` }) : null);
}

// Rows of a name, a picture and texts on the right, in columns that all rows share.
const rowOf = (tag, [name, picture, ...texts]) => el(tag, { class: "row" }, el("span", { class: "name" }, name),
  picture, el("span", { class: "told" }, texts));
const rowsOf = (rows, label) => el("ul", { class: "rows", "aria-label": label }, rows.map((row) => rowOf("li", row)));
