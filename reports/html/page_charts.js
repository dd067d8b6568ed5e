// SPDX-License-Identifier: Apache-2.0
// Charts by Chart.js, 3.9 or 4: drawn when they come into view, in the colours of the page.
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`)
  .trim();
const PALETTE = 10;
const cycled = (i) => `c${i % PALETTE}`;

// ---- plug-ins: a dataset says what it wants, as `interval`, `tag` or a chart's `marks` ----

// Bars from lo to hi of each point: `interval` is the axis that they lie along.
const intervals = {
  id: "intervals",
  afterDatasetsDraw(chart) {
    inArea(chart, (context) => chart.data.datasets.forEach((dataset, i) => {
      if (!dataset.interval || !chart.isDatasetVisible(i))
        return;
      const scale = chart.scales[dataset.interval], flat = dataset.interval === "x";
      context.lineWidth = 1.5;
      chart.getDatasetMeta(i).data.forEach((element, j) => {
        const { lo, hi } = dataset.data[j] ?? {};
        if (!known(lo) || !known(hi))
          return;
        const [a, b] = [scale.getPixelForValue(lo), scale.getPixelForValue(hi)];
        const at = flat ? element.y : element.x;
        const line = flat ? [[a, at, b, at], [a, at - 3, a, at + 3], [b, at - 3, b, at + 3]]
          : [[at, a, at, b], [at - 3, a, at + 3, a], [at - 3, b, at + 3, b]];
        const ink = dataset.intervalColour ?? dataset.pointBorderColor ?? dataset.borderColor;
        context.strokeStyle = Array.isArray(ink) ? ink[j] : ink;
        context.beginPath();
        for (const [x0, y0, x1, y1] of line) {
          context.moveTo(x0, y0);
          context.lineTo(x1, y1);
        }
        context.stroke();
      });
    }));
  },
};

// Bands along the rows of a chart below its points, and lines across it above them:
// {row, lo, hi, colour} and {x|y, label, colour, dash}.
const marks = {
  id: "marks",
  beforeDatasetsDraw(chart, _, { bands = [] }) {
    inArea(chart, (context) => {
      const { x, y } = chart.scales;
      context.globalAlpha = 0.22;
      for (const band of bands) {
        const half = Math.max(Math.abs(y.getPixelForValue(band.row + 0.4) -
          y.getPixelForValue(band.row)), 2);
        const [a, b] = [x.getPixelForValue(band.lo), x.getPixelForValue(band.hi)];
        context.fillStyle = colour(band.colour);
        context.fillRect(a, y.getPixelForValue(band.row) - half, b - a, 2 * half);
      }
    });
  },
  afterDatasetsDraw(chart, _, { lines = [] }) {
    inArea(chart, (context, area) => {
      const { x, y } = chart.scales;
      for (const line of lines) {
        context.strokeStyle = context.fillStyle = colour(line.colour ?? "dim");
        context.lineWidth = line.width ?? 1.25;
        context.setLineDash(line.dash ?? []);
        context.beginPath();
        if (known(line.x)) {
          const at = x.getPixelForValue(line.x);
          context.moveTo(at, area.top);
          context.lineTo(at, area.bottom);
          const label = line.label ?? "", width = context.measureText(label).width;
          context.fillText(label, at + 4 + width < area.right ? at + 4 : at - 4 - width,
            area.top + 11);
        } else {
          const at = y.getPixelForValue(line.y);
          context.moveTo(area.left, at);
          context.lineTo(area.right, at);
          context.fillText(line.label ?? "", area.left + 4, at - 4);
        }
        context.stroke();
      }
    });
  },
};

// The text `tag` of a line, along it: at the left of those that rise, at the right of
// level ones. Where it would cover another one it moves on, or is left out.
const tags = {
  id: "tags",
  afterDatasetsDraw(chart) {
    const taken = [];
    inArea(chart, (context, area) => chart.data.datasets.forEach((dataset, i) => {
      const points = chart.getDatasetMeta(i).data;
      if (!dataset.tag || !chart.isDatasetVisible(i) || !points.length)
        return;
      const [first, last] = [points[0], points[points.length - 1]];
      const slope = (last.y - first.y) / (last.x - first.x) || 0, angle = Math.atan(slope);
      const width = context.measureText(dataset.tag).width, rises = slope < -0.01;
      const low = Math.max(first.x, area.left, slope ? first.x + (area.bottom - first.y) / slope : 0);
      for (let at = rises ? low + 8 : last.x - width - 4; at > low && at < last.x - width * 0.7;
        at += rises ? width : -width) {
        const box = { x: at, y: first.y + slope * (at - first.x), width: width * Math.cos(angle) };
        if (taken.some((other) => other.x < box.x + box.width && box.x < other.x + other.width &&
            Math.abs(other.y + (box.x - other.x) * slope - box.y) < 13))
          continue;
        taken.push(box);
        context.save();
        context.translate(box.x, box.y - 4);
        context.rotate(angle);
        context.fillStyle = dataset.borderColor;
        context.fillText(dataset.tag, 0, 0);
        context.restore();
        return;
      }
    }));
  },
};

// The text `end` of a line, right of its last point. Texts that would overlap move apart.
const endRoom = () => window.innerWidth < 700 ? 100 : 150;
const LEADING = 13;
// As much of a text as a width has room for.
function fitting(context, text, width) {
  // The names of limits are grey; their last words tell them apart.
  const wide = context.measureText(text).width > width, name = wide ? text.replace(/^limit /, "") : text;
  let n = name.length;
  while (n > 4 && context.measureText(short(name, n)).width > width)
    n--;
  return short(name, n);
}
const ends = {
  id: "ends",
  afterDatasetsDraw(chart) {
    const { ctx: context, chartArea: area } = chart;
    const texts = chart.data.datasets.flatMap((dataset, i) => {
      const points = chart.getDatasetMeta(i).data, last = points[points.length - 1];
      return dataset.end && last && chart.isDatasetVisible(i)
        ? [{ text: dataset.end, y: last.y, from: last, ink: dataset.borderColor }] : [];
    }).sort((a, b) => a.y - b.y);
    let lowest = area.bottom + LEADING;
    for (const one of [...texts].reverse())
      lowest = one.y = Math.min(one.y, lowest - LEADING);
    let highest = area.top - LEADING;
    context.save();
    context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    for (const one of texts) {
      highest = one.y = Math.max(one.y, highest + LEADING);
      context.strokeStyle = context.fillStyle = one.ink;
      context.globalAlpha = 0.5;
      context.setLineDash([1, 3]);
      context.beginPath();
      context.moveTo(one.from.x + 5, one.from.y);
      context.lineTo(area.right + 6, one.y);
      context.stroke();
      context.globalAlpha = 1;
      context.fillText(fitting(context, one.text, chart.width - area.right - 10), area.right + 9, one.y + 4);
    }
    context.restore();
  },
};

// The text `name` of a point, beside it. The highest point has it first; one whose text would
// cover a point or a text has none, as the table has all.
const pointNames = {
  id: "pointNames",
  afterDatasetsDraw(chart) {
    const points = chart.data.datasets.flatMap((dataset, i) => chart.isDatasetVisible(i)
      ? chart.getDatasetMeta(i).data.map(({ x, y }, j) => ({ x: x - 4, y, width: 8,
        text: dataset.data[j]?.name, ink: dataset.borderColor })) : [])
      .filter(({ text }) => text).sort((a, b) => a.y - b.y);
    const taken = [...points];
    inArea(chart, (context, area) => points.slice(0, 200).forEach(({ x, y, text: name, ink }) => {
      const right = area.right - x - 12, left = x - 4 - area.left;
      const all = context.measureText(name).width;
      const text = fitting(context, name, all <= right ? all : Math.max(left, right));
      const width = context.measureText(text).width;
      const box = { x: width <= right ? x + 12 : x - 4 - width, y, width };
      if (taken.some((other) => Math.abs(other.y - y) < LEADING && other.x < box.x + width &&
          box.x < other.x + other.width))
        return;
      taken.push(box);
      context.fillStyle = ink;
      context.fillText(text, box.x, y + 4);
    }));
  },
};

function inArea(chart, draw) {
  const { ctx: context, chartArea: area } = chart;
  context.save();
  context.beginPath();
  context.rect(area.left - 4, area.top - 4, area.right - area.left + 8,
    area.bottom - area.top + 8);
  context.clip();
  context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
  draw(context, area);
  context.restore();
}

Chart.register(intervals, marks, tags, ends, pointNames);
Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.font.family = "system-ui, 'DejaVu Sans', sans-serif";
Chart.defaults.plugins.legend.display = false;
Chart.defaults.elements.point.hitRadius = 8;

// ---- axes ----

// Labels at 1, 2 and 5 of each decade.
const logTick = (value) => [1, 2, 5].includes(Number(value.toExponential(6).split("e")[0]))
  ? plain(value) : "";

function axis(title, log, more = {}) {
  return {
    type: log ? "logarithmic" : "linear", title: { display: true, text: title },
    ticks: { maxRotation: log ? 0 : 50, includeBounds: log,
      callback: log ? logTick : (value) => plain(value), ...more.ticks },
    ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== "ticks")),
  };
}
// An axis shows whole intervals of its points; `at` is their own place on it.
function reach(points, at) {
  const ends = points.flatMap((point) => [point[at], point.lo, point.hi]).filter(known);
  const room = (Math.max(...ends) - Math.min(...ends)) * 0.03;
  return { suggestedMin: Math.min(...ends) - room, suggestedMax: Math.max(...ends) + room };
}
// An axis with a row for each name, the first on top.
const rowAxis = (names, more = {}) => ({
  type: "linear", reverse: true, min: -0.6, max: names.length - 0.4,
  afterBuildTicks: (scale) => { scale.ticks = names.map((_, value) => ({ value })); },
  ticks: { autoSkip: false, callback: (value) => shortId(names[value] ?? "", window.innerWidth < 700 ? 19 : 44) },
  grid: { display: false }, ...more,
});
// A place for each value leaves out those whose names have no room.
const ticksAt = (values, place) => ({
  afterBuildTicks: (scale) => {
    const room = place ? 32 / scale.chart.width * (place(values[values.length - 1]) - place(values[0])) : 0;
    let last = -Infinity;
    scale.ticks = values.filter((value) => {
      const free = !place || place(value) - last >= room;
      last = place && free ? place(value) : last;
      return free;
    }).map((value) => ({ value }));
  },
});

// ---- figures ----

const waiting = new Map(); // canvas -> draws its chart
const viewed = new IntersectionObserver((entries) => {
  for (const entry of entries)
    if (entry.isIntersecting)
      drawChart(entry.target);
}, { rootMargin: "200px" });

function drawChart(canvas) {
  const draw = waiting.get(canvas);
  if (!draw || Chart.getChart(canvas))
    return;
  draw();
}
function forgetChart(canvas) {
  viewed.unobserve(canvas);
  waiting.delete(canvas);
  Chart.getChart(canvas)?.destroy();
}

function dress(config) {
  const { plugins = {}, ...options } = config.options ?? {};
  const scales = options.scales ?? {};
  for (const scale of Object.values(scales)) {
    scale.grid = { color: colour("line"), ...scale.grid };
    scale.ticks = { color: colour("dim"), ...scale.ticks };
    scale.title = { color: colour("text"), ...scale.title };
  }
  return {
    ...config, options: {
      ...options,
      onClick: (event, hits, chart) => {
        const anchor = hits.map((hit) => chart.data.datasets[hit.datasetIndex]
          .data[hit.index].anchor).find((name) => byAnchor.has(name));
        if (anchor)
          location.hash = `#case=${encodeURIComponent(anchor)}`;
      },
      plugins: {
        ...plugins, tooltip: {
          backgroundColor: colour("raised"), titleColor: colour("text"), bodyColor: colour("text"),
          borderColor: colour("line"), borderWidth: 1, displayColors: false,
          filter: (item, i) => i < 3,
          callbacks: {
            title: () => "", label: (item) => [short(item.raw.title ?? item.dataset.label ?? "", 90),
              ...(item.raw.result ? hover(item.raw.result) : []), ...(item.raw.lines ?? [])],
          }, ...plugins.tooltip,
        },
      },
    },
  };
}

