/** What is known about labels: titles of ids, and which titles are unique and may stand in an address. */

import { signal } from "../vendor.js";

/** @import { Label, LabelPage, Source } from "./types.js" */

/** @param {Source} source */
export function createLabelBook(source) {
  const titles = signal(/** @type {Map<string, string>} */ (new Map()));
  /** @type {Map<string, Promise<LabelPage>>} */
  const pages = new Map();
  /** @type {Map<string, Promise<string>>} */
  const keys = new Map();

  /** @param {(Label | null | undefined)[]} labels */
  function remember(labels) {
    const known = titles.peek();
    const fresh = labels.filter((label) => label && !known.has(label.label));
    if (!fresh.length) return;
    const next = new Map(known);
    for (const label of fresh) if (label) next.set(label.label, label.title);
    titles.value = next;
  }

  /** The title of an id or title, as far as it is known. @param {string} key */
  const titleOf = (key) => titles.value.get(key) ?? key;

  /** The page of a label given by id or title, asked once. @param {string} key */
  function page(key) {
    let asked = pages.get(key);
    if (!asked) {
      asked = source.label(key);
      pages.set(key, asked);
      asked.then((label) => remember([{ label: key, title: label.title }, label, ...label.path]), () => pages.delete(key));
    }
    return asked;
  }

  /**
   * What stands for a label in an address: its title if no other label has it, else its id.
   *
   * @param {Label} label
   * @returns {Promise<string>}
   */
  function keyOf(label) {
    remember([label]);
    let asked = keys.get(label.label);
    if (!asked) {
      asked = source.labels({ q: label.title, limit: 20 }).then(
        ({ items }) => {
          const same = items.filter((item) => item.title.toLowerCase() === label.title.toLowerCase());
          return same.length === 1 && same[0].label === label.label ? label.title : label.label;
        },
        () => label.label,
      );
      keys.set(label.label, asked);
    }
    return asked;
  }

  return { titles, remember, titleOf, page, keyOf };
}
