// Named checks against a clause of docs/device-protocol.md each, their limits, and their report as TAP or JSON.

import type { HeartbeatFields } from '#contract/mqtt/messages.ts';
import type { SimClock } from '../sim-clock.ts';

export type Check<Context> = {
  /** Stable name, for a maker to quote. */
  id: string;
  /** Clause of docs/device-protocol.md. */
  clause: string;
  title: string;
  /** Checks that must pass before this one can be judged; without them it is skipped, and says so. */
  needs?: readonly string[];
  /** Seconds after which it has failed, whatever it waits for; absent: the limit of the run. */
  withinS?: number;
  run(context: Context): Promise<void>;
};

export type CheckResult = {
  id: string;
  clause: string;
  title: string;
  result: 'pass' | 'fail' | 'skip';
  reason: string | null;
  tookMs: number;
};

export type Report = {
  subject: string;
  passed: number;
  failed: number;
  skipped: number;
  checks: CheckResult[];
};

/** The subject does not do what the clause says. */
export class Unmet extends Error {}

/** The check cannot be made with what was given. */
export class Skipped extends Error {}

export function demand(isMet: boolean, reason: string): asserts isMet {
  if (!isMet) throw new Unmet(reason);
}

type Clock = Pick<SimClock, 'nowMs' | 'at'>;

export type RunDeps = {
  /** Monotonic: no step of the wall clock makes a wait longer. */
  clock: Clock;
  tell: (result: CheckResult) => void;
  limits: {
    /** Of a check that names none of its own, seconds. */
    checkS: number;
    /** Of all checks together, seconds; what is left then is not judged. */
    runS: number;
  };
  /** Closes what a check left open or altered, also one that was given up. */
  tidy?: () => void | Promise<void>;
  /** Before each check: why the subject cannot be judged any more; null: it is there. */
  whyGone?: () => Promise<string | null>;
};

type Outcome = Pick<CheckResult, 'result' | 'reason'>;

/** Runs the checks one after another; a failed one keeps only those from running that need it. */
export async function runChecks<Context>(
  deps: RunDeps,
  checks: readonly Check<Context>[],
  context: Context,
): Promise<CheckResult[]> {
  const { clock } = deps;
  const endMs = clock.nowMs() + deps.limits.runS * 1000;
  const results = new Map<string, CheckResult>();
  let ended: string | null = null;
  for (const check of checks) {
    const startMs = clock.nowMs();
    const missing = check.needs?.find((id) => results.has(id) && results.get(id)?.result !== 'pass');
    const outcome: Judged =
      ended !== null
        ? skip(`not judged: ${ended}`)
        : missing !== undefined
          ? skip(`not judged: it needs ${missing}`)
          : await judge(deps, check, context, endMs);
    const untidy: string | null = ended === null ? await whyNotTidy(deps) : null;
    ended = outcome.ended ?? untidy ?? ended;
    // a run that cannot go on has not been passed
    const judged = untidy === null || outcome.result === 'fail' ? outcome : fail(untidy);
    const result: CheckResult = {
      id: check.id,
      clause: check.clause,
      title: check.title,
      result: judged.result,
      reason: judged.reason,
      tookMs: Math.round(clock.nowMs() - startMs),
    };
    results.set(check.id, result);
    deps.tell(result);
  }
  return [...results.values()];
}

export function reportOf(subject: string, checks: CheckResult[]): Report {
  const countOf = (word: CheckResult['result']) => checks.filter((check) => check.result === word).length;
  return { subject, passed: countOf('pass'), failed: countOf('fail'), skipped: countOf('skip'), checks };
}

/** One check in the Test Anything Protocol, version 13. */
export function tapLines(check: CheckResult, number: number): string[] {
  const word = check.result === 'fail' ? 'not ok' : 'ok';
  const skipped = check.result === 'skip' ? ` # SKIP ${check.reason ?? ''}` : '';
  const head = `${word} ${number} - ${check.id} (clause ${check.clause}): ${check.title}${skipped}`;
  if (check.result !== 'fail') return [head];
  return [head, '  ---', `  clause: '${check.clause}'`, `  reason: ${JSON.stringify(check.reason)}`, '  ...'];
}

/** What comes of a promise, or `late` when that takes longer; the promise itself is then left alone. */
export async function orLate<T, Late>(
  clock: Clock,
  promise: Promise<T>,
  withinMs: number,
  late: () => Late,
): Promise<T | Late> {
  // it may fail when nobody listens any more
  promise.catch(() => undefined);
  let limit: ReturnType<Clock['at']> | undefined;
  const limited = new Promise<Late>((resolve, reject) => {
    limit = clock.at(clock.nowMs() + withinMs, () => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    });
  });
  try {
    return await Promise.race([promise, limited]);
  } finally {
    limit?.cancel();
  }
}

