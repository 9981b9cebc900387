// The map: points, names, pins and lines on one canvas, with everything that moves it. See types.js for what it takes.

import { Colours, css } from "./draw/colours.js";
import { Gestures } from "./move/gestures.js";
import { Lasso } from "./points/lasso.js";
import { Marks, drawLasso } from "./draw/marks.js";
import { Motion, answering, eased } from "./move/motion.js";
import { Travel, around, whole } from "./move/travel.js";
import { Names } from "./draw/names.js";
import { Raster, radiusOf } from "./draw/raster.js";
import { Store } from "./points/store.js";
import { Texts } from "./draw/text.js";
import { View, clamp } from "./view.js";

/** @typedef {import("./types.js").MapOptions} MapOptions */
/** @typedef {import("./types.js").Name} Name */
/** @typedef {import("./types.js").Pin} Pin */
/** @typedef {import("./types.js").Link} Link */
/** @typedef {import("./types.js").Place} Place */
/** @typedef {import("./types.js").Theme} Theme */
/** @typedef {import("./view.js").Insets} Insets */
/** @typedef {import("./draw/marks.js").Inks} Inks */

/** Milliseconds that drawing points may take in a moving frame; beyond, a fair sample of them is drawn until it rests. */
const BUDGET = 18;
/** Milliseconds without motion after which everything is drawn. */
const REST = 120;
/** Device pixels beyond which a finer canvas costs more than it shows. */
const MOST_PIXELS = 9e6;
/** Pixels around a pointer in which a point is met. */
const REACH = { mouse: 9, touch: 18 };

