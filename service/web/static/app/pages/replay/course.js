// The course of a game (`GET …/course`) as the replay goes along it: days or rounds, turns, what was taken back.

/** @typedef {import("./types.js").Unit} Unit */
/** @typedef {import("./types.js").Told} Told */

/** So many commits of a long turn are told at a time. */
const WINDOW = 64;

/** The last mark at or before a commit. @type {(marks: {seq: number}[], seq: number) => number} */
const place = (marks, seq) => marks.findLastIndex((mark) => mark.seq <= seq);

export class Course {
  /** @param {Told} told @param {number} newest which may have shown everybody nothing */
  constructor(told, newest) {
    this.told = told;
    this.newest = Math.max(newest, told.seq);
    this.units = /** @type {Unit[]} */ (["commit", told.turns.length && "turn", told.times.length && "time"].filter(Boolean));
  }

  /** With what is told of later commits; null if something was taken back, and all is to be read anew. @param {Told} more @param {number} newest */
  grown(more, newest) {
    const { undone, times, turns } = this.told;
    if (JSON.stringify(more.undone) !== JSON.stringify(undone)) return null;
    return new Course({ ...more, times: [...times, ...more.times], turns: [...turns, ...more.turns] }, newest);
  }

  /** The day or round. @param {number} seq */
  time(seq) {
    return this.told.times[place(this.told.times, seq)];
  }

  /** The heading of the turn, and the commits about this one that are told with it. @param {number} seq */
  turn(seq) {
    const { turns } = this.told;
    const here = turns[place(turns, seq)];
    const begin = here?.seq ?? 1;
    const end = (turns.find((each) => each.seq > seq)?.seq ?? this.newest + 1) - 1;
    const first = begin + Math.floor((seq - begin) / WINDOW) * WINDOW;
    return { title: here?.title ?? "", first, last: Math.min(end, first + WINDOW - 1) };
  }

  /** The stretch that was taken back in which a commit lies. @param {number} seq */
  undone(seq) {
    return this.told.undone.find(({ first, last }) => first <= seq && seq <= last);
  }

  /** Where one stops, going by turns or times. @param {Unit} unit */
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

  /** The next stop or the one before; `seq` if there is none. @param {number} seq @param {number} way 1 or -1 @param {Unit} unit @param {boolean} skip what was taken back */
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

  /** Where that is, in words. @param {number} seq */
  saying(seq) {
    const time = this.time(seq);
    return [time && `${this.told.unit} ${time.time}`, this.turn(seq).title, `commit ${seq} of ${this.newest}`].filter(Boolean).join(", ");
  }
}
