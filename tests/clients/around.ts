/** Tries what happens around a game with the generated client in TypeScript: around.js URL TOKEN OTHERS-TOKEN GAME SEAT. */

import { connect, good, send } from "./player.js";

const [url, token, others, game, seat] = process.argv.slice(2) as [string, string, string, string, string];
const [ash, birk] = [connect(url, token), connect(url, others)];
const params = { path: { game } };
const waits = { ...params, header: { Prefer: "wait=10" } };
const told: Record<string, unknown> = {};
const types = (outcome: { lines?: { type: string }[] }) => (outcome.lines ?? []).map((line) => line.type);

good(await ash.POST("/v1/games/{game}/talk", { params: waits, body: { text: "Over here." } }));
told.talk = good(await birk.GET("/v1/games/{game}/talk", { params })).messages.map((each) => each.words);
good(await birk.POST("/v1/games/{game}/mutes", { params, body: { seat: Number(seat) } }));
told.mutes = good(await birk.GET("/v1/games/{game}/mutes", { params })).muted;

const move = { type: "take", heap: 4, objects: 1 } as const;
const moved = await send(ash, game, Number(seat), move);
told.undo = types(await send(ash, game, Number(seat), { type: "request_undo", seq: moved.seq! }));
told.vote = types(await send(ash, game, Number(seat), { type: "call_vote", kind: "pause" }));
told.cast = types(await send(birk, game, 3 - Number(seat), { type: "cast_vote", agree: true }));
const { table } = good(await ash.GET("/v1/games/{game}/options", { params }));
told.options = [...new Set(table.map((option) => option.type))].sort();

good(await birk.PUT("/v1/games/{game}/plan", { params, body: { commands: [move], if: "legal", then: "wait" } }));
told.plan = good(await birk.GET("/v1/games/{game}/plan", { params })).status;
told.orders = (await ash.GET("/v1/games/{game}/orders", { params })).error ? "Problem" : "StandingOrders";

const from = Date.now() + 3 * 86_400_000;
const away = good(await ash.POST("/v1/me/vacations", { body: { from, to: from + 86_400_000 } }));
told.vacations = good(await ash.GET("/v1/me/vacations")).vacations.length;
await ash.DELETE("/v1/me/vacations/{vacation}", { params: { path: { vacation: away.id } } });

const hook = good(await ash.POST("/v1/webhooks", { body: { url: "https://example.org/hook" } }));
const renewed = good(await ash.POST("/v1/webhooks/{webhook}/secret", { params: { path: { webhook: hook.id } } }));
told.secrets = hook.secret !== renewed.secret;
told.webhooks = good(await ash.GET("/v1/webhooks")).webhooks.map((each) => each.url);

for (const kind of ["turns", "calendar"] as const) {
  const feed = good(await ash.POST("/v1/me/feeds", { body: { kind } }));
  const secret = feed.url.split("/").at(-1)!.split(".")[0]!;
  const path = { params: { path: { secret } }, parseAs: "text" } as const;
  const read = kind === "turns" ? await ash.GET("/feeds/{secret}.atom", path) : await ash.GET("/feeds/{secret}.ics", path);
  told[kind] = read.response.status;
}

good(await ash.PUT("/v1/me/email", { body: { address: "ash@example.org" } }));
told.email = good(await ash.GET("/v1/me/email")).verified;
const view = good(await ash.GET("/v1/games/{game}/view", { params }));
told.undone = view.public.table.undo?.undone;
const page = good(await birk.GET("/v1/games/{game}/events", { params }));
if (typeof page === "string") throw new Error("a page of JSON was asked for");
told.marked = page.events.filter((entry) => entry.seq === moved.seq).map((entry) => entry.undone_by);
console.log(JSON.stringify(told));
