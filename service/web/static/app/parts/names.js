// The title, tags and private label of a game, as text.

import { h } from "./dom.js";

/** The longest title and label. */
export const LONGEST = 60;
export const TAGS_HELP = "At most 8, separated by spaces: lowercase letters, digits and hyphens.";

/** The tags in a text. @param {string} text */
export const tagsIn = (text) => [...new Set(text.toLowerCase().split(/[\s,#]+/).filter(Boolean))];

/** @param {string[]} tags */
export const tagChips = (tags) => tags.map((tag) => h("span", { class: "chip" }, `#${tag}`));

/** The reader's private label, if there is one. @param {string | null | undefined} label */
export const labelChip = (label) => (label ? h("span", { class: "chip strong" }, h("span", { class: "hidden" }, "Your label: "), label) : null);
