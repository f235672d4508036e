// Texts about tournaments that the pages share.

import { words } from "../../parts/games.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */
/** @typedef {Schemas["TournamentSummary"] | Schemas["Tournament"]} Summary */

/** @type {Record<string, string>} */
export const FORMATS = {
  round_robin: "Round robin",
  double_round_robin: "Double round robin",
  groups: "Groups with final",
  swiss: "Swiss",
  elimination: "Elimination",
  league: "League",
};

/** @type {Record<string, string>} */
export const STATES = {
  announced: "Announced",
  registration: "Open for registration",
  running: "Running",
  finished: "Finished",
  cancelled: "Cancelled",
};

/** @type {Record<string, string>} */
export const TIE_BREAKS = {
  points: "Points",
  buchholz: "Buchholz",
  sonneborn_berger: "Sonneborn-Berger",
  head_to_head: "Head to head",
  wins: "Wins",
  lot: "Lot",
  reached: "Last round",
  placed: "Place there",
};

/** The format with its numbers: "Swiss, 5 rounds". @param {Schemas["TournamentRequest"]} settings */
export function formatText({ format, rounds, groups, seasons }) {
  const name = FORMATS[format] ?? words(format);
  if (format === "swiss") return `${name}, ${count(rounds ?? 0, "round")}`;
  if (format === "groups") return `${count(groups ?? 0, "group")} with final`;
  if (format === "league") return `${name}, ${count(groups ?? 0, "division")}, ${count(seasons ?? 1, "season")}`;
  return name;
}

/** @param {number} many @param {string} noun */
export const count = (many, noun) => `${many} ${many === 1 ? noun : `${noun}s`}`;

/** The title of a group of a stage. @param {Schemas["TournamentRequest"]} settings @param {number} stage @param {number} group */
export function groupTitle({ format }, stage, group) {
  if (format === "league") return `Season ${stage}, division ${group}`;
  if (format === "groups") return stage === 2 ? "Final" : `Group ${group}`;
  return "Standings";
}
