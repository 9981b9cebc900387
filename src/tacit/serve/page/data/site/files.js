/** Reads the files of a static site, each at most once. */

import { readNpy } from "../npy.js";
import { SourceError } from "../server.js";

export class Files {
  /** @param {string} base folder of the data, such as `data` */
  constructor(base) {
    this.base = base;
    /** @type {Map<string, Promise<any>>} */
    this.held = new Map();
  }

  /** @param {string} name @returns {Promise<any>} */
  json(name) {
    return this.once(name, (response) => response.json());
  }

  /** @param {string} name @returns {Promise<any>} the numbers of an array, row by row */
  array(name) {
    return this.once(name, async (response) => readNpy(await response.arrayBuffer()).data);
  }

  /** @param {string} name @param {(response: Response) => Promise<any>} read */
  once(name, read) {
    const before = this.held.get(name);
    if (before) return before;
    const reading = this.fetched(name).then(read);
    this.held.set(name, reading);
    reading.catch(() => this.held.delete(name)); // so that the next request tries again
    return reading;
  }

  /** @param {string} name */
  async fetched(name) {
    let response;
    try {
      response = await fetch(`${this.base}/${name}`);
    } catch {
      throw new SourceError(0, "The server does not answer.");
    }
    if (!response.ok) throw new SourceError(response.status, `The file ${name} of this site is missing.`);
    return response;
  }
}

/** @param {number} number */
export const piece = (number) => String(number).padStart(5, "0");
