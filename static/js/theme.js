// Before anything is drawn: the theme that a person chose here, else that of the system.
"use strict";

try {
  const chosen = localStorage.getItem("theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be closed to us; then the system decides.
}
