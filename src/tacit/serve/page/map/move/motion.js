// What changes over time: named animations, at most one of each name, that the map's frame loop steps.

import { interpolateZoom } from "../../vendor.js";

/** @typedef {import("../types.js").Place} Place */
/** @typedef {{ start: number | null, ms: number, step: (share: number) => void, done: () => void }} Animation */

/** How long a glide by inertia lasts: the velocity falls to 1/e in this many milliseconds. */
export const FADING = 280;

export class Motion {
  constructor() {
    /** @type {Map<string, Animation>} */
    this.running = new Map();
  }

  /**
   * Start an animation, in place of one of the same name.
   * @param {string} name
   * @param {number} ms
   * @param {(share: number) => void} step Called with 0..1, the last time with 1.
   * @param {() => void} [done] Called after the last step; not called when another takes its place.
   */
  run(name, ms, step, done = () => {}) {
    this.running.set(name, { start: null, ms: Math.max(1, ms), step, done });
  }

  /** @param {string} name */
  stop(name) {
    this.running.delete(name);
  }

  /** @param {string} name @returns {boolean} */
  has(name) {
    return this.running.has(name);
  }

  get active() {
    return this.running.size > 0;
  }

  /** Step everything to a time. @param {number} now */
  tick(now) {
    for (const [name, animation] of [...this.running]) {
      animation.start ??= now;
      const share = Math.min(1, (now - animation.start) / animation.ms);
      animation.step(share);
      if (share === 1 && this.running.get(name) === animation) {
        this.running.delete(name);
        animation.done();
      }
    }
  }
}

/** Slow at both ends. @param {number} share */
export function eased(share) {
  return share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2;
}

/** Fast at first, then slower: what answers a key or a click. @param {number} share */
export function answering(share) {
  return 1 - (1 - share) ** 3;
}

/**
 * A flight from one place to another that moves and zooms evenly to the eye (van Wijk and Nuij).
 * @param {Place} from @param {Place} to
 * @param {number} across The width of the view in units when k is 1.
 * @returns {{ ms: number, at: (share: number) => Place }}
 */
export function flight(from, to, across) {
  const path = interpolateZoom([from.x, from.y, across / from.k], [to.x, to.y, across / to.k]);
  return {
    ms: Math.min(1400, Math.max(250, path.duration * 0.55)),
    at(share) {
      if (share >= 1) return to;
      const [x, y, width] = path(eased(share));
      return { x, y, k: across / width };
    },
  };
}

/** Remembers where a drag was lately, to know how fast it was when it was let go. */
export class Speed {
  constructor() {
    /** @type {{ time: number, x: number, y: number, k: number }[]} */
    this.samples = [];
  }

  clear() {
    this.samples = [];
  }

  /** @param {number} time @param {{ x: number, y: number, k: number }} shift */
  add(time, { x, y, k }) {
    this.samples.push({ time, x, y, k });
    if (this.samples.length > 12) this.samples.shift();
  }

  /** Pixels per millisecond at a time; 0 after a rest or a pinch. @param {number} time @returns {[number, number]} */
  at(time) {
    const lately = this.samples.filter((sample) => time - sample.time < 90);
    const first = lately[0];
    const last = lately[lately.length - 1];
    if (!first || first === last || first.k !== last.k || time - last.time > 40) return [0, 0];
    const ms = Math.max(8, last.time - first.time);
    return [(last.x - first.x) / ms, (last.y - first.y) / ms];
  }
}
