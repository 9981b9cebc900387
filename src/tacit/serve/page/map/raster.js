// Points drawn by writing pixels: faster than any path or image per point, and the same on machines without a graphics card.
//
// A point is a small disc, cut from a sprite for its colour and its place within the pixel, blended over what is there.
// The buffer is a little larger than the canvas on every side, so that discs at the edge need no test.

import { blend } from "./colours.js";
import { BESIDE, GROUPED, PLAIN } from "./store.js";
import { clamp } from "./view.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./colours.js").Rgb} Rgb */
/** @typedef {{ at: Int32Array, keep: Int32Array, redBlue: Int32Array, green: Int32Array }} Sprite */

const MARGIN = 14;
/** Places within a pixel that a disc can be at, on each side: fewer, and slow pans tremble. */
const PHASES = 4;
/** Below this radius, in device pixels, a disc is one pixel. */
const DOT = 0.75;
const CODES = 14;
/** Share of the map that the points of a small collection should cover, and the radii that bound it. */
const COVER = 0.3;
const SMALLEST = 0.5;
const LARGEST_FAR = 3.2;
const LARGEST_NEAR = 6;

export class Raster {
  constructor() {
    this.width = 0;
    this.height = 0;
    this.stride = 0;
    /** @type {ImageData | null} */
    this.image = null;
    this.pixels = new Uint32Array(0);
    this.ground = { r: 255, g: 255, b: 255 };
    /** @type {Rgb[]} */
    this.palette = [];
    /** Sprites by size, opacity and dullness. @type {Map<string, Sprite[]>} */
    this.sprites = new Map();
    this.where = new Int32Array(0);
    this.which = new Uint16Array(0);
    this.visible = new Uint32Array(0);
  }

  /** @param {number} width @param {number} height In device pixels. */
  resize(width, height) {
    if (width === this.width && height === this.height && this.image) return;
    this.width = width;
    this.height = height;
    this.stride = width + 2 * MARGIN;
    this.image = new ImageData(this.stride, height + 2 * MARGIN);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.sprites.clear();
  }

  /** @param {Rgb} ground @param {Rgb[]} palette */
  colour(ground, palette) {
    this.ground = ground;
    this.palette = palette;
    this.sprites.clear();
  }

  /**
   * Draw all points, or a fair sample of them.
   * @param {Store} store @param {View} view @param {number} mix @param {number} share How many of the points, 0..1.
   */
  draw(store, view, mix, share) {
    const { r, g, b } = this.ground;
    this.pixels.fill(packed(r, g, b));
    if (store.n === 0) return;
    const cells = this.#visibleCells(store, view, mix);
    const radius = radiusOf(store, view) * view.ratio;
    const opacity = opacityOf(store, view);
    // what is beside a filter stays as a hint of where the rest is
    const small = Math.max(SMALLEST, radius * 0.55);
    for (const kind of [BESIDE, PLAIN, GROUPED]) {
      const sprites = this.#set(kind === BESIDE ? small : radius, kind === BESIDE ? opacity * 0.7 : opacity);
      const dots = (kind === BESIDE ? small : radius) < DOT;
      for (let c = 0; c < cells; c++) {
        const cell = this.visible[c];
        const from = kind === BESIDE ? store.starts[cell] : store.ends[3 * cell + kind - 1];
        const to = from + Math.ceil((store.ends[3 * cell + kind] - from) * share);
        if (from === to) continue;
        const found = this.#project(store, view, mix, from, to, kind === BESIDE);
        if (dots) this.#dots(found, sprites);
        else this.#discs(found, sprites);
      }
    }
  }

  /** @param {CanvasRenderingContext2D} context */
  put(context) {
    if (this.image) context.putImageData(this.image, -MARGIN, -MARGIN, MARGIN, MARGIN, this.width, this.height);
  }

