/** Light or dark: as the system has it, until somebody chooses. */

import { effect, signal } from "./vendor.js";

const STORED = "tacit-theme";
const asked = matchMedia("(prefers-color-scheme: dark)");

export const theme = signal(/** @type {"light" | "dark"} */ (chosen() ?? system()));
export const phone = signal(matchMedia("(max-width: 760px)").matches);
/** Windows in which the cards beside the map are narrower. */
export const narrow = signal(matchMedia("(max-width: 1399px)").matches);
export const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  if (theme.value !== system() || chosen()) store(theme.value);
});
asked.addEventListener("change", () => {
  if (!chosen()) theme.value = system();
});
matchMedia("(max-width: 760px)").addEventListener("change", (event) => {
  phone.value = event.matches;
});
matchMedia("(max-width: 1399px)").addEventListener("change", (event) => {
  narrow.value = event.matches;
});

/** @returns {"light" | "dark"} */
function system() {
  return asked.matches ? "dark" : "light";
}

/** Storage may be closed to the page; then the choice lasts as long as the page. @returns {"light" | "dark" | null} */
function chosen() {
  try {
    const value = localStorage.getItem(STORED);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null;
  }
}

/** @param {string} value */
function store(value) {
  try {
    localStorage.setItem(STORED, value);
  } catch {
    // as above
  }
}
