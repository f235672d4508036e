/** What the files of this room hand each other. Nothing of it is left when they run, and it is not served. */

import type { Draws } from "./draws.js";

export type { Findings } from "./finding.js";
export type { Draws };

/** JSON whose numbers are whole. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };
export type Objekt = { [key: string]: Json };
export type Bytes = Uint8Array<ArrayBuffer>;

/** A divergence: which check, where, what was expected and what was found. */
export interface Finding {
  /** One of section 5 of docs/audit.md, such as AUD-07. */
  check: string;
  /** The commit, or null for the file as a whole. */
  seq: number | null;
  /** The line of the file, counted from 1. */
  line: number | null;
  /** One sentence without its stop. */
  text: string;
  /** As JSON; empty where the text says it all. */
  expected: string;
  found: string;
  /** The section of docs/audit.md that fixes it. */
  section: string;
}

export interface Header {
  at: number;
  digest: string;
  game: string;
  previous: string;
  release: string;
  seq: number;
}

export interface Commit {
  header: Header;
  /** The header as bytes. */
  headed: Bytes;
  /** Null while the game runs. */
  body: Objekt | null;
  /** The body as bytes. */
  closed: Bytes;
  /** In hex. */
  salt: string;
}

export interface Signature {
  key: string;
  of: "head" | "file";
  public: string;
  signature: string;
}

export interface Seed {
  seed: string;
  key: string;
  entropy: [number, string][];
  dice?: number[] | null;
}

/** Where heads of the game stand in the log of heads, and the proof. */
export interface Log {
  checkpoint: string;
  earlier: string[];
  /** Place in the log, and seq. */
  leaves: [number, number][];
  /** Level, place and hash of complete subtrees. */
  nodes: [number, number, string][];
}

export interface Export {
  form: 1 | 2;
  status: "running" | "over";
  setup: Objekt;
  /** The set-up line without its newline. */
  founding: Bytes;
  commits: Commit[];
  seed: Seed | null;
  /** Null in files of before there was one, and of games that were never logged. */
  log: Log | null;
  end: { commits: number; head: string; sha256: string; signatures: Signature[] };
  /** All bytes before the last line. */
  before: Bytes;
  lines: number;
}

export type Progress = (what: "lines" | "chain" | "bodies" | "dice", done: number, total: number) => void;

/** A row of the table of draws, as `GET /v1/kinds/{key}` tells it. */
export interface Row {
  field: string;
  how: "die" | "number" | "choice" | "shuffle";
  faces?: number;
  of?: Json[];
  text?: string;
}
export type Table = { [event: string]: Row[] };

export interface Difference {
  expected: Json;
  found: Json | undefined;
  what: string;
  /** Whether more was drawn than is declared. */
  more?: boolean;
}
/** What may stand under a key of a line. */
export type Test = (value: Json | undefined) => boolean;
export type Form = { [key: string]: Test };

/** What the words of a row may look at: the event, what earlier ones left, and what this commit has drawn. */
export interface Sight {
  event: Objekt;
  game: Map<string, Json>;
  commit: Map<string, Json>;
  draws: Draws;
}
export type Told = (sight: Sight) => Promise<Difference | null>;
export type Words = { [event: string]: { [field: string]: Told } };

/** What came of the dice. */
export interface Dice {
  /** Events whose chance was drawn again. */
  checked: number;
  /** Commits of which nobody here knows how they were drawn. */
  unchecked: number;
  /** Commits in which more was drawn than their events declare. */
  undeclared: number;
}

/** What else to go by. */
export interface Given {
  /** Public keys in hex that came from elsewhere. */
  keys?: string[];
  /** Heads of this game in hex that were kept. */
  heads?: string[];
  /** The table of draws of a kind, or null if it is not to be had. */
  table?: (kind: string) => Promise<Table | null>;
  progress?: Progress;
}

export interface Check {
  id: string;
  says: string;
  state: "held" | "diverged" | "not checked";
  why: string;
}

/** What came of it all. */
export interface Report {
  game: {
    game: string;
    kind: string;
    ruleset: string;
    form: 1 | 2;
    status: "running" | "over";
    commits: number;
    head: string;
    sandbox: boolean;
  } | null;
  checks: Check[];
  /** The first of each check: of the file as a whole, then by seq. */
  findings: Finding[];
  first: Finding | null;
  /** Up to which commit a key or a head from elsewhere vouches. */
  vouched: number;
  /** Whether the chain stands on the set-up line. */
  bound: boolean;
  dice: Dice | null;
}
