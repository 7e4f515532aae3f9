import { CONSTANT_WORDS, EMPTY_LIST_LINES, ruleOf } from '#science/constant-rules.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { isTable } from './merge-constants.ts';

export type ListedRule =
  | { path: string; unit: string; min: number; max: number }
  | { path: string; words: string[] }
  | { path: string; unit: 'HH:MM' };

/** Unit and range of every figure, `[]` in a path standing for each line of a list. */
export function listRules(): ListedRule[] {
  const byPath = new Map(leaves(SCIENCE_DEFAULTS, '').map((rule) => [rule.path, rule]));
  return [...byPath.values()];
}

function leaves(known: unknown, path: string): ListedRule[] {
  if (Array.isArray(known)) {
    const lines: readonly unknown[] = known.length > 0 ? known : [EMPTY_LIST_LINES[path]];
    return lines.flatMap((line) => leaves(line, `${path}[]`));
  }
  if (isTable(known)) {
    return Object.entries(known).flatMap(([name, value]) =>
      leaves(value, path === '' ? name : `${path}.${name}`),
    );
  }
  if (typeof known !== 'number') {
    const words = CONSTANT_WORDS[path];
    return [words === undefined ? { path, unit: 'HH:MM' } : { path, words: [...words] }];
  }
  const rule = ruleOf(path);
  return rule === null ? [] : [{ path, unit: rule.unit, min: rule.least, max: rule.most }];
}
