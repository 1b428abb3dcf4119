// A button that copies the text of another element. Without it that text can be selected by one click.
"use strict";

document.querySelectorAll("[data-copy]").forEach((button) => {
  if (!navigator.clipboard) return; // only where the address is safe
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = button.dataset.done;
  });
});
