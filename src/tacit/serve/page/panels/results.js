/** What a search, a filter or a list of liked records finds. */

import { html } from "../vendor.js";
import { Failure, Head, LabelChip, Skeleton, count, plural } from "../parts/bits.js";
import { go, route } from "../router.js";
import { Facets, FilterChips, NothingPasses } from "./filters.js";
import { Hits } from "./hits.js";

/** @import { Hit, SearchResult } from "../data/types.js" */
/** @import { State } from "../state.js" */

/** @param {{state: State}} props */
export function Results({ state }) {
  const { status, value, error } = state.search.answer.value;
  const { q } = route.value;
  return html`<section class=${`results ${status === "loading" ? "stale" : ""}`} aria-label="Results">
    <${FilterChips} state=${state} />
    ${error ? html`<${Failure} error=${error} state=${state} />` : null}
    ${!value && !error ? html`<${Skeleton} label="Searching" />` : null}
    ${value ? html`
      <${Summary} value=${value} q=${q} state=${state} />
      <${Subjects} state=${state} />
      ${value.items.length
        ? html`<${Hits} state=${state} hits=${value.items} next=${value.next} onMore=${() => state.more("search")} name="Results"
            why=${q ? (/** @type {Hit} */ hit) => ({ q, id: hit.id }) : undefined} />`
        : status === "ready" ? html`<${NothingPasses} state=${state} />` : null}` : null}
  </section>`;
}

/** @param {{value: SearchResult, q: string, state: State}} props */
function Summary({ value, q, state }) {
  const total = value.total ?? null;
  const shown = value.items.length;
  const words = !shown ? "Nothing found" : q
    ? (total !== null && total > shown ? `The ${count(shown)} best of ${plural(total, "record")}` : value.next ? `The ${count(shown)} best records` : plural(shown, "result"))
    : total !== null ? plural(total, "record") : `The first ${plural(shown, "record")}`;
  return html`<div class="summary">
    <h2 role="status" aria-live="polite">${words}</h2>
    <${Facets} state=${state} />
    ${value.meant && value.meant !== q ? html`<p class="meant">Did you mean <button type="button" class="plain" onClick=${() => go({ q: value.meant ?? "" })}>${value.meant}</button>?</p>` : null}
  </div>`;
}

/** Subjects whose names begin like the query. @param {{state: State}} props */
function Subjects({ state }) {
  const found = state.subjects.answer.value.value?.items ?? [];
  const fresh = found.filter((item) => !route.value.under.includes(item.title) && !route.value.label.includes(item.title));
  if (!fresh.length) return null;
  return html`<div class="subjects-found"><span>Subjects</span>
    ${fresh.map((item) => html`<button type="button" class="chip strong" key=${item.label} title=${item.path.map(({ title }) => title).join(" › ")} onClick=${() => state.openLabel(item)}>
      <span>${item.title}</span><small>${count(item.total)}</small></button>`)}
  </div>`;
}

/** @param {{state: State}} props */
export function Recommended({ state }) {
  const { value, error } = state.recommended.answer.value;
  const { like, dislike, to } = route.value;
  return html`<section class="results" aria-label="Recommended records">
    <${Head} title="Recommended" onBack=${() => go({ mode: "", to: "" })} />
    <div class="summary"><h2 role="status">${to ? `For ${to.replace("=", " ")}` : html`More like ${plural(like.length, "record")}${dislike.length ? `, less like ${plural(dislike.length, "record")}` : ""}`}</h2></div>
    <${FilterChips} state=${state} />
    ${error ? html`<${Failure} error=${error} state=${state} />` : null}
    ${!value && !error ? html`<${Skeleton} />` : null}
    ${value ? html`<${Hits} state=${state} hits=${value.items} next=${value.next} onMore=${() => state.more("recommended")} name="Recommended records"
      why=${like.length && !to ? (/** @type {Hit} */ hit) => ({ id: like[0], other: hit.id }) : undefined} />` : null}
  </section>`;
}

/** The basket of liked and disliked records, always at hand while it holds something. @param {{state: State}} props */
export function Basket({ state }) {
  const { like, dislike, mode } = route.value;
  if (!like.length && !dislike.length) return null;
  return html`<div class="basket" role="group" aria-label="Liked and disliked records">
    <span>${plural(like.length, "record")} liked${dislike.length ? `, ${count(dislike.length)} disliked` : ""}</span>
    ${mode === "recommend" ? null : html`<button type="button" class="button" disabled=${!like.length} onClick=${() => { state.leaveLasso(); go({ mode: "recommend", to: "", id: "", about: "" }); }}>Recommend</button>`}
    <button type="button" class="plain" onClick=${() => go({ like: [], dislike: [], mode: mode === "recommend" ? "" : mode })}>Empty</button>
  </div>`;
}

/** @param {{state: State}} props */
export function Inside({ state }) {
  const { value, error } = state.lasso.answer.value;
  const total = state.lassoNumbers.value?.length ?? 0;
  return html`<section class="results" aria-label="Records inside the lasso">
    <${Head} title="Lasso" onBack=${() => state.leaveLasso()} />
    <div class="summary"><h2 role="status">${total ? `${plural(total, "record")} inside` : "No record inside"}</h2></div>
    ${error ? html`<${Failure} error=${error} state=${state} />` : null}
    ${!total ? html`<p class="notice">Draw a loop around some points.</p>` : null}
    ${total && !value && !error ? html`<${Skeleton} />` : null}
    ${value && value.labels.length ? html`<div class="inside-labels"><h3>Most frequent labels${value.looked < total ? html` <small>in a sample of ${count(value.looked)}</small>` : null}</h3>
      ${value.labels.map(({ label, records }) => html`<div class="inside-label" key=${label.label}><${LabelChip} label=${label} state=${state} /><small>${count(records)}</small></div>`)}
    </div>` : null}
    ${value ? html`<${Hits} state=${state} hits=${value.items.slice(0, 100)} name="Records inside the lasso" />` : null}
  </section>`;
}
