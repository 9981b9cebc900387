/** The labels of a static site: their tree, the records of each, and colours by the labels below one of them. */

import { SourceError } from "../server.js";

/** @import { Colours, Label, TreeLabel } from "../types.js" */
/** @import { Files } from "./files.js" */

const DOZEN = 12;
const OTHERS = 13;

export class Labels {
  /**
   * @param {{ids: string[], titles: string[], parents: number[][], records: number[], totals: number[], piece: number}} facts
   * @param {Uint32Array} starts
   * @param {Uint32Array} numbers
   */
  constructor(facts, starts, numbers) {
    this.facts = facts;
    this.starts = starts;
    this.numbers = numbers;
    this.places = new Map(facts.ids.map((id, number) => [id, number]));
    /** @type {number[][]} */
    this.children = facts.ids.map(() => []);
    facts.parents.forEach((above, number) => above.forEach((parent) => this.children[parent].push(number)));
    const frequent = (/** @type {number} */ a, /** @type {number} */ b) => facts.totals[b] - facts.totals[a] || (facts.titles[a] < facts.titles[b] ? -1 : 1);
    this.children.forEach((below) => below.sort(frequent));
    this.hasTree = this.children.some((below) => below.length > 0);
    let tops = facts.ids.map((_, number) => number).filter((number) => !facts.parents[number].length && facts.totals[number] > 0);
    while (tops.length === 1 && this.children[tops[0]].length) tops = this.children[tops[0]];
    this.tops = tops.sort(frequent);
  }

  /** @param {Files} files */
  static async read(files) {
    const [facts, starts, numbers] = await Promise.all([
      files.json("labels.json"), files.array("record_label_starts.npy"), files.array("record_labels.npy"),
    ]);
    return new Labels(facts, starts, numbers);
  }

  /** The number of a label by its id or, case aside, its title. @param {string} name */
  find(name) {
    const number = this.places.get(name) ?? this.facts.titles.findIndex((title) => title.toLowerCase() === name.toLowerCase());
    if (number < 0) throw new SourceError(404, `No label is called “${name}”.`);
    return number;
  }

  /** @param {number} number @returns {Label} */
  named(number) {
    return { label: this.facts.ids[number], title: this.facts.titles[number] };
  }

  /** Labels above, from the top. @param {number} number @returns {Label[]} */
  path(number) {
    const path = [];
    const seen = new Set([number]);
    for (let [above] = this.facts.parents[number]; above !== undefined && !seen.has(above); [above] = this.facts.parents[above]) {
      seen.add(above);
      path.unshift(this.named(above));
    }
    return path;
  }

  /** @param {number} number @returns {TreeLabel} */
  node(number) {
    const { records, totals } = this.facts;
    return { ...this.named(number), records: records[number], total: totals[number], children: this.children[number].length, path: this.path(number) };
  }

  /** Labels of a record. @param {number} row */
  of(row) {
    return this.numbers.subarray(this.starts[row], this.starts[row + 1]);
  }

  /** A label and everything below it. @param {number} number */
  below(number) {
    const found = new Set([number]);
    for (const one of found) this.children[one].forEach((child) => found.add(child)); // a set yields what is added meanwhile
    return found;
  }

  /** @param {string} q @param {number} limit */
  lookUp(q, limit) {
    const wanted = fold(q);
    const found = [];
    for (let number = 0; number < this.facts.titles.length; number += 1) {
      const title = fold(this.facts.titles[number]);
      const place = title.indexOf(wanted);
      if (place >= 0 && this.facts.totals[number]) found.push({ number, rank: title === wanted ? 0 : place === 0 ? 1 : 2 });
    }
    found.sort((a, b) => a.rank - b.rank || this.facts.totals[b.number] - this.facts.totals[a.number]);
    return found.slice(0, limit).map(({ number }) => this.node(number));
  }

  /**
   * Colours by the labels directly below one, or by the top ones.
   *
   * @param {string | null | undefined} under
   * @returns {Colours}
   */
  colours(under) {
    const top = under ? this.find(under) : -1;
    const below = top < 0 ? this.tops : this.children[top];
    const chosen = (below.length || top < 0 ? below : [top]).slice(0, DOZEN);
    const inside = top < 0 ? null : this.below(top);
    /** @type {Map<number, number>} */
    const codeOf = new Map();
    [...chosen].reverse().forEach((label, place) => this.below(label).forEach((one) => codeOf.set(one, chosen.length - place)));
    const codes = new Uint8Array(this.starts.length - 1);
    const counts = new Array(OTHERS + 1).fill(0);
    for (let row = 0; row < codes.length; row += 1) {
      let code = 0;
      for (const label of this.of(row)) {
        const found = codeOf.get(label) ?? (!inside || inside.has(label) ? OTHERS : 0);
        if (found && (!code || found < code)) code = found;
      }
      codes[row] = code;
      counts[code] += 1;
    }
    const groups = chosen.map((label, place) => ({ name: this.facts.titles[label], label: this.facts.ids[label], records: counts[place + 1], code: place + 1 }));
    if (counts[OTHERS]) groups.push({ name: "other", label: /** @type {any} */ (null), records: counts[OTHERS], code: OTHERS });
    return { codes, groups };
  }
}

/** Without case and accents. @param {string} text */
export const fold = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").trim();
