/** The legend of the map: the taxonomy as a tree, whose chosen node filters, flies there and colours by its children. */

import { effect, html, signal, useEffect, useRef, useSignal } from "../vendor.js";
import { Icon } from "./icons.js";
import { Swatch, count } from "./bits.js";
import { go, route } from "../router.js";

/** @import { TreeLabel } from "../data/types.js" */
/** @import { State } from "../state.js" */

/** @typedef {{items: TreeLabel[], next: string | null, loading: boolean}} Branch */
/** @typedef {{key: string, level: number, place: number, of: number, item: TreeLabel | null, parent: string, more?: boolean}} Row */

const ROOT = "";

/** The loaded part of the tree; it outlives the legend, which a phone takes away and brings back. @param {State} state */
export function createTree(state) {
  const branches = signal(/** @type {Map<string, Branch>} */ (new Map()));
  const open = signal(/** @type {Set<string>} */ (new Set()));
  const chosen = signal(/** @type {string | null} */ (null));

  /** @param {string} parent @param {boolean} [further] the next page of a branch that is there */
  async function load(parent, further = false) {
    const now = branches.peek().get(parent);
    if (now?.loading || (now && !further)) return;
    const set = (/** @type {Branch | null} */ branch) => {
      const next = new Map(branches.peek());
      if (branch) next.set(parent, branch);
      else next.delete(parent);
      branches.value = next;
    };
    set({ items: now?.items ?? [], next: now?.next ?? null, loading: true });
    try {
      const page = await state.source.labels({ parent: parent || undefined, cursor: now?.next ?? undefined, limit: 50 });
      state.book.remember(page.items);
      set({ items: [...(now?.items ?? []), ...page.items], next: page.next, loading: false });
    } catch {
      set(now ? { ...now, loading: false } : null);
    }
  }

  /** @param {string} label @param {boolean} on */
  function unfold(label, on) {
    const next = new Set(open.peek());
    if (on) next.add(label);
    else next.delete(label);
    open.value = next;
    if (on) load(label);
  }

  effect(() => {
    state.retry.value;
    if (state.info.answer.value.value?.labels) load(ROOT);
  });
  effect(() => {
    // A filter that came with the address opens the way down to its node.
    const key = route.value.under.at(-1);
    if (!key || state.info.answer.value.status !== "ready") {
      chosen.value = null;
      return;
    }
    state.book.page(key).then((page) => {
      if (route.peek().under.at(-1) !== key) return;
      chosen.value = page.label;
      for (const above of page.path) if (above.label !== page.label) unfold(above.label, true);
      unfold(page.label, true);
    }, () => {});
  });
  return { branches, open, chosen, load, unfold };
}

/** @typedef {ReturnType<typeof createTree>} Tree */

/** @param {{state: State, tree: Tree, onClose?: () => void}} props */
export function Legend({ state, tree, onClose }) {
  const info = state.info.answer.value.value;
  const by = state.colouring.value;
  if (!info) return null;
  return html`<nav class="legend" aria-label="Subjects and colours">
    <div class="legend-head">
      <label class="colour-menu"><span>Colour</span><select id="colour" onChange=${(/** @type {Event} */ event) => {
        const value = /** @type {HTMLSelectElement} */ (event.target).value;
        go({ colour: value === colourings(state)[0][0] ? "" : value });
      }}>
        ${colourings(state).map(([value, name]) => html`<option key=${value} value=${value} selected=${by === value}>${name}</option>`)}
      </select></label>
      ${onClose ? html`<button type="button" class="icon-button" aria-label="Hide the legend" onClick=${onClose}><${Icon} name="right" /></button>` : null}
    </div>
    ${by === "label" ? html`<${Subjects} state=${state} tree=${tree} />` : html`<${Groups} state=${state} />`}
  </nav>`;
}

