/** The one box: a few words search as one types, a longer text asks for subjects. */

import { effect, html, useEffect, useRef, useSignal } from "../vendor.js";
import { Icon } from "./icons.js";
import { go, route } from "../router.js";
import { LONG_TEXT } from "../state.js";

/** @import { State } from "../state.js" */

/** Milliseconds of silence before a typed query is sent. */
const PAUSE = 120;

const WAYS = { hybrid: "Words + meaning", meaning: "Meaning", words: "Words" };
const ONE_WAY = { hybrid: "Search" }; // a site without a server searches by meaning only

/** @param {{state: State}} props */
export function Box({ state }) {
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const typed = useSignal(route.peek().q);
  const timer = useRef(0);
  const mine = useRef(/** @type {unknown} */ (null));

  useEffect(() => effect(() => {
    // What comes from the address (Back, an example, a link) goes into the box; what is being typed stays.
    const { q } = route.value;
    if (field.current && field.current.value !== q && !timer.current) {
      field.current.value = q;
      typed.value = q;
      fit(field.current);
    }
  }), []);

  const send = () => {
    clearTimeout(timer.current);
    timer.current = 0;
    const text = field.current?.value ?? "";
    if (text.trim() === route.peek().q.trim() && (text.length > LONG_TEXT) === (route.peek().mode === "suggest") && !route.peek().id) return;
    // While somebody types, one entry of the history is changed; anything else in between begins another one.
    state.enter(text.trim() ? text : "", { replace: mine.current === route.peek() });
    mine.current = route.peek();
  };
  const onInput = () => {
    if (!field.current) return;
    typed.value = field.current.value;
    fit(field.current);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(send, PAUSE);
  };
  /** @param {KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
    if (event.key === "ArrowDown" && !typed.value.includes("\n")) {
      const first = /** @type {HTMLElement | null} */ (document.querySelector("[data-result]"));
      if (first) {
        event.preventDefault();
        first.focus();
      }
    }
  };
  const clear = () => {
    if (!field.current) return;
    field.current.value = "";
    typed.value = "";
    fit(field.current);
    state.enter("");
    field.current.focus();
  };
  const suggest = () => {
    clearTimeout(timer.current);
    timer.current = 0;
    state.leaveLasso();
    go({ q: field.current?.value ?? "", mode: "suggest", id: "", about: "" });
  };

  const isSuggest = route.value.mode === "suggest";
  const hasText = typed.value.trim().length > 0;
  const busy = state.search.answer.value.status === "loading" || state.suggested.answer.value.status === "loading";
  return html`<form class="box" role="search" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
    <div class=${`box-field ${busy ? "busy" : ""}`}>
      <${Icon} name="search" />
      <textarea ref=${field} id="box" rows="1" autocomplete="off" autocapitalize="off" spellcheck=${false} enterkeyhint="search"
        aria-label=${state.can.value.suggest ? "Search, or paste a text to get subjects for it" : "Search"}
        placeholder=${state.can.value.suggest ? "Search, or paste a text" : "Search"}
        onInput=${onInput} onKeyDown=${onKeyDown}></textarea>
      ${hasText
        ? html`<button type="button" class="icon-button" aria-label="Clear the box" onClick=${clear}><${Icon} name="close" /></button>`
        : html`<kbd class="box-key" aria-hidden="true">/</kbd>`}
    </div>
    ${hasText ? html`<div class="box-row">
      <div class="segments" role="group" aria-label="What to do with the text">
        ${Object.entries(state.can.value.words === false ? ONE_WAY : WAYS).map(([way, name]) => html`<button type="button" key=${way} aria-pressed=${!isSuggest && route.value.by === way}
          onClick=${() => go({ by: way, mode: "", q: field.current?.value ?? "", id: "", about: "" })}>${name}</button>`)}
        ${state.can.value.suggest ? html`<button type="button" class="segment-suggest" aria-pressed=${isSuggest} aria-label="Suggest subjects" title="Suggest subjects for this text" onClick=${suggest}>Subjects</button>` : null}
      </div>
    </div>` : null}
  </form>`;
}

/** As high as its text, up to four lines, whether it has the focus or not: a click must not move what it meets. @param {HTMLTextAreaElement} field */
function fit(field) {
  field.style.setProperty("height", "auto");
  field.style.setProperty("height", `${Math.min(field.scrollHeight, 4 * 24 + 20)}px`);
}
