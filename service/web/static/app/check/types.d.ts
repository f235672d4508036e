/** Types of the game check, only for type checking; not served. */

import type { Draws } from "./draws.js";

export type { Findings } from "./finding.js";
export type { Draws };

/** JSON with integers only. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };
export type Objekt = { [key: string]: Json };
export type Bytes = Uint8Array<ArrayBuffer>;

/** A divergence: check, place, expected and found value. */
export interface Finding {
  /** Id from section 5 of docs/audit.md, such as AUD-07. */
  check: string;
  /** The commit; null for the whole file. */
  seq: number | null;
  /** Line number, from 1. */
  line: number | null;
  /** A sentence without its final period. */
  text: string;
  /** As JSON; empty if the text suffices. */
  expected: string;
  found: string;
  /** Section of docs/audit.md that defines the check. */
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
  /** Null while the game is running. */
  body: Objekt | null;
  /** The body as bytes. */
  closed: Bytes;
  /** In hex; empty while the game is running. */
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

/** Positions of the game's heads in the log of heads, and the proof. */
export interface Log {
  checkpoint: string;
  earlier: string[];
  /** Index in the log, and seq. */
  leaves: [number, number][];
  /** Level, index and hash of complete subtrees. */
  nodes: [number, number, string][];
}

export interface Export {
  form: 1 | 2;
  status: "running" | "over";
  setup: Objekt;
  /** The setup line without its newline. */
  founding: Bytes;
  commits: Commit[];
  seed: Seed | null;
  /** Null in files older than the log, and for games that were never logged. */
  log: Log | null;
  end: { commits: number; head: string; sha256: string; signatures: Signature[] };
  /** All bytes before the last line. */
  before: Bytes;
  lines: number;
}

export type Progress = (what: "lines" | "chain" | "bodies" | "dice", done: number, total: number) => void;

/** A row of the draw table in `GET /v1/kinds/{key}`. */
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
  /** Whether more was drawn than the events declare. */
  more?: boolean;
}
/** Whether a field of a line has a valid value. */
export type Test = (value: Json | undefined) => boolean;
export type Form = { [key: string]: Test };

/** Input of a check for a draw described as text: the event, values of earlier events in the game and in the commit, and the draws. */
export interface Sight {
  event: Objekt;
  game: Map<string, Json>;
  commit: Map<string, Json>;
  draws: Draws;
}
export type Told = (sight: Sight) => Promise<Difference | null>;
export type Words = { [event: string]: { [field: string]: Told } };

/** Result of the dice check. */
export interface Dice {
  /** Number of events with recomputed draws. */
  checked: number;
  /** Number of commits with draws that this page cannot compute. */
  unchecked: number;
  /** Number of commits with more draws than their events declare. */
  undeclared: number;
}

/** Options of a check. */
export interface Given {
  /** Trusted public keys in hex. */
  keys?: string[];
  /** Trusted heads of this game in hex. */
  heads?: string[];
  /** Returns the draw table of a kind; null if unavailable. */
  table?: (kind: string) => Promise<Table | null>;
  progress?: Progress;
}

export interface Check {
  id: string;
  says: string;
  state: "held" | "diverged" | "not checked";
  why: string;
}

/** Result of a check. */
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
  /** The first of each check: first for the whole file, then by seq. */
  findings: Finding[];
  first: Finding | null;
  /** Last commit that a trusted key or head confirms. */
  vouched: number;
  /** Whether the chain starts with the digest of the setup line. */
  bound: boolean;
  dice: Dice | null;
}
