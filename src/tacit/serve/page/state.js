/** What the explorer knows and shows, as signals, and what can be done with it. */

import { batch, computed, effect, signal } from "./vendor.js";
import { createLabelBook } from "./data/labelbook.js";
import { createResource } from "./data/resource.js";
import { addressOf, go, route } from "./router.js";

/** @import { Colours, Filters, FullRecord, Hit, HitList, Info, Label, LabelPage, SearchResult, Source, Suggested } from "./data/types.js" */
/** @import { Route } from "./router.js" */

/** @typedef {ReturnType<typeof createState>} State */
/** @typedef {{numbers: Uint32Array, items: Hit[], labels: {label: Label, records: number}[], looked: number}} LassoPage */

/** A text of this length is a text to index, not a query. */
export const LONG_TEXT = 200;

const NO_FILTERS = /** @type {Partial<Route>} */ ({ label: [], under: [], where: [], range: [] });

/** @param {Source} source */
export function createState(source) {
  const retry = signal(0);
  const gone = signal(false);
  const renewed = signal(false);
  /** @param {Error} error */
  const noticed = (error) => {
    if (/** @type {any} */ (error).status === 0) gone.value = true;
  };

  const info = /** @type {ReturnType<typeof createResource<Info>>} */ (createResource(noticed));
  const search = /** @type {ReturnType<typeof createResource<SearchResult>>} */ (createResource(noticed));
  const suggested = /** @type {ReturnType<typeof createResource<Suggested>>} */ (createResource(noticed));
  const record = /** @type {ReturnType<typeof createResource<FullRecord>>} */ (createResource(noticed));
  const similar = /** @type {ReturnType<typeof createResource<HitList>>} */ (createResource(noticed));
  const label = /** @type {ReturnType<typeof createResource<LabelPage>>} */ (createResource(noticed));
  const recommended = /** @type {ReturnType<typeof createResource<HitList>>} */ (createResource(noticed));
  const lasso = /** @type {ReturnType<typeof createResource<LassoPage>>} */ (createResource(noticed));
  const colours = /** @type {ReturnType<typeof createResource<Colours>>} */ (createResource(noticed));
  const rows = /** @type {ReturnType<typeof createResource<Uint8Array>>} */ (createResource(noticed));
  const subjects = /** @type {ReturnType<typeof createResource<import("./data/types.js").LabelList>>} */ (createResource());

  const book = createLabelBook(source);
  const lassoNumbers = signal(/** @type {Uint32Array | null} */ (null));
  const hovered = signal(/** @type {number | null} */ (null));
  const isolated = signal(/** @type {number | null} */ (null));

  const can = computed(() => info.answer.value.value?.can ?? {});
  const filters = computed(() => filtersOf(route.value));
  const filtered = computed(() => countFilters(filters.value) > 0);
  const view = computed(() => viewOf(route.value, filtered.value, lassoNumbers.value !== null));

  /** Everything below waits for the index's facts. @param {() => void} run */
  const whenReady = (run) => effect(() => {
    retry.value;
    if (info.answer.value.status === "ready") run();
  });
  /** A question asked again only if its key changed. @param {() => unknown} make */
  const keyOf = (make) => computed(() => JSON.stringify(make()));

  const searchKey = keyOf(() => ["results", "recommend"].includes(view.value) || (route.value.mode === "" && (route.value.q || filtered.value))
    ? { q: route.value.mode === "" ? route.value.q : "", by: route.value.by, filters: filters.value } : null);
  whenReady(() => {
    const ask = JSON.parse(searchKey.value);
    search.ask(ask && ((abort) => source.search({ ...ask, limit: 20 }, abort)));
  });
  const subjectsKey = keyOf(() => (route.value.mode === "" ? route.value.q.trim() : ""));
  whenReady(() => {
    const q = JSON.parse(subjectsKey.value);
    const wanted = q.length > 2 && (info.answer.peek().value?.labels ?? 0) > 0;
    subjects.ask(wanted ? (abort) => source.labels({ q, limit: 3 }, abort) : null);
  });
  const suggestKey = keyOf(() => (route.value.mode === "suggest" && route.value.q ? route.value.q : null));
  whenReady(() => {
    const text = JSON.parse(suggestKey.value);
    suggested.ask(text && ((abort) => source.suggest(text, abort)), { keep: false });
  });
  const recordKey = keyOf(() => route.value.id);
  whenReady(() => {
    const id = JSON.parse(recordKey.value);
    record.ask(id ? (abort) => source.record(id, abort) : null, { keep: false });
    similar.ask(id ? (abort) => source.similar(id, { limit: 10 }, abort) : null, { keep: false });
  });
  const aboutKey = keyOf(() => route.value.about);
  whenReady(() => {
    const about = JSON.parse(aboutKey.value);
    label.ask(about ? () => book.page(about) : null, { keep: false });
  });
  const recommendKey = keyOf(() => (view.value === "recommend" ? { ...recommendationOf(route.value), filters: filters.value } : null));
  whenReady(() => {
    const ask = JSON.parse(recommendKey.value);
    recommended.ask(ask && ((abort) => source.recommend({ ...ask, limit: 20 }, abort)));
  });
  const rowsKey = keyOf(() => (filtered.value ? filters.value : null));
  whenReady(() => {
    const ask = JSON.parse(rowsKey.value);
    rows.ask(ask && can.peek().map ? (abort) => source.rows(ask, abort) : null);
  });
  const colouring = computed(() => route.value.colour || (info.answer.value.value?.labels ? "label" : "cluster"));
  const coloursKey = keyOf(() => ({ by: colouring.value, under: colouring.value === "label" ? (route.value.under.at(-1) ?? null) : null }));
  whenReady(() => {
    const ask = JSON.parse(coloursKey.value);
    isolated.value = null;
    colours.ask(can.peek().map ? (abort) => source.colours(ask, abort) : null);
  });
  effect(() => {
    const numbers = lassoNumbers.value;
    retry.value;
    lasso.ask(numbers && ((abort) => lookInside(source, numbers, abort)));
  });
  effect(() => book.remember(labelsSeen([search, similar, recommended, lasso].flatMap((one) => one.answer.value.value?.items ?? []))));
  effect(() => {
    for (const key of [...route.value.under, ...route.value.label]) {
      if (info.answer.value.status === "ready") book.page(key).catch(() => {});
    }
  });

  /** The next page of a list. @param {"search" | "similar" | "recommended"} which */
  async function more(which) {
    const list = { search, similar, recommended }[which];
    const cursor = list.answer.peek().value?.next;
    if (!cursor) return;
    const now = route.peek();
    const ask = { filters: filters.peek(), limit: 20, cursor };
    try {
      const next = which === "search" ? await source.search({ q: now.q, by: now.by, ...ask })
        : which === "similar" ? await source.similar(now.id, { limit: 10, cursor })
          : await source.recommend({ ...recommendationOf(now), ...ask });
      if (list.answer.peek().value?.next === cursor) list.amend((value) => ({ ...value, items: [...value.items, ...next.items], next: next.next }));
    } catch (error) {
      noticed(/** @type {Error} */ (error));
    }
  }

  /** Filter by a label: itself, or with everything below it. @param {Label} chosen @param {boolean} [below] */
  async function filterBy(chosen, below = info.answer.peek().value?.has_taxonomy ?? false) {
    const key = await book.keyOf(chosen);
    const now = route.peek();
    const change = below ? { under: [key] } : { label: [...new Set([...now.label, key])] };
    leaveLasso();
    go({ ...change, id: "", about: "" });
  }

  /** @param {Label} chosen */
  async function openLabel(chosen) {
    go({ about: await book.keyOf(chosen), id: "" });
  }

  function leaveLasso() {
    lassoNumbers.value = null;
  }

  /** One step back towards the start: what the Esc key does. */
  function closeOne() {
    const now = route.peek();
    if (now.id) go({ id: "" });
    else if (now.about) go({ about: "" });
    else if (lassoNumbers.peek()) leaveLasso();
    else if (now.mode || now.q) go({ mode: "", q: "", to: "", like: [], dislike: [] });
    else if (countFilters(filtersOf(now))) go(NO_FILTERS);
  }

  /** Search for words, or ask for subjects if the text is long. @param {string} text @param {{replace?: boolean}} [options] */
  function enter(text, options) {
    const isText = can.peek().suggest && (text.length > LONG_TEXT || text.trim().includes("\n"));
    batch(() => {
      leaveLasso();
      go({ q: text, mode: isText ? "suggest" : "", id: "", about: "" }, options);
    });
  }

  /** Put a record among the liked or the disliked, or take it out again. @param {"like" | "dislike"} which @param {string} id */
  function judge(which, id) {
    const now = route.peek();
    const other = which === "like" ? "dislike" : "like";
    const mine = now[which].includes(id) ? now[which].filter((one) => one !== id) : [...now[which], id];
    const like = which === "like" ? mine : now.like.filter((one) => one !== id);
    const dislike = which === "dislike" ? mine : now.dislike.filter((one) => one !== id);
    go({ [which]: mine, [other]: now[other].filter((one) => one !== id), mode: like.length + dislike.length ? now.mode : now.mode === "recommend" ? "" : now.mode });
  }

  return {
    source, book, info, search, suggested, record, similar, label, recommended, lasso, colours, rows, subjects,
    retry, gone, renewed, hovered, isolated, lassoNumbers, can, filters, filtered, view, colouring,
    more, filterBy, openLabel, leaveLasso, closeOne, enter, judge,
  };
}

