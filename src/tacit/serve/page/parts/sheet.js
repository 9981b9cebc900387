/** The sheet of the phone: three heights, dragged by its handle or changed by buttons. */

import { html, signal, useEffect, useRef } from "../vendor.js";
import { Icon } from "./icons.js";

/** 0: only the handle and the tabs, 1: half of the screen, 2: nearly all of it. */
export const height = signal(1);

/** @param {number} step */
export const raise = (step) => {
  height.value = Math.max(0, Math.min(2, height.value + step));
};

/** Pixels that the sheet covers at a height. @param {number} at */
export const covered = (at) => [92, Math.round(innerHeight * 0.46), innerHeight - 20 - (document.querySelector(".top")?.clientHeight ?? 64)][at];

/** @param {{children: unknown, tabs: unknown}} props */
export function Sheet({ children, tabs }) {
  const sheet = useRef(/** @type {HTMLElement | null} */ (null));
  const drag = useRef(/** @type {{from: number, start: number, moved: boolean} | null} */ (null));
  const set = (/** @type {number} */ pixels) => sheet.current?.style.setProperty("--sheet-height", `${pixels}px`);
  useEffect(() => {
    const fit = () => set(covered(height.value));
    fit();
    addEventListener("resize", fit);
    const top = document.querySelector(".top");
    const watcher = new ResizeObserver(fit);
    if (top) watcher.observe(top);
    return () => {
      removeEventListener("resize", fit);
      watcher.disconnect();
    };
  }, [height.value]);

  /** @param {PointerEvent} event */
  const onDown = (event) => {
    if (/** @type {HTMLElement} */ (event.target).closest("button")) return;
    drag.current = { from: event.clientY, start: sheet.current?.offsetHeight ?? 0, moved: false };
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    sheet.current?.classList.add("dragged");
  };
  /** @param {PointerEvent} event */
  const onMove = (event) => {
    if (!drag.current) return;
    drag.current.moved ||= Math.abs(event.clientY - drag.current.from) > 4;
    set(Math.max(72, Math.min(innerHeight - 60, drag.current.start + drag.current.from - event.clientY)));
  };
  /** @param {PointerEvent} event */
  const onUp = (event) => {
    if (!drag.current) return;
    const now = drag.current.start + drag.current.from - event.clientY;
    const speed = drag.current.from - event.clientY;
    sheet.current?.classList.remove("dragged");
    const nearest = [0, 1, 2].reduce((best, at) => (Math.abs(covered(at) - now) < Math.abs(covered(best) - now) ? at : best), 0);
    // A short pull is meant as one step, even if the present height is still the nearest.
    const next = nearest === height.value && Math.abs(speed) > 40 ? Math.max(0, Math.min(2, height.value + Math.sign(speed))) : nearest;
    drag.current = null;
    if (next === height.value) set(covered(next));
    height.value = next;
  };
  return html`<div class="sheet" ref=${sheet} data-height=${height.value}>
    <div class="sheet-head" onPointerDown=${onDown} onPointerMove=${onMove} onPointerUp=${onUp} onPointerCancel=${onUp}>
      <span class="sheet-handle" aria-hidden="true"></span>
      <div class="sheet-row">${tabs}
        <span class="sheet-steps">
          <button type="button" class="icon-button" aria-label="Lower the sheet" disabled=${height.value === 0} onClick=${() => raise(-1)}><${Icon} name="down" /></button>
          <button type="button" class="icon-button" aria-label="Raise the sheet" disabled=${height.value === 2} onClick=${() => raise(1)}><${Icon} name="up" /></button>
        </span>
      </div>
    </div>
    <div class="sheet-body" inert=${height.value === 0}>${children}</div>
  </div>`;
}
