// The dialogs that change the title, the tags and the private label of a game. Loaded when one is opened.

import { at, del, patch, put as send } from "../api/client.js";
import { show } from "./dialog.js";
import { h } from "./dom.js";
import { field, form } from "./fields.js";
import { LONGEST, TAGS_HELP, tagsIn } from "./names.js";

/** @typedef {import("../api/client.js").Schemas} Schemas */
/** @typedef {Pick<Schemas["Game"], "id" | "title" | "tags" | "label">} Named */

/** Opens a dialog for the title and the tags. @param {Named} game @param {() => unknown} done called after a change */
export function editTitle(game, done) {
  const title = h("input", { value: game.title, maxlength: LONGEST, autocomplete: "off" });
  const tags = h("input", { value: game.tags.join(" "), autocomplete: "off", spellcheck: "false" });
  const dialog = show(
    "Title and tags",
    form(
      { class: "stack" },
      async () => {
        await patch(at`/v1/games/${game.id}`, { title: title.value.trim() || null, tags: tagsIn(tags.value) });
        dialog.close();
        await done();
      },
      field("Title", title, { pointer: "/title", help: "Everyone who can see the game reads it. Leave it empty for a default title." }),
      field("Tags", tags, { pointer: "/tags", help: TAGS_HELP }),
      h("p", { class: "row end" }, h("button", { class: "main" }, "Save")),
    ),
  );
}

/** Opens a dialog for the private label. @param {Named} game @param {(label: string | null) => unknown} done called after a change */
export function editLabel(game, done) {
  const label = h("input", { value: game.label ?? "", maxlength: LONGEST, autocomplete: "off" });
  const dialog = show(
    "Your label",
    form(
      { class: "stack" },
      async () => {
        const text = label.value.trim();
        if (text) await send(at`/v1/games/${game.id}/label`, { label: text });
        else await del(at`/v1/games/${game.id}/label`);
        dialog.close();
        await done(text || null);
      },
      field("Label", label, { pointer: "/label", help: "Only you see it. Leave it empty to remove it." }),
      h("p", { class: "row end" }, h("button", { class: "main" }, "Save")),
    ),
  );
}
