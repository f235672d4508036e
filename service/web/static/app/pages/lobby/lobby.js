// The lobby of a game: seats, invitations, settings.

import { Problem, at, del, get, newKey, pause, post } from "../../api/client.js";
import { onSession, session } from "../../api/session.js";
import "../../parts/account.js";
import { copier } from "../../parts/account.js";
import { sure } from "../../parts/dialog.js";
import { h, put } from "../../parts/dom.js";
import { star } from "../../parts/favorite.js";
import { select } from "../../parts/fields.js";
import { botText, capital, holderOf, kinds, sitter, titleOf } from "../../parts/games.js";
import { say } from "../../parts/live.js";
import { labelChip, tagChips } from "../../parts/names.js";
import { Page } from "../../parts/page.js";
import "../../parts/when.js";
import { go, reload } from "../../navigation.js";
import { terms } from "./terms.js";

/** @typedef {import("../../api/client.js").Schemas} Schemas */

export const TAG = "ow-lobby";
export const STYLE = "/style/lobby.css";
export const title = () => "Lobby";

const EVERY = 3;
const naming = () => import("../../parts/naming.js");

class LobbyPage extends Page {
  #shown = "";
  /** @type {Schemas["Kind"][]} */
  #kinds = [];

  get id_() {
    return this.place.params["game"] ?? "";
  }

  /** The invitation from the address, or the creator's, stored for this window. */
  get invitation() {
    return new URLSearchParams(this.place.hash.slice(1)).get("invitation") ?? sessionStorage.getItem(`ow.invitation.${this.id_}`);
  }

