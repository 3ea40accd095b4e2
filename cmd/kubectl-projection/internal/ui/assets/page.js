// What the reader types stays when the page is made again.
Idiomorph.defaults.ignoreActiveValue = true;
Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, field) => name !== "value" || !("defaultValue" in field) || field.value === field.defaultValue;

// A page that hears of no changes says so.
for (const lost of ["htmx:sseError", "htmx:sendError"]) {
  document.addEventListener(lost, () => {
    const live = document.getElementById("live");
    if (!live.querySelector(".refused")) {
      live.textContent = "Not connected to the program: this is the state of " + document.getElementById("time").textContent + ".";
    }
  });
}
