// Deciding one case after the other: what is put in the place of a page is read on from its question, a reason that was
// given before is a key away, and what was not done is shown as what was.
"use strict";

const told = document.createElement("p");
told.className = "unseen";
told.setAttribute("aria-live", "polite");
document.body.append(told);

// A page that says why something was not done takes the place of the page like any other.
document.addEventListener("htmx:beforeSwap", (event) => {
  const detail = event.detail;
  if (detail.xhr.status < 400) return;
  detail.shouldSwap = true;
  detail.isError = false;
  if (!detail.xhr.responseText.includes('id="main"')) {
    detail.selectOverride = "main > *";
    detail.swapOverride = "innerHTML";
  }
});

// The keyboard goes on from the question at once, before another key is pressed; and what was done is read out.
document.addEventListener("htmx:afterSwap", () => {
  const main = document.getElementById("main");
  (main.querySelector("[data-focus]") || main).focus({ preventScroll: true });
  told.textContent = [...main.querySelectorAll(".notice > span, .notice > div")].map((each) => each.textContent).join(" ");
});

// What could not be sent can be sent again.
document.addEventListener("htmx:afterRequest", (event) => {
  delete event.detail.elt.dataset.sent;
});

// While a reason is given, Alt and a number send one that was given before.
document.addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.getModifierState("AltGraph")) return;
  const number = event.code.replace("Digit", "");
  const button = document.querySelector(`details.act[open] [data-recent="${CSS.escape(number)}"]`);
  if (button) {
    event.preventDefault();
    button.click();
  }
});
