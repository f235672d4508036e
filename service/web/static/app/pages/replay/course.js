// The timeline of a game (`GET …/course`) for navigation: days or rounds, turns, undone commits.

/** @typedef {import("./types.js").Unit} Unit */
/** @typedef {import("./types.js").Told} Told */

/** Maximum number of commits of a long turn that are shown at a time. */
const WINDOW = 64;

/** Index of the last mark at or before a commit. @type {(marks: {seq: number}[], seq: number) => number} */
const place = (marks, seq) => marks.findLastIndex((mark) => mark.seq <= seq);

export class Course {
  /** @param {Told} told @param {number} newest newest commit, which may have no public events */
  constructor(told, newest) {
    this.told = told;
    this.newest = Math.max(newest, told.seq);
    this.units = /** @type {Unit[]} */ (["commit", told.turns.length && "turn", told.times.length && "time"].filter(Boolean));
  }

  /** Adds later commits; null if commits were undone, so that everything must be read again. @param {Told} more @param {number} newest */
  grown(more, newest) {
    const { undone, times, turns } = this.told;
    if (JSON.stringify(more.undone) !== JSON.stringify(undone)) return null;
    return new Course({ ...more, times: [...times, ...more.times], turns: [...turns, ...more.turns] }, newest);
  }

  /** The day or round. @param {number} seq */
  time(seq) {
    return this.told.times[place(this.told.times, seq)];
  }

  /** The title of a turn, and the range of commits to show around this one. @param {number} seq */
  turn(seq) {
    const { turns } = this.told;
    const here = turns[place(turns, seq)];
    const begin = here?.seq ?? 1;
    const end = (turns.find((each) => each.seq > seq)?.seq ?? this.newest + 1) - 1;
    const first = begin + Math.floor((seq - begin) / WINDOW) * WINDOW;
    return { title: here?.title ?? "", first, last: Math.min(end, first + WINDOW - 1) };
  }

  /** The undone range that contains a commit. @param {number} seq */
  undone(seq) {
    return this.told.undone.find(({ first, last }) => first <= seq && seq <= last);
  }

  /** Positions to stop at, by turns or times. @param {Unit} unit */
  stops(unit) {
    const marks = unit === "turn" ? this.told.turns : this.told.times;
    return [1, ...marks.map((mark) => mark.seq), this.newest].sort((one, other) => one - other);
  }

  /** The nearest stop. @param {number} seq @param {Unit} unit */
  nearest(seq, unit) {
    const within = Math.min(this.newest, Math.max(1, Math.round(seq)));
    if (unit === "commit") return within;
    return this.stops(unit).reduce((best, each) => (Math.abs(each - within) < Math.abs(best - within) ? each : best));
  }

  /** The next or previous stop; `seq` if none. @param {number} seq @param {number} way direction, 1 or -1 @param {Unit} unit @param {boolean} skip skip undone commits */
  step(seq, way, unit, skip) {
    const stops = unit === "commit" ? null : this.stops(unit);
    for (let here = seq; ; ) {
      const next = stops ? (way > 0 ? stops.find((each) => each > here) : stops.findLast((each) => each < here)) : here + way;
      if (!next || next > this.newest) return seq;
      const gone = skip && this.undone(next);
      if (!gone) return next;
      here = stops ? next : way > 0 ? gone.last : gone.first;
    }
  }

  /** A position as text. @param {number} seq */
  saying(seq) {
    const time = this.time(seq);
    return [time && `${this.told.unit} ${time.time}`, this.turn(seq).title, `commit ${seq} of ${this.newest}`].filter(Boolean).join(", ");
  }
}
