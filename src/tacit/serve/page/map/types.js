// The shapes that the map's modules pass to each other and to the page. Types alone: no code.

/**
 * A name on the map: where it stands in both layouts (int16 units), how wide it is (0 = widest) and of how many records.
 * @typedef {object} Name
 * @property {string} text
 * @property {string | null} label
 * @property {number} x
 * @property {number} y
 * @property {number | null} px
 * @property {number | null} py
 * @property {number} level
 * @property {number} records
 */

/**
 * A place that is not a record, such as where a pasted text belongs.
 * @typedef {object} Pin
 * @property {number} x
 * @property {number} y
 * @property {number | null} [px]
 * @property {number | null} [py]
 * @property {string} [kind]
 */

/**
 * A thin line between two records, or from the first pin to a record.
 * @typedef {object} Link
 * @property {number | "pin"} from
 * @property {number} to
 */

/**
 * What is in view: the magnification (1 = everything fits) and the place, in int16 units, at the middle.
 * @typedef {object} Place
 * @property {number} k
 * @property {number} x
 * @property {number} y
 */

/** @typedef {"light" | "dark"} Theme */

/**
 * @typedef {object} MapOptions
 * @property {boolean} [reducedMotion] Jump instead of flying, and no inertia.
 * @property {Theme} [theme]
 * @property {(number: number | null, clientX: number, clientY: number) => void} [onHover]
 * @property {(number: number) => void} [onPick]
 * @property {(numbers: Uint32Array) => void} [onLasso]
 * @property {(place: Place) => void} [onView]
 * @property {(name: Name) => void} [onName] A name was clicked.
 * @property {() => void} [onNothing] A click that met neither a point nor a name.
 */

export {};