const fail = (reason: string): Outcome => ({ result: 'fail', reason });
const skip = (reason: string): Outcome => ({ result: 'skip', reason });

type Judged = Outcome & { ended?: string };

/** Why no other check can follow; null: all is as it was before. */
async function whyNotTidy({ tidy }: RunDeps): Promise<string | null> {
  try {
    await tidy?.();
    return null;
  } catch (error) {
    return `what the check altered could not be put right (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** One check within its own limit and that of the run. `ended`: why none after it can be judged. */
async function judge<Context>(
  deps: RunDeps,
  check: Check<Context>,
  context: Context,
  endMs: number,
): Promise<Judged> {
  const { clock, limits } = deps;
  const over = `the run ended after ${limits.runS} s`;
  const leftMs = () => Math.max(0, endMs - clock.nowMs());
  const gone = await orLate(clock, deps.whyGone?.() ?? Promise.resolve(null), leftMs(), () => over);
  if (gone !== null) return { result: 'fail', reason: gone, ended: gone };
  const ownS = check.withinS ?? limits.checkS;
  const isLast = leftMs() < ownS * 1000;
  return orLate(clock, outcomeOf(check, context), Math.min(leftMs(), ownS * 1000), () =>
    isLast
      ? { result: 'fail', reason: over, ended: over }
      : { result: 'fail', reason: `it came to no end within ${ownS} s` },
  );
}

async function outcomeOf<Context>(check: Check<Context>, context: Context): Promise<Judged> {
  try {
    await check.run(context);
    return { result: 'pass', reason: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { result: error instanceof Skipped ? 'skip' : 'fail', reason };
  }
}

// What the gateway side saw the controller do.

export type Will = { topic: string; body: unknown; qos: number; isRetained: boolean };

export type ObservedNow =
  | {
      kind: 'session';
      clientId: string;
      username: string;
      isClean: boolean;
      keepaliveS: number;
      will: Will | null;
      /** It opened with a key that it was just sent. */
      isNewKey: boolean;
    }
  /** It came with a key that it was sent and that the gateway does not let in. */
  | { kind: 'turned_away' }
  /** It came with its own key while the gateway let nobody in. */
  | { kind: 'refused' }
  /** It came as a board without a key. */
  | { kind: 'guest'; mac: string; hasPassword: boolean; isClean: boolean; isLetIn: boolean }
  | { kind: 'guest_message'; mac: string; path: string; body: unknown }
  | { kind: 'session_end' }
  | { kind: 'subscribe'; filter: string; isAllowed: boolean }
  /** From now on what is published there reaches it. */
  | { kind: 'subscribed'; filter: string }
  | {
      kind: 'message';
      topic: string;
      path: string;
      body: unknown;
      bytes: number;
      qos: number;
      isRetained: boolean;
    }
  /** A heartbeat in the contract's shape, whichever way it came. */
  | { kind: 'heartbeat'; via: 'mqtt' | 'http'; body: HeartbeatFields }
  | { kind: 'request'; method: string; path: string; hasKey: boolean; status: number; body: unknown }
  /** A body outside the contract. */
  | { kind: 'invalid'; where: string; reason: string };

/** `place`: its place among all that was seen; two things may be seen at one instant. */
export type Observed = { atMs: number; place: number } & ObservedNow;

/** What was seen, newest last, in words for the reason of a failure. */
export function describeSeen(seen: readonly Observed[]): string {
  const words: { text: string; times: number }[] = [];
  for (const each of seen) {
    const text = describeOne(each);
    const last = words.at(-1);
    if (last?.text === text) last.times += 1;
    else words.push({ text, times: 1 });
  }
  if (words.length === 0) return 'nothing was seen';
  const last = words.slice(-8).map(({ text, times }) => (times === 1 ? text : `${text} (${times} times)`));
  return `seen meanwhile: ${last.join(', ')}`;
}

function describeOne(seen: Observed): string {
  switch (seen.kind) {
    case 'heartbeat': {
      const { current_status, source, epoch, version } = seen.body;
      return `heartbeat ${current_status} ${source ?? 'without source'} ${epoch ?? '?'}/${version ?? '?'}`;
    }
    case 'message':
      return `${seen.path || seen.topic} ${JSON.stringify(seen.body)?.slice(0, 120)}`;
    case 'request':
      return `${seen.method} ${seen.path} answered ${seen.status}`;
    case 'subscribe':
      return `asks for ${seen.filter}`;
    case 'subscribed':
      return `subscribed to ${seen.filter}`;
    case 'invalid':
      return `${seen.where}: ${seen.reason}`;
    case 'guest_message':
      return `${seen.path} of a board`;
    default:
      return seen.kind.replaceAll('_', ' ');
  }
}
