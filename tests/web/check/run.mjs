// What the browser's code finds in files: reads a list as collecting.py writes it, and writes a report for each, a line each.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [app, folder, tables] = process.argv.slice(2);
const { verifyExport } = await import(pathToFileURL(join(app, "check", "verify.js")).href);
const known = tables === undefined ? {} : JSON.parse(readFileSync(tables, "utf8"));

for (const line of readFileSync(join(folder, "files.ndjson"), "utf8").trimEnd().split("\n")) {
  const told = JSON.parse(line);
  const before = process.cpuUsage();
  const report = await verifyExport(new Uint8Array(readFileSync(join(folder, told.file))), {
    keys: told.keys,
    heads: told.heads,
    table: async (kind) => told.tables[kind] ?? known[kind] ?? null,
  });
  const used = process.cpuUsage(before); // what it costs, however busy the machine is with other things
  process.stdout.write(`${JSON.stringify({ ...report, took: (used.user + used.system) / 1000 })}\n`);
}
