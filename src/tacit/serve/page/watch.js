/** Watches the server: tells when it is gone, comes back, or serves another generation of the index. */

import { effect } from "./vendor.js";

/** @import { State } from "./state.js" */

/** Milliseconds between two looks at a server that answers. */
const CALM = 20_000;
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30_000;

/** @param {State} state */
export function watchServer(state) {
  let wait = FIRST_WAIT;
  let timer = 0;
  const look = async () => {
    if (document.visibilityState === "hidden") {
      schedule(CALM);
      return;
    }
    try {
      const { generation } = await state.source.info();
      const known = state.info.answer.peek().value;
      if (known && known.generation !== generation) state.renewed.value = true;
      wait = FIRST_WAIT;
      if (state.gone.peek()) {
        state.gone.value = false;
        state.retry.value += 1;
        if (!known) state.info.ask((abort) => state.source.info(abort));
      }
      schedule(CALM);
    } catch (error) {
      if (/** @type {any} */ (error).status === 0) state.gone.value = true;
      schedule(wait);
      wait = Math.min(LONGEST_WAIT, wait * 2);
    }
  };
  /** @param {number} pause */
  const schedule = (pause) => {
    clearTimeout(timer);
    timer = window.setTimeout(look, pause);
  };
  effect(() => schedule(state.gone.value ? FIRST_WAIT : CALM));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") schedule(200);
  });
}
