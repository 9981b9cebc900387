/** Joins the map to the state: what is known is drawn, what is pointed at becomes known. */

import { effect, signal } from "./vendor.js";
import { createMap } from "./map/map.js";
import { go, route } from "./router.js";

/** @import { ReadonlySignal, Signal } from "@preact/signals" */
/** @import { Hit, MapName, Point } from "./data/types.js" */
/** @import { State } from "./state.js" */

export const PALETTE_SIZE = 14;

/** Milliseconds that the pointer rests on a point before its title is asked for. */
const PAUSE = 50;

/** @typedef {{hit: Hit, x: number, y: number} | null} Tip */

/**
 * @param {HTMLElement} container
 * @param {State} state
 * @param {{theme: Signal<"light" | "dark">, reducedMotion: boolean, padding: ReadonlySignal<{top: number, right: number, bottom: number, left: number}>}} options
 */
export function createStage(container, state, { theme, reducedMotion, padding }) {
  const tip = signal(/** @type {Tip} */ (null));
  const lassoing = signal(false);
  const status = signal(/** @type {"loading" | "ready" | "error"} */ ("loading"));
  const seen = createSeen(state);
  let pointed = 0;

  /** @param {number} number */
  function pick(number) {
    tip.value = null;
    seen(number).then((hit) => hit && go({ id: hit.id, about: "" }), () => {});
  }

  const map = createMap(container, {
    reducedMotion,
    theme: theme.peek(),
    onHover(number, x, y) {
      const mine = ++pointed;
      state.hovered.value = number;
      if (number === null) {
        tip.value = null;
        return;
      }
      setTimeout(() => {
        if (mine === pointed) seen(number).then((hit) => {
          if (mine === pointed && hit) tip.value = { hit, x, y };
        }, () => {});
      }, tip.peek()?.hit.number === number ? 0 : PAUSE);
    },
    onPick: pick,
    onLasso(numbers) {
      lassoing.value = false;
      if (route.peek().id || route.peek().about) go({ id: "", about: "" });
      state.lassoNumbers.value = numbers;
    },
    onName(/** @type {MapName} */ name) {
      if (name.label) state.filterBy({ label: name.label, title: name.text });
    },
    onNothing() {
      tip.value = null;
    },
  });

  // For tests, and for whoever opens the console: what is drawn cannot be read from a canvas.
  const handle = Object.assign(container, { map, pins: /** @type {object[]} */ ([]) });

  const palette = () => {
    const style = getComputedStyle(document.documentElement);
    return Array.from({ length: PALETTE_SIZE }, (_, code) => style.getPropertyValue(`--map-${code}`).trim());
  };
  /** Bring a pin into sight. @param {Point} pin @param {boolean} always */
  const showPin = (pin, always) => {
    const first = state.search.answer.peek().value?.items[0]?.number;
    const at = first === undefined ? null : map.positionOf(first);
    const { top, right, bottom, left } = padding.peek();
    const seen = at && at.clientX > left && at.clientX < innerWidth - right && at.clientY > top && at.clientY < innerHeight - bottom;
    if (seen && !always) return;
    const plain = route.peek().mix < 50 && pin.px !== null && pin.py !== null;
    const { k } = map.view();
    map.flyTo({ x: plain ? Number(pin.px) : pin.x, y: plain ? Number(pin.py) : pin.y, k: always ? Math.min(Math.max(k, 1.6), 3) : k });
  };
  const named = signal(/** @type {MapName[]} */ ([]));
  let size = 0;
  const load = async () => {
    status.value = "loading";
    try {
      const [places, names, live] = await Promise.all([state.source.points(), state.source.names(), state.source.rows(null)]);
      size = places.points.length / 2;
      map.setPoints(places.points, places.plain);
      map.setLive(live);
      named.value = names;
      map.setMix(places.plain ? route.peek().mix / 100 : 1);
      status.value = "ready";
    } catch {
      status.value = "error";
    }
  };
  effect(() => {
    state.retry.value;
    if (state.can.value.map && status.peek() !== "ready") load();
  });
  effect(() => {
    const colours = state.colours.answer.value.value;
    map.setTheme(theme.value);
    if (status.value === "ready") map.setColours(colours?.codes ?? new Uint8Array(size), palette());
  });
  effect(() => {
    // Below a chosen subject, only the names of the colours: the others would stand over grey points.
    const groups = state.colours.answer.value.value?.groups ?? [];
    const chosen = state.colouring.value === "label" && route.value.under.length > 0;
    const wanted = new Set(chosen ? groups.map((group) => group.label) : []);
    const own = named.value.filter((name) => wanted.has(name.label));
    map.setNames(own.length ? own : named.value);
  });
  effect(() => {
    if (status.value !== "ready") return;
    const bits = state.rows.answer.value.value;
    const only = state.isolated.value;
    const codes = state.colours.answer.value.value?.codes;
    map.setFilter(only !== null && codes ? bitsOf(codes, only, bits) : bits);
  });
  effect(() => {
    // Choosing a filter flies there; taking the last one away shows everything again.
    const { status: now, value: bits } = state.rows.answer.value;
    if (status.value !== "ready" || now === "loading") return;
    if (bits) {
      const numbers = numbersOf(bits, size);
      if (numbers.length && !route.peek().id) map.flyTo({ numbers });
    } else if (!route.peek().id) map.flyTo("all");
  });
  effect(() => {
    const pin = state.view.value === "suggest" || route.value.mode === "suggest"
      ? state.suggested.answer.value.value?.pin : route.value.q ? state.search.answer.value.value?.pin : null;
    const pins = pin ? [{ ...pin, kind: "pin" }] : [];
    if (status.value === "ready") map.setPins(pins);
    handle.pins = pins;
    if (pin && status.value === "ready" && !route.peek().id) showPin(pin, route.peek().mode === "suggest");
  });
  effect(() => {
    if (status.value === "ready") drawSelection(map, state);
  });
  effect(() => {
    const { value } = state.record.answer.value;
    const near = state.similar.answer.value.value?.items;
    if (status.value === "ready" && value && near) map.flyTo({ numbers: [value.number, ...near.map((hit) => hit.number)] });
  });
  effect(() => {
    map.setLasso(lassoing.value);
    container.classList.toggle("lassoing", lassoing.value);
  });
  effect(() => {
    map.setInsets(padding.value);
    if (status.value !== "ready") return;
    // when the panels have taken their places
    requestAnimationFrame(() => map.setCovered(Array.from(document.querySelectorAll(".tools, .slider"), (one) => one.getBoundingClientRect())));
  });
  return { map, tip, lassoing, status, pick, reducedMotion };
}

