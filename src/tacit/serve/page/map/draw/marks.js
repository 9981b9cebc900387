// What is drawn over the points: lines between records, rings around some of them, pins, the lasso's line.

import { css } from "./colours.js";

/** @typedef {import("../types.js").Pin} Pin */
/** @typedef {import("../types.js").Link} Link */
/** @typedef {import("../view.js").View} View */
/** @typedef {import("../points/store.js").Store} Store */
/** @typedef {import("./colours.js").Rgb} Rgb */
/** @typedef {import("./names.js").Rectangle} Rectangle */
/** @typedef {{ ink: Rgb, ground: Rgb, pin: Rgb, select: Rgb, link: Rgb, palette: Rgb[] }} Inks */

/** Half the width of a pin's head, and its height from the tip, in pixels. */
const PIN = { half: 9, height: 27 };
/** More rings than this tell nothing, and cost time. */
const RINGS = 4000;
/** Up to this many rings are above the names; more would cover them. */
const FEW = 60;

/** Everything that marks something, and how to draw it. */
export class Marks {
  constructor() {
    /** @type {readonly Pin[]} */
    this.pins = [];
    /** How far the pins have fallen, 0..1. */
    this.fallen = 1;
    /** @type {readonly Link[]} */
    this.links = [];
    /** What covers the map within its edges, such as buttons: on the canvas, in pixels. @type {Rectangle[]} */
    this.covered = [];
    /** @type {number | null} */
    this.selected = null;
    /** @type {number | null} */
    this.hovered = null;
    /** @type {ArrayLike<number>} */
    this.highlighted = [];
  }

  /** Where the tips of the pins are, on the screen. @param {View} view @param {number} mix @returns {[number, number][]} */
  tips(view, mix) {
    return this.pins.map(({ x, y, px, py }) => {
      const fromX = px ?? x;
      const fromY = py ?? y;
      return [view.toScreenX(fromX + (x - fromX) * mix), view.toScreenY(fromY + (y - fromY) * mix)];
    });
  }

  /** Where no name may be. @param {View} view @param {Store} store @param {number} mix @returns {Rectangle[]} */
  taken(view, store, mix) {
    const boxes = this.tips(view, mix).map(([x, y]) => ({
      left: x - PIN.half - 2,
      right: x + PIN.half + 2,
      top: y - PIN.height - 2,
      bottom: y + 3,
    }));
    if (this.selected !== null && store.shows(this.selected)) {
      const [x, y] = screen(this.selected, store, view, mix);
      boxes.push({ left: x - 9, right: x + 9, top: y - 9, bottom: y + 9 });
    }
    return [...this.covered, ...boxes];
  }

  /**
   * What is below the names: lines, and rings if there are many.
   * @param {CanvasRenderingContext2D} context In pixels of the page.
   * @param {Store} store @param {View} view @param {number} mix @param {number} radius Of a point. @param {Inks} inks
   */
  drawBelow(context, store, view, mix, radius, inks) {
    this.#drawLinks(context, store, view, mix, inks);
    if (this.highlighted.length > FEW) this.#drawRings(context, store, view, mix, radius, inks);
  }

  /**
   * What is above the names.
   * @param {CanvasRenderingContext2D} context In pixels of the page.
   * @param {Store} store @param {View} view @param {number} mix @param {number} radius Of a point. @param {Inks} inks
   */
  drawAbove(context, store, view, mix, radius, inks) {
    if (this.highlighted.length <= FEW) this.#drawRings(context, store, view, mix, radius, inks);
    const { selected, hovered } = this;
    if (selected !== null && store.shows(selected)) {
      const [x, y] = screen(selected, store, view, mix);
      const large = Math.max(radius, 3.5) + 1;
      disc(context, x, y, large + 6, css(inks.select, 0.16));
      ringed(context, x, y, large, 2, colourOf(selected, store, inks), inks);
    }
    if (hovered !== null && store.shows(hovered) && hovered !== selected) {
      const [x, y] = screen(hovered, store, view, mix);
      ringed(context, x, y, Math.max(radius, 3) + 0.5, 1.5, colourOf(hovered, store, inks), inks);
    }
    this.#drawPins(context, view, mix, inks);
  }

