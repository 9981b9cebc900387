/** The keyboard: every key of the explorer, and the dialog that lists them. */

import { html, useEffect, useRef } from "../vendor.js";
import { Icon } from "./icons.js";

/** @import { Signal } from "@preact/signals" */
/** @import { State } from "../state.js" */
/** @import { Stage } from "../stage.js" */

const KEYS = [
  ["/", "go to the box"],
  ["↓ ↑", "from result to result; on the map: move it"],
  ["Enter", "open the result, or the point at the middle of the map"],
  ["w", "why was this result found?"],
  ["m", "go to the map"],
  ["+ −", "zoom"],
  ["0", "the whole map"],
  ["l", "go to the legend; there, arrows open and close, Enter filters, i tells more"],
  ["Esc", "close, or one step back"],
  ["?", "this help"],
];

/** Pixels that one press of an arrow moves the map. */
const STEP = 80;

/** @param {{state: State, stage: () => Stage | null, showLegend: () => void, showHelp: () => void}} parts */
export function listenToKeys({ state, stage, showLegend, showHelp }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const inField = target.matches("input:not([type=range], [type=checkbox]), textarea, select");
    if (event.key === "Escape") {
      escape(state, stage(), target, inField);
      return;
    }
    if (inField) return;
    const map = stage()?.map;
    const onMap = target.id === "map";
    const actions = /** @type {Record<string, () => void>} */ ({
      "/": () => /** @type {HTMLTextAreaElement | null} */ (document.getElementById("box"))?.select(),
      m: () => document.getElementById("map")?.focus(),
      "+": () => map?.zoomBy(1.5),
      "=": () => map?.zoomBy(1.5),
      "-": () => map?.zoomBy(1 / 1.5),
      0: () => map?.flyTo("all"),
      l: showLegend,
      "?": showHelp,
      w: () => /** @type {HTMLElement | null} */ (document.querySelector(".hit.lit [aria-expanded], .hit [aria-expanded], .suggestion [aria-expanded]"))?.click(),
      ...(onMap && map ? {
        ArrowLeft: () => map.panBy(-STEP, 0),
        ArrowRight: () => map.panBy(STEP, 0),
        ArrowUp: () => map.panBy(0, -STEP),
        ArrowDown: () => map.panBy(0, STEP),
        Enter: () => pickMiddle(stage()),
      } : {}),
    });
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    if (event.key === "/") document.getElementById("box")?.focus();
    act();
  });
}

/** @param {State} state @param {Stage | null} stage @param {HTMLElement} target @param {boolean} inField */
function escape(state, stage, target, inField) {
  if (stage?.lassoing.peek()) stage.lassoing.value = false;
  else if (inField && target.id !== "box") target.blur();
  else state.closeOne();
}

/** Open the record nearest to the middle of what is seen of the map. @param {Stage | null} stage */
function pickMiddle(stage) {
  const box = document.querySelector(".aim")?.getBoundingClientRect();
  if (!stage || !box) return;
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  for (let far = 0; far < Math.max(innerWidth, innerHeight); far += 12) {
    for (let turn = 0; turn < 2 * Math.PI; turn += far ? 9 / far : 7) {
      const number = stage.map.nearestTo(x + far * Math.cos(turn), y + far * Math.sin(turn));
      if (number !== null) {
        stage.pick(number);
        return;
      }
    }
  }
}

/** @param {{open: Signal<boolean>}} props */
export function Help({ open }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    if (open.value && !dialog.current?.open) dialog.current?.showModal();
    if (!open.value && dialog.current?.open) dialog.current.close();
  }, [open.value]);
  const close = () => { open.value = false; };
  return html`<dialog ref=${dialog} class="help" aria-labelledby="help-title" onClose=${close}
      onClick=${(/** @type {Event} */ event) => event.target === dialog.current && close()}>
    <div class="help-body">
      <div class="help-head"><h2 id="help-title">Keyboard</h2><button type="button" class="icon-button" aria-label="Close the help" onClick=${close}><${Icon} name="close" /></button></div>
      <dl class="keys">${KEYS.map(([key, what]) => html`<div key=${key}><dt>${key.split(" ").map((one) => html`<kbd>${one}</kbd> `)}</dt><dd>${what}</dd></div>`)}</dl>
      <h2>How to read the map</h2>
      <p>Each point is a record. Records with a similar meaning lie close together; distances between far groups mean little. Colours show the narrower subjects of the chosen one, grey points do not belong to it.</p>
      <p>The slider moves the records from where their words alone place them to where everything that is known places them, their own labels included.</p>
    </div>
  </dialog>`;
}
