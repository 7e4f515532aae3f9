// The figures of the science of a farm as a list that can be shown and changed one by one. Pure.

type Value = number | string | boolean | null;

export type Figure = {
  section: string;
  /** The way to it within its section: `alerts.LOW_OXYGEN.limit`. */
  name: string;
  value: Value;
  standard: Value;
  unit: string;
  min?: number | undefined;
  max?: number | undefined;
  /** What can be chosen; null: a number. */
  words: readonly string[] | null;
  /** A table of figures, which is replaced whole. */
  isList: boolean;
  /** The farm has set it for itself. */
  isOwn: boolean;
};

type Told = {
  constants: Readonly<Record<string, unknown>>;
  overrides: Readonly<Record<string, unknown>>;
  defaults: Readonly<Record<string, unknown>>;
  rules: readonly {
    path: string;
    unit?: string | undefined;
    min?: number | undefined;
    max?: number | undefined;
    words?: readonly string[] | undefined;
  }[];
};

const at = (tree: unknown, way: readonly string[]): unknown =>
  way.reduce<unknown>(
    (found, step) =>
      typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[step] : undefined,
    tree,
  );

const asValue = (found: unknown): Value =>
  typeof found === 'number' || typeof found === 'string' || typeof found === 'boolean' ? found : null;

export function figuresOf({ constants, overrides, defaults, rules }: Told): readonly Figure[] {
  const found = new Map<string, Figure>();
  for (const { path, unit = '', min, max, words } of rules) {
    const [whole = ''] = path.split('[]');
    const isList = path.includes('[]');
    const way = whole.replace(/\.$/, '').split('.');
    const [section = '', ...rest] = way;
    const name = rest.join('.');
    // each line of a list has a rule of its own, and all of them are one figure
    if (name === '' || found.has(`${section} ${name}`)) continue;
    found.set(`${section} ${name}`, {
      section,
      name,
      value: asValue(at(constants, way)),
      standard: asValue(at(defaults, way)),
      unit: isList ? '' : unit,
      min,
      max,
      words: words ?? null,
      isList: isList || Array.isArray(at(constants, way)),
      isOwn: at(overrides, way) !== undefined,
    });
  }
  return [...found.values()];
}

/** What is sent to change one figure; null goes back to the default. */
export function patchOf({ section, name }: Pick<Figure, 'section' | 'name'>, value: Value): object {
  return [section, ...name.split('.')].reduceRight<unknown>(
    (inner, step) => ({ [step]: inner }),
    value,
  ) as object;
}
