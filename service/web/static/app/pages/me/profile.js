// What my profile hides from others.

import { Problem, at, get, put } from "../../api/client.js";
import { session } from "../../api/session.js";
import { h } from "../../parts/dom.js";
import { form, tick } from "../../parts/fields.js";
import { say } from "../../parts/live.js";

/** @returns {import("./lists.js").Part} */
export const profile = () => ["Profile", async (signal) => {
  /** @type {import("../../api/client.js").Schemas["ProfileSettings"]} */
  let hidden;
  try {
    hidden = (await get("/v1/me/profile", { signal })).data;
  } catch (problem) {
    if (problem instanceof Problem && problem.code === "not-found") return [h("p", { class: "quiet" }, "Profiles are not available on this service.")];
    throw problem;
  }
  const games = tick("Hide my results and newest games", { checked: hidden.games }, { pointer: "/games" });
  const opponents = tick("Hide my results against other players", { checked: hidden.opponents }, { pointer: "/opponents", help: "In their profiles, too." });
  const ticked = (/** @type {HTMLElement} */ each) => each.querySelector("input")?.checked ?? false;
  const save = async () => {
    await put("/v1/me/profile", { games: ticked(games), opponents: ticked(opponents) });
    say("Saved.");
  };
  return [
    h("p", null, h("a", { href: at`/players/${session()?.id ?? ""}` }, "Your profile"), " shows your finished public games and your ratings. Ratings can't be hidden."),
    form({ class: "stack" }, save, games, opponents, h("p", { class: "row" }, h("button", null, "Save"))),
  ];
}];
