// The calibration lab: fields and handles that are in step, figures and what-if that follow them. What a number comes to
// is worked out by the server alone.
"use strict";

const trial = document.getElementById("trial");
const fields = [...trial.elements].filter((each) => each.dataset.inForce !== undefined);
const isChanged = (field) => field.value.trim() === "" || Number(field.value) !== Number(field.dataset.inForce);

// What is tried that is not in force, as it stands in an address.
const tried = () => new URLSearchParams(fields.filter(isChanged).map((each) => [each.name, each.value]));

// Fields

let moving = ""; // the field that was moved last, and is still in hand
let isOneStep = false;

function moved(field) {
  isOneStep = moving === field.id && document.body.dataset.asked === "true";
  if (moving !== field.id) document.body.dataset.asked = "";
  moving = field.id;
  mark();
  placeHandles();
  followAll();
  ask();
}

// At once, and then now and then while something moves, and in the end.
let asking = 0;
let askedAt = 0;

function ask() {
  clearTimeout(asking);
  const wait = Math.max(0, askedAt + 400 - Date.now());
  asking = setTimeout(() => {
    askedAt = Date.now();
    htmx.trigger(trial, "tried");
  }, wait);
}

function letGo() {
  moving = "";
}

function write(field, value) {
  const [low, high] = [Number(field.min), Number(field.max)];
  field.value = Number(Math.min(Math.max(value, low), high).toFixed(2));
  moved(field);
}

function mark() {
  for (const field of fields) {
    const at = field.closest("[data-number]");
    at.classList.toggle("changed", isChanged(field));
    at.querySelector("[data-back]").hidden = !isChanged(field);
    at.closest("[data-constant]")?.classList.toggle("changed", at.parentElement.querySelector(".changed") !== null);
  }
  const many = fields.filter(isChanged).length;
  const says = document.querySelector("[data-many-changed]");
  says.textContent = many === 0 ? "" : (many === 1 ? says.dataset.one : says.dataset.many.replace("{count}", many));
  document.querySelector("[data-all-back]").hidden = many === 0;
}

document.addEventListener("input", (event) => {
  if (fields.includes(event.target)) moved(event.target);
});
document.addEventListener("focusout", letGo);
document.addEventListener("click", (event) => {
  const back = event.target.closest("[data-back], [data-all-back]");
  if (!back) return;
  event.preventDefault();
  const field = document.getElementById(back.dataset.back);
  const [first, ...others] = field ? [field] : fields.filter(isChanged);
  for (const each of [first, ...others]) each.value = each.dataset.inForce;
  letGo();
  moved(first);
  first.focus();
  letGo();
});
// A button without a name shows what the constants would do, which is shown already.
trial.addEventListener("submit", (event) => {
  if (event.submitter?.name || event.submitter?.formAction.includes("#")) return;
  event.preventDefault();
  letGo();
  ask();
});

// What if

document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.elt !== trial) return;
  const asked = event.detail.parameters;
  for (const name of Object.keys(asked)) delete asked[name];
  for (const [name, value] of tried()) asked[name] = value;
  if (isOneStep) event.detail.headers["Goes-On"] = "yes";
  document.body.dataset.asked = "true";
});
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "what-if") return;
  for (const each of document.querySelectorAll("[data-error]")) each.textContent = "";
  for (const each of fields) each.removeAttribute("aria-invalid");
  if (event.detail.xhr.status !== 400) return;
  event.detail.shouldSwap = true; // what is wrong is said at its field
  event.detail.isError = false;
});
document.addEventListener("htmx:afterSettle", () => {
  for (const each of document.querySelectorAll("[data-error]:not(:empty)")) {
    document.getElementById(each.id.replace(/-says$/, ""))?.setAttribute("aria-invalid", "true");
  }
});

// Figures

function followAll() {
  const asked = tried().toString();
  for (const link of document.querySelectorAll("a[data-tried]")) link.href = joined(link.dataset.tried, asked);
  for (const plot of document.querySelectorAll(".plot[data-tried]")) follow(plot, joined(plot.dataset.tried, asked));
}

const joined = (address, query) => address + (address.includes("?") ? "&" : "?") + query;

function follow(plot, src) {
  if (plot.dataset.src === src) return;
  plot.dataset.src = src;
  if (plot.dataset.drawn) draw(plot); // the others will be drawn as that says by then
}

// Handles: B0 where freshness is one half, σ where it is three quarters.

const handles = [...document.querySelectorAll(".handle")];
const board = document.getElementById("activation-plot");
const REACH = Number(document.querySelector("[data-reach]").dataset.reach); // how many σ lie between the two
const fieldOf = (handle) => document.getElementById(handle.dataset.for);
const [midpoint, scale] = handles.map(fieldOf);

function axis() {
  const { xaxis, yaxis2 } = board._fullLayout;
  const [low, high] = xaxis.range;
  return { low, high, left: xaxis._offset, width: xaxis._length, y: (fresh) => yaxis2._offset + yaxis2.l2p(fresh) };
}

function placeHandles() {
  if (board.dataset.drawn !== "true") return;
  const { low, high, left, width, y } = axis();
  for (const handle of handles) {
    const isMidpoint = handle.dataset.of === "midpoint";
    const at = Number(midpoint.value) + (isMidpoint ? 0 : REACH * Number(scale.value));
    const within = Math.min(Math.max(at, low), high);
    handle.style.left = `${left + (width * (within - low)) / (high - low)}px`;
    handle.style.top = `${y(isMidpoint ? 0.5 : 0.75)}px`;
    handle.classList.toggle("beyond", at !== within);
    handle.setAttribute("aria-valuenow", fieldOf(handle).value);
    handle.setAttribute("aria-valuetext", Number(fieldOf(handle).value).toFixed(2));
    handle.hidden = false;
  }
}

function drag(handle, x) {
  const { low, high, left, width } = axis();
  place(handle, low + ((high - low) * (x - board.getBoundingClientRect().left - left)) / width);
}

// At an activation, as far as the axis goes.
function place(handle, at) {
  const { low, high } = axis();
  const within = Math.min(Math.max(at, low), high);
  write(fieldOf(handle), handle.dataset.of === "midpoint" ? within : (within - Number(midpoint.value)) / REACH);
}

function takeBack(handle) {
  const field = fieldOf(handle);
  if (field.value === handle.dataset.began) return;
  field.value = handle.dataset.began;
  moved(field);
}

const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

for (const handle of handles) {
  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    handle.focus({ preventScroll: true });
    event.preventDefault();
  });
  handle.addEventListener("pointermove", (event) => {
    if (handle.hasPointerCapture(event.pointerId)) drag(handle, event.clientX);
  });
  handle.addEventListener("lostpointercapture", letGo);
  handle.addEventListener("focus", () => (handle.dataset.began = fieldOf(handle).value));
  handle.addEventListener("keydown", (event) => {
    const field = fieldOf(handle);
    const ends = { Home: axis().low, End: axis().high };
    if (event.key in STEPS) write(field, Number(field.value) + 0.05 * STEPS[event.key]);
    else if (event.key in ends) place(handle, ends[event.key]);
    else if (event.key === "Escape") takeBack(handle);
    else return;
    event.preventDefault();
  });
}

document.addEventListener("drawn", (event) => {
  if (event.target === board) placeHandles();
});
followAll();
new ResizeObserver(() => requestAnimationFrame(placeHandles)).observe(board);
mark();
