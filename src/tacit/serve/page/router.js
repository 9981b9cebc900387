/** The state of the explorer as a readable address: `#q=deep+sea&under=Science&id=b7`. */

import { signal } from "./vendor.js";

/**
 * @typedef {{
 *   q: string, by: string, mode: string, id: string, about: string, colour: string, to: string, mix: number,
 *   label: string[], under: string[], where: string[], range: string[], like: string[], dislike: string[],
 * }} Route
 */

/** @type {Route} */
const EMPTY = { q: "", by: "hybrid", mode: "", id: "", about: "", colour: "", to: "", mix: 100, label: [], under: [], where: [], range: [], like: [], dislike: [] };

const LISTS = /** @type {const} */ (["label", "under", "where", "range", "like", "dislike"]);
const WORDS = /** @type {const} */ (["q", "by", "mode", "id", "about", "to", "colour"]);

/** Texts above this length stay in the history entry: an address must remain something to send to somebody. */
const LONGEST_ADDRESS_TEXT = 600;

export const route = signal(readAddress());

/**
 * Change the state; the address follows.
 *
 * @param {Partial<Route>} change
 * @param {{replace?: boolean}} [options] replace: no new entry for the Back button
 */
export function go(change, { replace = false } = {}) {
  const next = { ...route.peek(), ...change };
  const hash = addressOf(next);
  const long = next.q.length > LONGEST_ADDRESS_TEXT ? next.q : null;
  if (hash === addressOf(route.peek()) && next.q === route.peek().q) return;
  const url = `${location.pathname}${hash ? `#${hash}` : ""}`;
  history[replace ? "replaceState" : "pushState"]({ text: long }, "", url);
  route.value = next;
}

/** Follow the Back and Forward buttons and addresses typed by hand. */
export function followAddress() {
  // Search engines and catalogues link with `?q=`; from here on the state stands behind the `#`.
  if (location.search) history.replaceState(history.state, "", `${location.pathname}#${addressOf(route.peek())}`);
  const read = () => {
    route.value = readAddress();
  };
  addEventListener("popstate", read);
  addEventListener("hashchange", read);
}

/**
 * The address of a state, without the `#`.
 *
 * @param {Partial<Route>} state
 */
export function addressOf(state) {
  const full = { ...EMPTY, ...state };
  const query = new URLSearchParams();
  for (const name of WORDS) {
    const text = name === "q" && full.q.length > LONGEST_ADDRESS_TEXT ? "" : full[name];
    if (text && text !== EMPTY[name]) query.append(name, text);
  }
  for (const name of LISTS) for (const value of full[name]) query.append(name, value);
  if (full.mix !== EMPTY.mix) query.append("mix", String(full.mix));
  // These characters are legal in a fragment, and addresses with them can be read by people.
  return query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%3D", "=").replaceAll("%28", "(").replaceAll("%29", ")");
}

/** @returns {Route} */
function readAddress() {
  const query = new URLSearchParams(location.hash.slice(1));
  if (!location.hash && location.search) for (const [name, value] of new URLSearchParams(location.search)) query.append(name, value);
  /** @type {Route} */
  const state = { ...EMPTY };
  for (const name of WORDS) state[name] = query.get(name) ?? EMPTY[name];
  for (const name of LISTS) state[name] = query.getAll(name).filter(Boolean);
  if (typeof history.state?.text === "string") state.q = history.state.text;
  if (!["hybrid", "meaning", "words"].includes(state.by)) state.by = EMPTY.by;
  const mix = Number(query.get("mix") ?? EMPTY.mix);
  state.mix = Number.isFinite(mix) ? Math.min(100, Math.max(0, Math.round(mix))) : EMPTY.mix;
  return state;
}
