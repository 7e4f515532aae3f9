import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  atStart,
  began,
  failed,
  NO_UPDATE,
  passed,
  type StartFacts,
  staged,
  stoppedInTrial,
  switched,
  type UpdateState,
  unneeded,
} from '../../gateway/update/update-state.ts';
import { compareVersions } from '../../gateway/update/version-order.ts';

const NOW = '2026-03-02T12:00:00.000Z';
const whole: StartFacts = {
  packagedVersion: '1.0.0',
  previousVersion: null,
  troubleOf: () => null,
  now: NOW,
};
const resting: UpdateState = { ...NO_UPDATE, packaged: '1.0.0' };
const lying = (version: string) => staged(began(resting, version), version, 40_000);
const tried = (version: string): UpdateState => switched(lying(version)) ?? resting;

describe('what a start runs after a power cut', () => {
  test('while a package was being unpacked: the version of before, and the update is off', () => {
    const { state, run, isTrial } = atStart(began(resting, '1.1.0'), whole);
    expect([run, isTrial, state.step, state.last?.result]).toEqual([
      'packaged',
      false,
      { at: 'rest' },
      'interrupted',
    ]);
  });

  test('when everything lay ready: the version of before, which switches in a calm moment', () => {
    const { state, run, isTrial } = atStart(lying('1.1.0'), whole);
    expect([run, isTrial, state]).toEqual(['packaged', false, lying('1.1.0')]);
  });

  test('right after the switch: the new version, on trial', () => {
    const { state, run, isTrial } = atStart(tried('1.1.0'), whole);
    expect([run, isTrial, state.step]).toMatchObject([
      { version: '1.1.0' },
      true,
      { at: 'trial', starts: 1 },
    ]);
  });

  test('during the trial: the trial once more; after the second: the version of before', () => {
    const first = atStart(tried('1.1.0'), whole);
    const second = atStart(first.state, whole);
    const third = atStart(second.state, whole);
    expect([first.isTrial, second.isTrial, third.isTrial]).toEqual([true, true, false]);
    expect([third.run, third.state.last]).toMatchObject([
      'packaged',
      { result: 'rolled_back', detail: 'it did not prove itself in two starts' },
    ]);
  });

  test('a stop that somebody asked for does not count against the new version', () => {
    const { state } = atStart(tried('1.1.0'), whole);
    expect(stoppedInTrial(state)).toEqual(tried('1.1.0'));
  });

  test('after the trial: what it ended with', () => {
    const { state } = atStart(tried('1.1.0'), whole);
    expect(atStart(passed(state, NOW), whole).run).toEqual({ version: '1.1.0' });
    expect(atStart(failed(state, 'it hung', NOW), whole).run).toBe('packaged');
  });
});

describe('an applied version', () => {
  const applied = passed(tried('1.1.0'), NOW);

  test('that is damaged on the card gives way to that of the package', () => {
    const { state, run } = atStart(applied, { ...whole, troubleOf: () => 'bin/node is damaged' });
    expect([run, state.slot, state.last?.result]).toEqual(['packaged', 'packaged', 'damaged']);
  });

  test('damaged before its first start is never started', () => {
    const { isTrial, run } = atStart(tried('1.1.0'), { ...whole, troubleOf: () => 'bin/node is damaged' });
    expect([run, isTrial]).toEqual(['packaged', false]);
  });

  test('gives way to a newer package that somebody installed, which is tried', () => {
    const { run, isTrial, state } = atStart(applied, { ...whole, packagedVersion: '1.2.0' });
    expect([run, isTrial, state.slot]).toEqual(['packaged', true, { version: '1.1.0' }]);
    expect(atStart(failed(state, 'it hung', NOW), { ...whole, packagedVersion: '1.2.0' }).run).toEqual({
      version: '1.1.0',
    });
  });

  test('stays before an older package', () => {
    const { run, isTrial } = atStart(applied, { ...whole, packagedVersion: '1.0.5' });
    expect([run, isTrial]).toEqual([{ version: '1.1.0' }, false]);
  });

  test('stays on disk as long as anything needs it', () => {
    expect(unneeded(applied, ['0.9.0', '1.1.0'])).toEqual(['0.9.0']);
    expect(unneeded(lying('1.2.0'), ['1.1.0', '1.2.0'])).toEqual(['1.1.0']);
  });
});

describe('a package that is installed over another', () => {
  const upgraded = { ...whole, packagedVersion: '1.1.0', previousVersion: '1.0.0' };

  test('is tried like an update and gives way to the one before', () => {
    const first = atStart(resting, upgraded);
    expect([first.run, first.isTrial, first.state.slot]).toEqual(['packaged', true, 'previous']);
    expect(atStart(failed(first.state, 'it hung', NOW), upgraded).run).toBe('previous');
    expect(atStart(passed(first.state, NOW), upgraded).run).toBe('packaged');
  });

  test('simply runs on a box that knew none', () => {
    expect(atStart(NO_UPDATE, upgraded)).toMatchObject({ run: 'packaged', isTrial: false });
  });
});

test('whatever happens in whatever order, a start runs something whole, and goes back at most to what was proven', () => {
  const steps = fc.array(
    fc.constantFrom(
      'begin',
      'stage',
      'switch',
      'start',
      'pass',
      'fail',
      'stop',
      'rot',
    ) as fc.Arbitrary<string>,
    { maxLength: 25 },
  );
  fc.assert(
    fc.property(steps, (happened) => {
      let state = resting;
      const rotten = new Set<string>();
      let next = 1;
      for (const what of happened) {
        if (what === 'begin' && state.step.at === 'rest') state = began(state, `1.${next++}.0`);
        if (what === 'stage' && state.step.at === 'staging')
          state = staged(state, state.step.version, 40_000);
        if (what === 'switch') state = switched(state) ?? state;
        if (what === 'pass') state = passed(state, NOW);
        if (what === 'fail') state = failed(state, 'it hung', NOW);
        if (what === 'stop') state = stoppedInTrial(state);
        if (what === 'rot' && typeof state.slot === 'object') rotten.add(state.slot.version);
        const decision = atStart(state, { ...whole, troubleOf: (v) => (rotten.has(v) ? 'damaged' : null) });
        const runs = typeof decision.run === 'object' ? decision.run.version : null;
        expect(runs === null || !rotten.has(runs)).toBe(true);
        if (!decision.isTrial) expect(decision.run).toEqual(decision.state.slot);
        if (what === 'start') state = decision.state;
      }
    }),
  );
});

test.each([
  ['1.0.0', '1.0.1', -1],
  ['1.10.0', '1.9.0', 1],
  ['1.2.0-rc.1', '1.2.0', -1],
  ['1.2.0-rc.10', '1.2.0-rc.9', 1],
  ['2.0.0', '2.0.0', 0],
])('%s against %s', (a, b, order) => {
  expect(Math.sign(compareVersions(a, b))).toBe(order);
});
