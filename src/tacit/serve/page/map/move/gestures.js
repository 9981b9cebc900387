// What hands do: drag, wheel, pinch and double click by d3-zoom; inertia, lasso, hover and click here.

import { pointer, select, zoom, zoomIdentity } from "../../vendor.js";
import { FADING, Speed } from "./motion.js";

/** @typedef {import("../types.js").Place} Place */
/** @typedef {import("../view.js").View} View */
/** @typedef {import("./motion.js").Motion} Motion */

/**
 * What the map does when a gesture happens; coordinates are pixels within the canvas.
 * @typedef {object} Hooks
 * @property {() => void} moved The view has another place.
 * @property {() => boolean} still Whether there is to be no motion of its own.
 * @property {(x: number, y: number, mouse: boolean) => void} click
 * @property {(x: number, y: number, inward: boolean) => void} double
 * @property {(at: [number, number] | null, clientX: number, clientY: number) => void} hover
 * @property {(phase: "begin" | "extend" | "end" | "cancel", x: number, y: number) => void} lasso
 */

/** Pixels a pointer may move and still click: fingers move more than mice. */
const CLICK = 4;
const TAP = 12;
/** Pixels per millisecond below which letting go is a stop. */
const SLOWEST = 0.12;

export class Gestures {
  /** @param {HTMLCanvasElement} canvas @param {View} view @param {Motion} motion @param {Hooks} hooks */
  constructor(canvas, view, motion, hooks) {
    this.canvas = canvas;
    this.view = view;
    this.motion = motion;
    this.hooks = hooks;
    /** Whether a drag draws a lasso without a key. */
    this.lassoOn = false;
    /** The pointer that draws a lasso now. @type {number | null} */
    this.drawing = null;
    this.speed = new Speed();
    this.dragging = false;
    this.stopped = new AbortController();
    this.zoom = /** @type {typeof zoom<HTMLCanvasElement, unknown>} */ (zoom)();
    this.#attachZoom();
    this.#attachPointer();
  }

  #attachZoom() {
    const { view } = this;
    this.zoom
      .filter((event) => {
        if (event.type !== "wheel" && (event.shiftKey || this.lassoOn)) return false;
        return (!event.ctrlKey || event.type === "wheel") && !event.button;
      })
      .extent(() => [[0, 0], [view.width, view.height]])
      .constrain((transform) => {
        const { k, x, y } = view.shiftOf(view.kept(view.placeOf(transform)));
        return zoomIdentity.translate(x, y).scale(k);
      })
      .clickDistance(CLICK)
      .tapDistance(TAP)
      .on("start", (event) => {
        if (!event.sourceEvent) return;
        this.motion.stop("view");
        this.speed.clear();
        this.dragging = event.sourceEvent.type !== "wheel";
      })
      .on("zoom", (event) => {
        view.place = view.placeOf(event.transform);
        if (event.sourceEvent) this.speed.add(performance.now(), event.transform);
        this.hooks.moved();
      })
      .on("end", (event) => {
        if (!event.sourceEvent) return;
        this.dragging = false;
        if (event.sourceEvent.type !== "wheel") this.#coast();
      });
    this.scaled();
    // the map answers a double click itself: it flies, and can be told not to move
    select(this.canvas).call(this.zoom).on("dblclick.zoom", null);
  }

  /** The smallest and largest magnification have changed with the size or the points. */
  scaled() {
    this.zoom.scaleExtent(this.view.range);
  }

  /** Show a place at once. @param {Place} place */
  show(place) {
    const { k, x, y } = this.view.shiftOf(this.view.kept(place));
    select(this.canvas).call(this.zoom.transform, zoomIdentity.translate(x, y).scale(k));
  }

  /** Glide on after a drag that was let go while moving. */
  #coast() {
    const [vx, vy] = this.speed.at(performance.now());
    this.speed.clear();
    if (this.hooks.still() || Math.hypot(vx, vy) < SLOWEST) return;
    const { view } = this;
    const { x, y, k } = view.place;
    const ms = 5 * FADING;
    this.motion.run("view", ms, (share) => {
      const gone = FADING * (1 - Math.exp((-share * ms) / FADING));
      this.show({ k, x: x - (vx * gone) / view.scale, y: y + (vy * gone) / view.scale });
    });
    this.hooks.moved();
  }

  #attachPointer() {
    const { canvas, hooks } = this;
    const { signal } = this.stopped;
    /** @type {string} */
    let kind = "mouse";
    canvas.addEventListener("pointerdown", (event) => {
      kind = event.pointerType;
      if (event.isPrimary && event.button === 0 && (event.shiftKey || this.lassoOn)) this.#beginLasso(event);
    }, { signal });
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerId === this.drawing) hooks.lasso("extend", ...pointer(event, canvas));
      else if (event.pointerType !== "touch" && !this.dragging) hooks.hover(pointer(event, canvas), event.clientX, event.clientY);
    }, { signal });
    for (const type of /** @type {const} */ (["pointerup", "pointercancel"])) {
      canvas.addEventListener(type, (event) => {
        if (event.pointerId !== this.drawing) return;
        this.drawing = null;
        hooks.lasso(type === "pointerup" ? "end" : "cancel", ...pointer(event, canvas));
        swallowClick(canvas);
      }, { signal });
    }
    canvas.addEventListener("pointerleave", (event) => hooks.hover(null, event.clientX, event.clientY), { signal });
    canvas.addEventListener("click", (event) => hooks.click(...pointer(event, canvas), kind === "mouse"), { signal });
    canvas.addEventListener("dblclick", (event) => {
      if (!this.lassoOn) hooks.double(...pointer(event, canvas), !event.shiftKey);
    }, { signal });
  }

  /** @param {PointerEvent} event */
  #beginLasso(event) {
    this.drawing = event.pointerId;
    this.motion.stop("view");
    // a line that leaves the canvas goes on
    this.canvas.setPointerCapture(event.pointerId);
    this.hooks.lasso("begin", ...pointer(event, this.canvas));
  }

  /** End a lasso that is being drawn, without an answer. */
  cancelLasso() {
    if (this.drawing === null) return;
    this.canvas.releasePointerCapture(this.drawing);
    this.drawing = null;
    this.hooks.lasso("cancel", 0, 0);
  }

  destroy() {
    this.stopped.abort();
    select(this.canvas).on(".zoom", null);
  }
}

/** The click that follows a lasso picks nothing. @param {HTMLCanvasElement} canvas */
function swallowClick(canvas) {
  /** @param {Event} event */
  const swallow = (event) => event.stopImmediatePropagation();
  canvas.addEventListener("click", swallow, { capture: true, once: true });
  // not every lasso is followed by one
  setTimeout(() => canvas.removeEventListener("click", swallow, { capture: true }), 60);
}
