// Points drawn by writing pixels: faster than any path or image per point, and the same on machines without a graphics card.
//
// A point is a small disc, cut from a sprite for its colour and its place within the pixel, blended over what is there.
// The buffer is a little larger than the canvas on every side, so that discs at the edge need no clipping.

import { LARGEST, PHASES, Sprites } from "./sprites.js";
import { BESIDE, GROUPED, PLAIN } from "../points/grid.js";
import { clamp } from "../view.js";

/** @typedef {import("../points/store.js").Store} Store */
/** @typedef {import("../points/grid.js").Grid} Grid */
/** @typedef {import("../view.js").View} View */
/** @typedef {import("./colours.js").Rgb} Rgb */
/** @typedef {import("./sprites.js").Sheet} Sheet */

/** Below this radius, in device pixels, a disc is one pixel. */
const DOT = 0.75;
/** Share of the map that the points of a small collection should cover, and the radii that bound it. */
const COVER = 0.35;
const SMALLEST = 0.5;
const LARGEST_FAR = 3.2;

/** Where a cell's points are in the arrays, and how they come to pixels. */
class Cut {
  constructor() {
    this.xs = new Float32Array(0);
    this.ys = new Float32Array(0);
    this.first = 0;
    this.count = 0;
    /** Where the codes of these points begin. */
    this.codes = 0;
    this.scale = 1;
    this.shiftX = 0;
    this.shiftY = 0;
    /** Whether every point is in the buffer, so that none needs to be tested. */
    this.whole = false;
  }
}

export class Raster {
  constructor() {
    this.width = 0;
    this.height = 0;
    this.margin = 0;
    this.stride = 0;
    /** @type {ImageData | null} */
    this.image = null;
    this.pixels = new Uint32Array(0);
    this.ground = { r: 255, g: 255, b: 255 };
    this.sprites = new Sprites();
    this.cut = new Cut();
    this.betweenX = new Float32Array(0);
    this.betweenY = new Float32Array(0);
    /** The cells in view, and whether all of each is. */
    this.visible = new Uint32Array(0);
    this.wholes = new Uint8Array(0);
    this.noCodes = new Uint8Array(0);
  }

  /** @param {number} width @param {number} height In device pixels. @param {number} ratio Device pixels per pixel. */
  resize(width, height, ratio) {
    this.width = width;
    this.height = height;
    // twice what a disc reaches: once so that one outside can be seen in part, once so that it fits whole
    this.margin = 2 * Math.ceil(LARGEST * ratio + 2);
    this.stride = width + 2 * this.margin;
    this.image = new ImageData(this.stride, height + 2 * this.margin);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.sprites.reset(this.stride);
  }

  /** @param {Rgb} ground @param {Rgb[]} palette */
  colour(ground, palette) {
    this.ground = ground;
    this.sprites.colour(ground, palette);
  }

  /** @param {CanvasRenderingContext2D} context */
  put(context) {
    const { image, margin } = this;
    if (image) context.putImageData(image, -margin, -margin, margin, margin, this.width, this.height);
  }

  /**
   * Draw all points, or a fair sample of them.
   * @param {Store} store @param {View} view @param {number} mix @param {number} share How many of the points, 0..1.
   */
  draw(store, view, mix, share) {
    const { r, g, b } = this.ground;
    this.pixels.fill((0xff000000 | (b << 16) | (g << 8) | r) >>> 0); // as a little-endian pixel has it
    if (store.n === 0) return;
    const grid = store.grid(mix);
    const cells = this.#look(grid, view, mix);
    const radius = radiusOf(store, view) * view.ratio;
    const opacity = opacityOf(store, view);
    for (const kind of [BESIDE, PLAIN, GROUPED]) {
      // what is beside a filter stays as a hint of where the rest is
      const size = kind === BESIDE ? Math.max(SMALLEST, radius * 0.62) : radius;
      const sheet = this.sprites.sheet(size < DOT ? 0 : size, kind === BESIDE ? opacity * 0.9 : opacity);
      for (let i = 0; i < cells; i++) {
        const cell = this.visible[i];
        const from = kind === BESIDE ? grid.starts[cell] : grid.ends[3 * cell + kind - 1];
        const count = Math.ceil((grid.ends[3 * cell + kind] - from) * share);
        if (count === 0) continue;
        this.#take(grid, mix, from, count, this.wholes[i] === 1);
        const codes = kind === GROUPED ? grid.code : this.#zeros(from + count);
        if (size < DOT) this.#dots(codes, sheet);
        else this.#discs(codes, sheet);
      }
    }
  }