function legendOf(chart) {
  const place = el("div", { class: "legend", role: "group", "aria-label": "Lines of the chart" });
  chart.data.datasets.forEach((dataset, i) => {
    if (!dataset.label)
      return;
    const swatch = el("span", { class: "swatch" });
    const ink = dataset.legendColour ?? dataset.borderColor;
    swatch.style.background = Array.isArray(ink) ? ink[0] : ink;
    place.append(el("button", {
      type: "button", "aria-pressed": String(chart.isDatasetVisible(i)), on: {
        click: (event) => {
          const shown = !chart.isDatasetVisible(i);
          chart.setDatasetVisibility(i, shown);
          chart.update();
          event.currentTarget.setAttribute("aria-pressed", String(shown));
        } } }, swatch, short(dataset.label, 64)));
  });
  return place;
}

// A chart with its legend and its table. `config()` makes it in the colours of now; `rows()`
// makes the table once somebody opens it.
function figure(title, config, rows, { height, open = false } = {}) {
  const canvas = el("canvas", { role: "img", "aria-label": `${short(title, 200)}. The table has the same numbers.` });
  const plot = el("div", { class: "plot" }, canvas), legend = el("div");
  if (height)
    plot.style.height = `${height}px`;
  waiting.set(canvas, () => {
    const chart = new Chart(canvas, dress(config()));
    legend.replaceChildren(chart.data.datasets.length > 1 && !chart.data.datasets[0].end
      ? legendOf(chart) : "");
  });
  viewed.observe(canvas);
  const details = el("details", {}, el("summary", {}, "Table"));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1)
      details.append(rows());
  });
  details.open = open;
  return el("figure", {}, el("figcaption", {}, el("h3", {}, title)), plot, legend, details);
}

const FIGURES = 12;
const figures = (body, list, what, make) => list.length &&
  body.append(paged(list, FIGURES, what, (place, part) => place.append(...part.map(make))));

// Draws all charts again, as the colours have changed.
function redrawCharts() {
  for (const canvas of waiting.keys()) {
    const chart = Chart.getChart(canvas);
    if (chart) {
      chart.destroy();
      drawChart(canvas);
    }
  }
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawCharts);
// Paper is white, and has no place that comes into view later.
addEventListener("beforeprint", () => {
  document.documentElement.setAttribute("data-print", "");
  redrawCharts();
  for (const canvas of waiting.keys())
    drawChart(canvas);
});
addEventListener("afterprint", () => {
  document.documentElement.removeAttribute("data-print");
  redrawCharts();
});
