// The page of a game that is not accessible: the reason, and links.

import { onSession, session } from "../api/session.js";
import { reload, setTitle } from "../navigation.js";
import { h, put } from "./dom.js";

/**
 * Replaces the page, and tries again after a sign-in or sign-out.
 * @param {import("./page.js").Page} page @param {import("../api/client.js").Problem} problem
 */
export function shut(page, problem) {
  const who = session();
  setTitle("Not available");
  put(
    page,
    h("h1", null, "This page is not available"),
    h("p", { role: "alert" }, problem.detail || problem.title),
    who
      ? h("p", null, "You're signed in as ", h("strong", null, who.name), ". Only its players can see a private game. Ask one of them for an invitation, or check the address.")
      : h("p", null, "You're not signed in. Only its players can see a private game. If you are one of them, ", h("a", { href: "/me" }, "sign in"), ". Otherwise, check the address."),
    h("ul", null, h("li", null, h("a", { href: "/" }, "See your turns, open games and games in progress")), h("li", null, h("a", { href: "/new" }, "Start a new game")), h("li", null, h("a", { href: "/check" }, "Check a game file"))),
  );
  onSession(() => void reload(), page.signal);
}
