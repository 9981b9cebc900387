/** The explorer: chooses the source of data, puts the parts together and starts them. */

import { computed, effect, html, render, signal, useEffect, useRef } from "./vendor.js";
import { Box } from "./parts/box.js";
import { Banner, Slider, Tools, Tooltip } from "./parts/controls.js";
import { Help, listenToKeys } from "./parts/keys.js";
import { Icon } from "./parts/icons.js";
import { Failure, Skeleton } from "./parts/bits.js";
import { LabelPanel } from "./panels/label.js";
import { RecordPanel } from "./panels/record.js";
import { Basket, Inside, Recommended, Results } from "./panels/results.js";
import { Start, home } from "./panels/start.js";
import { Suggestions } from "./panels/suggestions.js";
import { followAddress, route } from "./router.js";
import { Sheet, covered, height, raise } from "./parts/sheet.js";
import { createStage } from "./stage.js";
import { createState } from "./state.js";
import { narrow, phone, reducedMotion, theme } from "./theme.js";
import { Legend, createTree } from "./parts/tree.js";
import { watchServer } from "./watch.js";

/** @import { Source } from "./data/types.js" */
/** @import { Stage } from "./stage.js" */
/** @import { State } from "./state.js" */

const help = signal(false);
const legendOpen = signal(true);
const tab = signal(/** @type {"list" | "legend"} */ ("list"));
const stage = signal(/** @type {Stage | null} */ (null));

/** What panels cover of the map, in pixels; the same figures as in css/layout.css. */
const padding = computed(() => (phone.value
  ? { top: 76, right: 60, bottom: height.value === 2 ? 92 : covered(height.value), left: 8 }
  : { top: 16, right: legendOpen.value ? (narrow.value ? 286 : 322) : 68, bottom: 92, left: narrow.value ? 396 : 424 }));

const PANELS = { record: RecordPanel, label: LabelPanel, lasso: Inside, suggest: Suggestions, recommend: Recommended, results: Results, start: Start };

const isSite = () => /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="tacit-source"]'))?.content === "site";

/** @returns {Promise<Source>} */
async function openSource() {
  if (isSite()) {
    const module = "./data/site.js";
    return (await import(module)).createSiteSource("data");
  }
  const { createServerSource } = await import("./data/server.js");
  const index = location.pathname.split("/").filter(Boolean).at(-1) ?? "";
  return createServerSource(`api/v1/${index}`);
}

/** @param {{state: State, tree: ReturnType<typeof createTree>}} props */
function App({ state, tree }) {
  const info = state.info.answer.value;
  return html`
    <a class="skip" href="#panel" onClick=${(/** @type {Event} */ event) => {
      event.preventDefault();
      document.getElementById("panel")?.focus();
    }}>Skip to the results</a>
    <${Banner} state=${state} />
    <${MapArea} state=${state} />
    ${phone.value ? html`<${Phone} state=${state} tree=${tree} />` : html`<${Desktop} state=${state} tree=${tree} />`}
    <${Tooltip} stage=${stage} state=${state} />
    <${Help} open=${help} />
    ${info.status === "error" && !info.value && info.error ? html`<div class="fatal"><${Failure} error=${info.error} state=${state} /></div>` : null}`;
}

/** @param {{state: State, tree: ReturnType<typeof createTree>}} props */
function Desktop({ state, tree }) {
  return html`
    <div class="side card">
      <header class="brand"><h1><button type="button" class="plain" onClick=${home}>${state.info.answer.value.value?.title ?? "…"}</button></h1></header>
      <${Box} state=${state} />
      <${Panel} state=${state} />
    </div>
    <${Slider} stage=${stage} state=${state} />
    <div class="right">
      <${Tools} stage=${stage} state=${state} theme=${theme} help=${help} onLegend=${legendOpen.value ? undefined : () => { legendOpen.value = true; }} />
      ${legendOpen.value ? html`<div class="legend-card card"><${Legend} state=${state} tree=${tree} onClose=${() => { legendOpen.value = false; }} /></div>` : null}
    </div>`;
}

/** @param {{state: State, tree: ReturnType<typeof createTree>}} props */
function Phone({ state, tree }) {
  const tabs = html`<div class="tabs" role="tablist" aria-label="What the sheet shows">
    <button type="button" role="tab" id="tab-list" aria-selected=${tab.value === "list"} aria-controls="sheet-panel" onClick=${() => show("list")}><${Icon} name="list" /> Records</button>
    <button type="button" role="tab" id="tab-legend" aria-selected=${tab.value === "legend"} aria-controls="sheet-panel" onClick=${() => show("legend")}><${Icon} name="tree" /> Legend</button>
  </div>`;
  return html`
    <header class="top"><h1 class="hidden">${state.info.answer.value.value?.title ?? ""}</h1><${Box} state=${state} /></header>
    <${Tools} stage=${stage} state=${state} theme=${theme} help=${help} />
    <${Sheet} tabs=${tabs}>
      <div id="sheet-panel" role="tabpanel" aria-labelledby=${`tab-${tab.value}`}>
        ${tab.value === "list"
          ? html`${state.view.value === "start" ? html`<p class="phone-title">${state.info.answer.value.value?.title}</p>` : null}<${Panel} state=${state} />`
          : html`<${Slider} stage=${stage} state=${state} /><${Legend} state=${state} tree=${tree} />`}
      </div>
    <//>`;
}

