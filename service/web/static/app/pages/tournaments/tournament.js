// A tournament: registration, standings with crosstables, rounds with their games, entries, and how to check everything.

import { at, del, get, post } from "../../api/client.js";
import { onSession, session } from "../../api/session.js";
import { h, put } from "../../parts/dom.js";
import { kinds, titleOf, words } from "../../parts/games.js";
import { say } from "../../parts/live.js";
import { Page } from "../../parts/page.js";
import "../../parts/when.js";
import { pace } from "../lobby/terms.js";
import { count, formatText, groupTitle, STATES, TIE_BREAKS } from "./words.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */
/** @typedef {Schemas["Tournament"]} Tournament */

export const TAG = "ow-tournament";
export const STYLE = "/style/tournaments.css";
export const title = () => "Tournament";

/** Milliseconds between two reads of a tournament that is not over. */
const EVERY = 60_000;

class TournamentPage extends Page {
  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    onSession(() => void this.tell(() => this.show(signal)), signal);
    await this.show(signal);
    const timer = setInterval(() => void this.show(signal).catch(() => {}), EVERY); // an old page is better than a problem
    signal.addEventListener("abort", () => clearInterval(timer));
  }

  /** @param {AbortSignal} signal */
  async show(signal) {
    const [known, answer] = await Promise.all([kinds(), get(at`/v1/tournaments/${this.place.params["tournament"] ?? ""}`, { signal })]);
    if (signal.aborted) return;
    /** @type {Tournament} */
    const tournament = answer.data;
    const { settings, state } = tournament;
    document.title = `${settings.name} · Oracle Wheel`;
    put(
      this,
      h("h1", null, settings.name),
      h(
        "p",
        { class: "row tight" },
        h("span", { class: state === "registration" ? "chip strong" : "chip" }, STATES[state] ?? state),
        h("span", { class: "chip" }, `${titleOf(known, settings.kind)} for ${settings.seats}`),
        h("span", { class: "chip" }, formatText(settings)),
        h("span", { class: "quiet" }, `Organized by ${tournament.organizer.name || "a former player"}`),
      ),
      settings.text && h("p", { class: "about" }, settings.text),
      this.registration(tournament, signal),
      tournament.standings.map((section) => standings(tournament, section)),
      tournament.rounds.length > 0 && h("section", { "aria-labelledby": "rounds" }, h("h2", { id: "rounds" }, "Rounds"), [...tournament.rounds].reverse().map((round, place) => roundOf(tournament, round, place === 0))),
      entries(tournament),
      details(tournament),
    );
  }

  /** @param {Tournament} tournament @param {AbortSignal} signal */
  registration(tournament, signal) {
    const { id, settings, state, entered, your_entry: yours } = tournament;
    const me = session();
    const isOrganizer = me?.id === tournament.organizer.id;
    const act = (/** @type {string} */ done, /** @type {() => Promise<unknown>} */ action) => () =>
      void this.tell(async () => {
        await action();
        say(done);
        await this.show(signal);
      });
    const url = at`/v1/tournaments/${id}`;
    const isOver = state === "finished" || state === "cancelled";
    const mayEnter = me && !yours && (state === "registration" || (state === "running" && settings.format !== "elimination"));
    const starts = settings.starts_at ?? null;
    const opens = settings.opens_at ?? null;
    return h(
      "section",
      { class: "card", "aria-label": "Registration" },
      h(
        "p",
        null,
        `${entered} of ${settings.places} places are taken. `,
        state === "announced" && opens !== null && ["Registration opens ", h("ow-when", { at: opens }), ". "],
        state === "registration" && starts !== null && ["It starts ", h("ow-when", { at: starts }), ". "],
        state === "registration" && settings.start_when_full && "It starts when it is full. ",
        tournament.started_at !== null && ["It started ", h("ow-when", { at: tournament.started_at }), ". "],
        tournament.ended_at !== null && [`It was ${state === "cancelled" ? "cancelled" : "finished"} `, h("ow-when", { at: tournament.ended_at }), "."],
      ),
      yours && h("p", null, h("strong", null, yours === "reserve" ? "You are a reserve." : "You are registered.")),
      !me && !isOver && h("p", null, h("a", { href: "/sign-in" }, "Sign in"), " to register."),
      h(
        "p",
        { class: "row" },
        mayEnter && h("button", { class: "main", onclick: act("You are registered.", () => post(`${url}/entries`, {})) }, state === "running" || entered >= (settings.places ?? 0) ? "Register as a reserve or late entry" : "Register"),
        me && yours && !isOver && h("button", { onclick: act("You have withdrawn.", () => del(`${url}/entries/${encodeURIComponent(me.id)}`)) }, "Withdraw"),
        isOrganizer && (state === "announced" || state === "registration") && h("button", { class: mayEnter ? "" : "main", onclick: act("The tournament has started.", () => post(`${url}/start`, {})) }, "Start now"),
        isOrganizer && !isOver && h("button", { onclick: act("The tournament is cancelled.", () => del(url)) }, "Cancel tournament"),
      ),
    );
  }
}

/** The player of a place in a round. @param {Tournament} tournament @param {number} number @param {number} [round] */
function nameOf(tournament, number, round) {
  const entry = tournament.entries.find((each) => each.number === number);
  const holder = entry?.holders.filter((each) => round === undefined || each.first_round <= round).at(-1);
  return holder?.player.name || `Place ${number}`;
}

