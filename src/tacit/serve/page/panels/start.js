/** What this collection is, and where to begin. */

import { html } from "../vendor.js";
import { Icon } from "../parts/icons.js";
import { count, percent, plural } from "../parts/bits.js";
import { go } from "../router.js";

/** @import { Info } from "../data/types.js" */
/** @import { State } from "../state.js" */

/** @param {{state: State}} props */
export function Start({ state }) {
  const info = state.info.answer.value.value;
  if (!info) return null;
  return html`<section class="start" aria-label="About this collection">
    <p class="lead">A map of ${plural(info.records, "record")}. Records with the same meaning lie close together.</p>
    <dl class="figures">
      <div><dt>records</dt><dd>${count(info.records)}</dd></div>
      ${info.labels ? html`<div><dt>${info.has_taxonomy ? "subjects in a taxonomy" : "labels"}</dt><dd>${count(info.labels)}</dd></div>` : null}
      <div><dt>dimensions</dt><dd>${count(info.dimensions)}</dd></div>
    </dl>
    ${info.examples.length ? html`<h2>Try</h2><ul class="examples">${info.examples.slice(0, 3).map((example) => html`<li key=${example}>
      <button type="button" onClick=${() => state.enter(example)}><${Icon} name="search" /><span>${example}</span></button></li>`)}</ul>` : null}
    ${state.can.value.suggest ? html`<p class="hint">Paste the text of a new record to get subjects for it, with reasons.</p>` : null}
    ${!info.labels ? html`<p class="notice">The records of this index have no labels: colours show clusters.</p>` : null}
    <${Counted} info=${info} />
    <p class="hint"><button type="button" class="plain" onClick=${() => document.dispatchEvent(new CustomEvent("tacit-help"))}>Keyboard and help</button></p>
  </section>`;
}

/** How much each kind of knowledge counted. @param {{info: Info}} props */
function Counted({ info }) {
  const parts = Object.entries(info.counted ?? {});
  const sum = parts.reduce((total, [, weight]) => total + weight, 0);
  const counted = parts.filter(([, weight]) => weight / sum >= 0.005).sort((a, b) => b[1] - a[1]);
  const words = counted.length > 1 ? counted.map(([name, weight]) => `${name} ${percent(weight / sum)}`).join(", ") : "";
  return html`<p class="hint">Positions by ${info.model}${words ? `; what counted: ${words}` : ""}.</p>`;
}

/** @param {{go?: typeof go}} _ */
export const home = (_) => go({ q: "", mode: "", to: "", id: "", about: "", label: [], under: [], where: [], range: [], like: [], dislike: [], colour: "", mix: 100 });