/** Which panel is on top. @param {Route} now @param {boolean} filtered @param {boolean} inLasso */
function viewOf(now, filtered, inLasso) {
  if (now.id) return "record";
  if (now.about) return "label";
  if (inLasso) return "lasso";
  if (now.mode === "suggest" && now.q) return "suggest";
  if (now.mode === "recommend" && (now.to || now.like.length + now.dislike.length)) return "recommend";
  return now.q || filtered ? "results" : "start";
}

/** What to recommend for: liked records, or a link such as an author. @param {Route} now */
function recommendationOf({ to, like, dislike }) {
  const cut = to.indexOf("=");
  return cut > 0 ? { kind: to.slice(0, cut), name: to.slice(cut + 1) } : { like, dislike };
}

/** @param {Route} now @returns {Filters} */
function filtersOf({ label, under, where, range }) {
  return { label, under, where, range };
}

/** @param {Filters} filters */
export function countFilters(filters) {
  return filters.label.length + filters.under.length + filters.where.length + filters.range.length;
}

/** The route without one filter. @param {Route} now @param {keyof Filters} kind @param {string} value @returns {Partial<Route>} */
export function without(now, kind, value) {
  return { [kind]: now[kind].filter((one) => one !== value) };
}

/** The address of the present state with a change, for real links. @param {Partial<Route>} change */
export function linkTo(change) {
  return `#${addressOf({ ...route.value, ...change })}`;
}

/** @param {Hit[]} hits */
function labelsSeen(hits) {
  return hits.flatMap((hit) => hit.labels);
}

/**
 * The first records inside a lasso, and the labels that are most frequent in a sample of it.
 *
 * @param {Source} source @param {Uint32Array} numbers @param {AbortSignal} abort
 * @returns {Promise<LassoPage>}
 */
async function lookInside(source, numbers, abort) {
  const step = Math.max(1, Math.floor(numbers.length / 300));
  const sample = Array.from(numbers.filter((_, place) => place % step === 0)).slice(0, 300);
  const batches = [];
  for (let start = 0; start < sample.length; start += 100) batches.push(source.records(sample.slice(start, start + 100), abort));
  const items = (await Promise.all(batches)).flatMap((answer) => answer.items);
  /** @type {Map<string, {label: Label, records: number}>} */
  const counts = new Map();
  for (const label of labelsSeen(items)) {
    const count = counts.get(label.label) ?? { label, records: 0 };
    count.records += 1;
    counts.set(label.label, count);
  }
  const labels = [...counts.values()].sort((a, b) => b.records - a.records).slice(0, 8);
  return { numbers, items, labels, looked: items.length };
}