  /** @param {Store} store @param {View} view @param {number} mix @returns {number} How many cells are in view. */
  #visibleCells(store, view, mix) {
    const count = store.starts.length - 1;
    if (this.visible.length < count) this.visible = new Uint32Array(count);
    let found = 0;
    const reach = MARGIN;
    const box = {
      left: view.toMapX(-reach),
      right: view.toMapX(view.width + reach),
      bottom: view.toMapY(view.height + reach),
      top: view.toMapY(-reach),
    };
    store.cells(box, mix, (cell) => {
      this.visible[found++] = cell;
    });
    return found;
  }

  /**
   * Where points fall in the buffer, and which sprite each takes: into `where` and `which`.
   * @param {Store} store @param {View} view @param {number} mix @param {number} from @param {number} to
   * @param {boolean} grey Whether all take the first colour.
   * @returns {number} How many fall inside.
   */
  #project(store, view, mix, from, to, grey) {
    if (this.where.length < to - from) {
      this.where = new Int32Array(2 * (to - from));
      this.which = new Uint16Array(2 * (to - from));
    }
    const { where, which, stride } = this;
    const { x, y, px, py, code } = store;
    const scale = view.scale * view.ratio;
    const shiftX = this.width / 2 + MARGIN - view.place.x * scale;
    const shiftY = this.height / 2 + MARGIN + view.place.y * scale;
    const right = stride - 1;
    const bottom = this.height + 2 * MARGIN - 1;
    const one = mix === 1 ? x : px;
    const two = mix === 1 ? y : py;
    const between = mix !== 0 && mix !== 1 && store.hasPlain;
    let found = 0;
    for (let i = from; i < to; i++) {
      const mapX = between ? px[i] + (x[i] - px[i]) * mix : one[i];
      const mapY = between ? py[i] + (y[i] - py[i]) * mix : two[i];
      const screenX = mapX * scale + shiftX;
      const screenY = shiftY - mapY * scale;
      if (screenX < 1 || screenY < 1 || screenX >= right || screenY >= bottom) continue;
      const column = screenX | 0;
      const row = screenY | 0;
      where[found] = row * stride + column;
      const phase = (((screenY - row) * PHASES) | 0) * PHASES + (((screenX - column) * PHASES) | 0);
      which[found++] = (grey ? 0 : code[i]) * PHASES * PHASES + phase;
    }
    return found;
  }

  /** One pixel a point. @param {number} found @param {Sprite[]} sprites */
  #dots(found, sprites) {
    const { where, which, pixels } = this;
    const keep = sprites[0].keep[0];
    for (let i = 0; i < found; i++) {
      const sprite = sprites[which[i]];
      const at = where[i];
      const under = pixels[at];
      pixels[at] =
        0xff000000 |
        (((Math.imul(under & 0xff00ff, keep) + sprite.redBlue[0]) >>> 8) & 0xff00ff) |
        ((((under >>> 8) & 0xff) * keep + sprite.green[0]) & 0xff00);
    }
  }

  /** @param {number} found @param {Sprite[]} sprites */
  #discs(found, sprites) {
    const { where, which, pixels } = this;
    const last = pixels.length;
    for (let i = 0; i < found; i++) {
      const { at, keep, redBlue, green } = sprites[which[i]];
      const middle = where[i];
      if (middle + at[0] < 0 || middle + at[at.length - 1] >= last) continue;
      for (let j = 0; j < at.length; j++) {
        const place = middle + at[j];
        const under = pixels[place];
        pixels[place] =
          0xff000000 |
          (((Math.imul(under & 0xff00ff, keep[j]) + redBlue[j]) >>> 8) & 0xff00ff) |
          ((((under >>> 8) & 0xff) * keep[j] + green[j]) & 0xff00);
      }
    }
  }

  /** The sprites of a size: one a colour and a phase. @param {number} radius @param {number} opacity @returns {Sprite[]} */
  #set(radius, opacity) {
    const size = radius < DOT ? 0 : Math.round(radius * 4) / 4;
    const solid = Math.round(opacity * 20) / 20;
    const key = `${size} ${solid}`;
    let set = this.sprites.get(key);
    if (!set) {
      if (this.sprites.size > 60) this.sprites.clear();
      set = [];
      for (let code = 0; code < CODES; code++) {
        const colour = this.palette[code] ?? { r: 136, g: 136, b: 136 };
        for (let phase = 0; phase < PHASES * PHASES; phase++) set.push(this.#sprite(size, phase, colour, solid));
      }
      this.sprites.set(key, set);
    }
    return set;
  }

  /** @param {number} radius @param {number} phase @param {Rgb} colour @param {number} opacity @returns {Sprite} */
  #sprite(radius, phase, colour, opacity) {
    /** @type {[number, number, Rgb][]} */
    const parts = [];
    if (radius === 0) parts.push([0, opacity, colour]);
    const middleX = ((phase % PHASES) + 0.5) / PHASES;
    const middleY = (Math.floor(phase / PHASES) + 0.5) / PHASES;
    // large discs get a rim of the ground's colour, which parts them where they overlap
    const rim = radius < 2.2 ? 0 : 0.55;
    const reach = Math.min(MARGIN - 1, Math.ceil(radius + 1.5));
    for (let row = -reach; radius > 0 && row <= reach; row++) {
      for (let column = -reach; column <= reach; column++) {
        const distance = Math.hypot(column + 0.5 - middleX, row + 0.5 - middleY);
        const inside = clamp(radius + 0.5 - distance, 0, 1) * opacity;
        const around = clamp(radius + 1.4 - distance, 0, 1) * rim * (1 - inside);
        const solid = inside + around;
        if (solid > 0.01) parts.push([row * this.stride + column, solid, blend(this.ground, colour, inside / solid)]);
      }
    }
    return compiled(parts);
  }
}