export class PointMap {
  /** @param {HTMLElement} container @param {MapOptions} options */
  constructor(container, options) {
    this.container = container;
    this.options = options;
    this.reducedMotion = options.reducedMotion ?? false;
    /** @type {Theme} */
    this.theme = options.theme ?? "light";
    this.canvas = document.createElement("canvas");
    this.canvas.className = "map-canvas";
    this.canvas.setAttribute("aria-hidden", "true"); // the list of results is what others read
    Object.assign(this.canvas.style, { display: "block", width: "100%", height: "100%", touchAction: "none" });
    container.append(this.canvas);
    // opaque: the browser need not blend it with what is below
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
    this.sight = new View();
    this.store = new Store(new Int16Array(0), null);
    this.raster = new Raster();
    this.marks = new Marks();
    this.texts = new Texts();
    this.names = new Names(this.texts);
    this.lasso = new Lasso();
    this.motion = new Motion();
    this.colours = new Colours(container);
    /** @type {readonly string[]} */
    this.palette = [];
    this.mix = 1;
    this.goal = 1;
    this.frame = 0;
    this.waiting = 0;
    this.lastFrame = 0;
    this.lastMoved = -Infinity;
    /** How long drawing every point takes, in milliseconds: known from the frames before. */
    this.cost = 0;
    this.share = 1;
    this.stale = true;
    this.viewed = false;
    this.travel = new Travel(
      this.sight,
      this.motion,
      (place) => this.gestures.show(place),
      () => this.reducedMotion,
      () => this.#request(),
    );
    this.gestures = new Gestures(this.canvas, this.sight, this.motion, {
      moved: () => this.#moved(),
      still: () => this.reducedMotion,
      click: (x, y, mouse) => this.#click(x, y, mouse),
      double: (x, y, inward) => this.travel.zoomAt(x, y, inward ? 2.2 : 1 / 2.2),
      hover: (at, clientX, clientY) => this.#hover(at, clientX, clientY),
      lasso: (phase, x, y) => this.#drawLasso(phase, x, y),
    });
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(container);
    this.canvas.addEventListener("contextrestored", () => this.#redraw());
    this.inks = this.#style();
    this.resize();
  }

  // ---- what is shown ----

  /** @param {Int16Array} points x, y, x, y ... @param {Int16Array | null} plain */
  setPoints(points, plain) {
    this.store = new Store(points, plain);
    this.marks.selected = null;
    this.marks.hovered = null;
    this.marks.highlighted = [];
    this.marks.links = [];
    this.cost = 0;
    this.sight.square = this.store.square();
    this.motion.stop("view");
    this.gestures.scaled();
    this.gestures.show(whole(this.sight));
    this.#sorted();
  }

  /** @param {Uint8Array | null} bits Which records are live, lowest bit first. */
  setLive(bits) {
    this.store.live = bits;
    this.#sorted();
  }

  /** @param {Uint8Array | null} bits Which records pass. */
  setFilter(bits) {
    this.store.filter = bits;
    this.#sorted();
  }

  /** @param {Uint8Array} codes @param {readonly string[]} palette */
  setColours(codes, palette) {
    this.store.codes = codes.length >= this.store.n ? codes : null;
    this.palette = palette;
    this.inks = this.#style();
    this.#sorted();
  }

  /** @param {readonly Name[]} names */
  setNames(names) {
    this.names.set(names);
    this.#request();
  }

  /** @param {readonly Pin[]} pins */
  setPins(pins) {
    const fresh = pins.length > 0 && JSON.stringify(pins) !== JSON.stringify(this.marks.pins);
    this.marks.pins = pins;
    if (fresh && !this.reducedMotion) {
      this.motion.run("pins", 420, (share) => (this.marks.fallen = answering(share)));
    } else this.marks.fallen = 1;
    this.#request();
  }

  /** @param {readonly Link[]} links */
  setLinks(links) {
    this.marks.links = links;
    this.#request();
  }

  /** @param {number | null} number */
  setSelected(number) {
    this.marks.selected = number;
    this.#request();
  }

  /** @param {ArrayLike<number>} numbers */
  setHighlighted(numbers) {
    this.marks.highlighted = numbers;
    this.#request();
  }

  /** Between the plain layout (0) and the informed one (1). @param {number} mix */
  setMix(mix) {
    this.motion.stop("mix");
    this.goal = clamp(Number.isFinite(mix) ? mix : 1, 0, 1);
    this.#setMix(this.goal);
  }

  /** Glide to a mix. @param {number} mix @param {number} [ms] @returns {Promise<void>} */
  glideTo(mix, ms = 1200) {
    const from = this.mix;
    this.goal = clamp(Number.isFinite(mix) ? mix : 1, 0, 1);
    const to = this.goal;
    if (this.reducedMotion || from === to) {
      this.setMix(to);
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.motion.run("mix", ms, (share) => this.#setMix(share === 1 ? to : from + (to - from) * eased(share)), resolve);
      this.#request();
    });
  }

  /** @param {Theme} theme */
  setTheme(theme) {
    this.theme = theme;
    this.inks = this.#style();
    this.#redraw();
  }

  /** @param {boolean} on */
  setReducedMotion(on) {
    this.reducedMotion = on;
  }

  /** What panels cover, so that flights end in the part that is seen. @param {Partial<Insets>} insets */
  setInsets(insets) {
    this.sight.insets = { left: 0, right: 0, top: 0, bottom: 0, ...insets };
    this.#request();
  }

  /**
   * Where buttons and the like lie over the map, as the page has it: names keep clear of them.
   * @param {readonly { left: number, top: number, right: number, bottom: number }[]} rectangles
   */
  setCovered(rectangles) {
    const { left, top } = this.canvas.getBoundingClientRect();
    this.marks.covered = rectangles.map((one) => ({
      left: one.left - left,
      right: one.right - left,
      top: one.top - top,
      bottom: one.bottom - top,
    }));
    this.#request();
  }

  // ---- where one looks ----

  /** @returns {Place} */
  view() {
    return { ...this.sight.place };
  }

  /**
   * Fly to records, to a place, or to everything.
   * @param {{ numbers: ArrayLike<number> } | Place | "all"} where
   */
  flyTo(where) {
    if (where === "all") this.travel.fly(whole(this.sight));
    else if ("numbers" in where) {
      const place = around(this.store, this.sight, where.numbers, this.goal);
      if (place) this.travel.fly(place);
    } else this.travel.fly(this.sight.centred(where.x, where.y, where.k ?? this.sight.place.k));
  }

  /** Zoom about the middle. @param {number} factor */
  zoomBy(factor) {
    this.travel.zoomBy(factor);
  }

  /** Look further to the right and further down, in pixels. @param {number} dx @param {number} dy */
  panBy(dx, dy) {
    this.travel.panBy(dx, dy);
  }

  /** Whether a drag draws a lasso; with Shift it always does. @param {boolean} on */
  setLasso(on) {
    this.gestures.lassoOn = on;
    if (!on) this.gestures.cancelLasso();
    this.canvas.style.cursor = on ? "crosshair" : "";
  }

  /** @param {number} clientX @param {number} clientY @returns {number | null} */
  nearestTo(clientX, clientY) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return this.#pointAt(clientX - left, clientY - top, REACH.mouse);
  }