/** @param {State} state @returns {[string, string][]} */
export function colourings(state) {
  const info = state.info.answer.value.value;
  if (!info) return [];
  /** @type {[string, string][]} */
  const list = info.labels ? [["label", info.has_taxonomy ? "Subjects" : "Labels"]] : [];
  list.push(["cluster", "Clusters"]);
  if (info.can.concepts) list.push(["concept", "Concepts"]);
  return [...list, ...info.fields.map((field) => /** @type {[string, string]} */ ([field.name, field.name]))];
}

/** Colours that are no subjects: a click shows one group alone. @param {{state: State}} props */
function Groups({ state }) {
  const { value, status } = state.colours.answer.value;
  if (!value) return html`<p class="legend-note">${status === "loading" ? "Loading …" : "No colours for this index."}</p>`;
  return html`<ul class="groups">${value.groups.map((group) => html`<li key=${group.code}>
    <button type="button" aria-pressed=${state.isolated.value === group.code}
      onClick=${() => { state.isolated.value = state.isolated.value === group.code ? null : group.code; }}>
      <${Swatch} code=${group.code} /><span>${group.name}</span><small>${count(group.records)}</small></button></li>`)}
  </ul>`;
}

/** @param {{state: State, tree: Tree}} props */
function Subjects({ state, tree }) {
  const looked = useSignal("");
  const found = useSignal(/** @type {TreeLabel[] | null} */ (null));
  useEffect(() => {
    const q = looked.value.trim();
    if (!q) {
      found.value = null;
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      state.source.labels({ q, limit: 20 }, abort.signal).then((page) => { found.value = page.items; }, () => {});
    }, 120);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [looked.value]);
  const filtering = route.value.under.length > 0;
  return html`
    <div class="look-up"><${Icon} name="search" /><input type="search" id="look-up" placeholder="Find a subject" aria-label="Find a subject" value=${looked.value}
      onInput=${(/** @type {Event} */ event) => { looked.value = /** @type {HTMLInputElement} */ (event.target).value; }} /></div>
    ${found.value ? html`<ul class="groups" aria-label="Subjects found">
      ${found.value.map((item) => html`<li key=${item.label}><button type="button" onClick=${() => { looked.value = ""; state.filterBy(item); }}>
        <span>${item.title}${item.path.length ? html`<small class="found-path">${item.path.filter((one) => one.label !== item.label).map(({ title }) => title).join(" › ")}</small>` : null}</span><small>${count(item.total)}</small></button></li>`)}
      ${found.value.length ? null : html`<li class="legend-note">No subject with this name.</li>`}
    </ul>` : html`
    ${filtering ? html`<button type="button" class="all-row" onClick=${() => go({ under: [] })}><${Icon} name="back" /> All subjects</button>` : null}
    <${Rows} state=${state} tree=${tree} />`}`;
}

/** @param {{state: State, tree: Tree}} props */
function Rows({ state, tree }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const active = useSignal("");
  const typed = useRef({ text: "", at: 0 });
  const rows = flatten(tree, ROOT, 1);
  const codes = new Map((state.colours.answer.value.value?.groups ?? []).map((group) => [group.label, group.code]));
  const here = rows.find((row) => row.key === active.value) ?? rows.find((row) => row.item && row.item.label === tree.chosen.value) ?? rows[0];

  /** @param {Row | undefined} row */
  const focus = (row) => {
    if (!row) return;
    active.value = row.key;
    requestAnimationFrame(() => /** @type {HTMLElement | null} */ (list.current?.querySelector('[tabindex="0"]'))?.focus());
  };
  /** @param {Row} row */
  const choose = (row) => {
    active.value = row.key;
    if (row.more) tree.load(row.parent, true);
    else if (row.item) {
      if (row.item.children) tree.unfold(row.item.label, true);
      state.filterBy(row.item);
    }
  };
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    const place = rows.indexOf(here);
    const label = here.item?.label ?? "";
    const isOpen = tree.open.peek().has(label);
    const steps = /** @type {Record<string, () => void>} */ ({
      ArrowDown: () => focus(rows[place + 1]),
      ArrowUp: () => focus(rows[place - 1]),
      Home: () => focus(rows[0]),
      End: () => focus(rows.at(-1)),
      ArrowRight: () => (here.item?.children && !isOpen ? tree.unfold(label, true) : focus(rows[place + 1]?.level > here.level ? rows[place + 1] : undefined)),
      ArrowLeft: () => (here.item?.children && isOpen ? tree.unfold(label, false) : focus(rows.find((row) => row.item?.label === here.parent))),
      Enter: () => choose(here),
      " ": () => choose(here),
      i: () => here.item && state.openLabel(here.item),
    });
    const step = steps[event.key] ?? (/^\p{L}$/u.test(event.key) ? () => focus(byName(rows, place, typed.current, event.key)) : null);
    if (!step || event.key === "i" && typed.current.text && Date.now() - typed.current.at < 600) return;
    event.preventDefault();
    event.stopPropagation();
    step();
  };
  if (!rows.length) return html`<p class="legend-note">Loading …</p>`;
  return html`<div class="tree" role="tree" aria-label="Subjects" id="tree" ref=${list} onKeyDown=${onKeyDown}>
    ${rows.map((row) => html`<${TreeRow} key=${row.key} row=${row} code=${codes.get(row.item?.label ?? "") ?? 0} state=${state} tree=${tree}
      focusable=${row === here} onChoose=${() => choose(row)} />`)}
  </div>`;
}

