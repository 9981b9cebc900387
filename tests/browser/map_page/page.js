// The map without the rest of the page: made points, and everything that the map reports kept where a test can read it.
import { createMap } from "/page/map/map.js";
import { made } from "./made.js";

const wanted = new URLSearchParams(location.search);
const dark = wanted.get("theme") === "dark";
const reports = { hovers: [], picks: [], lassos: [], views: 0, names: [], nothing: 0 };
const map = createMap(/** @type {HTMLElement} */ (document.getElementById("map")), {
  theme: dark ? "dark" : "light",
  reducedMotion: wanted.has("still"),
  onHover: (number) => reports.hovers.push(number),
  onPick: (number) => reports.picks.push(number),
  onLasso: (numbers) => reports.lassos.push([...numbers]),
  onView: () => reports.views++,
  onName: (name) => reports.names.push(name.text),
  onNothing: () => reports.nothing++,
});
const data = made(Number(wanted.get("n") ?? 5000), Number(wanted.get("seed") ?? 1));
map.setPoints(data.points, data.plain);
map.setColours(data.codes, wanted.has("grey") ? [] : data.palette[dark ? "dark" : "light"]);
map.setNames(data.names);
Object.assign(window, { map, data, reports, createMap });
