// The thresholds of the detector: a slider beside each field, in step with it. What they come to the server works out.
"use strict";

for (const slider of document.querySelectorAll("[data-slides]")) {
  const field = document.getElementById(slider.dataset.slides);
  slider.hidden = false;
  slider.addEventListener("input", () => (field.value = slider.value));
  field.addEventListener("input", () => (slider.value = field.value));
}