  /** Where a record is on the page. @param {number} number @returns {{ clientX: number, clientY: number } | null} */
  positionOf(number) {
    if (!this.store.shows(number)) return null;
    const { left, top } = this.canvas.getBoundingClientRect();
    const [x, y] = this.store.at(number, this.mix);
    return { clientX: left + this.sight.toScreenX(x), clientY: top + this.sight.toScreenY(y) };
  }

  /** The names that can be read now, widest first. @returns {Name[]} */
  shownNames() {
    return this.names.shown();
  }

  // ---- size and end ----

  resize() {
    const view = this.sight;
    const width = Math.max(1, this.container.clientWidth);
    const height = Math.max(1, this.container.clientHeight);
    const fine = Math.sqrt(MOST_PIXELS / (width * height));
    const ratio = clamp(window.devicePixelRatio || 1, 1, Math.max(1, Math.min(3, fine)));
    const same = width === view.width && height === view.height && ratio === view.ratio;
    if (same && this.raster.image) return;
    const { place } = view;
    Object.assign(view, { width, height, ratio });
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.raster.resize(this.canvas.width, this.canvas.height, ratio);
    this.cost = 0;
    this.inks = this.#style();
    this.gestures.scaled();
    this.gestures.show(place);
    // at once: a canvas that was resized is empty until it is drawn
    this.#draw(performance.now());
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.waiting);
    this.frame = -1;
    this.observer.disconnect();
    this.gestures.destroy();
    this.colours.destroy();
    this.canvas.remove();
  }

  // ---- inside ----

  #moved() {
    this.travel.interrupted();
    this.viewed = true;
    this.#changed();
  }

  #changed() {
    this.lastMoved = performance.now();
    this.#redraw();
  }

  /** @param {number} mix */
  #setMix(mix) {
    this.mix = mix;
    this.#changed();
  }

  #sorted() {
    this.store.changed();
    this.#prepare();
    this.#redraw();
  }

  /** Sort for the other layout when there is time, so that the first glide does not wait for it. */
  #prepare() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.store.grid(this.mix >= 0.5 ? 0 : 1), 400);
  }

  #redraw() {
    this.stale = true;
    this.#request();
  }

  #request() {
    if (this.frame === 0) {
      this.frame = requestAnimationFrame((now) => {
        this.frame = 0;
        this.#draw(now);
      });
    }
  }

  /** Read the colours and the font from the style sheet. @returns {Inks} */
  #style() {
    const { colours, theme } = this;
    /** @param {string} name */
    const read = (name) => colours.rgb(colours.variable(`--map-${name}`, theme));
    const inks = {
      ground: read("paper"),
      ink: read("ink"),
      pin: read("pin"),
      select: read("select"),
      link: read("link"),
      palette: colours.palette(this.palette, theme),
    };
    this.raster.colour(inks.ground, inks.palette);
    const family = getComputedStyle(this.container).fontFamily || "system-ui, sans-serif";
    this.texts.style(family, css(inks.ink), css(read("halo")), this.sight.ratio, this.sight.width);
    this.stale = true;
    return inks;
  }

  /** @param {number} now */
  #draw(now) {
    const ms = Math.min(100, Math.max(0, now - this.lastFrame));
    this.lastFrame = now;
    this.motion.tick(now);
    const { sight: view, store, names, marks, context, inks } = this;
    const moving = performance.now() - this.lastMoved < REST;
    if (this.stale || (!moving && this.share < 1)) this.#drawPoints(moving);
    this.raster.put(context);
    names.place(view, this.mix, store.n, marks.taken(view, store, this.mix));
    const fading = names.fade(this.reducedMotion ? Infinity : ms);
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    const radius = radiusOf(store, view);
    marks.drawBelow(context, store, view, this.mix, radius, inks);
    names.draw(context, view.ratio);
    marks.drawAbove(context, store, view, this.mix, radius, inks);
    drawLasso(context, this.lasso.corners, this.lasso.alpha, inks);
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (this.viewed) {
      this.viewed = false;
      this.options.onView?.(this.view());
    }
    if (fading || this.motion.active || this.share < 1) this.#request();
  }

  /** @param {boolean} moving */
  #drawPoints(moving) {
    this.share = moving && this.cost > BUDGET ? Math.max(0.15, BUDGET / this.cost) : 1;
    const start = performance.now();
    this.raster.draw(this.store, this.sight, this.mix, this.share);
    const whole = (performance.now() - start) / this.share;
    // slowly: a machine that is busy for a moment does not make the map flicker
    this.cost = this.cost === 0 ? whole : this.cost + (whole - this.cost) * 0.3;
    this.stale = false;
  }

  /** @param {number} x @param {number} y @param {number} reach @returns {number | null} */
  #pointAt(x, y, reach) {
    const view = this.sight;
    const far = (reach + radiusOf(this.store, view)) / view.scale;
    return this.store.grid(this.mix).nearest(view.toMapX(x), view.toMapY(y), far, this.mix);
  }

  /** @param {number} x @param {number} y @param {boolean} mouse */
  #click(x, y, mouse) {
    const name = this.names.at(x, y);
    if (name && this.options.onName) {
      this.options.onName(name);
      return;
    }
    const number = this.#pointAt(x, y, mouse ? REACH.mouse : REACH.touch);
    if (number === null) this.options.onNothing?.();
    else this.options.onPick?.(number);
  }

  /** @param {[number, number] | null} at @param {number} clientX @param {number} clientY */
  #hover(at, clientX, clientY) {
    const name = at && this.options.onName && !this.gestures.lassoOn ? this.names.at(...at) : null;
    const number = at && !name ? this.#pointAt(...at, REACH.mouse) : null;
    const changed = number !== this.marks.hovered;
    if (changed || name !== this.names.hovered) this.#request();
    this.names.hovered = name;
    this.marks.hovered = number;
    if (!this.gestures.lassoOn) this.canvas.style.cursor = name || number !== null ? "pointer" : "";
    if (changed || number !== null) this.options.onHover?.(number, clientX, clientY);
  }

  /** @param {"begin" | "extend" | "end" | "cancel"} phase @param {number} x @param {number} y */
  #drawLasso(phase, x, y) {
    const { lasso } = this;
    if (phase === "begin") lasso.begin(x, y);
    else if (phase === "extend") lasso.extend(x, y);
    else if (phase === "cancel") lasso.cancel();
    else {
      const numbers = lasso.end(this.store, this.sight, this.mix);
      if (this.reducedMotion) lasso.cancel();
      else this.motion.run("lasso", 500, (share) => (lasso.alpha = 1 - share), () => lasso.cancel());
      if (numbers) this.options.onLasso?.(numbers);
    }
    this.#request();
  }
}

/**
 * Make a map that fills an element.
 * @param {HTMLElement} container @param {MapOptions} [options]
 */
export function createMap(container, options = {}) {
  return new PointMap(container, options);
}
