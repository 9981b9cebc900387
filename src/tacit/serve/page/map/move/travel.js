// Where the view goes by itself: flights to records and places, and short moves for keys, buttons and double clicks.

import { clamp } from "../view.js";
import { answering, flight } from "./motion.js";

/** @typedef {import("../types.js").Place} Place */
/** @typedef {import("../view.js").View} View */
/** @typedef {import("../points/store.js").Store} Store */
/** @typedef {import("./motion.js").Motion} Motion */

/** Milliseconds of a short move. */
const SHORT = 220;
/** How close a flight to a few records ends, unless one is closer already. */
const NEAR = 8;
/** Of more records than this, every so manieth decides where to fly. */
const ENOUGH = 20000;
/** Of this many records, strays on each side do not decide. */
const MANY = 40;
const STRAYS = 0.03;

export class Travel {
  /**
   * @param {View} view @param {Motion} motion
   * @param {(place: Place) => void} show Shows a place at once.
   * @param {() => boolean} still Whether to jump instead.
   * @param {() => void} request Asks for a frame.
   */
  constructor(view, motion, show, still, request) {
    this.view = view;
    this.motion = motion;
    this.show = show;
    this.still = still;
    this.request = request;
    /** Where the view is going, so that several keys in a row add up. @type {Place | null} */
    this.target = null;
  }

  /** The view was moved by a hand. */
  interrupted() {
    if (!this.motion.has("view")) this.target = null;
  }

  /** @param {Place} place */
  fly(place) {
    const { view } = this;
    const to = view.kept(place);
    const path = flight(view.place, to, view.width / view.base);
    this.#travel(to, path.ms, path.at);
  }

  /** A short move. @param {Place} place */
  go(place) {
    const to = this.view.kept(place);
    const from = { ...this.view.place };
    this.#travel(to, SHORT, (share) => {
      const part = answering(share);
      const k = from.k * (to.k / from.k) ** part;
      // the middle moves as the magnification does, so that a zoom about one place keeps it still
      const way = Math.abs(to.k / from.k - 1) < 1e-9 ? part : (1 / k - 1 / from.k) / (1 / to.k - 1 / from.k);
      return { k, x: from.x + (to.x - from.x) * way, y: from.y + (to.y - from.y) * way };
    });
  }

  /** Zoom about the middle. @param {number} factor */
  zoomBy(factor) {
    const { x, y, k } = this.target ?? this.view.place;
    this.go({ x, y, k: k * factor });
  }

  /** @param {number} dx @param {number} dy */
  panBy(dx, dy) {
    const { x, y, k } = this.target ?? this.view.place;
    const scale = this.view.base * k;
    this.go({ k, x: x + dx / scale, y: y - dy / scale });
  }

  /** Zoom and keep what is at a place of the screen there. @param {number} x @param {number} y @param {number} factor */
  zoomAt(x, y, factor) {
    const { view } = this;
    const { place } = view;
    const k = clamp(place.k * factor, ...view.range);
    const mapX = view.toMapX(x);
    const mapY = view.toMapY(y);
    const part = place.k / k;
    this.go({ k, x: mapX + (place.x - mapX) * part, y: mapY + (place.y - mapY) * part });
  }

  /** @param {Place} to @param {number} ms @param {(share: number) => Place} at */
  #travel(to, ms, at) {
    if (this.still()) {
      this.motion.stop("view");
      this.target = null;
      this.show(to);
      return;
    }
    this.target = to;
    this.motion.run("view", ms, (share) => this.show(at(share)), () => (this.target = null));
    this.request();
  }
}

/** The place that shows everything. @param {View} view @returns {Place} */
export function whole(view) {
  const { x, y, half } = view.square;
  return view.fitting(x - half, y - half, x + half, y + half, 1);
}

/**
 * The place that shows records, but for strays; nothing if none of them is on the map.
 * @param {Store} store @param {View} view @param {ArrayLike<number>} numbers @param {number} mix @returns {Place | null}
 */
export function around(store, view, numbers, mix) {
  const step = Math.ceil(Math.max(1, numbers.length / ENOUGH));
  /** @type {number[]} */
  const across = [];
  /** @type {number[]} */
  const up = [];
  for (let i = 0; i < numbers.length; i += step) {
    if (!store.shows(numbers[i])) continue;
    const [x, y] = store.at(numbers[i], mix);
    across.push(x);
    up.push(y);
  }
  if (across.length === 0) return null;
  across.sort((one, two) => one - two);
  up.sort((one, two) => one - two);
  const skip = across.length >= MANY ? Math.floor(across.length * STRAYS) : 0;
  const last = across.length - 1 - skip;
  const near = Math.min(view.range[1] / 4, Math.max(view.place.k, NEAR));
  return view.fitting(across[skip], up[skip], across[last], up[last], near);
}
