/**
 * The source of data for a site without a server: everything is computed in the browser from the files that
 * `tacit export --site` wrote. Search is by meaning; suggestions come from the nearest records.
 */

import { Columns } from "./site/columns.js";
import { Files, piece } from "./site/files.js";
import { Labels } from "./site/labels.js";
import { Space, largest } from "./site/space.js";
import { SourceError } from "./server.js";

/** @import { Filters, Hit, Label, MapName, Point, Source, WordPart } from "./types.js" */
/** @import { Placed } from "./site/space.js" */

/** @typedef {{id: string, title: string, text: string, links?: Record<string, string[]>, fields?: Record<string, unknown>}} Stored */

const SNIPPET = 240;
const TOLD_WORDS = 12;

/** @param {string} base folder of the files, such as `data` @returns {Source} */
export function createSiteSource(base) {
  const site = new Site(base);
  return {
    info: () => site.files.json("info.json"),
    search: (ask) => site.search(ask),
    record: (id) => site.record(id),
    records: async (numbers) => ({ items: await site.hits(numbers), next: null }),
    similar: (id, ask = {}) => site.similar(id, ask),
    suggest: (text) => site.suggest(text),
    explain: (ask) => site.explain(ask),
    labels: (ask) => site.labelList(ask),
    label: (label) => site.labelPage(label),
    concepts: async () => ({ items: [], next: null }),
    recommend: (ask) => site.recommend(ask),
    async points() {
      const [points, plain] = await Promise.all([site.points(false), site.points(true)]);
      return { points: points ?? new Int16Array(), plain };
    },
    names: async () => /** @type {MapName[]} */ (await site.files.json("names.json")),
    colours: (ask) => site.colours(ask),
    rows: (filters) => site.rows(filters),
  };
}

class Site {
  /** @param {string} base */
  constructor(base) {
    this.files = new Files(base);
    this.space = new Space(this.files);
    /** @type {Promise<Labels> | null} */
    this.labelsRead = null;
    /** @type {Promise<Map<string, number>> | null} */
    this.idsRead = null;
  }

  labels() {
    this.labelsRead ??= Labels.read(this.files);
    return this.labelsRead;
  }

  /** @param {string} id */
  async numberOf(id) {
    this.idsRead ??= this.files.json("ids.json").then((ids) => new Map(ids.map((/** @type {string} */ one, /** @type {number} */ row) => [one, row])));
    const number = (await this.idsRead).get(id);
    if (number === undefined) throw new SourceError(404, `No record has the id “${id}”.`);
    return number;
  }

  /** @param {boolean} plain @returns {Promise<Int16Array | null>} */
  async points(plain) {
    const { can } = await this.files.json("info.json");
    if (plain ? !can.plain : !can.map) return null;
    return this.files.array(plain ? "plain.npy" : "points.npy");
  }

  async columns() {
    const { fields, links } = await this.files.json("info.json");
    return new Columns(this.files, [...fields, ...links]);
  }

  /** @param {Filters | null | undefined} filters */
  async test(filters) {
    return (await this.columns()).test(filters, await this.labels());
  }

  /** @param {number} number @returns {Promise<Stored>} */
  async stored(number) {
    const starts = await this.files.json("pieces.json");
    let place = starts.findLastIndex((/** @type {number} */ start) => start <= number);
    place = Math.max(0, place);
    return (await this.files.json(`records/${piece(place)}.json`))[number - starts[place]];
  }

  /** @param {number} number @returns {Promise<Point | null>} */
  async point(number) {
    const [points, plain] = await Promise.all([this.points(false), this.points(true)]);
    if (!points) return null;
    return {
      x: points[2 * number], y: points[2 * number + 1],
      px: plain ? plain[2 * number] : null, py: plain ? plain[2 * number + 1] : null,
    };
  }

  /**
   * @param {number[]} numbers
   * @param {{q?: string, cosines?: Float32Array, placed?: Placed}} [found]
   * @returns {Promise<Hit[]>}
   */
  async hits(numbers, { q, cosines, placed } = {}) {
    const labels = await this.labels();
    const wanted = q ? new Set((await this.space.found(q)).map(({ word }) => word)) : new Set();
    return Promise.all(numbers.map(async (number) => {
      const record = await this.stored(number);
      const cosine = cosines ? cosines[number] : null;
      const words = placed ? (await this.parts(placed, number)).filter(({ part }) => part > 0).slice(0, 3) : [];
      return {
        id: record.id, number, title: titleOf(record), snippet: await this.snippet(record, wanted),
        labels: [...labels.of(number)].map((label) => labels.named(label)), links: record.links ?? {}, fields: record.fields ?? {},
        score: cosine === null ? null : Math.max(0, Math.min(1, cosine)), parts: { meaning: cosine, words: null },
        why: words.length ? `Near in meaning, by ${listed(words.map(({ word }) => `“${word}”`))}.` : cosine === null ? "" : "Near in meaning.",
        map: await this.point(number),
      };
    }));
  }

