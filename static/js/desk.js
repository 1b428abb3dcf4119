// What the desk does beyond links and forms: keys, themes, and figures that are drawn when they are seen.
"use strict";

const isTyping = (target) =>
  target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]") !== null;
const seen = (element) => element.offsetParent !== null;

// Keys. An element says by data-key which key works it; `?` lists them all.
let prefix = "";

function work(element) {
  const act = element.closest("details.act");
  if (!act) {
    element.matches("input") ? element.focus() : element.click();
    return;
  }
  act.open = !act.open;
  if (act.open) act.querySelector("textarea, input:not([type=hidden]), button").focus();
}

function onKey(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form) {
    event.target.form.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return leave(event);
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const key = (prefix + event.key).trim();
  prefix = "";
  if (event.key === "g") {
    prefix = "g ";
    return;
  }
  if (key === "?") return showKeys();
  if (key === "j" || key === "k") return step(key === "j" ? 1 : -1);
  const works = (each) => each.dataset.key === key && seen(each) && !each.disabled;
  const row = event.target.closest("[data-row]"); // of two, a key works that of the row in hand
  const element = [...(row?.querySelectorAll("[data-key]") ?? []), ...document.querySelectorAll("[data-key]")].find(works);
  if (element) {
    event.preventDefault();
    work(element);
  }
}

// Out of a field, so that keys work again; and what stands over the page closes.
function leave(event) {
  if (isTyping(event.target)) {
    event.preventDefault(); // which would empty a search field
    event.target.blur();
  }
  document.querySelectorAll("details.act[open]").forEach((each) => {
    each.open = false;
    each.querySelector("summary").focus();
  });
}

function step(by) {
  const stops = [...document.querySelectorAll("[data-stop]")];
  const here = stops.indexOf(document.activeElement);
  const next = stops[Math.min(Math.max(here + by, 0), stops.length - 1)];
  if (next) next.focus();
}

function showKeys() {
  const dialog = document.getElementById("keys");
  const list = dialog.querySelector("dl");
  list.querySelectorAll("[data-found]").forEach((each) => each.remove());
  const listed = new Set();
  for (const element of document.querySelectorAll("[data-key]")) {
    if (!seen(element) || listed.has(element.dataset.key)) continue; // of two, a key works the first
    listed.add(element.dataset.key);
    const key = document.createElement("dt");
    key.dataset.found = "";
    key.append(Object.assign(document.createElement("kbd"), { textContent: element.dataset.key }));
    const what = document.createElement("dd");
    what.dataset.found = "";
    what.textContent = element.dataset.says || element.getAttribute("aria-label") || plainText(element);
    list.append(key, what);
  }
  dialog.showModal();
}

function plainText(element) {
  const copy = element.cloneNode(true);
  copy.querySelectorAll("kbd").forEach((each) => each.remove());
  return copy.textContent.trim();
}

// Themes: as the system, light, dark, in turn.
function turnTheme(button) {
  const themes = ["", "light", "dark"];
  const now = document.documentElement.dataset.theme || "";
  const next = themes[(themes.indexOf(now) + 1) % themes.length];
  if (next) document.documentElement.dataset.theme = next;
  else delete document.documentElement.dataset.theme;
  try {
    next ? localStorage.setItem("theme", next) : localStorage.removeItem("theme");
  } catch {
    // Then it holds for this page.
  }
  nameTheme(button);
  document.dispatchEvent(new Event("theme"));
}

function nameTheme(button) {
  button.textContent = button.dataset[document.documentElement.dataset.theme || "auto"];
}

document.addEventListener("keydown", onKey);
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-theme-button]");
  if (button) turnTheme(button);
  if (event.target.closest("[data-keys-button]")) showKeys();
  // A form that stands over the page closes when one goes on elsewhere.
  document.querySelectorAll("details.act[open]").forEach((each) => {
    if (!each.contains(event.target)) each.open = false;
  });
});
document.querySelectorAll("[data-theme-button]").forEach((button) => {
  button.hidden = false;
  nameTheme(button);
});
document.querySelectorAll("[data-keys-button]").forEach((button) => {
  button.hidden = false;
});
// What was just done is read out, and the keyboard goes on from there.
document.querySelectorAll("main > .notice[role]:not([hidden])").forEach((notice) => {
  notice.tabIndex = -1;
  notice.focus({ preventScroll: true });
});
// The time slider writes its instant into the field beside it; at its end that is now.
document.addEventListener("input", (event) => {
  const slider = event.target.closest("[data-slider]");
  if (!slider) return;
  const instant = new Date(slider.value * 1000).toISOString().slice(0, 19);
  const isNow = slider.value === slider.max;
  slider.form.elements.as_of.value = isNow ? "" : instant;
  slider.setAttribute("aria-valuetext", isNow ? slider.dataset.now : `${instant.replace("T", " ")} UTC`);
});
// Addresses hold what was chosen, and not all that could have been.
document.addEventListener("htmx:configRequest", (event) => {
  const asked = event.detail.parameters;
  for (const name of Object.keys(asked)) {
    if (event.detail.verb === "get" && (asked[name] === "" || (name === "state" && asked[name] === "live"))) delete asked[name];
  }
});
// A part that is asked for time and again says when there is no answer any more.
const lost = document.getElementById("lost");
document.addEventListener("htmx:sendError", () => {
  if (lost) lost.hidden = false;
});
document.addEventListener("htmx:afterOnLoad", () => {
  if (lost) lost.hidden = true;
});
// A form is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "true";
});
window.addEventListener("pageshow", () => {
  document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent);
});
