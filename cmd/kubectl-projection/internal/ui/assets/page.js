// What the reader types stays when the page is made again.
Idiomorph.defaults.ignoreActiveValue = true;
