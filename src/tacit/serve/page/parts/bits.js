/** Small pieces that several panels share. */

import { html, useEffect, useRef } from "../vendor.js";
import { Icon } from "./icons.js";

/** @import { Label, Links } from "../data/types.js" */
/** @import { State } from "../state.js" */

const NUMBERS = new Intl.NumberFormat("en");

/** @param {number} value */
export const count = (value) => NUMBERS.format(value);

/** @param {number} value @param {string} one @param {string} [several] */
export const plural = (value, one, several = `${one}s`) => `${count(value)} ${value === 1 ? one : several}`;

/** @param {number} share */
export const percent = (share) => `${share > 0 && share < 0.01 ? "<1" : Math.round(share * 100)}%`;

/**
 * A length set through the object model, because the page's policy forbids styles inside the markup.
 *
 * @param {{share: number, kind?: string}} props share: between 0 and 1
 */
export function Bar({ share, kind = "" }) {
  const fill = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    fill.current?.style.setProperty("width", `${Math.max(0, Math.min(1, share)) * 100}%`);
  }, [share]);
  return html`<span class=${`bar ${kind}`} aria-hidden="true"><span ref=${fill}></span></span>`;
}

/**
 * A bar left or right of a middle line; with `oneSided` it may take the whole width.
 *
 * @param {{part: number, largest: number, oneSided: boolean}} props
 */
export function SignedBar({ part, largest, oneSided }) {
  const fill = useRef(/** @type {HTMLElement | null} */ (null));
  const share = largest > 0 ? Math.abs(part) / largest : 0;
  useEffect(() => {
    fill.current?.style.setProperty("width", `${Math.min(1, share) * (oneSided ? 100 : 50)}%`);
  }, [share, oneSided]);
  return html`<span class=${`signed ${part < 0 ? "against" : "for"} ${oneSided ? "one-sided" : ""}`} aria-hidden="true"><span ref=${fill}></span></span>`;
}

/** A label that filters when it is clicked. @param {{label: Label, state: State, swatch?: number}} props */
export function LabelChip({ label, state, swatch }) {
  return html`<button type="button" class="chip" title=${`Filter by ${label.title}`} onClick=${() => state.filterBy(label, false)}>
    ${swatch ? html`<${Swatch} code=${swatch} />` : null}<span>${label.title}</span>
  </button>`;
}

/** @param {{code: number}} props */
export const Swatch = ({ code }) => html`<span class=${`swatch swatch-${code}`} aria-hidden="true"></span>`;

/** Labels from the widest to the narrowest. @param {{path: Label[], state: State}} props */
export function Path({ path, state }) {
  return html`<span class="path">${path.map((label, place) => html`
    ${place ? html`<span class="path-mark" aria-hidden="true">›</span>` : null}
    <button type="button" class="plain" onClick=${() => state.openLabel(label)}>${label.title}</button>`)}</span>`;
}

/** A text with some of its parts marked. @param {{text: string, marks?: [number, number][]}} props */
export function Marked({ text, marks = [] }) {
  const pieces = [];
  let end = 0;
  for (const [from, to] of [...marks].sort((a, b) => a[0] - b[0])) {
    if (from < end) continue;
    pieces.push(text.slice(end, from), html`<mark>${text.slice(from, to)}</mark>`);
    end = to;
  }
  pieces.push(text.slice(end));
  return html`<span>${pieces}</span>`;
}

/** @param {{lines?: number, label?: string}} props */
export function Skeleton({ lines = 4, label = "Loading" }) {
  return html`<div class="skeletons" role="status" aria-label=${label}>
    ${Array.from({ length: lines }, (_, line) => html`<div class="skeleton" key=${line}><i></i><i></i><i></i></div>`)}
  </div>`;
}

/** @param {{error: Error, state: State}} props */
export function Failure({ error, state }) {
  return html`<div class="notice" role="alert">
    <p>${/** @type {any} */ (error).detail ?? error.message}</p>
    <button type="button" class="button" onClick=${() => { state.retry.value += 1; }}><${Icon} name="reload" /> Try again</button>
  </div>`;
}

/** The row above a panel that leads back. @param {{title: string, onBack: () => void, back?: string}} props */
export function Head({ title, onBack, back = "Back" }) {
  return html`<div class="head">
    <button type="button" class="button quiet" onClick=${onBack}><${Icon} name="back" /> ${back}</button>
    <span class="head-kind">${title}</span>
  </div>`;
}