/** @param {{row: Row, code: number, state: State, tree: Tree, focusable: boolean, onChoose: () => void}} props */
function TreeRow({ row, code, tree, focusable, onChoose }) {
  const { item } = row;
  const isOpen = item ? tree.open.value.has(item.label) : false;
  const chosen = item !== null && tree.chosen.value === item.label;
  /** @param {MouseEvent} event */
  const toggle = (event) => {
    if (!item?.children) return;
    event.stopPropagation();
    tree.unfold(item.label, !isOpen);
  };
  return html`<div role="treeitem" class=${`tree-row level-${Math.min(row.level, 8)} ${chosen ? "chosen" : ""}`} tabindex=${focusable ? 0 : -1}
      aria-level=${row.level} aria-posinset=${row.place} aria-setsize=${row.of} aria-selected=${chosen}
      aria-expanded=${item?.children ? isOpen : undefined} onClick=${onChoose}>
    <span class=${`twisty ${item?.children ? "" : "none"} ${isOpen ? "open" : ""}`} aria-hidden="true" onClick=${toggle}><${Icon} name="right" /></span>
    ${code ? html`<${Swatch} code=${code} />` : null}
    <span class="tree-name">${item ? item.title : "More …"}</span>
    ${item ? html`<small>${count(item.total)}</small>` : null}
  </div>`;
}

/** @param {Tree} tree @param {string} parent @param {number} level @returns {Row[]} */
function flatten(tree, parent, level) {
  const branch = tree.branches.value.get(parent);
  if (!branch) return [];
  const of = branch.next ? -1 : branch.items.length;
  /** @type {Row[]} */
  const rows = [];
  branch.items.forEach((item, place) => {
    rows.push({ key: `${parent}>${item.label}`, level, place: place + 1, of, item, parent });
    // A label with two broader ones stands twice; a circle of labels must still end.
    if (tree.open.value.has(item.label) && level < 30) rows.push(...flatten(tree, item.label, level + 1));
  });
  if (branch.next) rows.push({ key: `${parent}>…`, level, place: branch.items.length + 1, of, item: null, parent, more: true });
  return rows;
}

/** The next row whose name begins with what was typed. @param {Row[]} rows @param {number} place @param {{text: string, at: number}} typed @param {string} key */
function byName(rows, place, typed, key) {
  const now = Date.now();
  typed.text = now - typed.at < 600 ? typed.text + key.toLowerCase() : key.toLowerCase();
  typed.at = now;
  const from = typed.text.length > 1 ? place : place + 1;
  return [...rows.slice(from), ...rows.slice(0, from)].find((row) => row.item?.title.toLowerCase().startsWith(typed.text));
}
