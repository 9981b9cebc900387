/**
 * Places texts among the records and finds the nearest, as the index does.
 *
 *     position = Σ_t x_t T_t − o,   x_t = (1 + log n_t) · w_t, scaled to unit length
 *
 * T is stored in pieces, so that a query reads only the rows of its own words.
 */

import { piece } from "./files.js";

/** @import { Files } from "./files.js" */

/**
 * @typedef {{term: string, weight: number, row: Float32Array}} PlacedTerm
 * @typedef {{position: Float32Array, length: number, terms: PlacedTerm[]}} Placed
 * @typedef {{columns: Map<string, number>, stop: Set<string>, ngrams: number, piece: number, forms: Record<string, string> | null}} KnownWords
 */

const WORD = /[\p{L}\p{Nl}\p{No}]{2,}/gu; // as `[^\W\d_]{2,}` in Python

export class Space {
  /** @param {Files} files */
  constructor(files) {
    this.files = files;
    /** @type {Promise<KnownWords> | null} */
    this.wordsRead = null;
  }

  /** @returns {Promise<KnownWords>} */
  words() {
    this.wordsRead ??= this.files.json("words.json").then((facts) => ({
      columns: new Map(facts.terms.map((/** @type {string} */ term, /** @type {number} */ column) => [term, column])),
      stop: new Set(facts.stop_words),
      ngrams: facts.ngrams,
      piece: facts.piece,
      forms: facts.forms,
    }));
    return this.wordsRead;
  }

  /** Words of a text with the place where each begins. @param {string} text */
  async found(text) {
    const { stop, forms } = await this.words();
    const found = [];
    for (const match of text.toLowerCase().matchAll(WORD)) {
      const word = match[0];
      if (stop.has(word)) continue;
      found.push({ word: forms ? (forms[word] ?? word) : word, start: match.index, end: match.index + word.length });
    }
    return found;
  }

  /** Columns of the terms of a text, with their weights. @param {string} text */
  async row(text) {
    const { columns, ngrams } = await this.words();
    const weights = await this.files.array("term_weights.npy");
    const words = (await this.found(text)).map(({ word }) => word);
    /** @type {Map<number, number>} */
    const counts = new Map();
    for (let n = 1; n <= ngrams; n += 1) {
      for (let start = 0; start + n <= words.length; start += 1) {
        const column = columns.get(words.slice(start, start + n).join(" "));
        if (column !== undefined) counts.set(column, (counts.get(column) ?? 0) + 1);
      }
    }
    const row = [...counts].map(([column, count]) => ({ column, weight: (1 + Math.log(count)) * weights[column] }));
    const length = Math.hypot(...row.map(({ weight }) => weight)) || 1;
    return row.map(({ column, weight }) => ({ column, weight: weight / length }));
  }

  /** @param {string} text @returns {Promise<Placed | null>} null for a text without a known word */
  async place(text) {
    const row = await this.row(text);
    if (!row.length) return null;
    const [offset, scales, facts] = await Promise.all([
      this.files.array("offset.npy"), this.files.array("term_scales.npy"), this.files.json("words.json"),
    ]);
    const size = offset.length;
    const position = Float32Array.from(offset, (/** @type {number} */ value) => -value);
    const terms = await Promise.all(row.map(async ({ column, weight }) => {
      const rows = await this.files.array(`terms/${piece(Math.floor(column / facts.piece))}.npy`);
      const start = (column % facts.piece) * size;
      const values = Float32Array.from(rows.subarray(start, start + size), (/** @type {number} */ value) => value * scales[column]);
      return { term: facts.terms[column], weight, row: values };
    }));
    for (const { weight, row: values } of terms) {
      for (let axis = 0; axis < size; axis += 1) position[axis] += weight * values[axis];
    }
    return { position, length: Math.hypot(...position) || 1, terms };
  }

  /** The position of a record at length 1. @param {number} number */
  async of(number) {
    const [rows, scales, offset] = await this.arrays();
    const size = offset.length;
    return Float32Array.from(rows.subarray(number * size, (number + 1) * size), (/** @type {number} */ value) => value * scales[number]);
  }

  /** Cosines of all records with a position. @param {Float32Array} position */
  async cosines(position) {
    const [rows, scales, offset] = await this.arrays();
    return dots(rows, scales, offset.length, position);
  }

  /** Cosines of all labels that the space knows with a position. @param {Float32Array} position */
  async labelCosines(position) {
    const [rows, scales] = await Promise.all([this.files.array("label_positions.npy"), this.files.array("label_scales.npy")]);
    return dots(rows, scales, position.length, position);
  }

  arrays() {
    return Promise.all([
      this.files.array("positions.npy"), this.files.array("position_scales.npy"), this.files.array("offset.npy"),
    ]);
  }
}

/**
 * @param {Int8Array} rows
 * @param {Float32Array} scales
 * @param {number} size
 * @param {Float32Array} position
 */
function dots(rows, scales, size, position) {
  const length = Math.hypot(...position) || 1;
  const direction = Float32Array.from(position, (value) => value / length);
  const found = new Float32Array(scales.length);
  for (let row = 0, start = 0; row < found.length; row += 1, start += size) {
    let sum = 0;
    for (let axis = 0; axis < size; axis += 1) sum += rows[start + axis] * direction[axis];
    found[row] = sum * scales[row];
  }
  return found;
}

/**
 * The numbers of the largest values that pass, the largest first; ties in the order of the numbers.
 *
 * @param {Float32Array} values
 * @param {number} limit
 * @param {((number: number) => boolean) | null} passes
 */
export function largest(values, limit, passes = null) {
  /** @type {number[]} */
  const kept = [];
  let least = -Infinity;
  for (let number = 0; number < values.length; number += 1) {
    if (kept.length >= limit && values[number] <= least) continue;
    if (passes && !passes(number)) continue;
    let place = kept.length;
    while (place > 0 && values[kept[place - 1]] < values[number]) place -= 1;
    kept.splice(place, 0, number);
    if (kept.length > limit) kept.pop();
    if (kept.length >= limit) least = values[kept[kept.length - 1]];
  }
  return kept;
}
