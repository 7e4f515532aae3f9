import {
  type Before,
  NO_UPDATE,
  type Outcome,
  RESULTS,
  type Slot,
  type Step,
  type UpdateState,
} from './update-state.ts';
import { isVersion } from './version-order.ts';

// The state as a worn card or another version may have left it. What is read here decides what a box runs: a part that
// makes no sense counts as not written, and nothing here throws. By hand, because the launcher loads it at every start.

type Fields = Readonly<Record<string, unknown>>;

/** More words than a farm has controllers are none that were written here. */
const MOST_WORDS = 10_000;

/** A state that holds, whatever was found. */
export function stateFrom(found: unknown): UpdateState {
  if (!isRecord(found) || found['format'] !== 1) return NO_UPDATE;
  const slot = slotFrom(found['slot']);
  if (slot === null) return NO_UPDATE;
  return {
    format: 1,
    slot,
    before: slotFrom(found['before']),
    packaged: versionFrom(found['packaged']),
    step: stepFrom(found['step']),
    last: outcomeFrom(found['last']),
    farm: farmFrom(found['farm']),
    isReturning: found['isReturning'] === true,
  };
}

function slotFrom(found: unknown): Slot | null {
  if (found === 'packaged' || found === 'previous') return found;
  const version = isRecord(found) ? versionFrom(found['version']) : null;
  return version === null ? null : { version };
}

/** A step of a later version of this program is none that this one could go on with. */
function stepFrom(found: unknown): Step {
  const rest: Step = { at: 'rest' };
  if (!isRecord(found)) return rest;
  if (found['at'] === 'fetching') return { at: 'fetching' };
  const [version, allowMs] = [versionFrom(found['version']), countFrom(found['allowMs'])];
  if (version === null) return rest;
  if (found['at'] === 'staging') return { at: 'staging', version };
  if (allowMs === null) return rest;
  if (found['at'] === 'staged') return { at: 'staged', version, allowMs };
  const [target, starts] = [slotFrom(found['target']), countFrom(found['starts'])];
  if (found['at'] !== 'trial' || target === null || starts === null) return rest;
  return { at: 'trial', target, version, starts, allowMs };
}

function outcomeFrom(found: unknown): Outcome | null {
  if (!isRecord(found)) return null;
  const { version, code, detail, at, aside } = found;
  const result = RESULTS.find((word) => word === found['result']);
  const isWhole = typeof version === 'string' && typeof detail === 'string' && typeof at === 'string';
  if (result === undefined || !isWhole) return null;
  const known = { result, version, code: typeof code === 'string' ? code : null, detail, at };
  return typeof aside === 'string' ? { ...known, aside } : known;
}

function farmFrom(found: unknown): Before | null {
  if (!isRecord(found)) return null;
  return { online: wordsFrom(found['online']), secured: wordsFrom(found['secured']) };
}

const isRecord = (found: unknown): found is Fields =>
  typeof found === 'object' && found !== null && !Array.isArray(found);
const versionFrom = (found: unknown): string | null =>
  typeof found === 'string' && isVersion(found) ? found : null;
const countFrom = (found: unknown): number | null =>
  typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : null;
const wordsFrom = (found: unknown): string[] =>
  Array.isArray(found) ? found.filter((word) => typeof word === 'string').slice(0, MOST_WORDS) : [];
