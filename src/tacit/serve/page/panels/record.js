/** One record: its text, what is known about it, and its neighbours. */

import { html, useSignal } from "../vendor.js";
import { Failure, Head, Path, Skeleton } from "../parts/bits.js";
import { go, route } from "../router.js";
import { Hits, Judge } from "./hits.js";

/** @import { FullRecord, Hit } from "../data/types.js" */
/** @import { State } from "../state.js" */

/** Characters of a text shown before "Show all". */
const FIRST_TEXT = 900;

/** @param {{state: State}} props */
export function RecordPanel({ state }) {
  const { value, error } = state.record.answer.value;
  const came = route.value.q || state.filtered.value ? "Results" : "Back";
  return html`<section class="record" aria-label="Record">
    <${Head} title="Record" back=${came} onBack=${() => go({ id: "" })} />
    ${error ? html`<${Failure} error=${error} state=${state} />` : null}
    ${!value && !error ? html`<${Skeleton} lines=${3} label="Loading the record" />` : null}
    ${value ? html`<${Content} key=${value.id} record=${value} state=${state} />` : null}
  </section>`;
}

/** @param {{record: FullRecord, state: State}} props */
function Content({ record, state }) {
  return html`<article>
    <h2 class="title" tabindex="-1" id="panel-title">${record.title || record.id}</h2>
    ${state.can.value.recommend ? html`<div class="judge"><${Judge} state=${state} hit=${record} /><small>More or less like this</small></div>` : null}
    <${Text} text=${record.text} title=${record.title} />
    ${record.labels.length ? html`<h3>Labels</h3><ul class="label-paths">${record.labels.map((label) => html`<li key=${label.label}>
      ${label.path?.length ? html`<${Path} path=${label.path.filter((one) => one.label !== label.label)} state=${state} />` : null}
      <button type="button" class="chip" onClick=${() => state.openLabel(label)}><span>${label.title}</span></button></li>`)}</ul>` : null}
    <${Facts} record=${record} state=${state} />
    <${Neighbours} record=${record} state=${state} />
  </article>`;
}

/** @param {{text: string, title: string}} props */
function Text({ text, title }) {
  const all = useSignal(false);
  const own = text?.startsWith(title) ? text.slice(title.length).replace(/^[\s.:–-]+/, "") : (text ?? "");
  if (!own.trim()) return null;
  const long = own.length > FIRST_TEXT;
  const shown = long && !all.value ? `${own.slice(0, own.lastIndexOf(" ", FIRST_TEXT))} …` : own;
  return html`<div class="text">${shown}</div>
    ${long ? html`<button type="button" class="plain" aria-expanded=${all.value} onClick=${() => { all.value = !all.value; }}>${all.value ? "Show less" : "Show all"}</button>` : null}`;
}

/** Links and fields; each value filters. @param {{record: FullRecord, state: State}} props */
function Facts({ record, state }) {
  const links = Object.entries(record.links ?? {}).filter(([, names]) => names.length);
  const fields = Object.entries(record.fields ?? {}).filter(([, value]) => value !== null && value !== "");
  return html`<dl class="facts">
    ${links.map(([kind, names]) => html`<dt>${kind}</dt><dd>${names.slice(0, 30).map((name) => html`<${Value} key=${name} name=${kind} value=${name} />
      ${state.can.value.recommend ? html`<button type="button" class="plain small" onClick=${() => go({ mode: "recommend", to: `${kind}=${name}`, id: "", about: "" })}>recommend<span class="hidden"> records for ${name}</span></button>` : null}`)}</dd>`)}
    ${fields.map(([name, value]) => html`<dt>${name}</dt><dd>${[value].flat().map((one) => html`<${Value} key=${String(one)} name=${name} value=${one} />`)}</dd>`)}
    <dt>id</dt><dd><code>${record.id}</code></dd>
  </dl>`;
}

/** @param {{name: string, value: unknown}} props */
function Value({ name, value }) {
  const words = String(value);
  if (/^https?:\/\//.test(words)) return html`<a href=${words} target="_blank" rel="noopener noreferrer">${words}</a>`;
  if (words.length > 80) return html`<span>${words}</span>`;
  return html`<button type="button" class="chip" title=${`Filter by ${name}: ${words}`}
    onClick=${() => go({ where: [...new Set([...route.peek().where, `${name}=${words}`])], id: "", about: "" })}><span>${words}</span></button>`;
}

/** @param {{record: FullRecord, state: State}} props */
function Neighbours({ record, state }) {
  const { value, error } = state.similar.answer.value;
  return html`<h3>Neighbours</h3>
    ${error ? html`<${Failure} error=${error} state=${state} />` : null}
    ${!value && !error ? html`<${Skeleton} lines=${3} label="Loading neighbours" />` : null}
    ${value ? html`<${Hits} state=${state} hits=${value.items} next=${value.next} onMore=${() => state.more("similar")} name="Neighbours"
      why=${(/** @type {Hit} */ hit) => ({ id: record.id, other: hit.id })} />` : null}`;
}
