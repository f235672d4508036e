// Texts about games that several pages share.

import { get } from "../api/client.js";
import { now } from "../api/clock.js";

/** @typedef {import("../api/client.js").Schemas} Schemas */

/** @type {Promise<Schemas["Kind"][]> | null} */
let asked = null;

/** Returns the available kinds. Cached, because only a release changes them. @returns {Promise<Schemas["Kind"][]>} */
export function kinds() {
  asked ??= get("/v1/kinds").then(
    (answer) => answer.data.kinds,
    (problem) => {
      asked = null;
      throw problem;
    },
  );
  return asked;
}

/** The title of a kind. @param {Schemas["Kind"][]} known @param {string} key */
export const titleOf = (known, key) => known.find((kind) => kind.key === key)?.title ?? key;

/** A name of the API as text: `quick_setup` is "Quick setup". @param {unknown} name */
export const words = (name) => capital(String(name).replaceAll("_", " "));

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Capitalizes each word. @param {string} name */
export const proper = (name) => name.split("_").map(capital).join(" ");

/** A bot's label: "2 search bots (level 1)". @param {string} bot @param {number} [many] */
export function botText(bot, many) {
  const [name = "", level] = bot.split(":");
  const text = `${name.replaceAll("_", " ")} ${(many ?? 1) === 1 ? "bot" : "bots"}${level ? ` (level ${level})` : ""}`;
  return many === undefined ? text : `${many} ${text}`;
}

/** The name of a seat's player or bot; null if the seat is free. @param {Schemas["Seat"]} seat */
export function sitter(seat) {
  if (seat.bot) return seat.player ? `${seat.player.name} (${botText(seat.bot)})` : capital(botText(seat.bot));
  return seat.player?.name ?? null;
}

/** The player for whom a free seat is reserved now; null if any player can take it. @param {Schemas["Seat"]} seat */
export function holderOf({ reservation }) {
  return reservation && reservation.expires_at !== null && reservation.expires_at > now() ? reservation.player : null;
}

/** The number of seats that any player can take. @param {Schemas["Seat"][]} seats */
export const countFree = (seats) => seats.filter((seat) => sitter(seat) === null && holderOf(seat) === null).length;

/** A list in English: "Ada, Birk and Cleo". @param {string[]} names */
export const listed = (names) => (names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);

/** Groups equal words: "3 × supply". @param {string[]} all */
export function counted(all) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const each of all) found.set(each, (found.get(each) ?? 0) + 1);
  return [...found].map(([text, many]) => (many > 1 ? `${many} × ${text}` : text));
}

/** The players, with bots grouped: "Ada and 3 greedy bots". @param {Schemas["Seat"][]} seats */
export function company(seats) {
  /** @type {Map<string, number>} */
  const bots = new Map();
  for (const seat of seats) if (seat.bot && !seat.player) bots.set(seat.bot, (bots.get(seat.bot) ?? 0) + 1);
  const people = seats.filter((seat) => seat.player).map((seat) => sitter(seat) ?? "");
  return listed([...people, ...[...bots].map(([bot, many]) => botText(bot, many))]);
}

/** Whether the reader can start a study. @param {any} game */
export const canStudy = ({ status, your_seats: own, table }) => own.length > 0 && (status === "over" || table["studies"] !== "off");
