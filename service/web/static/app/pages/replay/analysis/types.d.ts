// Types of an analysis, only for type checking; not served. The API description leaves `analysis` open; see docs/bots.md.
import type { Schemas } from "../../../api/client.js";

/** All chances of winning are from 0 to 1. */
export type Found = {
  level: number;
  release: string;
  played_under: string[];
  /** The last analyzed commit. */
  commits: number;
  valued: "fitted" | "played-out";
  seats: Standing[];
  turning_points: Turn[];
  mistakes: Mistake[];
  /** The commit, then each seat's chance in order. */
  chances: number[][];
  unjudged: number;
};
export type Standing = { seat: number; side: string; decisions: number; judged: number; unbeaten: number | null; lost: number; luck: number; luck_doubt: number };
export type Turn = { seq: number; seat: number; by: number; before: number; after: number; cause: "choice" | "luck" | "other" | "course" | "table"; luck: number | null; loss: number | null; text: string };
export type Mistake = { seq: number; seat: number; loss: number; doubt: number | null; expected: number; text: string; better: string };
/** The API's response for a level. */
export type Told = Omit<Schemas["Analysis"], "analysis"> & { analysis: Found | null };
/** State of a level: not read yet, no analysis, or the response. */
export type State = Told | "none" | undefined;
/** Opens a commit; `look`: also scrolls to the board. */
export type Lead = (seq: number, look: boolean) => void;
export type Called = (seat: number) => string;