  /** The part of a text with most of the wanted words. @param {Stored} record @param {Set<unknown>} wanted */
  async snippet(record, wanted) {
    const found = (await this.space.found(record.text)).filter(({ word }) => wanted.has(word));
    let best = 0;
    let most = 0;
    for (const { start } of found) {
      const inside = found.filter((one) => one.start >= start && one.end <= start + SNIPPET - 40).length;
      if (inside > most) [best, most] = [start, inside];
    }
    const from = best > 40 ? record.text.indexOf(" ", best - 40) + 1 : 0;
    const text = record.text.slice(from, from + SNIPPET);
    /** @type {[number, number][]} */
    const marks = found.filter(({ start, end }) => start >= from && end <= from + SNIPPET).map(({ start, end }) => [start - from, end - from]);
    return { text: (from ? "… " : "") + text, marks: marks.map(([start, end]) => /** @type {[number, number]} */ ([start + (from ? 2 : 0), end + (from ? 2 : 0)])) };
  }

  /** @param {{q?: string, filters?: Filters, limit?: number, cursor?: string | null}} ask */
  async search({ q, filters, limit = 20, cursor }) {
    const passes = await this.test(filters);
    const start = Number(cursor ?? 0);
    if (!q) return { ...(await this.listed(passes, start, limit)), pin: null, meant: null };
    const placed = await this.space.place(q);
    if (!placed) return { items: [], next: null, pin: null, total: 0, meant: null };
    const cosines = await this.space.cosines(placed.position);
    const numbers = largest(cosines, start + limit + 1, passes);
    const items = await this.hits(numbers.slice(start, start + limit), { q, cosines, placed });
    const next = numbers.length > start + limit ? String(start + limit) : null;
    return { items, next, pin: await this.pin(placed.position, cosines), total: null, meant: null };
  }

  /** @param {((row: number) => boolean) | null} passes @param {number} start @param {number} limit */
  async listed(passes, start, limit) {
    const { records } = await this.files.json("info.json");
    const numbers = [];
    for (let row = 0; row < records; row += 1) if (!passes || passes(row)) numbers.push(row);
    const items = await this.hits(numbers.slice(start, start + limit));
    return { items, next: numbers.length > start + limit ? String(start + limit) : null, total: numbers.length };
  }

  /** Where a text belongs: between its nearest records that are near each other on the map. @param {Float32Array} position @param {Float32Array} [cosines] */
  async pin(position, cosines) {
    const [points, plain] = await Promise.all([this.points(false), this.points(true)]);
    if (!points) return null;
    const near = largest(cosines ?? (await this.space.cosines(position)), 8);
    const [x, y] = middle(points, near);
    const [px, py] = plain ? middle(plain, near) : [null, null];
    return { x, y, px, py };
  }

  /** @param {string} id @param {{filters?: Filters, limit?: number, cursor?: string | null}} ask */
  async similar(id, { filters, limit = 12, cursor }) {
    const number = await this.numberOf(id);
    return this.nearest(await this.space.of(number), new Set([number]), filters, limit, cursor);
  }

  /** @param {{like?: string[], dislike?: string[], filters?: Filters, limit?: number, cursor?: string | null}} ask */
  async recommend({ like = [], dislike = [], filters, limit = 20, cursor }) {
    const [liked, disliked] = await Promise.all([like, dislike].map((ids) => Promise.all(ids.map((id) => this.numberOf(id)))));
    const { length } = await this.files.array("offset.npy");
    const position = new Float32Array(length);
    for (const [numbers, sign] of /** @type {[number[], number][]} */ ([[liked, 1], [disliked, -0.5]])) {
      for (const number of numbers) (await this.space.of(number)).forEach((value, axis) => { position[axis] += (sign * value) / numbers.length; });
    }
    return this.nearest(position, new Set([...liked, ...disliked]), filters, limit, cursor);
  }

  /** @param {Float32Array} position @param {Set<number>} without @param {Filters | undefined} filters @param {number} limit @param {string | null | undefined} cursor */
  async nearest(position, without, filters, limit, cursor) {
    const passes = await this.test(filters);
    const start = Number(cursor ?? 0);
    const cosines = await this.space.cosines(position);
    const numbers = largest(cosines, start + limit + 1, (number) => !without.has(number) && (!passes || passes(number)));
    const next = numbers.length > start + limit ? String(start + limit) : null;
    return { items: await this.hits(numbers.slice(start, start + limit), { cosines }), next };
  }