  /** @param {AbortSignal} signal @override */
  async enter(signal) {
    this.#kinds = await kinds();
    onSession(() => void this.tell(() => this.#look(signal, true)), signal);
    await this.#look(signal, true);
    while (!signal.aborted) {
      await pause(EVERY, signal);
      if (!document.hidden && !document.querySelector("dialog[open]")) await this.#look(signal).catch(() => undefined);
    }
  }

  /** Reads the game, and updates the page if it has changed. @param {AbortSignal} signal @param {boolean} [anyway] */
  async #look(signal, anyway = false) {
    /** @type {Schemas["Game"] | null} */
    let game = null;
    try {
      game = (await get(at`/v1/games/${this.id_}`, { signal })).data;
    } catch (problem) {
      const hidden = problem instanceof Problem && problem.code === "unknown-game" && this.invitation;
      if (!hidden || signal.aborted) throw problem;
    }
    if (signal.aborted) return;
    if (game && game.status !== "lobby") return void (await reload());
    const told = JSON.stringify([game, session()?.id]);
    if (told === this.#shown && !anyway) return;
    if (this.#shown && game) say("The game has changed.");
    this.#shown = told;
    if (this.contains(document.activeElement) && document.activeElement instanceof HTMLSelectElement) return;
    if (game) this.#show(game);
    else this.#ask();
  }

  /** Shows the invitation to a private game. */
  #ask() {
    put(this, h("h1", null, "You're invited"), h("p", null, "This game is private. Take your seat to see it."), this.#door());
  }

  /** @param {Schemas["Game"]} game */
  #show(game) {
    const me = session()?.id;
    const mine = game.creator === me;
    const seated = game.your_seats.length > 0;
    const free = game.seats.filter((seat) => sitter(seat) === null);
    const renew = () => this.tell(() => this.#look(this.signal, true));
    const offered = game.seats.find((seat) => holderOf(seat)?.id === me && me !== undefined);
    const reserved = game.seats.filter((seat) => holderOf(seat) !== null).length;
    const may = (!seated || (mine && game.sandbox !== null)) && !offered;
    put(
      this,
      h("div", { class: "row" }, h("h1", null, game.title), star(game)),
      h(
        "p",
        { class: "row tight" },
        h("span", { class: "quiet" }, titleOf(this.#kinds, game.kind)),
        tagChips(game.tags),
        labelChip(game.label),
        mine && h("button", { class: "plain", onclick: async () => (await naming()).editTitle(game, renew) }, "Edit title"),
        me && h("button", { class: "plain", onclick: async () => (await naming()).editLabel(game, renew) }, game.label ? "Edit label" : "Add label"),
      ),
      h("p", { class: "lead" }, lead(free.length - reserved, reserved - (offered ? 1 : 0), offered !== undefined)),
      offered && this.#offer(game, offered),
      h(
        "div",
        { class: "two" },
        h(
          "section",
          { "aria-labelledby": "seats" },
          h("h2", { id: "seats" }, "Seats"),
          h("ol", { class: "seats" }, game.seats.map((seat) => this.#seat(game, seat, { mine, may }))),
          !seated && !offered && free.length > reserved && this.#door(),
          mine && h("p", { class: "row" }, h("button", { class: "main big", disabled: free.length > 0, onclick: () => this.#do(() => this.#start()) }, "Start game"), free.length > 0 && h("span", { class: "quiet" }, game.auto_start ? "The game starts when every seat is taken." : "You can start the game when every seat is taken.")),
          !mine && seated && h("p", { class: "quiet" }, game.auto_start ? "The game starts when every seat is taken." : free.length > 0 ? "The creator can start the game when every seat is taken." : "Waiting for the creator to start the game."),
          mine && free.length > reserved && this.#invite(game),
          mine && h("p", null, h("button", { class: "plain danger", onclick: () => this.#giveUp() }, "Cancel this game")),
        ),
        terms(game),
      ),
    );
  }

  /** @param {Schemas["Game"]} game @param {Schemas["Seat"]} seat @param {{mine: boolean, may: boolean}} who */
  #seat(game, seat, { mine, may }) {
    const name = sitter(seat);
    const own = game.your_seats.includes(seat.seat);
    const away = () => this.#do(() => del(at`/v1/games/${this.id_}/seats/${seat.seat}`));
    const holder = holderOf(seat);
    const which = h("span", { class: "hidden" }, ` (seat ${seat.seat})`);
    return h(
      "li",
      { class: name === null ? "seat free" : "seat" },
      h("span", { class: "number", "aria-hidden": "true" }, seat.seat),
      h("span", { class: "name" }, seat.player ? h("a", { href: at`/players/${seat.player.id}` }, name) : (name ?? vacancy(seat)), own && h("span", { class: "chip strong" }, "You")),
      holder && mine && h("button", { class: "plain", onclick: away }, "Withdraw challenge", which),
      name === null && !holder && may && session() && h("button", { onclick: () => this.#do(() => this.#take(seat.seat)) }, "Take this seat", which),
      name === null && !holder && mine && this.#bot(game, seat.seat),
      name !== null && !own && mine && h("button", { class: "plain", onclick: away }, "Remove player", which),
      own && !mine && h("button", { class: "plain", onclick: away }, "Leave seat"),
    );
  }

  /** @param {Schemas["Game"]} game @param {number} seat */
  #bot(game, seat) {
    const kind = this.#kinds.find((each) => each.key === game.kind);
    const bots = kind ? [...kind.bots, ...kind.search_bots] : [];
    const control = select([["", "Add a bot…"], ...bots.map((bot) => /** @type {[string, string]} */ ([bot, capital(botText(bot))]))], {
      "aria-label": `Bot for seat ${seat}`,
      onchange: () => {
        control.blur();
        if (control.value) void this.#do(() => post(at`/v1/games/${this.id_}/seats`, { seat, bot: control.value }));
      },
    });
    return control;
  }

  /** The seat that is reserved for me: accept or decline. @param {Schemas["Game"]} game @param {Schemas["Seat"]} seat */
  #offer(game, seat) {
    const by = game.seats.find((each) => each.player?.id === game.creator)?.player?.name;
    const decline = async () => {
      if (await this.tell(async () => void (await del(at`/v1/me/challenges/${game.id}`)))) await go("/");
    };
    return h(
      "section",
      { class: "card offer", "aria-labelledby": "offer" },
      h("h2", { id: "offer" }, "You are challenged"),
      h("p", null, by ? `${by} offers you seat ${seat.seat}.` : `You are offered seat ${seat.seat}.`, " Answer by ", h("ow-when", { at: seat.reservation?.expires_at ?? 0 }), "."),
      h("p", { class: "row" }, h("button", { class: "main big", onclick: () => this.#do(() => this.#take(seat.seat)) }, "Accept"), h("button", { class: "plain danger", onclick: () => void decline() }, "Decline")),
    );
  }

  /** For visitors without a seat: sign up, then take one. */
  #door() {
    if (!session()) return h("div", { class: "card" }, h("h2", null, "Sign up to take a seat"), h("ow-sign-up"));
    return h("p", { class: "row" }, h("button", { class: "main big", onclick: () => this.#do(() => this.#take()) }, "Take a seat"));
  }

  /** @param {Schemas["Game"]} game */
  #invite(game) {
    const renew = () => this.#do(async () => {
      const made = (await post(at`/v1/games/${this.id_}/invitation`)).data;
      sessionStorage.setItem(`ow.invitation.${this.id_}`, made.invitation);
    });
    const kept = this.invitation;
    const open = game.visibility === "public";
    const page = `${location.origin}${at`/games/${this.id_}`}`;
    const link = open ? page : kept && `${page}#invitation=${encodeURIComponent(kept)}`;
    const choose = (/** @type {FocusEvent} */ event) => /** @type {HTMLInputElement} */ (event.target).select();
    return h(
      "section",
      { class: "card", "aria-labelledby": "invite" },
      h("h2", { id: "invite" }, "Invite"),
      h("p", null, open ? "Anyone can join this game. To invite someone, send them this link:" : "Anyone with this link can take a seat:"),
      link && h("p", { class: "row" }, h("input", { class: "link", readonly: true, ".value": link, "aria-label": "Invitation link", onfocus: choose }), copier(link, "Copy")),
      !open && h("p", { class: "row" }, h("button", { onclick: renew }, link ? "Create a new link" : "Create a link"), h("span", { class: "quiet" }, "A new link replaces the old one.")),
    );
  }

  /** @param {number} [seat] */
  async #take(seat) {
    const invitation = this.invitation;
    await post(at`/v1/games/${this.id_}/seats`, { entropy: newKey(), ...(seat ? { seat } : {}), ...(invitation ? { invitation } : {}) });
    if (this.place.hash) await go(location.pathname, { replace: true });
  }

  async #start() {
    await post(at`/v1/games/${this.id_}/start`, undefined, { wait: 10 });
  }

  async #giveUp() {
    if (!(await sure("Cancel this game?", "The game is deleted. You can't undo this.", "Cancel game"))) return;
    if (await this.tell(async () => void (await del(at`/v1/games/${this.id_}`)))) await go("/");
  }

  /** Runs an action and updates the page. @param {() => Promise<unknown>} action */
  async #do(action) {
    if (await this.tell(async () => void (await action()))) await this.tell(() => this.#look(this.signal, true));
  }
}

/** What a free seat waits for. @param {Schemas["Seat"]} seat */
function vacancy(seat) {
  const { reservation } = seat;
  if (!reservation) return "Free";
  if (holderOf(seat)) return `Reserved for ${reservation.player.name}`;
  return reservation.expires_at === null ? `Free: ${reservation.player.name} has declined` : `Free: ${reservation.player.name} has not answered`;
}

/** The state of the seats as a sentence. @param {number} free @param {number} reserved for others @param {boolean} mine one is reserved for me */
function lead(free, reserved, mine) {
  const waits = reserved === 0 ? mine ? "Waiting for your answer." : "" : reserved === 1 ? "Waiting for the answer of one player." : `Waiting for the answers of ${reserved} players.`;
  if (free === 0) return waits || "All seats are taken.";
  return `${free === 1 ? "One seat is free." : `${free} seats are free.`} ${waits}`.trim();
}

customElements.define(TAG, LobbyPage);
