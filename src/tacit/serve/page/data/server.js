/** The source of data that asks a running `tacit serve`. */

import { readNpy } from "./npy.js";

/** @import { Colours, Explanation, Filters, FullRecord, HitList, Info, LabelList, LabelPage, MapName, SearchResult, Source, Suggested } from "./types.js" */

/** A request that failed. `status` is 0 if the server could not be reached. */
export class SourceError extends Error {
  /**
   * @param {number} status
   * @param {string} detail one sentence for people
   */
  constructor(status, detail) {
    super(detail);
    this.name = "SourceError";
    this.status = status;
    this.detail = detail;
  }
}

/**
 * @param {string} base address of the index's part of the service, such as `api/v1/books`
 * @returns {Source}
 */
export function createServerSource(base) {
  /** @param {string} path @param {[string, unknown][]} [pairs] */
  const at = (path, pairs = []) => {
    const query = queryOf(pairs);
    return `${base}/${path}${query ? `?${query}` : ""}`;
  };
  /** @param {string} path @param {[string, unknown][]} pairs @param {AbortSignal} [signal] @returns {Promise<any>} */
  const json = async (path, pairs, signal) => (await ask(at(path, pairs), { signal })).json();
  /** @param {string} path @param {[string, unknown][]} pairs @param {AbortSignal} [signal] */
  const bytes = async (path, pairs, signal) => (await ask(at(path, pairs), { signal })).arrayBuffer();
  /** @param {string} path @param {unknown} body @param {AbortSignal} [signal] @returns {Promise<any>} */
  const post = async (path, body, signal) => {
    const headers = { "content-type": "application/json" };
    return (await ask(at(path), { method: "POST", headers, body: JSON.stringify(body), signal })).json();
  };
  /** @type {Info | null} */
  let known = null;

  return {
    async info(signal) {
      known = /** @type {Info} */ (await json("info", [], signal));
      return known;
    },
    search({ q, by, filters, limit = 20, cursor }, signal) {
      return json("search", [["q", q], ["by", q ? by : null], ["limit", limit], ["cursor", cursor], ...filterPairs(filters)], signal);
    },
    record(id, signal) {
      return json(`records/${id.split("/").map(encodeURIComponent).join("/")}`, [], signal);
    },
    records(numbers, signal) {
      return json("records", numbers.map((number) => ["number", number]), signal);
    },
    similar(id, { filters, limit = 12, cursor } = {}, signal) {
      return json("similar", [["id", id], ["limit", limit], ["cursor", cursor], ...filterPairs(filters)], signal);
    },
    async suggest(text, signal) {
      const answer = await post("suggest", { texts: [text], limit: 12, reasons: true }, signal);
      return answer.items[0];
    },
    explain({ q, id, other, label, text }, signal) {
      if (text) return post("explain", { text, label }, signal);
      return json("explain", [["q", q], ["id", id], ["other", other], ["label", label]], signal);
    },
    labels({ parent, q, limit = 50, cursor }, signal) {
      return json("labels", [["parent", parent], ["q", q], ["limit", limit], ["cursor", cursor]], signal);
    },
    label(label, signal) {
      return json("label", [["label", label]], signal);
    },
    concepts(signal) {
      return json("concepts", [["limit", 12]], signal);
    },
    recommend({ like = [], dislike = [], kind, name, filters, limit = 20, cursor }, signal) {
      const liked = /** @type {[string, unknown][]} */ (like.map((id) => ["like", id]));
      const disliked = /** @type {[string, unknown][]} */ (dislike.map((id) => ["dislike", id]));
      return json("recommend", [...liked, ...disliked, ["kind", kind], ["name", name], ["limit", limit], ["cursor", cursor], ...filterPairs(filters)], signal);
    },
    async points(signal) {
      const plain = known?.can.plain ? bytes("map/plain.npy", [], signal) : null;
      const points = readNpy(await bytes("map/points.npy", [], signal)).data;
      return {
        points: /** @type {Int16Array} */ (points),
        plain: plain ? /** @type {Int16Array} */ (readNpy(await plain).data) : null,
      };
    },
    async names(signal) {
      return (await json("map/names", [], signal)).items;
    },
    async colours({ by, under }, signal) {
      const [told, codes] = await Promise.all([
        json("map/colours", [["by", by], ["under", under]], signal),
        bytes("map/colours.npy", [["by", by], ["under", under]], signal),
      ]);
      return { groups: told.groups, codes: /** @type {Uint8Array} */ (readNpy(codes).data) };
    },
    async rows(filters, signal) {
      return new Uint8Array(await bytes("map/rows", filterPairs(filters ?? undefined), signal));
    },
  };
}

/**
 * @param {string} url
 * @param {RequestInit} options
 */
async function ask(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new SourceError(0, "The server does not answer.");
  }
  if (!response.ok) throw new SourceError(response.status, await problemOf(response));
  return response;
}

/** @param {Response} response */
async function problemOf(response) {
  try {
    const problem = await response.json();
    return String(problem.detail || problem.title || response.statusText);
  } catch {
    return `The server answered with ${response.status} ${response.statusText}.`;
  }
}

/** @param {[string, unknown][]} pairs */
function queryOf(pairs) {
  const query = new URLSearchParams();
  for (const [name, value] of pairs) {
    if (value !== undefined && value !== null && value !== "") query.append(name, String(value));
  }
  return query.toString();
}

/**
 * @param {Filters} [filters]
 * @returns {[string, unknown][]}
 */
function filterPairs(filters) {
  if (!filters) return [];
  const names = /** @type {(keyof Filters)[]} */ (["label", "under", "where", "range"]);
  return names.flatMap((name) => filters[name].map((value) => /** @type {[string, unknown]} */ ([name, value])));
}