/** @param {"list" | "legend"} which */
function show(which) {
  tab.value = which;
  if (height.value === 0) raise(1);
}

/** How far each panel was scrolled, so that going back finds the place again. @type {Map<string, number>} */
const scrolled = new Map();

/** @param {{state: State}} props */
function Panel({ state }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const opened = useRef("");
  const view = state.view.value;
  const { q, id, about } = route.value;
  const { status, value } = state.info.answer.value;
  const key = [view, view === "results" ? q : "", id, about].join("\n");
  useEffect(() => {
    const scroller = /** @type {HTMLElement | null} */ (element.current?.closest(".sheet-body") ?? element.current);
    scroller?.scrollTo(0, scrolled.get(key) ?? 0);
    const keep = () => scrolled.set(key, scroller?.scrollTop ?? 0);
    scroller?.addEventListener("scroll", keep, { passive: true });
    // What had the keyboard is gone with its panel: the new panel takes it, or the result that was opened before.
    if (document.activeElement === document.body && opened.current && opened.current !== key) {
      const before = opened.current.split("\n")[2];
      const link = before && !id ? element.current?.querySelector(`[data-result="${CSS.escape(before)}"]`) : null;
      /** @type {HTMLElement | null} */ (link ?? element.current)?.focus({ preventScroll: true });
    }
    opened.current = key;
    return () => scroller?.removeEventListener("scroll", keep);
  }, [key]);
  const Shown = PANELS[/** @type {keyof typeof PANELS} */ (view)];
  return html`<main class="panel" id="panel" tabindex="-1" ref=${element}>
    ${value ? html`<${Shown} state=${state} />` : status === "error" ? null : html`<${Skeleton} label="Opening the index" />`}
    <${Basket} state=${state} />
  </main>`;
}

/** @param {{state: State}} props */
function MapArea({ state }) {
  const container = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!container.current) return;
    stage.value = createStage(container.current, state, { theme, reducedMotion, padding });
  }, []);
  const { value } = state.info.answer.value;
  const status = stage.value?.status.value;
  return html`<section class="stage" aria-label="Map">
    <div id="map" ref=${container} tabindex="0" role="application" aria-label="Map of the records. Arrow keys move it, plus and minus zoom, Enter opens the record in the middle. The list of results holds the same records."></div>
    <${Aim} />
    ${value && !value.can.map ? html`<p class="stage-note">This index was built without a map. To add one: <code>tacit map INDEX --again</code></p>` : null}
    ${value?.can.map && status === "loading" ? html`<p class="stage-note" role="status">Loading the map …</p>` : null}
    ${status === "error" && !state.gone.value ? html`<div class="stage-note"><p>The map could not be loaded.</p><button type="button" class="button" onClick=${() => { state.retry.value += 1; }}>Try again</button></div>` : null}
  </section>`;
}

/** The middle of the free part of the map, shown while the map has the keyboard. */
function Aim() {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => effect(() => {
    const { top, right, bottom, left } = padding.value;
    element.current?.style.setProperty("left", `calc((100% + ${left - right}px) / 2)`);
    element.current?.style.setProperty("top", `calc((100% + ${top - bottom}px) / 2)`);
  }), []);
  return html`<span class="aim" ref=${element} aria-hidden="true"></span>`;
}

function focusLegend() {
  legendOpen.value = true;
  show("legend");
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const first = document.querySelector('#tree [tabindex="0"]') ?? document.querySelector(".groups button") ?? document.getElementById("colour");
    /** @type {HTMLElement | null} */ (first)?.focus();
  }));
}

/** Browsers can add the collection to their search engines. */
function offerSearch() {
  const link = Object.assign(document.createElement("link"), { rel: "search", type: "application/opensearchdescription+xml", title: "Tacit", href: `${location.pathname}/opensearch.xml` });
  document.head.append(link);
}

async function start() {
  const state = createState(await openSource());
  const tree = createTree(state);
  const root = document.getElementById("app");
  if (!root) return;
  root.textContent = "";
  render(html`<${App} state=${state} tree=${tree} />`, root);
  followAddress();
  listenToKeys({ state, stage: () => stage.value, showLegend: focusLegend, showHelp: () => { help.value = true; } });
  document.addEventListener("tacit-help", () => { help.value = true; });
  if (!isSite()) {
    watchServer(state);
    offerSearch();
  }
  effect(() => {
    const title = state.info.answer.value.value?.title;
    const about = route.value.id ? state.record.answer.value.value?.title : route.value.q.slice(0, 60);
    document.title = [about, title ?? "Tacit"].filter(Boolean).join(" – ");
  });
  const read = computed(() => [route.value.q, route.value.mode, route.value.id, route.value.about, state.lassoNumbers.value?.length ?? ""].join("\n"));
  effect(() => {
    // Something new to read: a phone shows the list and lifts a sheet that hides it. A filter alone leaves the legend.
    if (!read.value.trim()) return;
    tab.value = "list";
    if (height.peek() === 0) height.value = 1;
  });
  effect(() => {
    state.retry.value;
    if (!state.info.answer.peek().value) state.info.ask((abort) => state.source.info(abort));
  });
}

start();
