import { describe, expect, it } from 'vitest';
import { type Check, demand, type RunDeps, runChecks, Skipped } from '#sim/conformance/report.ts';
import { createManualClock } from '#sim/sim-clock.ts';

const never = () => new Promise<void>(() => undefined);

function aCheck(id: string, run: () => Promise<void>, more: Partial<Check<null>> = {}): Check<null> {
  return { id, clause: '1.1', title: id, run, ...more };
}

/** Runs them on a clock that is turned a second at a time while anything is waited for. */
async function outcomes(checks: readonly Check<null>[], more: Partial<RunDeps> = {}) {
  const clock = createManualClock();
  const running = runChecks(
    { clock, tell: () => undefined, limits: { checkS: 10, runS: 60 }, ...more },
    checks,
    null,
  );
  let isOver = false;
  const over = running.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
  }
  const results = await over;
  return results.map(({ id, result, reason }) => `${id} ${result}${reason === null ? '' : `: ${reason}`}`);
}

const passes = async () => undefined;
const fails = async () => demand(false, 'it answered 500');

describe('a run of checks', () => {
  it('ends each check that waits for ever at its own limit, or at that of the run', async () => {
    expect(
      await outcomes([
        aCheck('hangs', never),
        aCheck('waits', never, { withinS: 20 }),
        aCheck('works', passes),
      ]),
    ).toEqual([
      'hangs fail: it came to no end within 10 s',
      'waits fail: it came to no end within 20 s',
      'works pass',
    ]);
  });

  it('ends itself, and says of what is left that it was not judged', async () => {
    const checks = Array.from({ length: 8 }, (_each, index) => aCheck(`${index}`, never));
    const found = await outcomes(checks);
    expect(found.slice(0, 6)).toEqual(
      [0, 1, 2, 3, 4, 5].map((index) => `${index} fail: it came to no end within 10 s`),
    );
    expect(found.slice(6)).toEqual([
      '6 fail: the run ended after 60 s',
      '7 skip: not judged: the run ended after 60 s',
    ]);
  });

  it('judges nothing that needs what failed, or was not judged itself, and all that does not', async () => {
    const checks = [
      aCheck('first', fails),
      aCheck('second', passes, { needs: ['first'] }),
      aCheck('third', passes, { needs: ['second'] }),
      aCheck('other', passes),
      aCheck('last', passes, { needs: ['other', 'nobody asked for this one'] }),
    ];
    expect(await outcomes(checks)).toEqual([
      'first fail: it answered 500',
      'second skip: not judged: it needs first',
      'third skip: not judged: it needs second',
      'other pass',
      'last pass',
    ]);
  });

  it('judges nothing any more once the subject is gone', async () => {
    let asked = 0;
    const whyGone = async () => (++asked > 1 ? 'it has left' : null);
    const checks = [aCheck('first', passes), aCheck('second', passes), aCheck('third', passes)];
    expect(await outcomes(checks, { whyGone })).toEqual([
      'first pass',
      'second fail: it has left',
      'third skip: not judged: it has left',
    ]);
    expect(asked).toBe(2);
  });

  it('asks for the subject within the limit of the run alone', async () => {
    const whyGone = () => new Promise<null>(() => undefined);
    expect(await outcomes([aCheck('first', passes)], { whyGone })).toEqual([
      'first fail: the run ended after 60 s',
    ]);
  });

  it('puts right what each check left, one that was given up too, and ends where it cannot', async () => {
    let tidied = 0;
    const checks = [
      aCheck('hangs', never),
      aCheck('skips', async () => Promise.reject(new Skipped('no login'))),
    ];
    const tidy = () => void (tidied += 1);
    expect(await outcomes(checks, { tidy })).toEqual([
      'hangs fail: it came to no end within 10 s',
      'skips skip: no login',
    ]);
    expect(tidied).toBe(2);
    const broken = () => Promise.reject(new Error('the port is taken'));
    expect(await outcomes([aCheck('first', passes), aCheck('second', passes)], { tidy: broken })).toEqual([
      'first fail: what the check altered could not be put right (the port is taken)',
      'second skip: not judged: what the check altered could not be put right (the port is taken)',
    ]);
  });
});