  /** @param {string} id */
  async record(id) {
    const number = await this.numberOf(id);
    const [record, labels, map] = await Promise.all([this.stored(number), this.labels(), this.point(number)]);
    return {
      id, number, title: titleOf(record), text: record.text, map,
      labels: [...labels.of(number)].map((label) => ({ ...labels.named(label), path: labels.path(label) })),
      links: record.links ?? {}, fields: record.fields ?? {},
    };
  }

  /** @param {string} text */
  async suggest(text) {
    const placed = await this.space.place(text);
    const { site } = await this.files.json("info.json");
    if (!placed || !site.calibration) return { suggestions: [], pin: null };
    const [labels, cosines, labelCosines] = await Promise.all([
      this.labels(), this.space.cosines(placed.position), this.space.labelCosines(placed.position),
    ]);
    const near = largest(cosines, site.neighbours).filter((number) => cosines[number] > 0);
    const total = near.reduce((sum, number) => sum + cosines[number] ** 2, 0) || 1;
    /** @type {Map<number, {share: number, records: number}>} */
    const found = new Map();
    for (const number of near) {
      for (const label of labels.of(number)) {
        const { share, records } = found.get(label) ?? { share: 0, records: 0 };
        found.set(label, { share: share + cosines[number] ** 2 / total, records: records + 1 });
      }
    }
    const { constant, share: byShare, cosine: byCosine, threshold } = site.calibration;
    const suggestions = [...found].map(([label, { share, records }]) => {
      const probability = 1 / (1 + Math.exp(-(constant + byShare * Math.log(share) + byCosine * (labelCosines[label] ?? 0))));
      const { label: id, title } = labels.named(label);
      return {
        label: id, title, uri: /^https?:/.test(id) ? id : null, probability, chosen: probability >= threshold, path: labels.path(label),
        why: `${records} of the ${near.length} nearest records ${records === 1 ? "has" : "have"} it.`, evidence: null,
      };
    });
    suggestions.sort((a, b) => b.probability - a.probability);
    return { suggestions: suggestions.slice(0, 12), pin: await this.pin(placed.position, cosines) };
  }

  /** What each word of a text adds to its cosine with a record, the most first. @param {Placed} placed @param {number} number @returns {Promise<WordPart[]>} */
  async parts(placed, number) {
    const record = await this.space.of(number);
    const parts = placed.terms.map(({ term, weight, row }) => ({
      word: term, part: (weight * row.reduce((sum, value, axis) => sum + value * record[axis], 0)) / placed.length,
    }));
    return parts.sort((a, b) => Math.abs(b.part) - Math.abs(a.part));
  }

  /** @param {{q?: string, id?: string, other?: string, label?: string, text?: string}} ask */
  async explain({ q, id, other, label, text }) {
    const nothing = { shared_words: [], labels: [], ancestors: [], links: {}, counted: {}, dimensions: [], score: null };
    if (q && id) {
      const [placed, number] = await Promise.all([this.space.place(q), this.numberOf(id)]);
      const words = placed ? (await this.parts(placed, number)).slice(0, TOLD_WORDS) : [];
      const cosine = placed ? (await this.space.cosines(placed.position))[number] : 0;
      const told = words.filter(({ part }) => part > 0).map(({ word }) => `“${word}”`);
      const sentence = `The record is ${nearness(cosine)} the query (cosine ${cosine.toFixed(2)})${told.length ? `, mostly by ${listed(told.slice(0, 3))}` : ""}.`;
      return { ...nothing, kind: "hit", sentence, words, score: { meaning: cosine, words: null } };
    }
    if (id && other) return { ...nothing, ...(await this.pair(id, other)) };
    if (label && text) {
      const found = (await this.suggest(text)).suggestions.find((one) => one.label === label);
      return { ...nothing, kind: "text_label", sentence: found?.why ?? "None of the nearest records has it.", words: [] };
    }
    const page = await this.labelPage(label ?? "");
    return { ...nothing, kind: "label", sentence: `${page.total} records have it, or a label below it.`, words: page.words };
  }

  /** @param {string} id @param {string} other */
  async pair(id, other) {
    const numbers = await Promise.all([this.numberOf(id), this.numberOf(other)]);
    const [one, two] = await Promise.all(numbers.map((number) => this.stored(number)));
    const labels = await this.labels();
    const shared = [...labels.of(numbers[0])].filter((label) => labels.of(numbers[1]).includes(label)).map((label) => labels.named(label));
    const [row, words] = await Promise.all([this.space.row(one.text), this.files.json("words.json")]);
    const others = new Set((await this.space.row(two.text)).map(({ column }) => column));
    const both = row.filter(({ column }) => others.has(column)).sort((a, b) => b.weight - a.weight).slice(0, TOLD_WORDS);
    const links = Object.fromEntries(Object.entries(one.links ?? {})
      .map(([kind, names]) => [kind, names.filter((name) => two.links?.[kind]?.includes(name))]).filter(([, names]) => names.length));
    const cosine = (await this.space.cosines(await this.space.of(numbers[0])))[numbers[1]];
    const said = [`The records are ${nearness(cosine)} each other (cosine ${cosine.toFixed(2)}).`];
    if (shared.length) said.push(`Both have ${listed(shared.map(({ title }) => title))}.`);
    return {
      kind: "pair", sentence: said.join(" "), words: [], shared_words: both.map(({ column }) => words.terms[column]), labels: shared, links,
      score: { meaning: cosine, words: null },
    };
  }

