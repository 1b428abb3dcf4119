// Figures: plotly.js is loaded when the first of them is seen; colours are those of the theme.
"use strict";

const bundle = document.currentScript.dataset.plotly;
let plotly = null;

function loadPlotly() {
  plotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = bundle;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error("the drawing library cannot be loaded"));
    document.head.append(script);
  });
  return plotly;
}

// What a token comes to in the theme of now.
function colourOf(token) {
  const probe = document.createElement("span");
  probe.style.color = token;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

function coloured(value) {
  if (typeof value === "string") return value.startsWith("var(--") ? colourOf(value) : value;
  if (Array.isArray(value)) return value.map(coloured);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, coloured(each)]));
  }
  return value;
}

function framed(layout) {
  const axis = {
    gridcolor: "var(--line)",
    linecolor: "var(--line)",
    zerolinecolor: "var(--line)",
    automargin: true,
    fixedrange: true,
  };
  return {
    margin: { t: 8, r: 8, b: 32, l: 44 },
    height: 260,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    hoverlabel: { bgcolor: "var(--card)", bordercolor: "var(--edge)", font: { color: "var(--ink)" } },
    font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: "var(--soft)" },
    ...layout,
    xaxis: { ...axis, ...layout.xaxis },
    yaxis: { ...axis, ...layout.yaxis },
  };
}

const drawing = new WeakSet(); // the places that are being drawn

// Draws what a place is to show, and once more where that is something else by then.
async function draw(place) {
  watcher.unobserve(place);
  if (drawing.has(place)) return;
  drawing.add(place);
  try {
    for (let drawn = ""; drawn !== place.dataset.src; ) {
      drawn = place.dataset.src;
      const answer = await fetch(drawn, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(`the figure was answered ${answer.status}`);
      await show(place, await answer.json());
    }
  } catch (error) {
    place.textContent = place.dataset.failed;
    place.dataset.drawn = "failed";
    console.warn(error.message);
  }
  drawing.delete(place);
}

async function show(place, figure) {
  place.figure = figure;
  place.hidden = false;
  await redraw(place);
  place.dataset.drawn = "true";
  tell(place, figure.layout.meta);
  ways(place).forEach((each) => (each.hidden = false));
  place.dispatchEvent(new Event("drawn", { bubbles: true }));
}

// The table behind a figure says what the figure shows by now.
function tell(place, said) {
  const table = document.querySelector(`table[data-follows="${place.id}"]`);
  if (!table || !said?.rows) return;
  const filled = (row, name) => {
    const line = document.createElement("tr");
    line.append(...row.map((text) => Object.assign(document.createElement(name), { textContent: text })));
    return line;
  };
  table.tHead.replaceChildren(filled(said.head, "th"));
  table.tHead.querySelectorAll("th").forEach((each) => (each.scope = "col"));
  table.tBodies[0].replaceChildren(...said.rows.map((row) => filled(row, "td")));
}

// The buttons that keep a figure as a file.
function ways(place) {
  const beside = place.closest("figure")?.querySelectorAll("[data-save]:not([data-save-of])") ?? [];
  return [...beside, ...document.querySelectorAll(`[data-save-of="${place.id}"]`)];
}

async function keep(button) {
  const place = document.getElementById(button.dataset.saveOf) ?? button.closest("figure").querySelector(".plot");
  const library = await loadPlotly();
  const { data, layout } = place.figure;
  const caption = layout.meta?.caption ?? [];
  const height = place.clientHeight + LINE * caption.length;
  const paper = coloured({ ...headed(framed(layout), caption, height), height, paper_bgcolor: "var(--card)" });
  const size = { width: Math.max(place.clientWidth, NARROWEST), height };
  const format = button.dataset.save;
  const drawn = await library.toImage({ data: coloured(data), layout: paper }, { format: "svg", ...size });
  const href = format === "png" ? await painted(drawn, size) : drawn;
  const name = layout.meta?.file ?? place.id.replace("-plot", "");
  Object.assign(document.createElement("a"), { href, download: `${name}.${format}` }).click();
}

// Of a figure that is kept as a file: how high a line over it is, and so wide that a line has room.
const LINE = 20;
const NARROWEST = 640;

// A layout with lines over it, which say what the figure is where no page does.
function headed(layout, lines, height) {
  if (lines.length === 0) return layout;
  const at = { x: 0, xref: "container", xanchor: "left", pad: { l: 12 } };
  const top = { y: 1 - LINE / height, yref: "container", yanchor: "top" };
  const margin = { ...layout.margin, t: (layout.margin.t ?? 8) + LINE * lines.length };
  const title = { text: lines.join("<br>"), font: { size: 13, color: "var(--ink)" }, ...at, ...top };
  return { ...layout, margin, title };
}

// A drawing as dots, two each way for each of its own. (The library would do it by an address that no page may load.)
async function painted(drawing, { width, height }) {
  const image = Object.assign(new Image(), { src: drawing });
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}

async function redraw(place) {
  const library = await loadPlotly();
  const { data, layout } = place.figure;
  await library.react(place, coloured(data), coloured(framed(layout)), { displayModeBar: false, responsive: true });
}

const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((each) => each.isIntersecting)) draw(entry.target);
});

const undrawn = (root) => [...root.querySelectorAll(".plot[data-src]:not([data-drawn])")];
const watch = (root) => undrawn(root).forEach((each) => watcher.observe(each));

// Paper has all figures, and does not wait: so the others are drawn, one by one, once the first was seen.
const isShown = (place) => place.getClientRects().length > 0;
const drawNext = () => undrawn(document).filter(isShown).slice(0, 1).forEach(draw);
document.addEventListener("drawn", () => setTimeout(drawNext, 200));
addEventListener("beforeprint", () => undrawn(document).filter(isShown).forEach(draw));

// A figure that came with the part of a page; its place stays when the next comes.
const take = (root) => {
  for (const each of root.querySelectorAll("[data-figure]:not([data-taken])")) {
    each.dataset.taken = "true";
    show(document.getElementById(each.dataset.figureFor), JSON.parse(each.dataset.figure));
  }
};

watch(document);
take(document);
document.addEventListener("htmx:load", (event) => {
  watch(event.detail.elt.parentElement || document);
  take(event.detail.elt.parentElement || document);
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-save]");
  if (button) keep(button);
});
document.addEventListener("theme", () => {
  document.querySelectorAll(".plot[data-drawn='true']").forEach(redraw);
});
// The system's theme may change while the page is open.
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.dispatchEvent(new Event("theme")));
