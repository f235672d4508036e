// The profile of a player: ratings, results, results against others, and the newest games.

import { Problem, at, get } from "../../api/client.js";
import { session } from "../../api/session.js";
import { h, put } from "../../parts/dom.js";
import { playerStar } from "../../parts/favorite.js";
import { kinds, listed, titleOf } from "../../parts/games.js";
import { Page } from "../../parts/page.js";
import "../../parts/when.js";
import { setTitle } from "../../navigation.js";
import { ratingChart } from "./chart.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */
/** @typedef {Schemas["Profile"]} Profile */
/** @typedef {Schemas["PlayerRating"]} PlayerRating */

export const TAG = "ow-player";
export const STYLE = "/style/player.css";
export const title = () => "Player";

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
/** @type {Record<string, string>} */
const RESULT = { won: "Won", lost: "Lost", left: "Left", aborted: "Aborted" };
const NAMELESS = "Erased account";

class PlayerPage extends Page {
  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    const id = this.place.params["player"] ?? "";
    const [known, profile, ratings, favorites] = await Promise.all([
      kinds(),
      get(at`/v1/players/${id}/profile`, { signal }).then((answer) => /** @type {Profile} */ (answer.data)),
      ratingsOf(id, signal),
      favoritesOf(signal),
    ]);
    if (signal.aborted) return;
    setTitle(profile.name);
    const own = session()?.id === profile.id;
    const favorite = favorites && !own && playerStar({ id: profile.id, favorite: favorites.includes(profile.id) });
    const { turns, in_time } = profile.reliability;
    put(
      this,
      h("div", { class: "row" }, h("h1", null, profile.name), favorite),
      session() && !own && h("p", { class: "row" }, h("a", { class: "button", href: `/new?player=${encodeURIComponent(profile.id)}` }, "Challenge")),
      h("p", { class: "quiet" }, `Here since ${DATE.format(profile.created_at)}. `, turns > 0 && `Played ${in_time} of the last ${turns} turns in time. `, own && h("a", { href: "/me" }, "Choose what others see")),
      profile.hidden.length > 0 && h("p", { class: "quiet" }, own ? `Others do not see: ${listed(profile.hidden.map((each) => HIDDEN[each] ?? each))}.` : `${profile.name} hides: ${listed(profile.hidden.map((each) => HIDDEN[each] ?? each))}.`),
      section("Ratings", ratings.length > 0 ? h("ul", { class: "cards ratings" }, ratings.map((each) => rating(each, known))) : h("p", { class: "quiet" }, "No rated games yet.")),
      profile.games !== null && section("Results", results(profile, known)),
      profile.you && section("Against you", h("p", null, against(profile.name, profile.you))),
      profile.opponents.length > 0 && section("Against others", opponents(profile.opponents)),
      profile.recent.length > 0 && section("Newest games", h("ul", { class: "rows" }, profile.recent.map((each) => recent(each, known)))),
    );
  }
}

/** Parts of a profile that can be hidden. @type {Record<string, string>} */
const HIDDEN = { games: "results and games", opponents: "results against others" };

/** The ratings; none on a service without them. @param {string} id @param {AbortSignal} signal @returns {Promise<PlayerRating[]>} */
async function ratingsOf(id, signal) {
  try {
    return (await get(at`/v1/players/${id}/ratings`, { signal })).data.ratings;
  } catch (problem) {
    if (problem instanceof Problem && problem.code === "not-found") return [];
    throw problem;
  }
}

/** The ids of my favorite players; null for a reader without an account. @param {AbortSignal} signal @returns {Promise<string[] | null>} */
async function favoritesOf(signal) {
  if (!session() || session()?.game) return null;
  return (await get("/v1/me/favorites/players", { signal })).data.players.map((/** @type {Schemas["FavoritePlayer"]} */ each) => each.player.id);
}

let sections = 0;

/** @param {string} heading @param {...import("../../parts/dom.js").Child} children */
function section(heading, ...children) {
  const id = `section-${++sections}`;
  return h("section", { "aria-labelledby": id }, h("h2", { id }, heading), ...children);
}

/** @param {PlayerRating} each @param {Schemas["Kind"][]} known */
function rating(each, known) {
  const games = each.games === 1 ? "1 game" : `${each.games} games`;
  return h(
    "li",
    { class: "card" },
    h("h3", null, `${titleOf(known, each.kind)}, ${each.seats} seats${each.bots ? ", with bots" : ""}`),
    h("p", null, h("strong", { class: "value" }, each.rating.toFixed(1)), h("span", { class: "quiet" }, ` estimate ${each.mu.toFixed(1)}, uncertainty ${each.sigma.toFixed(1)}, ${games}`)),
    ratingChart(each.history),
  );
}

/** @param {Profile} profile @param {Schemas["Kind"][]} known */
function results(profile, known) {
  if (profile.results.length === 0) return h("p", { class: "quiet" }, "No public game is over yet.");
  const rows = profile.results.map((each) => [`${titleOf(known, each.kind)}, ${each.seats} seats`, each.seat, each.won, each.lost, each.left, each.aborted]);
  return table(["Game", "Seat", "Won", "Lost", "Left", "Aborted"], rows);
}

/** @param {Schemas["HeadToHead"][]} all */
function opponents(all) {
  return table(["Opponent", "Won", "Lost", "Even"], all.map((each) => [player(each.player), each.won, each.lost, each.even]));
}

/** A player's results against the reader, as a sentence. @param {string} name @param {Schemas["HeadToHead"]} you */
function against(name, { won, lost, even }) {
  if (won + lost + even === 0) return `You and ${name} have not finished a public game together.`;
  return `You have won ${lost}, ${name} has won ${won}${even ? `, and ${even} ended even` : ""}.`;
}

/** @param {Schemas["RecentGame"]} each @param {Schemas["Kind"][]} known */
function recent(each, known) {
  const others = each.opponents.length ? [" against ", ...each.opponents.flatMap((one, place) => [place ? ", " : "", player(one)])] : [" against bots"];
  return h(
    "li",
    null,
    h("span", null, h("a", { href: at`/games/${each.game}` }, titleOf(known, each.kind)), ...others),
    h("span", { class: "row tight" }, h("span", { class: each.result === "won" ? "chip strong" : "chip" }, RESULT[each.result] ?? each.result), h("ow-when", { at: each.ended_at, short: true })),
  );
}

/** @param {{id: string, name: string}} one */
const player = (one) => (one.name ? h("a", { href: at`/players/${one.id}` }, one.name) : NAMELESS);

/** @param {string[]} heads @param {import("../../parts/dom.js").Child[][]} rows */
function table(heads, rows) {
  return h(
    "div",
    { class: "scroll" },
    h("table", { class: "numbers" }, h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", null, rows.map(([first, ...rest]) => h("tr", null, h("th", { scope: "row" }, first), rest.map((each) => h("td", null, each)))))),
  );
}

customElements.define(TAG, PlayerPage);
