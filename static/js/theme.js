// Before anything is drawn: that scripts run, and the theme that a person chose here, else that of the system.
"use strict";

document.documentElement.classList.add("scripted");

try {
  const chosen = localStorage.getItem("theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be closed to us; then the system decides.
}
