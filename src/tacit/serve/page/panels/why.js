/** Why something was found: words with signed bars, what is shared, one sentence. */

import { html, useEffect, useSignal } from "../vendor.js";
import { createResource } from "../data/resource.js";
import { Failure, LabelChip, SignedBar, Skeleton, percent } from "../parts/bits.js";

/** @import { Explanation } from "../data/types.js" */
/** @import { State } from "../state.js" */

/**
 * @param {{state: State, ask: {q?: string, id?: string, other?: string, label?: string, text?: string}, lead?: string, brief?: boolean}} props
 *   lead: a shorter sentence that is known already; brief: the sentence alone
 */
export function Why({ state, ask, lead = "", brief = false }) {
  const resource = useSignal(/** @type {ReturnType<typeof createResource<Explanation>>} */ (createResource())).value;
  const key = JSON.stringify(ask);
  useEffect(() => {
    resource.ask((abort) => state.source.explain(ask, abort));
    return () => resource.ask(null);
  }, [key, state.retry.value]);
  const { status, value, error } = resource.answer.value;
  if (error) return html`<${Failure} error=${error} state=${state} />`;
  if (!value || status === "idle") return html`<${Skeleton} lines=${1} label="Loading the reasons" />`;
  if (brief) return html`<p class="why-sentence">${value.sentence}</p>`;
  return html`<${Reasons} why=${value} state=${state} lead=${lead} />`;
}

/** @param {{why: Explanation, state: State, lead: string}} props */
function Reasons({ why, state, lead }) {
  const words = (why.words ?? []).slice(0, 10);
  const links = Object.entries(why.links ?? {}).filter(([, names]) => names.length);
  return html`<div class="why">
    <p class="why-sentence">${lead || why.sentence}</p>
    ${words.length ? html`<${Words} words=${words} />` : null}
    ${why.shared_words?.length ? html`<p class="why-line"><b>Words in both</b> ${why.shared_words.slice(0, 12).join(", ")}</p>` : null}
    ${why.labels?.length && why.kind !== "suggestion" ? html`<div class="why-line"><b>${why.kind === "pair" ? "Shared labels" : "Its labels"}</b> ${why.labels.map((label) => html`<${LabelChip} key=${label.label} label=${label} state=${state} />`)}</div>` : null}
    ${why.ancestors?.length ? html`<div class="why-line"><b>${why.kind === "pair" ? "Shared above" : "Below"}</b> ${why.ancestors.map((label) => html`<${LabelChip} key=${label.label} label=${label} state=${state} />`)}</div>` : null}
    ${links.map(([kind, names]) => html`<p class="why-line" key=${kind}><b>Shared ${kind}</b> ${names.slice(0, 12).join(", ")}</p>`)}
    ${words.length ? null : html`<${Dimensions} dimensions=${why.dimensions ?? []} />`}
    ${lead && why.sentence !== lead ? html`<p class="why-more">${why.sentence}</p>` : null}
  </div>`;
}

/** The dimensions that count most, by the words at their ends. @param {{dimensions: Explanation["dimensions"]}} props */
function Dimensions({ dimensions }) {
  const first = dimensions.slice(0, 4);
  if (!first.length) return null;
  const largest = Math.max(...first.map(({ part }) => Math.abs(part)), 1e-12);
  return html`<p class="why-line"><b>Common themes</b></p>
    <ul class="words">${first.map(({ number, part, about }) => html`<li key=${number}>
      <span class="word themes">${about.slice(0, 3).join(", ")}</span><${SignedBar} part=${part} largest=${largest} oneSided=${first.every((one) => one.part >= 0)} /></li>`)}</ul>`;
}

/** Words with their share for (right) or against (left). @param {{words: {word: string, part: number}[]}} props */
export function Words({ words }) {
  const largest = Math.max(...words.map(({ part }) => Math.abs(part)), 1e-12);
  return html`<ul class="words">${words.map(({ word, part }) => html`<li key=${word}>
    <span class="word">${word}</span><${SignedBar} part=${part} largest=${largest} oneSided=${words.every((one) => one.part >= 0)} />
    <span class="hidden">${part < 0 ? "speaks against it" : "speaks for it"}, ${percent(Math.abs(part) / largest)} of the strongest word</span>
  </li>`)}</ul>`;
}
