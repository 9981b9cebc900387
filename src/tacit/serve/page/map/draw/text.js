// Names as small pictures: drawn once with their halo, then copied, since outlined text is slow to draw in every frame.

/** @typedef {{ image: HTMLCanvasElement, width: number, height: number }} Picture Sizes in pixels of the page. */
/** @typedef {{ size: number, weight: number, ink: number }} Face How a level is set: ink is how strong its colour is. */

/** @type {Face[]} */
const FACES = [
  { size: 15.5, weight: 650, ink: 1 },
  { size: 13, weight: 600, ink: 0.92 },
  { size: 12, weight: 500, ink: 0.84 },
];
/** Characters in a line, lines in a name. */
const LINE = 20;
const LINES = 3;
const HALO = 3.5;
const KEPT = 600;
/** Below this width of the map, letters are smaller: on a phone names would else hide what they name. */
const NARROW = 600;
const SMALLER = 0.88;

export class Texts {
  constructor() {
    /** @type {Map<string, Picture>} */
    this.pictures = new Map();
    /** @type {Map<string, [number, number]>} */
    this.sizes = new Map();
    this.family = "system-ui, sans-serif";
    this.ink = "#000";
    this.halo = "#fff";
    this.ratio = 1;
    this.part = 1;
    this.measure = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  }

  /** @param {string} family @param {string} ink @param {string} halo @param {number} ratio @param {number} width Of the map. */
  style(family, ink, halo, ratio, width) {
    const part = width < NARROW ? SMALLER : 1;
    if (family !== this.family || part !== this.part) this.sizes.clear();
    Object.assign(this, { family, ink, halo, ratio, part });
    this.pictures.clear();
  }

  /** @param {number} level @returns {Face} */
  face(level) {
    const face = FACES[Math.min(level, FACES.length - 1)];
    return { ...face, size: face.size * this.part };
  }

  /** @param {number} level @returns {string} */
  font(level) {
    const { weight, size } = this.face(level);
    return `${weight} ${size}px ${this.family}`;
  }

  /** Width and height of a name with its halo. @param {string} text @param {number} level @returns {[number, number]} */
  size(text, level) {
    const key = `${Math.min(level, FACES.length - 1)} ${text}`;
    let size = this.sizes.get(key);
    if (!size) {
      this.measure.font = this.font(level);
      const lines = wrapped(text);
      const widest = Math.max(...lines.map((line) => this.measure.measureText(line).width));
      size = [Math.ceil(widest + 2 * HALO), Math.ceil(lines.length * this.face(level).size * 1.2 + 2 * HALO)];
      this.sizes.set(key, size);
    }
    return size;
  }

  /** @param {string} text @param {number} level @returns {Picture} */
  picture(text, level) {
    const key = `${Math.min(level, FACES.length - 1)} ${text}`;
    let picture = this.pictures.get(key);
    if (!picture) {
      if (this.pictures.size > KEPT) this.pictures.clear();
      picture = this.#draw(text, level);
      this.pictures.set(key, picture);
    }
    return picture;
  }

  /** @param {string} text @param {number} level @returns {Picture} */
  #draw(text, level) {
    const [width, height] = this.size(text, level);
    const image = document.createElement("canvas");
    image.width = Math.ceil(width * this.ratio);
    image.height = Math.ceil(height * this.ratio);
    const context = /** @type {CanvasRenderingContext2D} */ (image.getContext("2d"));
    context.scale(this.ratio, this.ratio);
    context.font = this.font(level);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    const { size, ink } = this.face(level);
    const lines = wrapped(text);
    // two strokes: a soft wide one and a dense narrow one, so that the halo has no edge of its own
    for (const [wide, alpha] of [[2 * HALO, 0.45], [HALO, 0.85]]) {
      context.globalAlpha = alpha;
      context.lineWidth = wide;
      context.strokeStyle = this.halo;
      lines.forEach((line, i) => context.strokeText(line, width / 2, HALO + (i + 0.5) * size * 1.2));
    }
    context.globalAlpha = ink;
    context.fillStyle = this.ink;
    lines.forEach((line, i) => context.fillText(line, width / 2, HALO + (i + 0.5) * size * 1.2));
    return { image, width, height };
  }
}

/** A long name in a few lines, cut with an ellipsis where it is too long even so. @param {string} text @returns {string[]} */
export function wrapped(text) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + 1 + word.length <= LINE) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  if (lines.length > LINES) {
    lines.length = LINES;
    lines[LINES - 1] += " …";
  }
  return lines.length ? lines.map((line) => (line.length > 32 ? `${line.slice(0, 31)}…` : line)) : [""];
}
