// A page of a game that cannot be shown: why, and where one can go from here.

import { onSession, session } from "../api/session.js";
import { again, name } from "../router.js";
import { h, put } from "./dom.js";

/**
 * Says it in place of the page, and tries again when somebody signs in or out.
 * @param {import("./page.js").Page} page @param {import("../api/client.js").Problem} problem
 */
export function shut(page, problem) {
  const who = session();
  name("Cannot be shown");
  put(
    page,
    h("h1", null, "This page cannot be shown"),
    h("p", { role: "alert" }, problem.detail || problem.title),
    who
      ? h("p", null, "You are signed in as ", h("strong", null, who.name), ". A private table is shown to those who sit at it: ask one of them for an invitation, or look whether the address is whole.")
      : h("p", null, "Nobody is signed in here. A private table is shown to those who sit at it: ", h("a", { href: "/me" }, "sign in"), " if you are one of them, or look whether the address is whole."),
    h("ul", null, h("li", null, h("a", { href: "/" }, "Your turns, open tables and running games")), h("li", null, h("a", { href: "/new" }, "A new table")), h("li", null, h("a", { href: "/check" }, "Check the file of a game"))),
  );
  onSession(() => void again(), page.signal);
}
