// Points that look like a collection's map: a dozen wide groups, each of several narrow ones, some records in none.

const WORDS = "Networks Files Text Numbers Time Images Sound Testing Processes Data Language Internet Objects Memory".split(" ");
const KINDS = ["tools", "protocols and formats", "basics", "for experts", "in practice", "handling", "servers", "limits"];

export const PALETTE = {
  light: [
    "#cfd1d6", "#4c78b0", "#e58a3c", "#54a24b", "#d9575a", "#8f6bb3", "#35a3a0", "#c9a227", "#d2739b", "#8a6f55", "#6f8fdb", "#8fae3f",
    "#b0649f", "#9aa0a8",
  ],
  dark: [
    "#3c414a", "#6c9bd8", "#f2a25c", "#78c470", "#ee7a7a", "#b391d6", "#56c2bd", "#e0c14b", "#e894b8", "#b79a7d", "#93aef0", "#b0cf63",
    "#d18bc2", "#8b919b",
  ],
};

/** Numbers in 0..1 that are the same each time. @param {number} seed */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** @param {number} n @param {number} seed */
export function made(n, seed) {
  const next = random(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const groups = [];
  for (let top = 0; top < 12; top++) {
    const angle = top * 2.4;
    const far = Math.sqrt((top + 0.5) / 12) * 23000;
    for (let part = 0; part < 8; part++) {
      const turn = part * 0.785 + top;
      groups.push({
        top, part,
        x: far * Math.cos(angle) + 4600 * Math.cos(turn) * (0.6 + 0.6 * next()),
        y: far * Math.sin(angle) + 4600 * Math.sin(turn) * (0.6 + 0.6 * next()),
        px: normal() * 9000, py: normal() * 9000, wide: 700 + 1100 * next(), share: 0.3 + next() ** 2,
      });
    }
  }
  const total = groups.reduce((sum, group) => sum + group.share, 0);
  const points = new Int16Array(2 * n);
  const plain = new Int16Array(2 * n);
  const codes = new Uint8Array(n);
  const bound = (value) => Math.max(-32767, Math.min(32767, Math.round(value)));
  for (let i = 0; i < n; i++) {
    let left = next() * total;
    const group = groups.find((one) => (left -= one.share) <= 0) ?? groups[0];
    const stray = next() < 0.1 ? 3 : 1;
    points[2 * i] = bound(group.x + normal() * group.wide * stray);
    points[2 * i + 1] = bound(group.y + normal() * group.wide * stray);
    plain[2 * i] = bound(group.px + normal() * 5000);
    plain[2 * i + 1] = bound(group.py + normal() * 5000);
    codes[i] = next() < 0.08 ? 0 : group.top + 1;
  }
  const records = (group) => Math.round((n * group.share) / total);
  const whole = (value) => Math.round(value);
  const names = groups.map((group) => ({
    text: `${WORDS[group.top]} ${KINDS[group.part]}`, label: `${group.top}.${group.part}`, level: 1, records: records(group),
    x: whole(group.x), y: whole(group.y), px: whole(group.px), py: whole(group.py),
  }));
  for (let top = 0; top < 12; top++) {
    const parts = groups.filter((group) => group.top === top);
    const mean = (key) => whole(parts.reduce((sum, part) => sum + part[key], 0) / parts.length);
    const count = parts.reduce((sum, part) => sum + records(part), 0);
    names.push({ text: WORDS[top], label: `${top}`, level: 0, records: count, x: mean("x"), y: mean("y"), px: mean("px"), py: mean("py") });
  }
  return { points, plain, codes, names, palette: PALETTE };
}
