/** Filters of a static site: labels, fields, links and ranges, tested in the browser. */

import { SourceError } from "../server.js";
import { fold } from "./labels.js";

/** @import { Filters } from "../types.js" */
/** @import { Files } from "./files.js" */
/** @import { Labels } from "./labels.js" */

/** @typedef {{name: string, kind: string, column: number}} ColumnFacts */

export class Columns {
  /** @param {Files} files @param {ColumnFacts[]} facts */
  constructor(files, facts) {
    this.files = files;
    this.facts = facts;
  }

  /**
   * @param {Filters | null | undefined} filters
   * @param {Labels} labels
   * @returns {Promise<((row: number) => boolean) | null>} null if every record passes
   */
  async test(filters, labels) {
    if (!filters) return null;
    /** @type {((row: number) => boolean)[]} */
    const tests = [];
    for (const name of filters.label) tests.push(hasAny(labels, new Set([labels.find(name)])));
    for (const name of filters.under) tests.push(hasAny(labels, labels.below(labels.find(name))));
    for (const [name, values] of grouped(filters.where)) tests.push(await this.among(name, values));
    for (const condition of filters.range) tests.push(await this.within(condition));
    return tests.length ? (row) => tests.every((passes) => passes(row)) : null;
  }

  /** @param {string} name */
  column(name) {
    const found = this.facts.find((one) => fold(one.name) === fold(name));
    if (!found) throw new SourceError(400, `No field is called “${name}”.`);
    return found;
  }

  /** @param {string} name @param {string[]} values */
  async among(name, values) {
    const { kind, column } = this.column(name);
    if (kind === "number") {
      const numbers = await this.files.array(`column_${column}_numbers.npy`);
      const wanted = new Set(values.map((value) => Math.fround(Number(value))));
      return (/** @type {number} */ row) => wanted.has(numbers[row]);
    }
    const [starts, codes, names] = await Promise.all([
      this.files.array(`column_${column}_starts.npy`), this.files.array(`column_${column}_codes.npy`), this.files.json(`column_${column}_names.json`),
    ]);
    const folded = new Set(values.map(fold));
    const wanted = new Set(names.flatMap((/** @type {string} */ value, /** @type {number} */ code) => (folded.has(fold(value)) ? [code] : [])));
    return (/** @type {number} */ row) => codes.subarray(starts[row], starts[row + 1]).some((/** @type {number} */ code) => wanted.has(code));
  }

  /** @param {string} condition such as `year=1990..2000` */
  async within(condition) {
    const [, name, low, high] = /^([^=]+)=(.*?)\.\.(.*)$/.exec(condition) ?? [];
    if (name === undefined) throw new SourceError(400, `A range must look like year=1990..2000, not “${condition}”.`);
    const { kind, column } = this.column(name);
    if (kind !== "number") throw new SourceError(400, `The field “${name}” has no numbers.`);
    const numbers = await this.files.array(`column_${column}_numbers.npy`);
    const [least, most] = [low === "" ? -Infinity : Number(low), high === "" ? Infinity : Number(high)];
    return (/** @type {number} */ row) => numbers[row] >= least && numbers[row] <= most;
  }
}

/** @param {Labels} labels @param {Set<number>} wanted */
function hasAny(labels, wanted) {
  return (/** @type {number} */ row) => labels.of(row).some((label) => wanted.has(label));
}

/** Values of conditions such as `kind=map`, by name. @param {string[]} conditions */
function grouped(conditions) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const condition of conditions) {
    const place = condition.indexOf("=");
    if (place < 1) throw new SourceError(400, `A condition must look like NAME=VALUE, not “${condition}”.`);
    const name = condition.slice(0, place);
    found.set(name, [...(found.get(name) ?? []), condition.slice(place + 1)]);
  }
  return found;
}
