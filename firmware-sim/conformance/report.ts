// Named checks against a clause of docs/device-protocol.md each, and their report as TAP or JSON.

export type Check<Context> = {
  /** Stable name, for a maker to quote. */
  id: string;
  /** Clause of docs/device-protocol.md. */
  clause: string;
  title: string;
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

/** Runs the checks one after another; a failed one does not keep the others from running. */
export async function runChecks<Context>(
  deps: { nowMs: () => number; tell: (result: CheckResult) => void },
  checks: readonly Check<Context>[],
  context: Context,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const startMs = deps.nowMs();
    const outcome = await runOne(check, context);
    const result: CheckResult = {
      id: check.id,
      clause: check.clause,
      title: check.title,
      ...outcome,
      tookMs: Math.round(deps.nowMs() - startMs),
    };
    results.push(result);
    deps.tell(result);
  }
  return results;
}

export function reportOf(subject: string, checks: CheckResult[]): Report {
  const countOf = (word: CheckResult['result']) => checks.filter((check) => check.result === word).length;
  return { subject, passed: countOf('pass'), failed: countOf('fail'), skipped: countOf('skip'), checks };
}

/** One check in the Test Anything Protocol, version 13. */
export function tapLines(check: CheckResult, number: number): string[] {
  const word = check.result === 'fail' ? 'not ok' : 'ok';
  const skip = check.result === 'skip' ? ` # SKIP ${check.reason ?? ''}` : '';
  const head = `${word} ${number} - ${check.id} (clause ${check.clause}): ${check.title}${skip}`;
  if (check.result !== 'fail') return [head];
  return [head, '  ---', `  clause: '${check.clause}'`, `  reason: ${JSON.stringify(check.reason)}`, '  ...'];
}

async function runOne<Context>(
  check: Check<Context>,
  context: Context,
): Promise<Pick<CheckResult, 'result' | 'reason'>> {
  try {
    await check.run(context);
    return { result: 'pass', reason: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { result: error instanceof Skipped ? 'skip' : 'fail', reason };
  }
}
