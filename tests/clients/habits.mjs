/** Tries the habits of the client in TypeScript: node habits.mjs turn URL TOKEN GAME, or … stream … */

import { command, connect, good, send, stream } from "../../clients/typescript/dist/player.js";

const choose = (part) => (part.one_of ? part.one_of[0] : part.subset_of.slice(0, part.min));
const [what, url, token, game] = process.argv.slice(2);
const client = connect(url, token);
const params = { path: { game } };
if (what === "stream") {
  const seqs = [];
  for await (const entry of stream(client, game)) seqs.push(entry.seq);
  console.log(JSON.stringify(seqs));
} else {
  const { options } = good(await client.GET("/v1/games/{game}/options", { params }));
  const first = options.find((option) => !["end_turn", "mulligan"].includes(option.type));
  const seen = (await client.GET("/v1/games/{game}/view", { params })).response.headers.get("ETag");
  const turn = { commands: [command(first, choose), { type: "end_turn" }] };
  const outcome = await send(client, game, 1, turn, seen);
  const said = outcome.commands.map((each) => each.status);
  const stale = await send(client, game, 1, { type: "end_turn" }, seen).then(
    (answer) => answer.status,
    (refused) => `${refused.status} ${refused.problem.code}`,
  );
  console.log(JSON.stringify({ seen, said, stale }));
}
