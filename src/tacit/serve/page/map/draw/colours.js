// Colours as the style sheet has them, turned into numbers that pixels can take.

/** @typedef {import("../types.js").Theme} Theme */
/** @typedef {{ r: number, g: number, b: number }} Rgb */

/** What the map uses where the style sheet says nothing. @type {Record<Theme, Record<string, string>>} */
const DEFAULTS = {
  light: {
    "--map-paper": "#fbfaf8",
    "--map-ink": "#22252b",
    "--map-halo": "#fbfaf8",
    "--map-pin": "#c2410c",
    "--map-select": "#22252b",
    "--map-link": "#22252b",
    "--map-0": "#cbccd0",
  },
  dark: {
    "--map-paper": "#14161a",
    "--map-ink": "#eceef2",
    "--map-halo": "#14161a",
    "--map-pin": "#fb923c",
    "--map-select": "#ffffff",
    "--map-link": "#ffffff",
    "--map-0": "#41454e",
  },
};

/** A dozen colours for groups and one for the rest, where the page gives none. */
const GROUPS = [
  "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#9c6fb0", "#3aa6a0", "#d4a017", "#d37295", "#8c6d4f", "#6b8fd6", "#93b544", "#b5679c", "#9aa0a8",
];

/** Reads colours, in any notation that CSS has, with the variables that hold inside an element. */
export class Colours {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.probe = document.createElement("span");
    this.probe.hidden = true;
    element.append(this.probe);
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    this.pixel = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  }

  /** A variable of the style sheet, or the map's own value for the theme. @param {string} name @param {Theme} theme */
  variable(name, theme) {
    return getComputedStyle(this.element).getPropertyValue(name).trim() || DEFAULTS[theme][name];
  }

  /** @param {string} css @returns {Rgb} */
  rgb(css) {
    this.probe.style.color = "";
    this.probe.style.color = css;
    const { pixel } = this;
    pixel.fillStyle = "#888888";
    pixel.fillStyle = getComputedStyle(this.probe).color;
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillRect(0, 0, 1, 1);
    const [r, g, b] = pixel.getImageData(0, 0, 1, 1).data;
    return { r, g, b };
  }

  /**
   * The palette as numbers: what the page gave, then the map's own for what is missing.
   * @param {readonly string[]} palette @param {Theme} theme @returns {Rgb[]}
   */
  palette(palette, theme) {
    const own = [this.variable("--map-0", theme), ...GROUPS];
    return own.map((css, code) => this.rgb(palette[code] || css));
  }

  destroy() {
    this.probe.remove();
  }
}

/** A colour between two. @param {Rgb} from @param {Rgb} to @param {number} share @returns {Rgb} */
export function blend(from, to, share) {
  return {
    r: from.r + (to.r - from.r) * share,
    g: from.g + (to.g - from.g) * share,
    b: from.b + (to.b - from.b) * share,
  };
}

/** @param {Rgb} colour @param {number} [alpha] */
export function css({ r, g, b }, alpha = 1) {
  return `rgba(${Math.round(r)}, ${Math.round(g)}, ${Math.round(b)}, ${alpha})`;
}
