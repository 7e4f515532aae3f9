import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stateFrom } from '#operations/update/update-folder.ts';
import {
  atStart,
  began,
  compareVersions,
  failed,
  fetching,
  NO_UPDATE,
  passed,
  type StartFacts,
  staged,
  stoppedInTrial,
  switched,
  trialMs,
  type UpdateState,
  unneeded,
} from '#operations/update/update-state.ts';

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

  test('while a package was being fetched: the same, and nobody knows which version it was', () => {
    const { state, run } = atStart(fetching(resting), whole);
    expect([run, state.step, state.last?.result, state.last?.version]).toEqual([
      'packaged',
      { at: 'rest' },
      'interrupted',
      '',
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

  const damaged = (...versions: string[]): StartFacts => ({
    ...whole,
    troubleOf: (version) => (versions.includes(version) ? 'bin/node is damaged' : null),
  });
  const second = passed(switched(staged(began(applied, '1.2.0'), '1.2.0', 40_000)) ?? resting, NOW);

  test('that is damaged on the card gives way to the one before it, not to one of years ago', () => {
    const { state, run } = atStart(second, damaged('1.2.0'));
    expect([run, state.last?.result]).toEqual([{ version: '1.1.0' }, 'damaged']);
    expect(state.last?.detail).toBe('bin/node is damaged; version 1.1.0 runs instead');
  });

  test('that cannot be read today runs again tomorrow, and is told of once', () => {
    const today = atStart(second, { ...damaged('1.2.0'), now: NOW });
    const again = atStart(today.state, { ...damaged('1.2.0'), now: '2026-03-02T13:00:00.000Z' });
    expect(again.state.last).toEqual(today.state.last);
    expect(unneeded(again.state, ['1.0.5', '1.1.0', '1.2.0'])).toEqual(['1.0.5']);
    expect(atStart(again.state, whole).run).toEqual({ version: '1.2.0' });
  });

  test('that is damaged together with the one before gives way to that of the package', () => {
    expect(atStart(second, damaged('1.1.0', '1.2.0')).run).toBe('packaged');
    expect(atStart(applied, damaged('1.1.0')).run).toBe('packaged');
  });

  test('that is damaged and comes once more is not what a failure goes back to', () => {
    const again = switched(staged(began(second, '1.2.0'), '1.2.0', 40_000)) ?? resting;
    expect(atStart(failed(again, 'it hung', NOW), whole).run).toEqual({ version: '1.1.0' });
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

  test('stays on disk as long as anything needs it, and one back with it', () => {
    expect(unneeded(applied, ['0.9.0', '1.1.0'])).toEqual(['0.9.0']);
    expect(unneeded(lying('1.2.0'), ['1.1.0', '1.2.0'])).toEqual(['1.1.0']);
    expect(unneeded(second, ['0.9.0', '1.1.0', '1.2.0'])).toEqual(['0.9.0']);
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
        const { slot, before } = decision.state;
        if (!decision.isTrial) expect([slot, before, 'packaged']).toContainEqual(decision.run);
        expect(stateFrom(JSON.parse(JSON.stringify(decision.state)))).toEqual(decision.state);
        if (what === 'start') state = decision.state;
      }
    }),
  );
});

describe('what a worn card, a hand or a later version left in the place of the state', () => {
  test.each([
    ['nothing', null],
    ['a list', []],
    ['a word', 'packaged'],
    ['another format', { ...resting, format: 2 }],
    ['no slot', { format: 1 }],
    ['a slot that is no version', { format: 1, slot: { version: '../../bin' } }],
  ])('%s: the version of the package runs', (_what, found) => {
    expect(stateFrom(found)).toEqual(NO_UPDATE);
  });

  test('a step that only a later version knows is none', () => {
    const applied = passed(tried('1.1.0'), NOW);
    const state = stateFrom({ ...applied, step: { at: 'mirrored', version: '1.2.0' } });
    expect([state.step, atStart(state, whole).run]).toEqual([{ at: 'rest' }, { version: '1.1.0' }]);
  });

  test('anything at all: a start runs something', () => {
    const parts = fc.constantFrom('slot', 'before', 'packaged', 'step', 'last', 'farm', 'at', 'version');
    fc.assert(
      fc.property(fc.jsonValue(), parts, (value, part) => {
        for (const found of [
          value,
          { ...tried('1.1.0'), [part]: value },
          { ...resting, step: { [part]: value } },
        ])
          expect(atStart(stateFrom(found), whole).run).toBeDefined();
      }),
    );
  });
});

test('a long migration gives a version more time, but never more than two minutes', () => {
  expect([trialMs(0), trialMs(10_000), trialMs(600_000)]).toEqual([40_000, 60_000, 120_000]);
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
