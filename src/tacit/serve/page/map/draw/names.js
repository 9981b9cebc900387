// Which names are shown: wide ones before narrow ones, none over another, and what is shown stays while one zooms in.

import { clamp } from "../view.js";

/** @typedef {import("../types.js").Name} Name */
/** @typedef {import("../view.js").View} View */
/** @typedef {import("./text.js").Texts} Texts */
/** @typedef {{ left: number, top: number, right: number, bottom: number }} Rectangle In pixels, y down. */
/** @typedef {{ name: Name, rank: number, shown: boolean, alpha: number, lift: number, box: Rectangle | null }} State */

/** Pixels of the screen per name: about thirty on a laptop, under ten on a phone. */
const ROOM = 30000;
const FEWEST = 6;
/** Pixels between two names. */
const APART = 6;
/** Milliseconds to appear or to vanish. */
const FADE = 180;
/** A name may be this many times wider than the patch of its records; a shown one a little more, so that it does not flicker. */
const WIDER = 2.6;
const WIDER_STAYS = 3.4;
/** Lines by which a name of the widest level may be moved. */
const LIFTS = [0, -0.8, 0.8];
const LINE = 22;

export class Names {
  /** @param {Texts} texts */
  constructor(texts) {
    this.texts = texts;
    /** By level, then by records. @type {State[]} */
    this.states = [];
    /** Those that are visible now, at least faintly. @type {Set<State>} */
    this.visible = new Set();
    this.k = 0;
    /** @type {Name | null} */
    this.hovered = null;
  }

  /** @param {readonly Name[]} names */
  set(names) {
    const sorted = [...names].sort((one, two) => one.level - two.level || two.records - one.records);
    this.states = sorted.map((name, rank) => ({ name, rank, shown: false, alpha: 0, lift: 0, box: null }));
    this.visible.clear();
    this.k = 0;
    this.hovered = null;
  }

  /**
   * Choose and place the names for a view.
   * @param {View} view @param {number} mix @param {number} n How many records there are.
   * @param {readonly Rectangle[]} taken Where no name may be, such as pins.
   */
  place(view, mix, n, taken) {
    const inward = view.place.k > this.k * 1.0001 && this.k > 0;
    this.k = view.place.k;
    const most = Math.max(FEWEST, Math.round((view.width * view.height) / ROOM));
    /** @type {Rectangle[]} */
    const boxes = [...taken];
    let count = 0;
    const before = new Set([...this.visible].filter((state) => state.shown));
    const patch = Math.sqrt(1 / Math.max(1, n)) * 2 * view.square.half * view.scale * 0.75;
    for (const state of this.#candidates(before, inward)) {
      const stays = before.has(state);
      state.shown = false;
      if (count >= most && !(stays && inward)) continue;
      const box = this.#fits(state, view, mix, patch, stays, boxes);
      if (!box) continue;
      state.shown = true;
      state.box = box;
      boxes.push(box);
      this.visible.add(state);
      count++;
    }
    for (const state of this.visible) if (!state.shown) state.box = this.#box(state, view, mix);
  }