  /** @param {number} length */
  #zeros(length) {
    if (this.noCodes.length < length) this.noCodes = new Uint8Array(2 * length);
    return this.noCodes;
  }

  /** Note which cells are in view. @param {Grid} grid @param {View} view @param {number} mix @returns {number} How many. */
  #look(grid, view, mix) {
    const count = grid.starts.length - 1;
    if (this.visible.length < count) {
      this.visible = new Uint32Array(count);
      this.wholes = new Uint8Array(count);
    }
    const reach = this.margin / 2 / view.ratio;
    const box = {
      left: view.toMapX(-reach),
      right: view.toMapX(view.width + reach),
      bottom: view.toMapY(view.height + reach),
      top: view.toMapY(-reach),
    };
    let found = 0;
    grid.cells(box, mix, (cell, left, bottom, right, top) => {
      this.visible[found] = cell;
      const inside = left > box.left && right < box.right && bottom > box.bottom && top < box.top;
      this.wholes[found++] = inside ? 1 : 0;
    });
    const { cut } = this;
    cut.scale = view.scale * view.ratio;
    cut.shiftX = this.width / 2 + this.margin - view.place.x * cut.scale;
    cut.shiftY = this.height / 2 + this.margin + view.place.y * cut.scale;
    return found;
  }

  /** Take points of one cell: as they are in one layout, or between both. @param {Grid} grid @param {number} mix @param {number} from @param {number} count @param {boolean} whole */
  #take({ x, y, px, py }, mix, from, count, whole) {
    const { cut } = this;
    cut.count = count;
    cut.codes = from;
    cut.whole = whole;
    if (mix === 0 || mix === 1 || x === px) {
      cut.xs = mix === 1 ? x : px;
      cut.ys = mix === 1 ? y : py;
      cut.first = from;
      return;
    }
    if (this.betweenX.length < count) {
      this.betweenX = new Float32Array(2 * count);
      this.betweenY = new Float32Array(2 * count);
    }
    const { betweenX, betweenY } = this;
    for (let i = 0; i < count; i++) {
      betweenX[i] = px[from + i] + (x[from + i] - px[from + i]) * mix;
      betweenY[i] = py[from + i] + (y[from + i] - py[from + i]) * mix;
    }
    cut.xs = betweenX;
    cut.ys = betweenY;
    cut.first = 0;
  }

  /** One pixel a point. @param {Uint8Array} codes @param {Sheet} sheet */
  #dots(codes, { parts, starts }) {
    const { pixels, stride } = this;
    const { xs, ys, first, count, codes: at, scale, shiftX, shiftY, whole } = this.cut;
    const right = stride - 1;
    const bottom = this.height + 2 * this.margin - 1;
    const keep = parts[1];
    for (let i = 0; i < count; i++) {
      const x = xs[first + i] * scale + shiftX;
      const y = shiftY - ys[first + i] * scale;
      if (!whole && (x < 1 || y < 1 || x >= right || y >= bottom)) continue;
      const place = (y | 0) * stride + (x | 0);
      const part = starts[codes[at + i] * PHASES * PHASES];
      const under = pixels[place];
      pixels[place] =
        0xff000000 |
        (((Math.imul(under & 0xff00ff, keep) + parts[part + 2]) >>> 8) & 0xff00ff) |
        ((Math.imul((under >>> 8) & 0xff, keep) + parts[part + 3]) & 0xff00);
    }
  }

  /** @param {Uint8Array} codes @param {Sheet} sheet */
  #discs(codes, { parts, starts, reach }) {
    const { pixels, stride } = this;
    const { xs, ys, first, count, codes: at, scale, shiftX, shiftY, whole } = this.cut;
    const right = stride - reach;
    const bottom = this.height + 2 * this.margin - reach;
    for (let i = 0; i < count; i++) {
      const x = xs[first + i] * scale + shiftX;
      const y = shiftY - ys[first + i] * scale;
      if (!whole && (x < reach || y < reach || x >= right || y >= bottom)) continue;
      const column = x | 0;
      const row = y | 0;
      const phase = (((y - row) * PHASES) | 0) * PHASES + (((x - column) * PHASES) | 0);
      const sprite = codes[at + i] * PHASES * PHASES + phase;
      const middle = row * stride + column;
      const end = starts[sprite + 1];
      for (let part = starts[sprite]; part < end; part += 4) {
        const place = middle + parts[part];
        const keep = parts[part + 1];
        const under = pixels[place];
        pixels[place] =
          0xff000000 |
          (((Math.imul(under & 0xff00ff, keep) + parts[part + 2]) >>> 8) & 0xff00ff) |
          ((Math.imul((under >>> 8) & 0xff, keep) + parts[part + 3]) & 0xff00);
      }
    }
  }
}

/**
 * The radius of a point, in pixels: so that few points are easy to see and many leave gaps between them; it grows slower
 * than the zoom, so that zooming in parts what overlaps.
 * @param {Store} store @param {View} view
 */
export function radiusOf(store, view) {
  const side = Math.min(view.width, view.height);
  const far = Math.sqrt((COVER * side * side) / (Math.PI * Math.max(1, store.n)));
  const least = SMALLEST / view.ratio;
  return clamp(clamp(far, least, LARGEST_FAR) * Math.sqrt(Math.max(0.7, view.place.k)), least, LARGEST);
}

/** How solid points are: less where many share a pixel, so that dense parts can be told from sparse ones. @param {Store} store @param {View} view */
function opacityOf(store, view) {
  const side = Math.min(view.width, view.height) * view.ratio * view.place.k;
  const radius = radiusOf(store, view) * view.ratio;
  const layers = (store.n * Math.PI * radius * radius) / (0.5 * side * side);
  return clamp(0.9 - 0.2 * Math.log2(Math.max(1, layers)), 0.35, 0.9);
}
