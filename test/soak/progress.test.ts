import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCampaign } from '../../scripts/soak/campaign.ts';
import type { Plan } from '../../scripts/soak/plan.ts';
import { readProgress } from '../../scripts/soak/progress.ts';

it('an interrupted campaign goes on with the farm, and the notes, that it had', {
  timeout: 180_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'soak-progress-'));
  const progressFile = join(folder, 'progress.json');
  const plan: Plan = {
    seed: 3,
    steps: [
      { kind: 'kills', kills: [{ afterRequests: 20, delayMs: 3 }] },
      { kind: 'calm', forS: 10 },
    ],
  };
  const options = { plan, controllers: 3, speed: 30, progressFile, isMachineUsed: false };
  const interrupted = new Error('somebody pressed Ctrl-C');
  const said: string[] = [];
  const stopAfterFirst = (sentence: string) => {
    said.push(sentence);
    if (sentence.startsWith('2/2')) throw interrupted;
  };
  await expect(runCampaign({ ...options, tell: stopAfterFirst }, null)).rejects.toBe(interrupted);
  const earlier = readProgress(progressFile);
  if (earlier === null) throw new Error('no progress was kept');
  expect(earlier.steps.map(({ step }) => step.kind)).toEqual(['kills']);
  const known = earlier.writes.length;

  const result = await runCampaign({ ...options, tell: () => undefined }, earlier);
  expect(result.violations).toEqual([]);
  expect(result.steps.map(({ step }) => step.kind)).toEqual(['kills', 'calm']);
  // what was acknowledged before the interruption was judged too
  expect(result.counts['writes']).toBeGreaterThan(known);
  expect(readProgress(progressFile)).toBeNull();
  rmSync(folder, { recursive: true });
});