  /** In the order of choice: zooming in, those that are shown come first; else they come first within their level. @param {Set<State>} before @param {boolean} inward */
  #candidates(before, inward) {
    if (before.size === 0) return this.states;
    const stay = [...before].sort((one, two) => one.rank - two.rank);
    if (inward) return [...stay, ...this.states.filter((state) => !before.has(state))];
    /** @type {State[]} */
    const order = [];
    let at = 0;
    for (let i = 0; i < this.states.length; i++) {
      const state = this.states[i];
      const { level } = state.name;
      if (i === 0 || this.states[i - 1].name.level !== level) {
        while (at < stay.length && stay[at].name.level === level) order.push(stay[at++]);
      }
      if (!before.has(state)) order.push(state);
    }
    return order;
  }

  /**
   * The box of a name if it may be shown there.
   * @param {State} state @param {View} view @param {number} mix @param {number} patch The side, in pixels, that one record takes.
   * @param {boolean} stays @param {Rectangle[]} boxes @returns {Rectangle | null}
   */
  #fits(state, view, mix, patch, stays, boxes) {
    const { name } = state;
    const [x, y] = anchor(name, view, mix);
    const { insets } = view;
    if (x < insets.left || x > view.width - insets.right || y < insets.top || y > view.height - insets.bottom) return null;
    const [wide] = this.texts.size(name.text, name.level);
    const side = patch * Math.sqrt(Math.max(1, name.records));
    if (name.level > 0 && wide > side * (stays ? WIDER_STAYS : WIDER)) return null;
    // the widest names may move up or down a little to find room; one that has moved stays there
    for (const lift of name.level === 0 ? [state.lift, ...LIFTS] : [0]) {
      const box = this.#box({ ...state, lift }, view, mix);
      if (boxes.some((other) => overlap(box, other))) continue;
      state.lift = lift;
      return box;
    }
    return null;
  }

  /** The box of a name, moved so that it is not cut off at the edge. @param {State} state @param {View} view @param {number} mix @returns {Rectangle} */
  #box({ name, lift }, view, mix) {
    const [width, height] = this.texts.size(name.text, name.level);
    const [x, at] = anchor(name, view, mix);
    const y = at + lift * LINE;
    const { insets } = view;
    const inView = x >= 0 && x <= view.width && y >= 0 && y <= view.height;
    const left = inView ? within(x - width / 2, width, insets.left, view.width - insets.right) : x - width / 2;
    const top = inView ? within(y - height / 2, height, insets.top, view.height - insets.bottom) : y - height / 2;
    return { left, top, right: left + width, bottom: top + height };
  }

  /** Fade by the time that has passed. @param {number} ms @returns {boolean} Whether a name is still changing. */
  fade(ms) {
    let changing = false;
    for (const state of this.visible) {
      const goal = state.shown ? 1 : 0;
      const step = ms / FADE;
      state.alpha = goal > state.alpha ? Math.min(goal, state.alpha + step) : Math.max(goal, state.alpha - step);
      if (state.alpha !== goal) changing = true;
      else if (goal === 0) this.visible.delete(state);
    }
    return changing;
  }

  /** @param {CanvasRenderingContext2D} context In pixels of the page. @param {number} ratio */
  draw(context, ratio) {
    // narrow names first, so that a wide one is on top while they cross
    const order = [...this.visible].sort((one, two) => two.rank - one.rank);
    for (const { name, alpha, box } of order) {
      if (!box || alpha <= 0) continue;
      const picture = this.texts.picture(name.text, name.level);
      context.globalAlpha = alpha;
      // on whole device pixels the letters stay crisp
      const left = Math.round(box.left * ratio) / ratio;
      const top = Math.round(box.top * ratio) / ratio;
      context.drawImage(picture.image, left, top, picture.image.width / ratio, picture.image.height / ratio);
      if (name === this.hovered) underline(context, this.texts.ink, box);
    }
    context.globalAlpha = 1;
  }

  /** The name at a place of the screen. @param {number} x @param {number} y @returns {Name | null} */
  at(x, y) {
    for (const { name, shown, box } of this.visible) {
      if (shown && box && x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) return name;
    }
    return null;
  }

  /** The names that are shown, widest first. @returns {Name[]} */
  shown() {
    return this.states.filter((state) => state.shown).map((state) => state.name);
  }
}

/** @param {Name} name @param {View} view @param {number} mix @returns {[number, number]} */
function anchor({ x, y, px, py }, view, mix) {
  const fromX = px ?? x;
  const fromY = py ?? y;
  return [view.toScreenX(fromX + (x - fromX) * mix), view.toScreenY(fromY + (y - fromY) * mix)];
}

/** Where a length begins so that it is within bounds, if it can be. @param {number} begin @param {number} length @param {number} low @param {number} high */
function within(begin, length, low, high) {
  return clamp(begin, low + 2, Math.max(low + 2, high - length - 2));
}

/** @param {Rectangle} one @param {Rectangle} two */
function overlap(one, two) {
  return (
    one.left < two.right + APART && two.left < one.right + APART && one.top < two.bottom + APART / 2 && two.top < one.bottom + APART / 2
  );
}

/** @param {CanvasRenderingContext2D} context @param {string} ink @param {Rectangle} box */
function underline(context, ink, box) {
  context.fillStyle = ink;
  context.fillRect(box.left + 4, box.bottom - 3, box.right - box.left - 8, 1.25);
}
