// Whether others can find me by name and challenge me.

import { get, put } from "../../api/client.js";
import { h } from "../../parts/dom.js";
import { form, tick } from "../../parts/fields.js";
import { say } from "../../parts/live.js";

/** @returns {import("./lists.js").Part} */
export const discovery = () => ["Challenges", async (signal) => {
  /** @type {import("../../api/client.js").Schemas["Discovery"]} */
  const { findable } = (await get("/v1/me/discovery", { signal })).data;
  const box = tick("Others can find me by name and challenge me", { name: "findable", checked: findable }, { help: "Players of your finished games can always ask for a rematch.", pointer: "/findable" });
  const send = async () => {
    await put("/v1/me/discovery", { findable: box.querySelector("input")?.checked ?? true });
    say("Saved.");
  };
  return [form({ class: "stack" }, send, box, h("p", { class: "row" }, h("button", null, "Save")))];
}];
