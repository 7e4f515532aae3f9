import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  farmScience,
  type ScienceSettingsAnswer,
  scienceSettings,
  scienceSettingsUpdate,
} from '#contract/resources/science.ts';
import { audit } from '#core/audit.ts';
import { asParent, type Change, insert, update } from '#core/changes.ts';
import { AppError, type FieldError, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import {
  CONSTANT_WORDS,
  EMPTY_LIST_LINES,
  LIST_AXES,
  ONE_WAY_COLUMNS,
  RISING_CONSTANTS,
  ruleOf,
} from '#science/constant-rules.ts';
import { SCIENCE_DEFAULTS, type ScienceConstants } from '#science/constants.ts';
import {
  feedStopsAt,
  inTodaysNames,
  isTable,
  mergedConstants,
  type Overrides,
  setOfOxygen,
  unknownIn,
} from './merge-constants.ts';
import type { FarmScience, ScienceSettingQueries } from './ports.ts';

const params = z.object({ farm_id: idInput });
const atFarm = { who: 'farm', of: 'farm', at: 'params', field: 'farm_id', others: 404 } as const;
const tag = 'Science settings';

export function scienceSettingRoutes(deps: ChangeSettingsDeps): Route[] {
  const rules = listRules();
  const toAnswer = (farmId: string, settings: Settings): ScienceSettingsAnswer => ({
    farm_id: farmId,
    constants: mergedConstants(settings.overrides),
    overrides: { ...settings.overrides },
    unread: unknownIn(settings.overrides),
    defaults: SCIENCE_DEFAULTS,
    rules,
    updated_at: settings.updatedAt,
    updated_by: settings.updatedBy,
  });
  return [
    route({
      method: 'GET',
      path: '/farms/{farm_id}/science',
      tag,
      summary: 'The figures behind advice and alerts: defaults, the farm’s own, and what holds',
      access: { ...atFarm, right: 'read' },
      params,
      answers: { 200: { schema: scienceSettings } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const settings = settingsOf(await deps.queries.farmScience(farmId));
        return { answer: { status: 200, body: toAnswer(farmId, settings), rev: settings.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/farms/{farm_id}/science',
      tag,
      summary: 'Set figures of the farm; null goes back to the default',
      access: { ...atFarm, right: 'manage' },
      params,
      body: scienceSettingsUpdate,
      answers: { 200: { schema: scienceSettings } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const current = await deps.queries.farmScience(farmId);
        requireMatch(request, { rev: current?.rev ?? 0 });
        const changed = await changeSettings(deps, signedIn(request), farmId, {
          current,
          sent: request.body,
        });
        const body = toAnswer(farmId, changed.answer);
        return { ...changed, answer: { status: 200, body, rev: changed.answer.rev } };
      },
    }),
  ];
}

type ListedRule =
  | { path: string; unit: string; min: number; max: number }
  | { path: string; words: string[] }
  | { path: string; unit: 'HH:MM' };

/** Unit and range of every figure, `[]` in a path standing for each line of a list. */
function listRules(): ListedRule[] {
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

const MOST_LINES = 50;
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

/** What is wrong with figures a farm sends, each with its path; null stands for "back to the default". */
function faultsIn(sent: Readonly<Record<string, unknown>>): FieldError[] {
  return faults(SCIENCE_DEFAULTS, sent, '', { mayReset: true });
}

/** Figures that hold one by one but not with each other. */
function disorderIn(overrides: Overrides): FieldError[] {
  return [...contradictions(overrides), ...outOfOrder(mergedConstants(overrides))];
}

/** The alarm and the ration stop feeding at one oxygen: that of the one that is set, or of both. */
function contradictions(overrides: Overrides): FieldError[] {
  const { ofAlarm, ofRation } = setOfOxygen(overrides);
  const [alarm, ration] = [overrides['water'], overrides['feeding']] as [
    Pick<ScienceConstants['water'], 'criticalOxygenMgL'>,
    Pick<ScienceConstants['feeding'], 'oxygenFactor'>,
  ];
  const stops = ofRation ? feedStopsAt(ration) : null;
  if (!ofRation || (stops !== null && (!ofAlarm || stops === alarm.criticalOxygenMgL))) return [];
  const does = stops === null ? 'never stops feeding' : `stops feeding at ${stops} mg/L`;
  const other = ofAlarm
    ? `the alarm at water.criticalOxygenMgL, ${alarm.criticalOxygenMgL} mg/L`
    : 'the alarm does';
  return [fault('feeding.oxygenFactor', 'CONTRADICTS', `${does}, ${other}: give a line of factor 0 there`)];
}

function outOfOrder(constants: ScienceConstants): FieldError[] {
  return RISING_CONSTANTS.flatMap((paths) =>
    paths.slice(1).flatMap((path, place) => {
      const lower = paths[place] ?? '';
      const [below, value] = [valueAt(constants, lower), valueAt(constants, path)];
      if (below < value) return [];
      return [fault(path, 'OUT_OF_ORDER', `${value} must be more than ${lower} (${below})`)];
    }),
  );
}

function faults(known: unknown, sent: unknown, path: string, how: { mayReset: boolean }): FieldError[] {
  if (sent === null && how.mayReset) return [];
  if (Array.isArray(known)) return faultsInList(known, sent, path);
  if (isTable(known)) return faultsInTable(known, sent, path, how);
  return typeof known === 'number' ? faultsInNumber(sent, path) : faultsInWord(sent, path);
}

function faultsInTable(
  known: Record<string, unknown>,
  sent: unknown,
  path: string,
  how: { mayReset: boolean },
): FieldError[] {
  if (!isTable(sent))
    return [fault(path, 'INVALID_TYPE', `must be an object with ${Object.keys(known).join(', ')}`)];
  return Object.entries(sent).flatMap(([name, value]) =>
    Object.hasOwn(known, name)
      ? faults(known[name], value, below(path, name), how)
      : // what another version has left behind may be cleared
        value === null && how.mayReset
        ? []
        : [
            fault(
              below(path, name),
              'UNRECOGNIZED_KEYS',
              `is not known; known are ${Object.keys(known).join(', ')}`,
            ),
          ],
  );
}

function faultsInList(known: readonly unknown[], sent: unknown, path: string): FieldError[] {
  const line = known[0] ?? EMPTY_LIST_LINES[pattern(path)];
  const least = known.length === 0 ? 0 : 1;
  if (!Array.isArray(sent) || sent.length < least || sent.length > MOST_LINES)
    return [fault(path, 'INVALID_TYPE', `must be a list of ${least} to ${MOST_LINES} lines`)];
  const inLines = sent.flatMap((each: unknown, place) => faultsInLine(line, each, `${path}[${place}]`));
  return inLines.length > 0
    ? inLines
    : [...faultsInOrder(sent, path), ...faultsOfWay(sent, path), ...faultsInShares(sent, path)];
}

/** A line is whole: nothing of it is left to a default. */
function faultsInLine(line: unknown, sent: unknown, path: string): FieldError[] {
  const inLine = faults(line, sent, path, { mayReset: false });
  if (!isTable(line) || !isTable(sent)) return inLine;
  const missing = Object.keys(line).filter((name) => !Object.hasOwn(sent, name));
  return [...inLine, ...missing.map((name) => fault(below(path, name), 'INVALID_TYPE', 'is missing'))];
}

function faultsInOrder(lines: readonly unknown[], path: string): FieldError[] {
  return lines.slice(1).flatMap((line, place) => {
    const before = lines[place];
    if (!isTable(line) || !isTable(before)) return [];
    const axis = LIST_AXES.find((name) => Object.hasOwn(line, name));
    if (axis === undefined) return [];
    const [a, b] = [before[axis], line[axis]];
    const isRising = typeof a === 'number' && typeof b === 'number' ? a < b : String(a) < String(b);
    return isRising
      ? []
      : [fault(`${path}[${place + 1}].${axis}`, 'OUT_OF_ORDER', `must be more than ${String(a)}`)];
  });
}

function faultsOfWay(lines: readonly unknown[], path: string): FieldError[] {
  const rule = ONE_WAY_COLUMNS[path];
  if (rule === undefined) return [];
  const values = lines.map((line) => (isTable(line) ? Number(line[rule.column]) : Number.NaN));
  return values.slice(1).flatMap((value, place) => {
    const before = values[place] ?? value;
    const isWrong = rule.way === 'RISING' ? value < before : value > before;
    const side = rule.way === 'RISING' ? 'less' : 'more';
    return isWrong
      ? [fault(`${path}[${place + 1}].${rule.column}`, 'OUT_OF_ORDER', `must not be ${side} than ${before}`)]
      : [];
  });
}

/** The meals of a plan are the whole ration. */
function faultsInShares(lines: readonly unknown[], path: string): FieldError[] {
  if (!path.endsWith('meals')) return [];
  const sum = lines.reduce<number>((total, line) => total + (isTable(line) ? Number(line['percent']) : 0), 0);
  return Math.abs(sum - 100) < 0.01 ? [] : [fault(path, 'INVALID', `the shares sum to ${sum}, not 100 %`)];
}

function faultsInNumber(sent: unknown, path: string): FieldError[] {
  if (typeof sent !== 'number' || !Number.isFinite(sent))
    return [fault(path, 'INVALID_TYPE', 'must be a number')];
  const rule = ruleOf(pattern(path));
  if (rule === null) return [fault(path, 'INVALID', 'cannot be set')];
  const { least, most, unit } = rule;
  if (sent >= least && sent <= most) return [];
  return [
    fault(path, 'OUT_OF_RANGE', `must lie between ${least} and ${most}${unit === '' ? '' : ` ${unit}`}`),
  ];
}

function faultsInWord(sent: unknown, path: string): FieldError[] {
  const words = CONSTANT_WORDS[pattern(path)];
  if (words !== undefined) {
    const isKnown = typeof sent === 'string' && words.includes(sent);
    return isKnown ? [] : [fault(path, 'INVALID', `must be ${words.join(' or ')}`)];
  }
  const isTime = typeof sent === 'string' && TIME_OF_DAY.test(sent);
  return isTime ? [] : [fault(path, 'INVALID', 'must be a time of day, for example 18:00')];
}

const fault = (path: string, code: string, message: string): FieldError => ({ path, code, message });
const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
const pattern = (path: string): string => path.replaceAll(/\[\d+\]/g, '[]');

function valueAt(constants: ScienceConstants, path: string): number {
  const value = path
    .split('.')
    .reduce<unknown>((table, name) => (isTable(table) ? table[name] : undefined), constants);
  return typeof value === 'number' ? value : Number.NaN;
}

type ChangeSettingsDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: ScienceSettingQueries;
};

type Settings = {
  overrides: Overrides;
  rev: number;
  updatedAt: string | null;
  updatedBy: string | null;
};

function settingsOf(row: FarmScience | null): Settings {
  return {
    overrides: inTodaysNames(row?.overrides ?? {}),
    rev: row?.rev ?? 0,
    updatedAt: row === null ? null : (row.updated_at ?? row.created_at),
    updatedBy: row?.updated_by ?? null,
  };
}

/**
 * Decides which figures a farm sets for itself: what is sent is laid over what was set, null goes back to the default.
 * Throws 422 with the path of every figure that is unknown, out of range, or out of order with another.
 */
async function changeSettings(
  deps: ChangeSettingsDeps,
  caller: Caller,
  farmId: string,
  { current, sent }: { current: FarmScience | null; sent: Readonly<Record<string, unknown>> },
): Promise<Decision<Settings>> {
  refuse(faultsIn(sent));
  const before = settingsOf(current).overrides;
  const overrides = laidOver(before, sent);
  if (JSON.stringify(overrides) === JSON.stringify(before)) return { answer: settingsOf(current) };
  refuse(disorderIn(overrides));
  const now = isoOf(deps.now());
  const set = { overrides, updated_by: caller.userId, updated_at: now };
  const answer = { overrides, updatedAt: now, updatedBy: caller.userId };
  const entry = audit(deps, {
    farm_id: farmId,
    entity_type: 'SYSTEM',
    entity_id: farmId,
    entity_name: 'Science settings',
    action: 'update',
    user_id: caller.userId,
    details: { record: 'farm_science', before, after: overrides },
  });
  if (current !== null) {
    return {
      answer: { ...answer, rev: current.rev + 1 },
      changes: [update(farmScience, current, set), entry],
    };
  }
  const guard = asParent(await deps.guard('farm', farmId));
  if (!(await deps.queries.farmExists(farmId))) throw notFound('Farm');
  return { answer: { ...answer, rev: 1 }, changes: [firstRow(deps, farmId, set), entry], guards: [guard] };
}

function firstRow(
  deps: ChangeSettingsDeps,
  farmId: string,
  { overrides, updated_by, updated_at }: { overrides: Overrides; updated_by: string; updated_at: string },
): Change {
  return insert(farmScience, {
    id: deps.idOf(`farm_science:${farmId}`),
    farm_id: farmId,
    overrides,
    updated_by,
    created_at: updated_at,
    updated_at: null,
  });
}

function refuse(errors: readonly FieldError[]): void {
  const [first] = errors;
  if (first === undefined) return;
  throw new AppError(422, `${first.path || 'body'}: ${first.message}`, {
    code: 'VALIDATION_ERROR',
    errors: errors.slice(0, 50),
  });
}

function laidOver(before: Overrides, sent: Overrides): Record<string, unknown> {
  const after: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(sent)) {
    if (value === null) delete after[name];
    else if (isTable(value)) {
      const known = after[name];
      const laid = laidOver(isTable(known) ? known : {}, value);
      if (Object.keys(laid).length === 0) delete after[name];
      else after[name] = laid;
    } else after[name] = value;
  }
  return after;
}
