import type { ProbeParameter, ProbeRegister, ProbeTroubleCode } from '#contract/resources/probes.ts';
import type { Water } from '#science/water-limits.ts';
import type { BusLine } from './bus-line.ts';
import {
  decode,
  type JudgedValue,
  judgeValues,
  readsOf,
  type ValueMemory,
  wordKey,
} from './decode-registers.ts';
import type { Patience, ProbeInPond, RegisterRead, WordsRead } from './ports.ts';
import type { Profile } from './shipped-profiles.ts';

export type Sample = { at: number; values: readonly JudgedValue[] };

/** A probe as it is polled. */
export type PolledProbe = {
  row: ProbeInPond;
  profile: Profile;
  memory: Map<ProbeParameter, ValueMemory>;
  /** The last ones, oldest first; `at` on the wall clock. */
  samples: Sample[];
  /** When it last answered, on the clock that only grows, and since when it has not. */
  answeredAt: number | null;
  trouble: { code: ProbeTroubleCode; exception: number | null; since: number } | null;
  failures: number;
  nextAt: number;
  /** Quick readings that are still allowed until the next regular one. */
  quickLeft: number;
};

export type PollDeps = {
  now: () => number;
  monotonic: () => number;
  waterOf: (farmId: string) => Promise<Water>;
  /** Takes what a probe said; true: read it again at once. */
  hear: (probe: ProbeInPond, values: readonly JudgedValue[]) => Promise<boolean>;
};

/** An hour of a probe that is read every ten seconds. */
export const SAMPLES_KEPT = 360;
const PATIENCE: Patience = { timeoutMs: 500, tries: 3, lateMs: 1_000 };
/** After three polls without an answer a probe is asked rarely: each costs the others of its bus 1.5 s. */
const FAILURES_TO_REST = 3;
const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 300_000;
const QUICK_MS = 400;
const MOST_QUICK = 8;
/** Looked at least that often: probes come and go. */
const LONGEST_WAIT_MS = 1_000;

export function polled(row: ProbeInPond, profile: Profile, monotonic: number): PolledProbe {
  return {
    row,
    profile,
    memory: new Map(),
    samples: [],
    answeredAt: null,
    trouble: null,
    failures: 0,
    nextAt: monotonic,
    quickLeft: MOST_QUICK,
  };
}

/** Reads the probe of a bus that has waited longest, if one is due. Answers ms until the next turn makes sense. */
export async function pollTurn(
  deps: PollDeps,
  line: BusLine,
  probes: readonly PolledProbe[],
): Promise<number> {
  const restMs = line.restMs();
  if (restMs > 0) return Math.min(restMs, LONGEST_WAIT_MS);
  const [first] = [...probes].sort((a, b) => a.nextAt - b.nextAt);
  if (first === undefined) return LONGEST_WAIT_MS;
  const waitMs = first.nextAt - deps.monotonic();
  if (waitMs > 0) return Math.min(waitMs, LONGEST_WAIT_MS);
  await pollOnce(deps, line, first);
  return 0;
}

async function pollOnce(deps: PollDeps, line: BusLine, probe: PolledProbe): Promise<void> {
  const startedAt = deps.monotonic();
  const everyMs = probe.row.poll_s * 1_000;
  const read = await readProbe(line, probe.profile.registers, probe.row.unit_id, PATIENCE);
  if (read.is === 'trouble') {
    fail(deps, probe, read);
    const isLine = line.trouble() !== null;
    const restMs = isLine ? Math.min(everyMs, FIRST_REST_MS) : restAfter(probe.failures, everyMs);
    // what was to be seen again is not yet known: one reading that fails does not end that
    const wasQuick = probe.quickLeft < MOST_QUICK && probe.failures < FAILURES_TO_REST;
    probe.nextAt = startedAt + (goOnQuickly(probe, wasQuick) ? Math.min(QUICK_MS, everyMs) : restMs);
    return;
  }
  const answeredAt = deps.monotonic();
  probe.failures = 0;
  probe.trouble = null;
  probe.answeredAt = answeredAt;
  const decoded = probe.profile.registers.map((register) => decode(register, read.words));
  const water = await deps.waterOf(probe.row.farm_id);
  const values = judgeValues(water, probe.memory, decoded, answeredAt);
  probe.samples.push({ at: deps.now(), values });
  if (probe.samples.length > SAMPLES_KEPT) probe.samples.shift();
  const again = await deps.hear(probe.row, values);
  probe.nextAt = startedAt + (goOnQuickly(probe, again) ? Math.min(QUICK_MS, everyMs) : everyMs);
}

/** True when the next reading is a quick one, which is counted: so many in a row, then the regular time. */
function goOnQuickly(probe: PolledProbe, isWanted: boolean): boolean {
  const isQuick = isWanted && probe.quickLeft > 0;
  probe.quickLeft = isQuick ? probe.quickLeft - 1 : MOST_QUICK;
  return isQuick;
}

function fail(deps: PollDeps, probe: PolledProbe, read: Extract<WordsRead, { is: 'trouble' }>): void {
  probe.failures += 1;
  const since = probe.trouble?.since ?? deps.now();
  probe.trouble = { code: read.code, exception: read.exception, since };
}

function restAfter(failures: number, everyMs: number): number {
  if (failures < FAILURES_TO_REST) return everyMs;
  const restMs = FIRST_REST_MS * 2 ** Math.min(failures - FAILURES_TO_REST, 10);
  return Math.max(everyMs, Math.min(LONGEST_REST_MS, restMs));
}

export type ProbeRead = { is: 'words'; words: Map<string, number> } | Extract<WordsRead, { is: 'trouble' }>;

/** All registers of a profile, as they come; the first that fails ends it. */
export async function readProbe(
  line: Pick<BusLine, 'read'>,
  registers: readonly ProbeRegister[],
  unitId: number,
  patience: Patience,
): Promise<ProbeRead> {
  const words = new Map<string, number>();
  for (const read of readsOf(registers, unitId)) {
    const result = await line.read(read, patience);
    if (result.is === 'trouble') return result;
    noteWords(words, read, result.words);
  }
  return { is: 'words', words };
}

function noteWords(words: Map<string, number>, read: RegisterRead, came: readonly number[]): void {
  came.forEach((word, index) => words.set(wordKey(read.functionCode, read.address + index), word));
}
