// Builds a command from options alone (docs/clients.md): the picks, in any order, and the values that are still possible.

/** @typedef {import("./state.js").Option} Option */
/** @typedef {import("./state.js").Command} Command */
/**
 * A type of command, or a value. `name` is its parameter; without one, the first parameter of the command's form that accepts the
 * value. `kind` is the kind of thing clicked (a square, a seat), if any.
 * @typedef {{type?: string, name?: string, value?: any, kind?: string}} Pick
 */
/**
 * A parameter. `chosen` is its value (undefined if none) or a list of values; `settled`: only one choice; `done`: no more choices
 * needed.
 * @typedef {{name: string, many: boolean, values: any[], least: number, most: number, range: {min: number, max: number} | null, chosen: any, settled: boolean, done: boolean}} Field
 */
/** The parts of a game's description that are needed here. @typedef {{order: (type: string) => string[], kind: (type: string, name: string) => string | null}} Form */

/** @param {any} one @param {any} other */
const same = (one, other) => one === other;

/** The parameters of an option in the order of its command's form. @param {Option} option @param {Form} form */
function names(option, form) {
  const own = new Set([...Object.keys(option.fixed), ...option.open.map((part) => part.name)]);
  return [...form.order(option.type).filter((name) => own.has(name)), ...[...own].filter((name) => !form.order(option.type).includes(name))];
}

/** Whether a parameter of an option is a list. @param {Option} option @param {string} name */
const isList = (option, name) => (name in option.fixed ? Array.isArray(option.fixed[name]) : option.open.some((part) => part.name === name && part.subset_of));

/** Whether a value fits a parameter in addition to its current values. @param {Option} option @param {string} name @param {any} value @param {any} has */
function fits(option, name, value, has) {
  if (name in option.fixed) {
    const fixed = option.fixed[name];
    if (Array.isArray(fixed)) return fixed.includes(value) && !has?.includes(value);
    return has === undefined && same(fixed, value);
  }
  return option.open.some((part) => {
    if (part.name !== name) return false;
    if (part.one_of) return has === undefined && part.one_of.includes(value);
    if (part.integer) return has === undefined && typeof value === "number" && value >= part.integer.min && value <= part.integer.max;
    const own = part.subset_of ?? [];
    return own.includes(value) && !has?.includes(value) && (has ?? []).filter((/** @type {any} */ each) => own.includes(each)).length < (part.max ?? 0);
  });
}

/** Whether a clicked thing may be the value of a parameter; numbers need the same kind. @param {Option} option @param {string} name @param {Pick} pick @param {Form} form */
function meant(option, name, pick, form) {
  const kind = form.kind(option.type, name);
  if (typeof pick.value === "number") return pick.kind === (kind ?? name);
  return !kind || !pick.kind || kind === pick.kind;
}

/**
 * Chosen values by parameter; null if the option does not allow the picks.
 * @param {Option} option @param {Pick[]} picks @param {Form} form
 * @returns {Record<string, any> | null}
 */
export function taken(option, picks, form) {
  /** @type {Record<string, any>} */
  const chosen = {};
  const all = names(option, form);
  for (const pick of picks) {
    if (pick.type !== undefined) {
      if (pick.type !== option.type) return null;
      continue;
    }
    const values = pick.kind && /^-?\d+$/.test(String(pick.value)) ? [pick.value, Number(pick.value)] : [pick.value];
    const found = pick.name === undefined ? all : all.filter((name) => name === pick.name);
    const place = found.flatMap((name) => values.map((value) => ({ name, value }))).find(({ name, value }) => fits(option, name, value, chosen[name]) && (pick.name !== undefined || meant(option, name, { ...pick, value }, form)));
    if (!place) return null;
    chosen[place.name] = isList(option, place.name) ? [...(chosen[place.name] ?? []), place.value] : place.value;
  }
  return chosen;
}

