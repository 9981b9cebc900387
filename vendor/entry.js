// Everything the page uses from other projects, under the names it uses.
import htm from "htm";
import { h } from "preact";

export { Component, Fragment, createContext, createRef, h, options, render, toChildArray } from "preact";
export {
  useCallback,
  useContext,
  useEffect,
  useErrorBoundary,
  useId,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "preact/hooks";
export { batch, computed, effect, signal, untracked, useComputed, useSignal, useSignalEffect } from "@preact/signals";
export { pointer, select } from "d3-selection";
export { interpolateZoom } from "d3-interpolate";
export { zoom, zoomIdentity } from "d3-zoom";

/** Markup as a tagged template, drawn by Preact. */
export const html = htm.bind(h);
