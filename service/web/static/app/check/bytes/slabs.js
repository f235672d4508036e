// Runs many small WebCrypto calls in batches, so that neither it nor the page is idle.

import { breathe } from "./bytes.js";

const SLAB = 128;

/**
 * Calls `ask` for each thing, and `hear` with the answers in the order of the things.
 * @template T, A @param {T[]} things @param {(thing: T, place: number) => Promise<A>} ask
 * @param {(thing: T, answer: A, place: number) => void} hear @param {(done: number) => void} progress
 */
export async function inSlabs(things, ask, hear, progress) {
  for (let from = 0; from < things.length; from += SLAB) {
    const slab = things.slice(from, from + SLAB);
    const answers = await Promise.all(slab.map((thing, i) => ask(thing, from + i)));
    slab.forEach((thing, i) => hear(thing, /** @type {A} */ (answers[i]), from + i));
    progress(from + slab.length);
    await breathe();
  }
}
