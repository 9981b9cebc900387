/** Why something was found: words with signed bars, what is shared, one sentence. */

import { html, useEffect, useSignal } from "../vendor.js";
import { createResource } from "../data/resource.js";
import { Failure, LabelChip, SignedBar, Skeleton, percent } from "../parts/bits.js";

/** @import { Explanation } from "../data/types.js" */
/** @import { State } from "../state.js" */

/** @param {{state: State, ask: {q?: string, id?: string, other?: string, label?: string, text?: string}}} props */
export function Why({ state, ask }) {
  const resource = useSignal(/** @type {ReturnType<typeof createResource<Explanation>>} */ (createResource())).value;
  const key = JSON.stringify(ask);
  useEffect(() => {
    resource.ask((abort) => state.source.explain(ask, abort));
    return () => resource.ask(null);
  }, [key, state.retry.value]);
  const { status, value, error } = resource.answer.value;
  if (error) return html`<${Failure} error=${error} state=${state} />`;
  if (!value || status === "idle") return html`<${Skeleton} lines=${1} label="Loading the reasons" />`;
  return html`<${Reasons} why=${value} state=${state} />`;
}

/** @param {{why: Explanation, state: State}} props */
function Reasons({ why, state }) {
  const words = (why.words ?? []).slice(0, 10);
  const links = Object.entries(why.links ?? {}).filter(([, names]) => names.length);
  return html`<div class="why">
    <p class="why-sentence">${why.sentence}</p>
    ${words.length ? html`<${Words} words=${words} />` : null}
    ${why.shared_words?.length ? html`<p class="why-line"><b>Words in both</b> ${why.shared_words.slice(0, 12).join(", ")}</p>` : null}
    ${why.labels?.length ? html`<div class="why-line"><b>Shared labels</b> ${why.labels.map((label) => html`<${LabelChip} key=${label.label} label=${label} state=${state} />`)}</div>` : null}
    ${why.ancestors?.length ? html`<div class="why-line"><b>Shared above</b> ${why.ancestors.map((label) => html`<${LabelChip} key=${label.label} label=${label} state=${state} />`)}</div>` : null}
    ${links.map(([kind, names]) => html`<p class="why-line" key=${kind}><b>Shared ${kind}</b> ${names.slice(0, 12).join(", ")}</p>`)}
  </div>`;
}

/** Words with their share for (right) or against (left). @param {{words: {word: string, part: number}[]}} props */
export function Words({ words }) {
  const largest = Math.max(...words.map(({ part }) => Math.abs(part)), 1e-12);
  return html`<ul class="words">${words.map(({ word, part }) => html`<li key=${word}>
    <span class="word">${word}</span><${SignedBar} part=${part} largest=${largest} oneSided=${words.every((one) => one.part >= 0)} />
    <span class="hidden">${part < 0 ? "speaks against it" : "speaks for it"}, ${percent(Math.abs(part) / largest)} of the strongest word</span>
  </li>`)}</ul>`;
}