/** An immutable draft of a command: each step returns another draft. */
export class Draft {
  /** @param {Option[]} options all available options @param {Form} form @param {Pick[]} [picks] */
  constructor(options, form, picks = []) {
    this.options = options;
    this.form = form;
    this.picks = picks;
    /** Options that allow the picks, with the chosen values. @type {{option: Option, chosen: Record<string, any>}[]} */
    this.left = [];
    for (const option of options) {
      const chosen = taken(option, picks, form);
      if (chosen) this.left.push({ option, chosen });
    }
    /** Their types, in the order of the options. */
    this.types = [...new Set(this.left.map(({ option }) => option.type))];
    /** The type, if only one is left and something was picked. */
    this.type = picks.length > 0 && this.types.length === 1 ? this.types[0] : undefined;
    /** @type {Field[]} */
    this.fields = this.type ? this.#fields() : [];
    /** The command to send, once no more choices are needed. @type {Command | null} */
    this.command = this.#command();
  }

  /** The first parameter that needs a choice. */
  get next() {
    return this.fields.find((field) => !field.done);
  }

  /** Returns another draft with these picks; null if no option allows them. @param {Pick[]} picks */
  with(picks) {
    const made = new Draft(this.options, this.form, picks);
    return made.left.length > 0 ? made : null;
  }

  /**
   * Picks something, or removes it if it was chosen already. Conflicting picks are dropped.
   * @param {Pick} pick
   * @returns {Draft | null} null if no command allows it
   */
  pick(pick) {
    const again = this.picks.findIndex((each) => each.type === pick.type && String(each.value) === String(pick.value) && (each.name === pick.name || !pick.name || !each.name));
    if (again >= 0) return new Draft(this.options, this.form, this.picks.toSpliced(again, 1));
    const more = this.with([...this.picks, pick]);
    if (more) return more;
    for (let place = this.picks.length - 1; place >= 0; place--) {
      const other = this.picks[place]?.type === undefined && this.with([...this.picks.toSpliced(place, 1), pick]);
      if (other) return other;
    }
    const [first] = this.picks;
    return (first?.type !== undefined && pick.type === undefined && this.with([first, pick])) || this.with([pick]);
  }

  /** Undoes the last step. */
  back() {
    return new Draft(this.options, this.form, this.picks.slice(0, -1));
  }

  /**
   * Every value that can be picked now, by parameter and kind.
   * @returns {Map<string, {kind: string | null, name: string, values: Set<any>}>}
   */
  open() {
    /** @type {Map<string, {kind: string | null, name: string, values: Set<any>}>} */
    const found = new Map();
    for (const { option, chosen } of this.left) {
      for (const name of names(option, this.form)) {
        const kind = this.form.kind(option.type, name);
        const key = `${name}/${kind}`;
        const entry = found.get(key) ?? { kind, name, values: new Set() };
        found.set(key, entry);
        for (const value of valuesOf(option, name)) if (fits(option, name, value, chosen[name])) entry.values.add(value);
      }
    }
    return found;
  }

  #fields() {
    const [one] = this.left;
    if (!one) return [];
    const all = [...new Set(this.left.flatMap(({ option }) => names(option, this.form)))];
    return all.map((name) => this.#field(name));
  }

