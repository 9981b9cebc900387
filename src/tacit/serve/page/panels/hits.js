/** A list of records: the accessible twin of the points on the map. */

import { html, useComputed, useRef, useSignal } from "../vendor.js";
import { Icon } from "../parts/icons.js";
import { Bar, LabelChip, Marked, percent } from "../parts/bits.js";
import { go, route } from "../router.js";
import { linkTo } from "../state.js";
import { Why } from "./why.js";

/** @import { Hit } from "../data/types.js" */
/** @import { State } from "../state.js" */

/** Labels of one record shown before "more". */
const FIRST_LABELS = 4;

/**
 * @param {{state: State, hits: Hit[], next?: string | null, onMore?: () => Promise<void>, name: string,
 *   why?: (hit: Hit) => ({q?: string, id?: string, other?: string} | null)}} props
 */
export function Hits({ state, hits, next, onMore, name, why }) {
  const loading = useSignal(false);
  const more = async () => {
    loading.value = true;
    await onMore?.();
    loading.value = false;
  };
  return html`<ol class="hits" aria-label=${name} onKeyDown=${moveFocus}>
    ${hits.map((hit) => html`<${HitItem} key=${hit.id} state=${state} hit=${hit} ask=${why?.(hit) ?? null} />`)}
    ${next && onMore ? html`<li class="more"><button type="button" class="button wide" disabled=${loading.value} onClick=${more}>${loading.value ? "Loading …" : "More"}</button></li>` : null}
  </ol>`;
}

/** @param {{state: State, hit: Hit, ask: {q?: string, id?: string, other?: string} | null}} props */
function HitItem({ state, hit, ask }) {
  const open = useSignal(false);
  const all = useSignal(false);
  const point = useRef(/** @type {HTMLElement | null} */ (null));
  const labels = all.value ? hit.labels : hit.labels.slice(0, FIRST_LABELS);
  const lit = useComputed(() => state.hovered.value === hit.number);
  const enter = () => { state.hovered.value = hit.number; };
  const leave = () => { if (state.hovered.peek() === hit.number) state.hovered.value = null; };
  /** @param {MouseEvent} event */
  const follow = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    go({ id: hit.id, about: "" });
  };
  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    if (event.key === "w" && ask && !event.ctrlKey && !event.metaKey) {
      open.value = !open.value;
      event.stopPropagation();
    }
  };
  return html`<li class=${`hit ${lit.value ? "lit" : ""}`} ref=${point}
      onMouseEnter=${enter} onMouseLeave=${leave} onFocusIn=${enter} onFocusOut=${leave} onKeyDown=${onKey}>
    <h3><a data-result=${hit.id} href=${linkTo({ id: hit.id, about: "" })} onClick=${follow}>${hit.title || hit.id}</a></h3>
    ${hit.snippet?.text ? html`<p class="snippet"><${Marked} text=${hit.snippet.text} marks=${hit.snippet.marks} /></p>` : null}
    ${hit.labels.length ? html`<div class="chips">
      ${labels.map((label) => html`<${LabelChip} key=${label.label} label=${label} state=${state} />`)}
      ${hit.labels.length > labels.length ? html`<button type="button" class="plain" onClick=${() => { all.value = true; }}>${hit.labels.length - labels.length} more</button>` : null}
    </div>` : null}
    <div class="hit-foot">
      ${hit.parts && (hit.parts.meaning !== null || hit.parts.words !== null) ? html`<${Score} hit=${hit} />` : null}
      <span class="hit-actions">
        ${state.can.value.recommend ? html`<${Judge} state=${state} hit=${hit} />` : null}
        ${ask ? html`<button type="button" class="button quiet small" aria-expanded=${open.value} onClick=${() => { open.value = !open.value; }}>Why<span class="hidden"> ${hit.title}</span></button>` : null}
      </span>
    </div>
    ${open.value && ask ? html`<div class="hit-why"><${Why} state=${state} ask=${ask} lead=${hit.why ?? ""} /></div>` : null}
  </li>`;
}

/** @param {{hit: Hit}} props */
function Score({ hit }) {
  const { meaning = null, words = null } = hit.parts ?? {};
  const kinds = [words ? "words" : "", meaning !== null && meaning > 0 ? "meaning" : ""].filter(Boolean);
  const details = [
    meaning === null ? "" : `meaning ${percent(Math.max(0, meaning))}`,
    words === null ? "" : `words ${percent(words)}`,
  ].filter(Boolean).join(", ");
  return html`<span class="score" title=${details}><${Bar} share=${hit.score ?? 0} />
    <span>${kinds.join(" + ") || "similar"}</span><span class="hidden">, ${details}</span></span>`;
}

/** @param {{state: State, hit: {id: string, title: string}}} props */
export function Judge({ state, hit }) {
  const liked = route.value.like.includes(hit.id);
  const disliked = route.value.dislike.includes(hit.id);
  return html`<button type="button" class="icon-button small" aria-pressed=${liked} aria-label=${`More like ${hit.title}`} title="More like this"
      onClick=${() => state.judge("like", hit.id)}><${Icon} name="like" /></button>
    <button type="button" class="icon-button small" aria-pressed=${disliked} aria-label=${`Less like ${hit.title}`} title="Less like this"
      onClick=${() => state.judge("dislike", hit.id)}><${Icon} name="dislike" /></button>`;
}

/** Up and Down go from result to result; Up from the first goes to the box. @param {KeyboardEvent} event */
function moveFocus(event) {
  if (!["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) return;
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  const links = [...list.querySelectorAll("[data-result]")];
  const here = links.findIndex((link) => link === document.activeElement || link.closest("li")?.contains(document.activeElement));
  const next = event.key === "Home" ? 0 : event.key === "End" ? links.length - 1 : here + (event.key === "ArrowDown" ? 1 : -1);
  event.preventDefault();
  if (next < 0) document.getElementById("box")?.focus();
  else if (next < links.length) /** @type {HTMLElement} */ (links[next]).focus();
  else /** @type {HTMLElement | null} */ (list.querySelector(".more button"))?.focus();
}
