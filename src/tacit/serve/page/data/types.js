/**
 * The shapes that every source of data answers with. Types only: this module holds no code.
 *
 * @typedef {{label: string, title: string}} Label
 * @typedef {{x: number, y: number, px: number | null, py: number | null}} Point
 * @typedef {{text: string, marks: [number, number][]}} Snippet
 * @typedef {Record<string, string[]>} Links
 * @typedef {{meaning: number | null, words: number | null}} Parts
 * @typedef {{
 *   id: string, number: number, title: string, snippet?: Snippet | null, labels: Label[], links: Links,
 *   fields: Record<string, unknown>, score?: number | null, parts?: Parts | null, why?: string | null, map: Point | null,
 * }} Hit
 * @typedef {{label: string[], under: string[], where: string[], range: string[]}} Filters
 * @typedef {{items: Hit[], next: string | null}} HitList
 * @typedef {HitList & {pin?: Point | null, total?: number | null, meant?: string | null}} SearchResult
 * @typedef {{name: string, kind: string, values?: [string | number, number][], low?: number | null, high?: number | null}} Field
 * @typedef {{
 *   name: string, title: string, generation: string | number, records: number, labels: number, has_taxonomy: boolean,
 *   link_kinds: string[], fields: Field[], model: string, dimensions: number, counted: Record<string, number>,
 *   can: Record<string, boolean>, examples: string[],
 * }} Info
 * @typedef {{
 *   id: string, number: number, title: string, text: string, labels: (Label & {path: Label[]})[], links: Links,
 *   fields: Record<string, unknown>, map: Point | null,
 * }} FullRecord
 * @typedef {{
 *   label: string, title: string, uri: string | null, probability: number, chosen: boolean, path: Label[], why: string,
 *   evidence: Record<string, unknown> | null,
 * }} Suggestion
 * @typedef {{suggestions: Suggestion[], pin: Point | null}} Suggested
 * @typedef {{word: string, part: number}} WordPart
 * @typedef {{
 *   kind: string, sentence: string, words: WordPart[], shared_words: string[], labels: Label[], ancestors: Label[],
 *   links: Links, counted: Record<string, number>, dimensions: {number: number, part: number, about: string[]}[],
 *   score: Record<string, number | null> | null,
 * }} Explanation
 * @typedef {{label: string, title: string, records: number, total: number, children: number, path: Label[]}} TreeLabel
 * @typedef {{items: TreeLabel[], next: string | null}} LabelList
 * @typedef {{
 *   label: string, title: string, path: Label[], records: number, total: number, words: WordPart[],
 *   related: (Label & {cosine: number})[], broader: Label[], narrower: Label[], members: Hit[],
 * }} LabelPage
 * @typedef {{name: string, label: string | null, records: number, code: number}} ColourGroup
 * @typedef {{codes: Uint8Array, groups: ColourGroup[]}} Colours
 * @typedef {{text: string, label: string | null, x: number, y: number, px: number | null, py: number | null, level: number, records: number}} MapName
 * @typedef {{
 *   info: (signal?: AbortSignal) => Promise<Info>,
 *   search: (ask: {q?: string, by?: string, filters?: Filters, limit?: number, cursor?: string | null}, signal?: AbortSignal) => Promise<SearchResult>,
 *   record: (id: string, signal?: AbortSignal) => Promise<FullRecord>,
 *   records: (numbers: number[], signal?: AbortSignal) => Promise<HitList>,
 *   similar: (id: string, ask?: {filters?: Filters, limit?: number, cursor?: string | null}, signal?: AbortSignal) => Promise<HitList>,
 *   suggest: (text: string, signal?: AbortSignal) => Promise<Suggested>,
 *   explain: (ask: {q?: string, id?: string, other?: string, label?: string, text?: string}, signal?: AbortSignal) => Promise<Explanation>,
 *   labels: (ask: {parent?: string, q?: string, limit?: number, cursor?: string | null}, signal?: AbortSignal) => Promise<LabelList>,
 *   label: (label: string, signal?: AbortSignal) => Promise<LabelPage>,
 *   concepts: (signal?: AbortSignal) => Promise<{items: unknown[], next: string | null}>,
 *   recommend: (ask: {like?: string[], dislike?: string[], kind?: string, name?: string, filters?: Filters, limit?: number, cursor?: string | null}, signal?: AbortSignal) => Promise<HitList>,
 *   points: (signal?: AbortSignal) => Promise<{points: Int16Array, plain: Int16Array | null}>,
 *   names: (signal?: AbortSignal) => Promise<MapName[]>,
 *   colours: (ask: {by: string, under?: string | null}, signal?: AbortSignal) => Promise<Colours>,
 *   rows: (filters: Filters | null, signal?: AbortSignal) => Promise<Uint8Array>,
 * }} Source
 */

export {};
