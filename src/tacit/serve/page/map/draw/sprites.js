// Discs as lists of pixels to blend: one a colour and a place within the pixel, made once a size.

import { blend } from "./colours.js";
import { clamp } from "../view.js";

/** @typedef {import("./colours.js").Rgb} Rgb */

/**
 * All discs of one size. A pixel is four numbers in `parts`: how far it is from the middle in the buffer, what it keeps of
 * the pixel under it (of 256), and what it adds to red and blue, and to green. `starts` says where each disc begins.
 * @typedef {{ parts: Int32Array, starts: Int32Array, reach: number }} Sheet
 */

/** Places within a pixel that a disc can be at, on each side: fewer, and slow pans tremble. */
export const PHASES = 4;
/** The largest radius of a point, in pixels. */
export const LARGEST = 6;
const CODES = 14;
/** From this radius on, in device pixels, discs have a rim of the ground's colour, which parts them where they overlap. */
const RIMMED = 2.2;
const RIM = 0.55;
const KEPT = 60;

export class Sprites {
  constructor() {
    this.stride = 0;
    this.ground = { r: 255, g: 255, b: 255 };
    /** @type {Rgb[]} */
    this.palette = [];
    /** @type {Map<string, Sheet>} */
    this.sheets = new Map();
  }

  /** The buffer has rows of another length. @param {number} stride */
  reset(stride) {
    this.stride = stride;
    this.sheets.clear();
  }

  /** @param {Rgb} ground @param {Rgb[]} palette */
  colour(ground, palette) {
    this.ground = ground;
    this.palette = palette;
    this.sheets.clear();
  }

  /** The discs of about this radius, in device pixels; 0 is a single pixel. @param {number} radius @param {number} opacity @returns {Sheet} */
  sheet(radius, opacity) {
    const steps = radius < 2 ? 8 : 4; // in steps: a zoom would else make new discs in every frame
    const size = Math.round(radius * steps) / steps;
    const solid = Math.round(opacity * 20) / 20;
    const key = `${size} ${solid}`;
    let sheet = this.sheets.get(key);
    if (!sheet) {
      if (this.sheets.size >= KEPT) this.sheets.clear();
      sheet = this.#make(size, solid);
      this.sheets.set(key, sheet);
    }
    return sheet;
  }

  /** @param {number} radius @param {number} opacity @returns {Sheet} */
  #make(radius, opacity) {
    /** @type {number[]} */
    const parts = [];
    const starts = [0];
    const reach = Math.ceil(radius + 1.5);
    for (let code = 0; code < CODES; code++) {
      const colour = this.palette[code] ?? { r: 136, g: 136, b: 136 };
      for (let phase = 0; phase < PHASES * PHASES; phase++) {
        if (radius === 0) push(parts, 0, opacity, colour);
        else this.#disc(parts, radius, reach, phase, colour, opacity);
        starts.push(parts.length);
      }
    }
    return { parts: Int32Array.from(parts), starts: Int32Array.from(starts), reach };
  }

  /** @param {number[]} parts @param {number} radius @param {number} reach @param {number} phase @param {Rgb} colour @param {number} opacity */
  #disc(parts, radius, reach, phase, colour, opacity) {
    const middleX = ((phase % PHASES) + 0.5) / PHASES;
    const middleY = (Math.floor(phase / PHASES) + 0.5) / PHASES;
    const rim = radius < RIMMED ? 0 : RIM;
    for (let row = -reach; row <= reach; row++) {
      for (let column = -reach; column <= reach; column++) {
        const distance = Math.hypot(column + 0.5 - middleX, row + 0.5 - middleY);
        const inside = clamp(radius + 0.5 - distance, 0, 1) * opacity;
        const around = clamp(radius + 1.4 - distance, 0, 1) * rim * (1 - inside);
        const solid = inside + around;
        // fainter than this nobody sees, and every pixel costs time
        if (solid > 0.04) push(parts, row * this.stride + column, solid, blend(this.ground, colour, inside / solid));
      }
    }
  }
}

/** @param {number[]} parts @param {number} place @param {number} solid @param {Rgb} colour */
function push(parts, place, solid, { r, g, b }) {
  const part = Math.round(solid * 256);
  parts.push(place, 256 - part, (Math.round(r) * part) | ((Math.round(b) * part) << 16), Math.round(g) * part);
}
