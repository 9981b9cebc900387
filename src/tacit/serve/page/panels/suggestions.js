/** Subjects for a text: how probable, why, and a way to take them along. */

import { html, useEffect, useSignal } from "../vendor.js";
import { Icon } from "../parts/icons.js";
import { Bar, Failure, Head, Path, Skeleton, count, percent, plural } from "../parts/bits.js";
import { go, route } from "../router.js";
import { Why } from "./why.js";

/** @import { Suggestion } from "../data/types.js" */
/** @import { State } from "../state.js" */

/** @param {{state: State}} props */
export function Suggestions({ state }) {
  const { value, error } = state.suggested.answer.value;
  return html`<section class="suggestions" aria-label="Suggested subjects">
    <${Head} title="Subjects for your text" onBack=${() => go({ q: "", mode: "" })} />
    ${error ? html`<${Failure} error=${error} state=${state} />` : null}
    ${!value && !error ? html`<${Skeleton} lines=${5} label="Reading the text" />` : null}
    ${value ? html`<${List} suggestions=${value.suggestions} state=${state} />` : null}
  </section>`;
}

/** @param {{suggestions: Suggestion[], state: State}} props */
function List({ suggestions, state }) {
  const ticked = useSignal(/** @type {Set<string>} */ (new Set()));
  const told = useSignal("");
  useEffect(() => {
    ticked.value = new Set(suggestions.filter((one) => one.chosen).map((one) => one.label));
    told.value = "";
  }, [suggestions]);
  if (!suggestions.length) return html`<p class="notice">No subject is probable for this text. A longer text may help.</p>`;
  /** @param {string} label */
  const tick = (label) => {
    const next = new Set(ticked.value);
    if (!next.delete(label)) next.add(label);
    ticked.value = next;
  };
  const taken = suggestions.filter((one) => ticked.value.has(one.label));
  /** @param {"uri" | "title"} what */
  const copy = async (what) => {
    const text = taken.map((one) => (what === "uri" ? (one.uri ?? one.label) : one.title)).join("\n");
    told.value = (await copyText(text)) ? `${plural(taken.length, what === "uri" ? "URI" : "name")} copied` : "The browser did not allow copying";
  };
  const hasUris = suggestions.some((one) => one.uri);
  return html`
    <div class="take">
      <h2 role="status">${plural(suggestions.length, "subject")}, ${taken.length} ticked</h2>
      <div class="actions">
        <button type="button" class="button primary" disabled=${!taken.length} onClick=${() => copy("title")}><${Icon} name="copy" /> Copy names</button>
        <button type="button" class="button" disabled=${!taken.length} onClick=${() => copy("uri")}><${Icon} name="copy" /> Copy ${hasUris ? "URIs" : "ids"}</button>
        <span role="status" class="told">${told.value}</span>
      </div>
    </div>
    <ol class="suggestion-list">${suggestions.map((one) => html`<${Item} key=${one.label} one=${one} state=${state} ticked=${ticked.value.has(one.label)} onTick=${() => tick(one.label)} />`)}</ol>`;
}

/** @param {{one: Suggestion, state: State, ticked: boolean, onTick: () => void}} props */
function Item({ one, state, ticked, onTick }) {
  const open = useSignal(false);
  const id = `tick-${one.label}`;
  return html`<li class=${`suggestion ${ticked ? "ticked" : ""}`}>
    ${one.path.length ? html`<${Path} path=${one.path} state=${state} />` : null}
    <div class="suggestion-row">
      <input type="checkbox" id=${id} checked=${ticked} onChange=${onTick} />
      <label for=${id}>${one.title}</label>
      <span class="probability"><${Bar} share=${one.probability} kind="strong" /><span>${percent(one.probability)}</span></span>
    </div>
    ${one.why ? html`<p class="why-sentence">${one.why}</p>` : null}
    <div class="suggestion-foot">
      <button type="button" class="button quiet small" aria-expanded=${open.value} onClick=${() => { open.value = !open.value; }}>Details<span class="hidden"> on ${one.title}</span></button>
      <button type="button" class="button quiet small" onClick=${() => state.openLabel(one)}>Subject<span class="hidden"> ${one.title}</span></button>
    </div>
    ${open.value ? html`<div class="hit-why"><${Evidence} evidence=${one.evidence} /><${Why} state=${state} ask=${{ text: route.value.q, label: one.label }} brief=${Boolean(one.evidence)} /></div>` : null}
  </li>`;
}

/**
 * What speaks for a subject: similar records that have it, and words whose records often have it.
 *
 * @param {{evidence: Record<string, any> | null}} props
 */
function Evidence({ evidence }) {
  if (!evidence) return null;
  const { similar_records: similar, of, words = [], name, records } = evidence;
  return html`<dl class="facts small">
    ${of ? html`<dt>similar records</dt><dd class="evidence"><${Bar} share=${similar / of} kind="strong" /> ${similar} of ${of}</dd>` : null}
    ${words.slice(0, 6).map((/** @type {{word: string, share: number}} */ one) => html`<dt key=${one.word}>“${one.word}”</dt>
      <dd class="evidence"><${Bar} share=${one.share} kind="strong" /> ${percent(one.share)} of its records</dd>`)}
    ${name ? html`<dt>named in the text</dt><dd>${name}</dd>` : null}
    ${records ? html`<dt>records with it</dt><dd>${count(records)}</dd>` : null}
  </dl>`;
}

/** @param {string} text */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without https the clipboard is closed to pages; a selected text field still works.
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "hidden";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