/** @param {Tournament} tournament @param {Schemas["Standings"]} section */
function standings(tournament, section) {
  const { stage, group, rows, crosstable, tie_breaks: order } = section;
  const id = `standings-${stage}-${group}`;
  const title = groupTitle(tournament.settings, stage, group);
  const shown = order.filter((name) => name !== "lot");
  return h(
    "section",
    { "aria-labelledby": id },
    h("h2", { id }, title),
    scrolling(
      `${title}, table`,
      h(
        "table",
        null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, h("abbr", { title: "Place" }, "#")), h("th", { scope: "col" }, "Player"), shown.map((name) => h("th", { scope: "col" }, TIE_BREAKS[name] ?? words(name))), h("th", { scope: "col" }, "Played"))),
        h("tbody", null, rows.map((row) => h("tr", null, h("td", null, row.place), h("th", { scope: "row" }, nameOf(tournament, row.entry)), shown.map((name) => h("td", null, String(row.values[name] ?? ""))), h("td", null, row.played)))),
      ),
    ),
    rows.length > 1 &&
      h(
        "details",
        { class: "fold" },
        h("summary", null, `Crosstable: ${title}`),
        scrolling(
          `${title}, crosstable`,
          h(
            "table",
            { class: "cross" },
            h("caption", null, "Points of each row against each column"),
            h("thead", null, h("tr", null, h("th", { scope: "col" }, "Player"), rows.map((row) => h("th", { scope: "col", title: nameOf(tournament, row.entry) }, row.place)))),
            h("tbody", null, rows.map((row, line) => h("tr", null, h("th", { scope: "row" }, `${row.place}. ${nameOf(tournament, row.entry)}`), (crosstable[line] ?? []).map((cell, column) => h("td", { class: column === line ? "self" : null }, column === line ? "" : cell ?? "·"))))),
          ),
        ),
      ),
  );
}

/** A table that scrolls sideways, also with the keyboard. @param {string} label @param {HTMLElement} table */
const scrolling = (label, table) => h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table);

/** @param {Tournament} tournament @param {Schemas["TournamentRound"]} round @param {boolean} open */
function roundOf(tournament, round, open) {
  const left = round.tables.filter((table) => table.ranks === null).length;
  const state = left ? `${count(left, "game")} in progress` : "all games are over";
  return h(
    "details",
    { class: "fold", open },
    h("summary", null, `Round ${round.number}: ${state}`),
    h("p", { class: "quiet" }, "Began ", h("ow-when", { at: round.started_at }), "."),
    h("ol", { class: "tables" }, round.tables.map((table) => h("li", null, tableOf(tournament, round, table)))),
    round.byes.length > 0 && h("p", null, `Without a game: ${round.byes.map((entry) => nameOf(tournament, entry, round.number)).join(", ")}`),
  );
}

/** @param {Tournament} tournament @param {Schemas["TournamentRound"]} round @param {Schemas["TournamentTable"]} table */
function tableOf(tournament, round, table) {
  const names = table.entries.map((entry, seat) => {
    const rank = table.ranks?.[seat];
    return [seat > 0 && ", ", h("span", { class: rank === 1 ? "won" : null }, nameOf(tournament, entry, round.number)), rank !== undefined && h("span", { class: "quiet" }, ` (${rank})`)];
  });
  const about = table.ranks === null ? "in progress" : table.game === null ? "not played" : table.ranks.length === 0 ? "no points" : "over";
  return [table.game === null ? `Table ${table.table}` : h("a", { href: at`/games/${table.game}` }, `Table ${table.table}`), ": ", ...names.flat(), h("span", { class: "quiet" }, `, ${about}`)];
}

/** @param {Tournament} tournament */
function entries(tournament) {
  if (tournament.entries.length === 0) return h("section", null, h("h2", null, "Players"), h("p", { class: "quiet" }, "No one has registered yet."));
  return h(
    "section",
    { "aria-labelledby": "entries" },
    h("h2", { id: "entries" }, "Players"),
    h("ul", { class: "entries" }, tournament.entries.map((entry) => h("li", null, entry.player.name || "A former player", entry.state !== "entered" && h("span", { class: "chip" }, words(entry.state))))),
  );
}

/** @param {Tournament} tournament */
function details(tournament) {
  const { settings, commitment, seed, rounds } = tournament;
  const balance = rounds.at(-1)?.balance;
  const facts = [
    ["Pace", pace(settings.pace)],
    ["Rounds begin", settings.round_start === "calendar" ? `every ${count(settings.round_days ?? 0, "day")}` : "when all games are over"],
    ["Fewest players", settings.min_entries],
    ["Lowest reliability", settings.min_reliability ? `${settings.min_reliability} percent` : "no limit"],
    ["Rating", settings.min_rating == null && settings.max_rating == null ? "no limit" : `${settings.min_rating ?? "any"} to ${settings.max_rating ?? "any"}`],
    ["Late entries", settings.late_rounds ? `until ${count(settings.late_rounds, "round")} have begun` : "no"],
    balance && ["Balance", `Two players of a group meet ${range(balance["fewest_meetings"], balance["most_meetings"])} times. Seats differ by at most ${balance["seat_difference"]}.`],
    ["Seed", seed ?? "published at the start"],
    ["Commitment", commitment],
  ];
  return h(
    "details",
    { class: "fold" },
    h("summary", null, "Rules, seed and check"),
    h("dl", { class: "facts" }, facts.filter((fact) => Array.isArray(fact)).map((fact) => h("div", null, h("dt", null, fact[0]), h("dd", null, fact[1])))),
    h("p", null, "Anyone can compute the rounds and standings again: save ", h("a", { href: at`/v1/tournaments/${tournament.id}` }, "the document"), " and the exports of the games, and run ", h("code", null, "oraclewheel standings"), "."),
  );
}

/** @param {unknown} least @param {unknown} most */
const range = (least, most) => (least === most ? String(least) : `${least} to ${most}`);

customElements.define(TAG, TournamentPage);
