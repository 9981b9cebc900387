// A line drawn around points by hand, and which points it holds.

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("../view.js").View} View */

/** Pixels between two corners: closer ones change nothing that a hand could mean. */
const STEP = 3;

export class Lasso {
  constructor() {
    /** Corners in pixels: x, y, x, y ... @type {number[]} */
    this.corners = [];
    this.drawing = false;
    /** How visible the line is: it fades when it is done. */
    this.alpha = 0;
  }

  /** @param {number} x @param {number} y */
  begin(x, y) {
    this.corners = [x, y];
    this.drawing = true;
    this.alpha = 1;
  }

  /** @param {number} x @param {number} y */
  extend(x, y) {
    const { corners } = this;
    const dx = x - corners[corners.length - 2];
    const dy = y - corners[corners.length - 1];
    if (dx * dx + dy * dy >= STEP * STEP) corners.push(x, y);
  }

  cancel() {
    this.drawing = false;
    this.corners = [];
    this.alpha = 0;
  }

  /**
   * End the line and say which records are inside, in the order of their numbers; nothing if it is not an area.
   * @param {Store} store @param {View} view @param {number} mix @returns {Uint32Array | null}
   */
  end(store, view, mix) {
    this.drawing = false;
    const { corners } = this;
    if (corners.length < 6) return null;
    const polygon = new Float64Array(corners.length);
    for (let i = 0; i < corners.length; i += 2) {
      polygon[i] = view.toMapX(corners[i]);
      polygon[i + 1] = view.toMapY(corners[i + 1]);
    }
    return within(store, polygon, mix);
  }
}

/**
 * The records that pass the filter and are inside a polygon (by the even-odd rule), in the order of their numbers.
 * @param {Store} store @param {Float64Array} polygon In the map's units. @param {number} mix @returns {Uint32Array}
 */
export function within(store, polygon, mix) {
  /** @type {number[]} */
  const found = [];
  const grid = store.grid(mix);
  grid.cells(boxOf(polygon), mix, (cell, left, bottom, right, top) => {
    const from = grid.ends[3 * cell];
    const to = grid.ends[3 * cell + 2];
    // a cell that no side of the polygon meets is inside as a whole or not at all
    const whole = !meets(polygon, left, bottom, right, top);
    if (whole && !inside(polygon, (left + right) / 2, (bottom + top) / 2)) return;
    for (let i = from; i < to; i++) {
      const number = grid.order[i];
      if (whole || inside(polygon, ...store.at(number, mix))) found.push(number);
    }
  });
  return Uint32Array.from(found).sort();
}

/** @param {Float64Array} polygon */
function boxOf(polygon) {
  const box = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
  for (let i = 0; i < polygon.length; i += 2) {
    box.left = Math.min(box.left, polygon[i]);
    box.right = Math.max(box.right, polygon[i]);
    box.bottom = Math.min(box.bottom, polygon[i + 1]);
    box.top = Math.max(box.top, polygon[i + 1]);
  }
  return box;
}

/** Even-odd rule. @param {Float64Array} polygon @param {number} x @param {number} y */
export function inside(polygon, x, y) {
  let odd = false;
  for (let i = 0, j = polygon.length - 2; i < polygon.length; j = i, i += 2) {
    const above = polygon[i + 1] > y;
    if (above === polygon[j + 1] > y) continue;
    const crossing = ((polygon[j] - polygon[i]) * (y - polygon[i + 1])) / (polygon[j + 1] - polygon[i + 1]) + polygon[i];
    if (x < crossing) odd = !odd;
  }
  return odd;
}

/**
 * Whether a side of the polygon may meet a box: never wrongly no.
 * @param {Float64Array} polygon @param {number} left @param {number} bottom @param {number} right @param {number} top
 */
function meets(polygon, left, bottom, right, top) {
  for (let i = 0, j = polygon.length - 2; i < polygon.length; j = i, i += 2) {
    const x1 = polygon[j];
    const y1 = polygon[j + 1];
    const x2 = polygon[i];
    const y2 = polygon[i + 1];
    if ((x1 < left && x2 < left) || (x1 > right && x2 > right)) continue;
    if ((y1 < bottom && y2 < bottom) || (y1 > top && y2 > top)) continue;
    // all four corners on one side of the line: it passes by
    const a = y2 - y1;
    const b = x1 - x2;
    const c = -(a * x1 + b * y1);
    const first = Math.sign(a * left + b * bottom + c);
    const same = first !== 0 && [a * left + b * top + c, a * right + b * bottom + c, a * right + b * top + c].every(
      (value) => Math.sign(value) === first,
    );
    if (!same) return true;
  }
  return false;
}