/** @typedef {ReturnType<typeof createStage>} Stage */

/** The points that the list shows, the chosen one, and lines to its neighbours. @param {ReturnType<typeof createMap>} map @param {State} state */
function drawSelection(map, state) {
  const chosen = route.value.id ? (state.record.answer.value.value?.number ?? null) : null;
  const listed = numbersListed(state);
  const hovered = state.hovered.value;
  map.setSelected(chosen);
  map.setHighlighted(hovered === null ? listed : Uint32Array.of(hovered, ...(listed.length > 1000 ? [] : listed)));
  const hasPin = state.view.value === "results" && route.value.q && state.search.answer.value.value?.pin;
  if (chosen !== null) map.setLinks(Array.from(listed, (to) => ({ from: chosen, to })));
  else map.setLinks(hasPin && hovered !== null && listed.includes(hovered) ? [{ from: "pin", to: hovered }] : []);
}

/** @param {State} state @returns {Uint32Array} */
function numbersListed(state) {
  const view = state.view.value;
  if (view === "lasso") return state.lassoNumbers.value ?? new Uint32Array();
  const { answer } = view === "record" ? state.similar : view === "recommend" ? state.recommended : state.search;
  const shown = view === "record" || view === "recommend" || (view === "results" && route.value.q);
  return Uint32Array.from(shown ? (answer.value.value?.items ?? []) : [], (hit) => hit.number);
}

/** Titles of records by number, asked once and not for every point that the pointer crosses. @param {State} state */
function createSeen(state) {
  /** @type {Map<number, Promise<Hit | null>>} */
  const known = new Map();
  return (/** @type {number} */ number) => {
    let asked = known.get(number);
    if (!asked) {
      asked = state.source.records([number]).then((answer) => answer.items[0] ?? null);
      known.set(number, asked);
      asked.catch(() => known.delete(number));
      if (known.size > 2000) known.delete(/** @type {number} */ (known.keys().next().value));
    }
    return asked;
  };
}

/** The record numbers of a bit set. @param {Uint8Array} bits @param {number} size */
function numbersOf(bits, size) {
  const numbers = [];
  for (let number = 0; number < size; number += 1) if (bits[number >> 3] & (1 << (number & 7))) numbers.push(number);
  return Uint32Array.from(numbers);
}

/** The records of one colour, among those that pass the filter. @param {Uint8Array} codes @param {number} code @param {Uint8Array | null} within */
function bitsOf(codes, code, within) {
  const bits = new Uint8Array(Math.ceil(codes.length / 8));
  for (let number = 0; number < codes.length; number += 1) if (codes[number] === code) bits[number >> 3] |= 1 << (number & 7);
  return within ? bits.map((byte, place) => byte & (within[place] ?? 0)) : bits;
}
