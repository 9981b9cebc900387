/** The filters in force as chips that can be removed, and the fields of the records to filter by. */

import { html, useSignal } from "../vendor.js";
import { Icon } from "../parts/icons.js";
import { count } from "../parts/bits.js";
import { go, route } from "../router.js";
import { countFilters, without } from "../state.js";

/** @import { Field, Filters } from "../data/types.js" */
/** @import { State } from "../state.js" */

/** Every filter as a kind, a value and words. @param {State} state */
export function filterList(state) {
  const filters = state.filters.value;
  const { titleOf } = state.book;
  return [
    ...filters.under.map((value) => ({ kind: /** @type {keyof Filters} */ ("under"), value, words: titleOf(value) })),
    ...filters.label.map((value) => ({ kind: /** @type {keyof Filters} */ ("label"), value, words: titleOf(value) })),
    ...filters.where.map((value) => ({ kind: /** @type {keyof Filters} */ ("where"), value, words: value.replace("=", ": ") })),
    ...filters.range.map((value) => ({ kind: /** @type {keyof Filters} */ ("range"), value, words: value.replace("=", ": ").replace("..", " – ") })),
  ];
}

/** @param {{state: State}} props */
export function FilterChips({ state }) {
  const list = filterList(state);
  if (!list.length) return null;
  return html`<div class="filter-chips" role="group" aria-label="Filters">
    ${list.map(({ kind, value, words }) => html`<span class="filter-chip" key=${kind + value}>
      ${kind === "under" || kind === "label"
        ? html`<button type="button" class="plain" title="About this subject" onClick=${() => go({ about: value, id: "" })}>${words}${kind === "under" ? html`<small> and below</small>` : null}</button>`
        : html`<span>${words}</span>`}
      <button type="button" class="remove" aria-label=${`Remove the filter ${words}`} onClick=${() => go(without(route.peek(), kind, value))}><${Icon} name="close" /></button>
    </span>`)}
    ${list.length > 1 ? html`<button type="button" class="plain" onClick=${() => go({ label: [], under: [], where: [], range: [] })}>Remove all</button>` : null}
  </div>`;
}

/** @param {{state: State}} props */
export function Facets({ state }) {
  const open = useSignal(false);
  const fields = (state.info.answer.value.value?.fields ?? []).filter((field) => field.kind === "number" ? field.low !== field.high : (field.values?.length ?? 0) > 1);
  if (!fields.length) return null;
  return html`<div class="facets">
    <button type="button" class="button quiet" aria-expanded=${open.value} onClick=${() => { open.value = !open.value; }}>
      <${Icon} name="filter" /> Filter by field</button>
    ${open.value ? html`<div class="facet-list">${fields.map((field) => html`<${Facet} key=${field.name} field=${field} />`)}</div>` : null}
  </div>`;
}

/** @param {{field: Field}} props */
function Facet({ field }) {
  return html`<fieldset class="facet"><legend>${field.name}</legend>
    ${field.kind === "number" ? html`<${Range} field=${field} />` : html`<${Values} field=${field} />`}
  </fieldset>`;
}

/** @param {{field: Field}} props */
function Values({ field }) {
  return (field.values ?? []).map(([value, records]) => {
    const condition = `${field.name}=${value}`;
    const chosen = route.value.where.includes(condition);
    const others = route.value.where.filter((one) => !one.startsWith(`${field.name}=`));
    return html`<label class="check" key=${value}><input type="checkbox" checked=${chosen}
      onChange=${() => go({ where: chosen ? others : [...others, condition], id: "", about: "" })} />
      <span>${String(value)}</span><small>${count(records)}</small></label>`;
  });
}

/** @param {{field: Field}} props */
function Range({ field }) {
  const now = route.value.range.find((one) => one.startsWith(`${field.name}=`));
  const [low, high] = (now?.slice(field.name.length + 1) ?? "..").split("..");
  /** @param {SubmitEvent} event */
  const apply = (event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const others = route.peek().range.filter((one) => one !== now);
    const range = `${form.get("low") ?? ""}..${form.get("high") ?? ""}`;
    go({ range: range === ".." ? others : [...others, `${field.name}=${range}`], id: "", about: "" });
  };
  return html`<form class="range" onSubmit=${apply}>
    <input name="low" type="number" step="any" aria-label=${`Lowest ${field.name}`} placeholder=${field.low} value=${low} />
    <span aria-hidden="true">–</span>
    <input name="high" type="number" step="any" aria-label=${`Highest ${field.name}`} placeholder=${field.high} value=${high} />
    <button type="submit" class="button">Apply</button>
  </form>`;
}

/** What to say, and to offer, if nothing passes. @param {{state: State}} props */
export function NothingPasses({ state }) {
  const list = filterList(state);
  if (!countFilters(state.filters.value)) {
    return html`<div class="notice"><p>No record was found${route.value.by === "words" ? " with these words" : ""}.</p>
      ${route.value.by === "words" ? html`<button type="button" class="button" onClick=${() => go({ by: "hybrid" })}>Search by meaning too</button>` : null}</div>`;
  }
  return html`<div class="notice"><p>No record passes:</p>
    ${list.map(({ kind, value, words }) => html`<button type="button" class="button" key=${kind + value} onClick=${() => go(without(route.peek(), kind, value))}>
      Remove <em>${words}</em></button>`)}
  </div>`;
}
