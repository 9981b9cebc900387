/** One label: where it stands, what it is about, what bears it. */

import { html } from "../vendor.js";
import { Icon } from "../parts/icons.js";
import { Bar, Failure, Head, Path, Skeleton, plural } from "../parts/bits.js";
import { go } from "../router.js";
import { Hits } from "./hits.js";
import { Words } from "./why.js";

/** @import { Label, LabelPage } from "../data/types.js" */
/** @import { State } from "../state.js" */

/** @param {{state: State}} props */
export function LabelPanel({ state }) {
  const { value, error } = state.label.answer.value;
  return html`<section class="label-page" aria-label="Subject">
    <${Head} title="Subject" onBack=${() => go({ about: "" })} />
    ${error ? html`<${Failure} error=${error} state=${state} />` : null}
    ${!value && !error ? html`<${Skeleton} lines=${3} label="Loading the subject" />` : null}
    ${value ? html`<${Content} page=${value} state=${state} />` : null}
  </section>`;
}

/** @param {{page: LabelPage, state: State}} props */
function Content({ page, state }) {
  const above = page.path.filter((one) => one.label !== page.label);
  const below = state.info.answer.value.value?.has_taxonomy ?? false;
  return html`
    ${above.length ? html`<${Path} path=${above} state=${state} />` : null}
    <h2 class="title" tabindex="-1" id="panel-title">${page.title}</h2>
    <p class="counts">${plural(page.total, "record")}${page.total !== page.records ? html`, <span>${plural(page.records, "of them has", "of them have")} this label itself</span>` : null}</p>
    <div class="actions"><button type="button" class="button primary" onClick=${() => state.filterBy(page, below)}><${Icon} name="filter" /> Filter by this</button></div>
    ${page.words.length ? html`<h3>Telling words</h3><${Words} words=${page.words.slice(0, 10)} />` : null}
    <${Names} title="Broader" labels=${page.broader} state=${state} />
    <${Names} title="Narrower" labels=${page.narrower} state=${state} />
    ${page.related.length ? html`<h3>Related</h3><ul class="related">${page.related.map((label) => html`<li key=${label.label}>
      <button type="button" class="plain" onClick=${() => state.openLabel(label)}>${label.title}</button><${Bar} share=${Math.max(0, label.cosine)} /></li>`)}</ul>` : null}
    ${page.members.length ? html`<h3>Records</h3><${Hits} state=${state} hits=${page.members} name="Records with this label" />` : null}`;
}

/** @param {{title: string, labels: Label[], state: State}} props */
function Names({ title, labels, state }) {
  if (!labels.length) return null;
  return html`<h3>${title}</h3><div class="chips">${labels.slice(0, 40).map((label) => html`<button type="button" class="chip" key=${label.label}
    onClick=${() => state.openLabel(label)}><span>${label.title}</span></button>`)}
    ${labels.length > 40 ? html`<small>and ${labels.length - 40} more</small>` : null}</div>`;
}
