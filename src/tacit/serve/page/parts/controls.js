/** What lies over the map: its tools, the slider between the two layouts, the tooltip and the banners. */

import { html, useEffect, useLayoutEffect, useRef, useSignal } from "../vendor.js";
import { Icon } from "./icons.js";
import { Swatch } from "./bits.js";
import { go, route } from "../router.js";

/** @import { Signal } from "@preact/signals" */
/** @import { Stage } from "../stage.js" */
/** @import { State } from "../state.js" */

/** Milliseconds of the glide between the layouts. */
const GLIDE = 1400;

/** @param {{stage: Signal<Stage | null>, state: State, theme: Signal<"light" | "dark">, help: Signal<boolean>, onLegend?: () => void}} props */
export function Tools({ stage, state, theme, help, onLegend }) {
  const now = stage.value;
  const dark = theme.value === "dark";
  return html`<div class="tools" role="toolbar" aria-label="Map tools" aria-orientation="vertical">
    ${state.can.value.map ? html`
    <button type="button" class="icon-button" aria-label="Zoom in" title="Zoom in (+)" onClick=${() => now?.map.zoomBy(1.6)}><${Icon} name="plus" /></button>
    <button type="button" class="icon-button" aria-label="Zoom out" title="Zoom out (−)" onClick=${() => now?.map.zoomBy(1 / 1.6)}><${Icon} name="minus" /></button>
    <button type="button" class="icon-button" aria-label="Show the whole map" title="The whole map (0)" onClick=${() => now?.map.flyTo("all")}><${Icon} name="all" /></button>
    <button type="button" class="icon-button" aria-label="Lasso: draw a loop around points" title="Lasso" aria-pressed=${now?.lassoing.value ?? false}
      onClick=${() => { if (now) now.lassoing.value = !now.lassoing.value; }}><${Icon} name="lasso" /></button>
    <span class="tools-gap"></span>` : null}
    <button type="button" class="icon-button" aria-label=${dark ? "Light colours" : "Dark colours"} title=${dark ? "Light" : "Dark"}
      onClick=${() => { theme.value = dark ? "light" : "dark"; }}><${Icon} name=${dark ? "sun" : "moon"} /></button>
    <button type="button" class="icon-button" aria-label="Help" title="Help (?)" onClick=${() => { help.value = true; }}><${Icon} name="help" /></button>
    ${onLegend ? html`<button type="button" class="icon-button" aria-label="Show the legend" title="Legend (l)" onClick=${onLegend}><${Icon} name="tree" /></button>` : null}
  </div>`;
}

/** @param {{stage: Signal<Stage | null>, state: State}} props */
export function Slider({ stage, state }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const shown = useRef(route.peek().mix);
  const { mix } = route.value;
  useEffect(() => {
    if (mix === shown.current) return;
    shown.current = mix;
    if (field.current) field.current.value = String(mix);
    stage.peek()?.map.glideTo(mix / 100, GLIDE);
  }, [mix]);
  if (!state.can.value.plain || !stage.value) return null;
  /** @param {Event} event */
  const onInput = (event) => {
    shown.current = Number(/** @type {HTMLInputElement} */ (event.target).value);
    stage.peek()?.map.setMix(shown.current / 100);
  };
  return html`<div class="slider" role="group" aria-label="Layout of the map">
    <div class="slider-row">
      <button type="button" class="plain" aria-pressed=${mix === 0} onClick=${() => go({ mix: 0 }, { replace: true })}>words only</button>
      <input ref=${field} id="mix" type="range" min="0" max="100" step="1" defaultValue=${String(mix)} aria-label="From words only to all that is known" aria-describedby="slider-note"
        onInput=${onInput} onChange=${() => go({ mix: shown.current }, { replace: true })} />
      <button type="button" class="plain" aria-pressed=${mix === 100} onClick=${() => go({ mix: 100 }, { replace: true })}>all that is known</button>
    </div>
    <p id="slider-note">${mix === 0 ? "These positions use the words of the records alone." : "These positions use the records’ own labels."}</p>
  </div>`;
}

/** @param {{stage: Signal<Stage | null>, state: State}} props */
export function Tooltip({ stage, state }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const tip = stage.value?.tip.value ?? null;
  useLayoutEffect(() => {
    if (!tip || !element.current) return;
    const { offsetWidth, offsetHeight } = element.current;
    const left = Math.max(8, Math.min(innerWidth - offsetWidth - 8, tip.x + 14));
    const top = tip.y + 18 + offsetHeight > innerHeight ? tip.y - offsetHeight - 12 : tip.y + 18;
    element.current.style.setProperty("transform", `translate(${left}px, ${top}px)`);
  }, [tip]);
  if (!tip) return null;
  const codes = state.colours.answer.value.value;
  const group = codes?.groups.find((one) => one.code === codes.codes[tip.hit.number]);
  return html`<div class="tip" ref=${element} role="presentation">
    <b>${tip.hit.title || tip.hit.id}</b>
    ${group ? html`<span class="tip-group"><${Swatch} code=${group.code} />${group.name}</span>` : null}
    ${tip.hit.labels.length ? html`<small>${tip.hit.labels.slice(0, 4).map(({ title }) => title).join(" · ")}</small>` : null}
  </div>`;
}

/** @param {{state: State}} props */
export function Banner({ state }) {
  const dismissed = useSignal(false);
  if (state.gone.value) return html`<div class="banner" role="alert"><span>The server does not answer. Trying again …</span></div>`;
  if (state.renewed.value && !dismissed.value) {
    return html`<div class="banner" role="alert"><span>The index was updated.</span>
      <button type="button" class="button" onClick=${() => location.reload()}>Reload the map</button>
      <button type="button" class="icon-button" aria-label="Dismiss" onClick=${() => { dismissed.value = true; }}><${Icon} name="close" /></button></div>`;
  }
  return null;
}