  /** @param {string} name @returns {Field} */
  #field(name) {
    const own = this.left.filter(({ option }) => name in option.fixed || option.open.some((part) => part.name === name));
    const many = own.some(({ option }) => isList(option, name));
    const chosen = own[0]?.chosen[name] ?? (many ? [] : undefined);
    const others = this.#without(name);
    const values = [...new Set(others.flatMap((option) => valuesOf(option, name)))];
    const ranges = others.flatMap((option) => option.open.filter((part) => part.name === name && part.integer).map((part) => part.integer));
    const range = ranges.length ? { min: Math.min(...ranges.map((each) => each?.min ?? 0)), max: Math.max(...ranges.map((each) => each?.max ?? 0)) } : null;
    if (many) {
      const bounds = others.map((option) => boundsOf(option, name));
      const least = Math.min(...bounds.map(([low]) => low));
      const most = Math.max(...bounds.map(([, high]) => high));
      const settled = others.every((option) => sole(option, name)) && new Set(others.map((option) => JSON.stringify(valuesOf(option, name)))).size === 1;
      return { name, many, values, least, most, range: null, chosen, settled, done: settled || own.some(({ option, chosen: has }) => filled(option, name, has[name] ?? [])) };
    }
    const settled = values.length === 1 && others.every((option) => name in option.fixed || valuesOf(option, name).length === 1);
    const value = chosen ?? (settled ? values[0] : undefined);
    return { name, many, values, least: 1, most: 1, range, chosen: value, settled, done: value !== undefined };
  }

  /** The options that are left without the choice for a parameter. @param {string} name */
  #without(name) {
    const rest = this.picks.filter((pick) => pick.type !== undefined || this.#placeOf(pick) !== name);
    return rest.length === this.picks.length ? this.left.map(({ option }) => option) : this.options.filter((option) => option.type === this.type && taken(option, rest, this.form));
  }

  /** The parameter that a pick is for. @param {Pick} pick */
  #placeOf(pick) {
    if (pick.name !== undefined) return pick.name;
    /** @type {Record<string, any>} */
    const chosen = this.left[0]?.chosen ?? {};
    return Object.keys(chosen).find((name) => [chosen[name]].flat().some((/** @type {any} */ value) => String(value) === String(pick.value)));
  }

  /** @returns {Command | null} */
  #command() {
    if (!this.type || this.fields.some((field) => !field.done)) return null;
    for (const { option, chosen } of this.left) {
      const made = commandOf(option, chosen, this.fields);
      if (made) return made;
    }
    return null;
  }
}

/** Every possible value or list item of a parameter, at most 200 numbers of a range. @param {Option} option @param {string} name */
export function valuesOf(option, name) {
  if (name in option.fixed) return [option.fixed[name]].flat();
  return option.open
    .filter((part) => part.name === name)
    .flatMap((part) => {
      if (!part.integer) return part.one_of ?? part.subset_of ?? [];
      const { min, max } = part.integer;
      return Array.from({ length: Math.min(max - min + 1, 200) }, (_, at) => min + at);
    });
}

/** Minimum and maximum length of a list. @param {Option} option @param {string} name @returns {[number, number]} */
function boundsOf(option, name) {
  if (name in option.fixed) return [option.fixed[name].length, option.fixed[name].length];
  const parts = option.open.filter((part) => part.name === name);
  return [parts.reduce((sum, part) => sum + (part.min ?? 0), 0), parts.reduce((sum, part) => sum + (part.max ?? 0), 0)];
}

/** Whether a list has only one possible value. @param {Option} option @param {string} name */
const sole = (option, name) => name in option.fixed || option.open.every((part) => part.name !== name || (part.min === part.max && part.min === part.subset_of?.length));

/** Whether a list is complete. @param {Option} option @param {string} name @param {any[]} chosen */
function filled(option, name, chosen) {
  if (name in option.fixed) return option.fixed[name].length === chosen.length;
  return option.open.every((part) => {
    if (part.name !== name) return true;
    const own = chosen.filter((value) => part.subset_of?.includes(value)).length;
    return own >= (part.min ?? 0) && own <= (part.max ?? 0);
  });
}

/** The command of an option; null if a choice is missing. @param {Option} option @param {Record<string, any>} chosen @param {Field[]} fields @returns {Command | null} */
function commandOf(option, chosen, fields) {
  /** @type {Command} */
  const made = { type: option.type, ...option.fixed };
  for (const { name, many, settled, chosen: value } of fields) {
    const has = name in option.fixed || option.open.some((part) => part.name === name);
    if (!has) continue;
    if (many) {
      const list = settled ? valuesOf(option, name) : (chosen[name] ?? []);
      if (!settled && !filled(option, name, list)) return null;
      made[name] = list;
    } else {
      if (!fits(option, name, value, undefined)) return null;
      made[name] = value;
    }
  }
  return made;
}
