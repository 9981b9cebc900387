// Points by cells of a grid: what is off the screen is skipped, what is near a place is found without a tree.
//
// Within a cell the order is mixed, so that no group always covers another and any first part of it is a fair sample.
// A cell also knows its box in both layouts; between the layouts the box in between holds its points, since every point
// moves straight. So a grid made for one layout serves the whole glide, though it skips best near its own.

import { clamp } from "../view.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {{ left: number, bottom: number, right: number, top: number }} Box */

/** Points per cell to aim at: few enough to skip well, many enough that cells cost little. */
const PER_CELL = 256;
/** What a point is: beside the filter, without a group, of a group, gone. Drawn in this order. */
export const BESIDE = 0;
export const PLAIN = 1;
export const GROUPED = 2;
export const GONE = 3;

export class Grid {
  /** @param {Store} store @param {Int16Array} layout The layout whose places make the cells. */
  constructor(store, layout) {
    const { n } = store;
    this.store = store;
    this.layout = layout;
    this.n = n;
    this.side = clamp(Math.ceil(Math.sqrt(n / PER_CELL)), 1, 160);
    const cells = this.side * this.side;
    /** Where cells begin in the order, one more than there are cells. */
    this.starts = new Uint32Array(cells + 1);
    /** Where each class ends within its cell: three numbers a cell. */
    this.ends = new Uint32Array(cells * 3);
    this.mixed = new Uint32Array(n);
    /** The numbers in the order of drawing, and beside it their coordinates and codes in that order. */
    this.order = new Uint32Array(n);
    this.x = new Float32Array(n);
    this.y = new Float32Array(n);
    this.px = store.hasPlain ? new Float32Array(n) : this.x;
    this.py = store.hasPlain ? new Float32Array(n) : this.y;
    this.code = new Uint8Array(n);
    this.#mixIntoCells();
    this.boxes = boxes(store.points, this.mixed, this.starts);
    this.plainBoxes = store.hasPlain ? boxes(store.plain, this.mixed, this.starts) : this.boxes;
  }

