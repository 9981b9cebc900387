/** One thing that is asked from the source: the newest question wins, older ones are cancelled. */

import { signal } from "../vendor.js";

/** @import { Signal } from "@preact/signals" */

/**
 * @template T
 * @typedef {{status: "idle" | "loading" | "ready" | "error", value: T | null, error: Error | null}} Answer
 */

/**
 * @template T
 * @param {(error: Error) => void} [onError]
 */
export function createResource(onError) {
  /** @type {Signal<Answer<T>>} */
  const answer = signal(/** @type {Answer<T>} */ ({ status: "idle", value: null, error: null }));
  /** @type {AbortController | null} */
  let running = null;

  /**
   * @param {((signal: AbortSignal) => Promise<T>) | null} load null: nothing is asked any more
   * @param {{keep?: boolean}} [options] keep: show the former answer until the new one is there
   */
  async function ask(load, { keep = true } = {}) {
    running?.abort();
    running = null;
    if (!load) {
      answer.value = { status: "idle", value: null, error: null };
      return;
    }
    const mine = new AbortController();
    running = mine;
    answer.value = { status: "loading", value: keep ? answer.peek().value : null, error: null };
    try {
      const value = await load(mine.signal);
      if (!mine.signal.aborted) answer.value = { status: "ready", value, error: null };
    } catch (reason) {
      if (mine.signal.aborted) return;
      const error = reason instanceof Error ? reason : new Error(String(reason));
      answer.value = { status: "error", value: null, error };
      onError?.(error);
    }
  }

  /** @param {(value: T) => T} change applied to an answer that is there */
  function amend(change) {
    const now = answer.peek();
    if (now.value !== null) answer.value = { ...now, value: change(now.value) };
  }

  return { answer, ask, amend };
}
