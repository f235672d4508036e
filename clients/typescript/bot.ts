/** Plays random legal commands for a seat until the game is over: node dist/bot.js URL TOKEN GAME. */

import { command, connect, good, type OpenParameter, send } from "./player.js";

const below = (many: number) => Math.floor(Math.random() * many);
const anyOf = <T>(some: T[]) => some[below(some.length)]!;

/** A random value for an open parameter. */
function choose({ one_of, integer, subset_of = [], min = 0, max = 0 }: OpenParameter): unknown {
  if (one_of) return anyOf(one_of);
  if (integer) return integer.min + below(integer.max - integer.min + 1);
  const many = min + below(max - min + 1);
  const shuffled = subset_of.map((value) => ({ value, at: Math.random() })).sort((one, other) => one.at - other.at);
  return shuffled.slice(0, many).map(({ value }) => value);
}

const [url = "", token = "", game = ""] = process.argv.slice(2);
const client = connect(url, token);
const path = { game };
let etag = "";
for (;;) {
  // Waits until a turn is pending; with an ETag, until the list differs from the one that has this ETag.
  const header = { Prefer: "wait=10", ...(etag && { "If-None-Match": etag }) };
  const answer = await client.GET("/v1/me/turns", { params: { header } });
  const turns = answer.response.status === 304 ? [] : good(answer).turns;
  etag = answer.response.headers.get("ETag") ?? "";
  const mine = turns.find((turn) => turn.game === game);
  if (mine) {
    const { seat } = mine;
    const offered = good(await client.GET("/v1/games/{game}/options", { params: { path, query: { seat } } }));
    const options = offered.options.slice(0, offered.answers || undefined);
    if (options.length) {
      await send(client, game, seat, command(anyOf(options), choose));
      etag = "";
      continue;
    }
  }
  if (good(await client.GET("/v1/games/{game}", { params: { path } })).status === "over") break;
}