  /** Sort the numbers by cell, in a mixed order within each. */
  #mixIntoCells() {
    const { n, layout: points, side, starts, mixed } = this;
    const all = extent(points);
    const wide = (side - 1e-6) / Math.max(1, all.right - all.left);
    const high = (side - 1e-6) / Math.max(1, all.top - all.bottom);
    const cells = new Uint16Array(n);
    for (let i = 0; i < n; i++) {
      const cell = Math.floor((points[2 * i + 1] - all.bottom) * high) * side + Math.floor((points[2 * i] - all.left) * wide);
      cells[i] = cell;
      starts[cell + 1]++;
    }
    for (let cell = 0; cell < side * side; cell++) starts[cell + 1] += starts[cell];
    const next = starts.slice(0, -1);
    const stride = strideOf(n);
    for (let i = 0, number = 0; i < n; i++, number = (number + stride) % n) mixed[next[cells[number]]++] = number;
  }

  /** Sort every cell by class. @param {Uint8Array} classes Of the records, by number. */
  classify(classes) {
    const { starts, ends, mixed, order } = this;
    const counts = new Uint32Array(4);
    for (let cell = 0; cell < starts.length - 1; cell++) {
      const from = starts[cell];
      const to = starts[cell + 1];
      counts.fill(0);
      for (let i = from; i < to; i++) counts[classes[mixed[i]]]++;
      let at = from;
      for (let kind = 0; kind < 4; kind++) {
        const next = at + counts[kind];
        if (kind < 3) ends[3 * cell + kind] = next;
        counts[kind] = at;
        at = next;
      }
      for (let i = from; i < to; i++) order[counts[classes[mixed[i]]]++] = mixed[i];
    }
    this.#gather();
  }

  #gather() {
    const { n, order, x, y, px, py, code } = this;
    const { points, plain, codes, hasPlain } = this.store;
    for (let i = 0; i < n; i++) {
      const number = order[i];
      x[i] = points[2 * number];
      y[i] = points[2 * number + 1];
      code[i] = codes ? codes[number] : 0;
    }
    if (!hasPlain) return;
    for (let i = 0; i < n; i++) {
      const number = order[i];
      px[i] = plain[2 * number];
      py[i] = plain[2 * number + 1];
    }
  }

  /**
   * Call a function with every cell whose box meets another.
   * @param {Box} box @param {number} mix @param {(cell: number, left: number, bottom: number, right: number, top: number) => void} visit
   */
  cells({ left, bottom, right, top }, mix, visit) {
    const { starts, boxes: ends, plainBoxes: begins } = this;
    for (let cell = 0; cell < starts.length - 1; cell++) {
      if (starts[cell] === starts[cell + 1]) continue;
      const i = 4 * cell;
      const cellLeft = begins[i] + (ends[i] - begins[i]) * mix;
      const cellRight = begins[i + 2] + (ends[i + 2] - begins[i + 2]) * mix;
      if (cellLeft > right || cellRight < left) continue;
      const cellBottom = begins[i + 1] + (ends[i + 1] - begins[i + 1]) * mix;
      const cellTop = begins[i + 3] + (ends[i + 3] - begins[i + 3]) * mix;
      if (cellBottom > top || cellTop < bottom) continue;
      visit(cell, cellLeft, cellBottom, cellRight, cellTop);
    }
  }

  /**
   * The record nearest to a place, among those that pass the filter if one of them is within reach, else among the others.
   * @param {number} x @param {number} y @param {number} reach @param {number} mix @returns {number | null}
   */
  nearest(x, y, reach, mix) {
    const best = [-1, -1];
    const least = [reach * reach, reach * reach];
    this.cells({ left: x - reach, bottom: y - reach, right: x + reach, top: y + reach }, mix, (cell) => {
      const beside = this.ends[3 * cell];
      for (let i = this.starts[cell]; i < this.ends[3 * cell + 2]; i++) {
        const dx = this.px[i] + (this.x[i] - this.px[i]) * mix - x;
        const dy = this.py[i] + (this.y[i] - this.py[i]) * mix - y;
        const tier = i < beside ? 1 : 0;
        const distance = dx * dx + dy * dy;
        // of several at one place the one drawn last, which is the one that is seen
        if (distance <= least[tier]) {
          least[tier] = distance;
          best[tier] = i;
        }
      }
    });
    const found = best[0] >= 0 ? best[0] : best[1];
    return found >= 0 ? this.order[found] : null;
  }
}

/** The box of interleaved coordinates. @param {Int16Array} points @returns {Box} */
export function extent(points) {
  if (points.length === 0) return { left: 0, bottom: 0, right: 0, top: 0 };
  let left = 32767;
  let bottom = 32767;
  let right = -32768;
  let top = -32768;
  for (let i = 0; i < points.length; i += 2) {
    if (points[i] < left) left = points[i];
    if (points[i] > right) right = points[i];
    if (points[i + 1] < bottom) bottom = points[i + 1];
    if (points[i + 1] > top) top = points[i + 1];
  }
  return { left, bottom, right, top };
}

/** The box of every cell: left, bottom, right, top. @param {Int16Array} points @param {Uint32Array} order @param {Uint32Array} starts */
function boxes(points, order, starts) {
  const found = new Int16Array(4 * (starts.length - 1));
  for (let cell = 0; cell < starts.length - 1; cell++) {
    let left = 32767;
    let bottom = 32767;
    let right = -32768;
    let top = -32768;
    for (let i = starts[cell]; i < starts[cell + 1]; i++) {
      const x = points[2 * order[i]];
      const y = points[2 * order[i] + 1];
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < bottom) bottom = y;
      if (y > top) top = y;
    }
    found.set([left, bottom, right, top], 4 * cell);
  }
  return found;
}

/** A step that visits 0..n-1 once each, far from its neighbours: records of one group often follow each other. @param {number} n */
function strideOf(n) {
  let stride = Math.max(1, Math.round(n * 0.6180339887));
  while (n > 1 && divisor(stride, n) !== 1) stride++;
  return stride;
}

/** @param {number} a @param {number} b @returns {number} */
function divisor(a, b) {
  while (b > 0) [a, b] = [b, a % b];
  return a;
}