/** A sprite's pixels as the numbers that blending needs. @param {[number, number, Rgb][]} parts @returns {Sprite} */
function compiled(parts) {
  const at = new Int32Array(parts.length);
  const keep = new Int32Array(parts.length);
  const redBlue = new Int32Array(parts.length);
  const green = new Int32Array(parts.length);
  parts.forEach(([place, solid, { r, g, b }], i) => {
    const part = Math.round(solid * 256);
    at[i] = place;
    keep[i] = 256 - part;
    redBlue[i] = (Math.round(r) * part) | ((Math.round(b) * part) << 16);
    green[i] = Math.round(g) * part;
  });
  return { at, keep, redBlue, green };
}

/** @param {number} r @param {number} g @param {number} b A pixel as the buffer has it (little-endian). */
function packed(r, g, b) {
  return (0xff000000 | (b << 16) | (g << 8) | r) >>> 0;
}

/**
 * The radius of a point, in pixels: so that few points are easy to see and many leave gaps between them; it grows slower
 * than the zoom, so that zooming in parts what overlaps.
 * @param {Store} store @param {View} view
 */
export function radiusOf(store, view) {
  const side = Math.min(view.width, view.height);
  const far = clamp(Math.sqrt((COVER * side * side) / (Math.PI * Math.max(1, store.n))), SMALLEST / view.ratio, LARGEST_FAR);
  return clamp(far * Math.sqrt(Math.max(0.7, view.place.k)), SMALLEST / view.ratio, LARGEST_NEAR);
}

/** How solid points are: less where many share a pixel, so that the dense parts can be told from the sparse. @param {Store} store @param {View} view */
function opacityOf(store, view) {
  const side = Math.min(view.width, view.height) * view.ratio * view.place.k;
  const radius = Math.max(SMALLEST, radiusOf(store, view) * view.ratio);
  const layers = (store.n * Math.PI * radius * radius) / (0.5 * side * side);
  return clamp(0.88 - 0.12 * Math.log2(Math.max(1, layers)), 0.45, 0.88);
}
