// Types of an analysis, for the check of types alone; not served. The contract leaves `analysis` open: docs/bots.md says what it holds.
import type { Schemas } from "../../../api/client.js";

/** Shares of a win are 0 to 1 throughout. */
export type Found = {
  level: number;
  release: string;
  played_under: string[];
  /** The last commit that it is about. */
  commits: number;
  valued: "fitted" | "played-out";
  seats: Standing[];
  turning_points: Turn[];
  mistakes: Mistake[];
  /** The commit, then the chance of each seat in order. */
  chances: number[][];
  unjudged: number;
};
export type Standing = { seat: number; side: string; decisions: number; judged: number; unbeaten: number | null; lost: number; luck: number; luck_doubt: number };
export type Turn = { seq: number; seat: number; by: number; before: number; after: number; cause: "choice" | "luck" | "other" | "course" | "table"; luck: number | null; loss: number | null; text: string };
export type Mistake = { seq: number; seat: number; loss: number; doubt: number | null; expected: number; text: string; better: string };
/** What the API tells of an analysis at a level. */
export type Told = Omit<Schemas["Analysis"], "analysis"> & { analysis: Found | null };
/** How a level stands: not looked at yet, there is none, or what is told. */
export type State = Told | "none" | undefined;
/** Goes to a commit; `look` where the board is to come into sight. */
export type Lead = (seq: number, look: boolean) => void;
export type Called = (seat: number) => string;
