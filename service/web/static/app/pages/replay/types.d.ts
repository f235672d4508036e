// Types of the replay, only for type checking; not served.
import type { Schemas } from "../../api/client.js";

export type Game = Schemas["Game"];
export type Told = Schemas["ScoreTimeline"];
export type Seat = Told["seats"][number];
export type Entry = Schemas["HistoryEntry"] & { lines: ({ type: string; text: string } & Record<string, any>)[] };
export type Unit = "commit" | "turn" | "time";
export type Way = "first" | "back" | "on" | "last" | "far back" | "far on";
export type Go = (seq: number) => void;
export type Asking = { query?: Record<string, number>; token?: string };
/** Data of the page; set before anything is shown. */
export type Set = {
  game: Game;
  course: import("./course.js").Course;
  player: import("./player.js").Player;
  boards: import("./kept.js").Boards;
  history: import("./kept.js").History;
};
export type Show = (seq: number, svg: string) => void;
