// A file can be dropped on the form that takes one; what is chosen is that of the form's own field.
"use strict";

document.querySelectorAll("[data-drop]").forEach((form) => {
  const field = form.querySelector("input[type=file]");
  const over = (is) => form.classList.toggle("over", is);
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  form.addEventListener("dragleave", (event) => over(form.contains(event.relatedTarget)));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    if (event.dataTransfer.files.length === 0) return;
    field.files = event.dataTransfer.files;
    form.querySelector("button").focus();
  });
});
