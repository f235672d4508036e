// Entry point: starts what every page has (session, shortcuts, connection), then shows the current page.

import { restore } from "./api/restore.js";
import { onSession, session } from "./api/session.js";
import { go, onShow } from "./navigation.js";
import { byId, h } from "./parts/dom.js";
import { listen, onKey } from "./parts/keys.js";
import { watchConnection } from "./parts/live.js";
import "./parts/problem.js";
import "./parts/when.js";
import { start } from "./router.js";

function showWho() {
  const who = session();
  byId("who").textContent = who ? (who.game ? `${who.name} (this game only)` : who.name) : "Sign in";
}

showWho();
onSession(showWho);
onShow(showWho); // an email link signs in on the pages of its game only
watchConnection();
listen();
onKey("h", "go to the home page", () => void go("/"));
onKey("n", "start a new game", () => void go("/new"));
void restore().then((suspended) => {
  if (suspended) byId("main").before(h("div", { class: "frame" }, h("ow-problem", { ".problem": suspended })));
  return start();
});