  /** @param {CanvasRenderingContext2D} context @param {Store} store @param {View} view @param {number} mix @param {Inks} inks */
  #drawLinks(context, store, view, mix, inks) {
    const tip = this.tips(view, mix)[0];
    context.beginPath();
    for (const { from, to } of this.links) {
      const start = from === "pin" ? tip : store.shows(from) && screen(from, store, view, mix);
      if (!start || !store.shows(to)) continue;
      context.moveTo(start[0], start[1]);
      context.lineTo(...screen(to, store, view, mix));
    }
    context.lineCap = "round";
    context.lineWidth = 3;
    context.strokeStyle = css(inks.ground, 0.6);
    context.stroke();
    context.lineWidth = 1.1;
    context.strokeStyle = css(inks.link, 0.55);
    context.stroke();
  }

  /** @param {CanvasRenderingContext2D} context @param {Store} store @param {View} view @param {number} mix @param {number} radius @param {Inks} inks */
  #drawRings(context, store, view, mix, radius, inks) {
    const large = Math.max(radius, 2.2) + 0.4;
    const count = Math.min(RINGS, this.highlighted.length);
    /** @type {[number, number, number][]} */
    const places = [];
    for (let i = 0; i < count; i++) {
      const number = this.highlighted[i];
      if (!store.shows(number)) continue;
      const [x, y] = screen(number, store, view, mix);
      if (x > -20 && y > -20 && x < view.width + 20 && y < view.height + 20) places.push([x, y, number]);
    }
    // one path for all of a kind: many small ones are slow
    circles(context, places, large + 2.4);
    context.fillStyle = css(inks.ground, 0.9);
    context.fill();
    circles(context, places, large + 1.3);
    context.lineWidth = 1.3;
    context.strokeStyle = css(inks.select, 0.9);
    context.stroke();
    for (const [x, y, number] of places) disc(context, x, y, large, css(colourOf(number, store, inks)));
  }

  /** @param {CanvasRenderingContext2D} context @param {View} view @param {number} mix @param {Inks} inks */
  #drawPins(context, view, mix, inks) {
    for (const [x, y] of this.tips(view, mix)) {
      const lift = (1 - this.fallen) ** 2 * 36;
      context.globalAlpha = Math.min(1, this.fallen * 3);
      shadow(context, x, y);
      pin(context, x, y - lift, inks);
      context.globalAlpha = 1;
    }
  }
}

/** @param {number} number @param {Store} store @param {View} view @param {number} mix @returns {[number, number]} */
function screen(number, store, view, mix) {
  const [x, y] = store.at(number, mix);
  return [view.toScreenX(x), view.toScreenY(y)];
}

/** @param {number} number @param {Store} store @param {Inks} inks @returns {Rgb} */
function colourOf(number, store, inks) {
  return inks.palette[store.codes?.[number] ?? 0] ?? inks.ink;
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} radius @param {string} colour */
function disc(context, x, y, radius, colour) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
}

/** A point that stands out. @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} radius @param {number} width @param {Rgb} colour @param {Inks} inks */
function ringed(context, x, y, radius, width, colour, inks) {
  disc(context, x, y, radius + 1.5, css(inks.ground));
  disc(context, x, y, radius, css(colour));
  context.beginPath();
  context.arc(x, y, radius + 1.5 + width / 4, 0, 2 * Math.PI);
  context.lineWidth = width;
  context.strokeStyle = css(inks.select);
  context.stroke();
}

/** @param {CanvasRenderingContext2D} context @param {[number, number, number][]} places @param {number} radius */
function circles(context, places, radius) {
  context.beginPath();
  for (const [x, y] of places) {
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, 2 * Math.PI);
  }
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y */
function shadow(context, x, y) {
  context.beginPath();
  context.ellipse(x + 1, y, 5, 2, 0, 0, 2 * Math.PI);
  context.fillStyle = "rgba(0, 0, 0, 0.28)";
  context.fill();
}

/** A drop with its tip at x, y. @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {Inks} inks */
function pin(context, x, y, inks) {
  const { half, height } = PIN;
  const middle = y - height + half;
  context.beginPath();
  context.moveTo(x, y);
  context.bezierCurveTo(x - 2, y - 8, x - half, middle + 7, x - half, middle);
  context.arc(x, middle, half, Math.PI, 0);
  context.bezierCurveTo(x + half, middle + 7, x + 2, y - 8, x, y);
  context.closePath();
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = css(inks.ground);
  context.stroke();
  context.fillStyle = css(inks.pin);
  context.fill();
  disc(context, x, middle, 3.4, css(inks.ground));
}

/** @param {CanvasRenderingContext2D} context @param {number[]} corners @param {number} alpha @param {Inks} inks */
export function drawLasso(context, corners, alpha, inks) {
  if (corners.length < 4 || alpha <= 0) return;
  context.beginPath();
  context.moveTo(corners[0], corners[1]);
  for (let i = 2; i < corners.length; i += 2) context.lineTo(corners[i], corners[i + 1]);
  context.closePath();
  context.globalAlpha = alpha;
  context.fillStyle = css(inks.pin, 0.1);
  context.fill("evenodd");
  context.lineJoin = "round";
  context.lineWidth = 1.6;
  context.setLineDash([5, 4]);
  context.strokeStyle = css(inks.pin);
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}