  /** @param {{parent?: string, q?: string, limit?: number, cursor?: string | null}} ask */
  async labelList({ parent, q, limit = 50, cursor }) {
    const labels = await this.labels();
    if (q) return { items: labels.lookUp(q, limit), next: null };
    const start = Number(cursor ?? 0);
    const numbers = (parent ? labels.children[labels.find(parent)] : labels.tops).filter((number) => labels.facts.totals[number]);
    const next = numbers.length > start + limit ? String(start + limit) : null;
    return { items: numbers.slice(start, start + limit).map((number) => labels.node(number)), next };
  }

  /** @param {string} name */
  async labelPage(name) {
    const labels = await this.labels();
    const number = labels.find(name);
    const details = (await this.files.json(`labels/${piece(Math.floor(number / labels.facts.piece))}.json`))[number % labels.facts.piece];
    const members = [];
    const below = labels.below(number);
    for (let row = 0; row + 1 < labels.starts.length && members.length < 10; row += 1) {
      if (labels.of(row).some((label) => below.has(label))) members.push(row);
    }
    const { path, records, total } = labels.node(number);
    return {
      ...labels.named(number), path, records, total,
      words: details.words.map((/** @type {[string, number]} */ [word, part]) => ({ word, part })),
      related: details.related.map((/** @type {[number, number]} */ [other, cosine]) => ({ ...labels.named(other), cosine })),
      broader: labels.facts.parents[number].map((above) => labels.named(above)),
      narrower: labels.children[number].map((one) => labels.named(one)), members: await this.hits(members),
    };
  }

  /** @param {{by: string, under?: string | null}} ask */
  async colours({ by, under }) {
    if (by === "cluster" || by === "concept") {
      const [codes, groups] = await Promise.all([this.files.array(`colours_${by}.npy`), this.files.json(`colours_${by}.json`)]);
      return { codes, groups };
    }
    if (by !== "label") return this.fieldColours(by);
    return (await this.labels()).colours(under);
  }

  /** @param {string} name */
  async fieldColours(name) {
    const [info, columns] = await Promise.all([this.files.json("info.json"), this.columns()]);
    const { values = [] } = /** @type {{values?: [string | number, number][]}} */ (columns.column(name));
    const codes = new Uint8Array(info.records);
    const groups = [];
    for (const [place, [value, records]] of values.slice(0, 12).entries()) {
      const passes = await columns.among(name, [String(value)]);
      for (let row = 0; row < codes.length; row += 1) if (!codes[row] && passes(row)) codes[row] = place + 1;
      groups.push({ name: String(value), label: null, records, code: place + 1 });
    }
    return { codes, groups };
  }

  /** @param {Filters | null} filters */
  async rows(filters) {
    const { records } = await this.files.json("info.json");
    const passes = await this.test(filters);
    const bits = new Uint8Array(Math.ceil(records / 8));
    for (let row = 0; row < records; row += 1) if (!passes || passes(row)) bits[row >> 3] |= 1 << (row & 7);
    return bits;
  }
}

/** @param {Stored} record */
const titleOf = (record) => record.title || record.text.trim().split("\n", 1)[0].slice(0, 80);

/** Between records, the first counting most; those far from the first on the map are left out. @param {Int16Array} points @param {number[]} near @returns {[number, number]} */
function middle(points, near) {
  const [first] = near;
  let [x, y, sum] = [0, 0, 0];
  near.forEach((number, rank) => {
    const far = Math.hypot(points[2 * number] - points[2 * first], points[2 * number + 1] - points[2 * first + 1]) > 0.05 * 65534;
    const weight = far ? 0 : 1 / (1 + rank);
    x += weight * points[2 * number];
    y += weight * points[2 * number + 1];
    sum += weight;
  });
  return [Math.round(x / sum), Math.round(y / sum)];
}

/** @param {number} cosine */
const nearness = (cosine) => (cosine > 0.7 ? "very near" : cosine > 0.4 ? "near" : cosine > 0.15 ? "somewhat near" : "far from");

/** @param {string[]} words */
const listed = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`);
