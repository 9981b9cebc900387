// Where things are: from the map's units (int16, y up) to pixels of the screen (y down) and back.

/** @typedef {import("./types.js").Place} Place */
/** @typedef {{ x: number, y: number, half: number }} Square The middle and half the side of what must fit. */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Insets Pixels that panels cover. */
/** @typedef {{ k: number, x: number, y: number }} Shift As d3-zoom has it: screen = k * base + (x, y). */

/** How much of the shorter side the whole map takes, so that points and names at its edge can be seen. */
const FILLED = 0.92;
/** Pixels per unit at the deepest zoom: neighbours on the int16 raster are then well apart. */
const DEEPEST = 6;

export class View {
  constructor() {
    this.width = 1;
    this.height = 1;
    /** Device pixels per pixel. */
    this.ratio = 1;
    /** @type {Square} */
    this.square = { x: 0, y: 0, half: 32767 };
    /** @type {Insets} */
    this.insets = { left: 0, right: 0, top: 0, bottom: 0 };
    /** @type {Place} */
    this.place = { k: 1, x: 0, y: 0 };
  }

  /** Pixels per unit when k is 1. */
  get base() {
    return (Math.max(1, Math.min(this.width, this.height)) * FILLED) / (2 * this.square.half);
  }

  /** Pixels per unit now. */
  get scale() {
    return this.base * this.place.k;
  }

  /** @returns {[number, number]} The smallest and the largest k. */
  get range() {
    return [0.4, Math.max(8, DEEPEST / this.base)];
  }

  /** @param {number} x @returns {number} */
  toScreenX(x) {
    return (x - this.place.x) * this.scale + this.width / 2;
  }

  /** @param {number} y @returns {number} */
  toScreenY(y) {
    return (this.place.y - y) * this.scale + this.height / 2;
  }

  /** @param {number} sx @returns {number} */
  toMapX(sx) {
    return (sx - this.width / 2) / this.scale + this.place.x;
  }

  /** @param {number} sy @returns {number} */
  toMapY(sy) {
    return this.place.y - (sy - this.height / 2) / this.scale;
  }

  /** The transform of d3-zoom that shows a place. @param {Place} place @returns {Shift} */
  shiftOf(place) {
    const { width, height, square, base } = this;
    return {
      k: place.k,
      x: width / 2 - place.k * (width / 2 + (place.x - square.x) * base),
      y: height / 2 - place.k * (height / 2 - (place.y - square.y) * base),
    };
  }

  /** The place that a transform of d3-zoom shows. @param {Shift} shift @returns {Place} */
  placeOf(shift) {
    const { width, height, square, base } = this;
    return {
      k: shift.k,
      x: ((width / 2 - shift.x) / shift.k - width / 2) / base + square.x,
      y: square.y - ((height / 2 - shift.y) / shift.k - height / 2) / base,
    };
  }

  /** The nearest place that keeps the map in sight. @param {Place} place @returns {Place} */
  kept(place) {
    const { square } = this;
    const [low, high] = this.range;
    const reach = square.half * 1.05;
    return {
      k: clamp(finite(place.k, 1), low, high),
      x: clamp(finite(place.x, square.x), square.x - reach, square.x + reach),
      y: clamp(finite(place.y, square.y), square.y - reach, square.y + reach),
    };
  }

  /**
   * The place that shows a box in what the panels leave free.
   * @param {number} left @param {number} bottom @param {number} right @param {number} top
   * @param {number} largest The largest k to use, for boxes that are tiny.
   * @returns {Place}
   */
  fitting(left, bottom, right, top, largest) {
    const { insets, base } = this;
    const wide = Math.max(60, this.width - insets.left - insets.right) * FILLED;
    const high = Math.max(60, this.height - insets.top - insets.bottom) * FILLED;
    const k = Math.min(wide / Math.max(1, (right - left) * base), high / Math.max(1, (top - bottom) * base));
    return this.centred((left + right) / 2, (bottom + top) / 2, Math.min(k, largest));
  }

  /** The place with x, y in the middle of what the panels leave free. @param {number} x @param {number} y @param {number} k */
  centred(x, y, k) {
    const { insets } = this;
    const scale = this.base * clamp(k, ...this.range);
    return this.kept({
      k,
      x: x + (insets.right - insets.left) / 2 / scale,
      y: y + (insets.top - insets.bottom) / 2 / scale,
    });
  }
}

/** @param {number} value @param {number} low @param {number} high */
export function clamp(value, low, high) {
  return value < low ? low : value > high ? high : value;
}

/** @param {number} value @param {number} otherwise */
function finite(value, otherwise) {
  return Number.isFinite(value) ? value : otherwise;
}
