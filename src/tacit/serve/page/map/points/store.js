// The records of the map: where they are in both layouts, their groups, and which of them pass.

import { BESIDE, GONE, GROUPED, Grid, PLAIN, extent } from "./grid.js";

export class Store {
  /** @param {Int16Array} points x, y, x, y ... @param {Int16Array | null} plain The same records in the plain layout. */
  constructor(points, plain) {
    this.n = points.length >> 1;
    this.points = points;
    /** True when there is a plain layout beside the informed one. */
    this.hasPlain = plain !== null && plain.length === points.length;
    this.plain = plain && this.hasPlain ? plain : points;
    /** @type {Uint8Array | null} */
    this.codes = null;
    /** @type {Uint8Array | null} */
    this.live = null;
    /** @type {Uint8Array | null} */
    this.filter = null;
    /** A grid for each layout, made when it is first needed, with what was so when it was sorted. */
    this.grids = [this.#lazy(this.plain), this.#lazy(points)];
    this.version = 0;
  }

  /** @param {Int16Array} layout */
  #lazy(layout) {
    return { layout, grid: /** @type {Grid | null} */ (null), version: -1 };
  }

  /** Sort again: the codes, the filter or what is live has changed. */
  changed() {
    this.version++;
  }

  /** The grid that fits a mix best. @param {number} mix @returns {Grid} */
  grid(mix) {
    const made = this.grids[!this.hasPlain || mix >= 0.5 ? 1 : 0];
    made.grid ??= new Grid(this, made.layout);
    if (made.version !== this.version) {
      made.grid.classify(this.#classes());
      made.version = this.version;
    }
    return made.grid;
  }

  #classes() {
    const { n, codes, live, filter } = this;
    const classes = new Uint8Array(n);
    for (let i = 0; i < n; i++) {
      if (live && !((live[i >> 3] >> (i & 7)) & 1)) classes[i] = GONE;
      else if (filter && !((filter[i >> 3] >> (i & 7)) & 1)) classes[i] = BESIDE;
      else classes[i] = codes && codes[i] > 0 ? GROUPED : PLAIN;
    }
    return classes;
  }

  /** @param {number} number @returns {boolean} Whether a record is on the map. */
  shows(number) {
    const { live } = this;
    return number >= 0 && number < this.n && (!live || ((live[number >> 3] >> (number & 7)) & 1) === 1);
  }

  /** @param {number} number @param {number} mix @returns {[number, number]} Where a record is. */
  at(number, mix) {
    const { points, plain } = this;
    const i = 2 * number;
    return [plain[i] + (points[i] - plain[i]) * mix, plain[i + 1] + (points[i + 1] - plain[i + 1]) * mix];
  }

  /** The square that holds both layouts, whatever is live. */
  square() {
    const first = extent(this.points);
    const second = this.hasPlain ? extent(this.plain) : first;
    const left = Math.min(first.left, second.left);
    const right = Math.max(first.right, second.right);
    const bottom = Math.min(first.bottom, second.bottom);
    const top = Math.max(first.top, second.top);
    // a single point, or many at one place, still need a scale
    return { x: (left + right) / 2, y: (bottom + top) / 2, half: Math.max(64, (right - left) / 2, (top - bottom) / 2) };
  }
}
