// What the reader types stays when the page is made again.
Idiomorph.defaults.ignoreActiveValue = true;

// A page that hears of no changes says so.
for (const lost of ["htmx:sseError", "htmx:sendError"]) {
  document.addEventListener(lost, () => {
    const when = document.getElementById("when");
    if (when && !when.textContent.startsWith("Not connected")) {
      when.textContent = "Not connected to the program: this is the state " + when.textContent.replace(/^As of/, "of").replace(/;.*/, "") + ".";
      when.setAttribute("role", "status");
    }
  });
}
