import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { drawsOf, turnOf } from '#test/turn.ts';
import { childFile } from '../../scripts/built-program.ts';
import { runCampaign } from '../../scripts/soak/campaign.ts';
import { makePlan } from '../../scripts/soak/plan.ts';
import { textOf } from '../../scripts/soak/report.ts';

// The short form of `npm run soak`: the whole program, killed a dozen times under load (three dozen in a whole run), with a
// locked database, two wrong clocks and a power cut between. SOAK_SEED repeats a run.

const SEED = Number(process.env['SOAK_SEED'] ?? 20_261 + turnOf(3));
const KILLS = drawsOf(36, 3);

// A process that is killed stores no compiled code; this one, which has nothing to do, ends by itself and stores it for
// the others.
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [childFile('scripts/soak/gateway-child.ts')]);
});

it('a farm comes through its kills and the faults between them', { timeout: 1_200_000 }, async () => {
  const plan = makePlan({ seed: SEED, kills: KILLS, rounds: 1, isShort: true });
  const result = await runCampaign(
    { plan, controllers: 6, speed: 30, progressFile: null, isMachineUsed: false, tell: () => undefined },
    null,
  );
  const command = `SOAK_SEED=${SEED} npx vitest run test/soak/campaign.test.ts`;
  const report = textOf({ ...result, seed: SEED, command, at: '', plan });
  expect(result.violations, report).toEqual([]);
  expect(result.counts['kills'], report).toBeGreaterThanOrEqual(KILLS);
  expect(result.counts['acknowledged'], report).toBeGreaterThan(KILLS);
  expect(result.counts['pubacks'], report).toBeGreaterThan(KILLS);
  // what an operator looks for when the clock was wrong
  expect(Object.keys(result.logLines), report).toEqual(
    expect.arrayContaining([
      'warn: the clock is not to be trusted; fail-safes decide until it is',
      'warn: a person set or confirmed the time',
    ]),
  );
});
