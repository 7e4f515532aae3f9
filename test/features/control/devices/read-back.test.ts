import { expect, it } from 'vitest';
import { createReadBack } from '#features/control/devices/read-back.ts';

it('a control point that came back is read again until the database answers, and then controlled', async () => {
  const answers = [new Error('locked'), new Error('locked'), 'CP-01 with its keys'];
  const waits: number[] = [];
  const errors: unknown[] = [];
  const silent = () => undefined;
  const back = await new Promise<string>((isBack) => {
    const readBack = createReadBack({
      log: { debug: silent, info: silent, warn: silent, error: (fields) => void errors.push(fields) },
      refresh: async () => {
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return answer ?? null;
      },
      later: (ms, run) => {
        waits.push(ms);
        run();
      },
      isBack,
    });
    readBack('cp-1');
  });
  expect([back, waits, errors.length]).toEqual(['CP-01 with its keys', [5_000, 5_000], 2]);
});
