import { describe, expect, test } from 'vitest';
import { isoOf } from '#core/kernel.ts';
import { inheritedBy, isToBeTold } from '#features/alarms/alerts/episode-rules.ts';
import { anEpisodeAlert, START } from './builders.ts';

const MINUTE = 60_000;
const toldAt = (minute: number, told_severity: 'LOW' | 'MEDIUM' | 'HIGH' = 'MEDIUM') =>
  anEpisodeAlert({ told_at: isoOf(START + minute * MINUTE), told_severity });

describe('an episode notifies', () => {
  test.each([
    ['with its first alert', null, 0, 'LOW', true],
    ['not again after 29 minutes', toldAt(0), 29, 'MEDIUM', false],
    ['again after 30 minutes', toldAt(0), 30, 'MEDIUM', true],
    ['at once when it gets worse', toldAt(0), 1, 'HIGH', true],
    ['not when it gets better', toldAt(0), 1, 'LOW', false],
    ['not twice within 30 minutes', toldAt(31), 40, 'MEDIUM', false],
    ['again half an hour after a clock was put back', toldAt(0), -30, 'MEDIUM', true],
  ] as const)('%s', (_words, newest, minute, severity, isTold) => {
    expect(isToBeTold(newest, severity, START + minute * MINUTE)).toBe(isTold);
  });

  test('when nobody was told before, because of a silence', () => {
    const silenced = anEpisodeAlert({ told_at: null, told_severity: null });
    expect(isToBeTold(silenced, 'MEDIUM', START + MINUTE)).toBe(true);
  });
});

describe('a new alert of an episode', () => {
  const earlier = anEpisodeAlert({
    acknowledged_at: isoOf(START),
    acknowledged_by: 'u1',
    silenced_until: isoOf(START + MINUTE),
    silenced_by: 'u1',
    silence_reason: 'seen',
  });

  test('takes over the acknowledgement and the silence that runs', () => {
    expect(inheritedBy('MEDIUM', earlier, [], START)).toMatchObject({
      acknowledged_by: 'u1',
      silence_reason: 'seen',
    });
  });

  test('that is worse is neither acknowledged nor silent', () => {
    expect(inheritedBy('HIGH', earlier, [], START)).toMatchObject({
      acknowledged_at: null,
      silenced_until: null,
      silence_reason: null,
    });
  });

  test('is not silent after the silence', () => {
    expect(inheritedBy('MEDIUM', earlier, [], START + MINUTE).silenced_until).toBeNull();
  });

  const shelf = (severity: 'LOW' | 'MEDIUM' | 'HIGH', shelve_reason: string, minutes = 1) => ({
    severity,
    shelved_until: isoOf(START + minutes * MINUTE),
    shelved_by: 'u1',
    shelve_reason,
  });

  test('lies on the shelf of its alarm', () => {
    const { severity: _severity, ...marks } = shelf('MEDIUM', 'probe broken');
    expect(inheritedBy('MEDIUM', null, [shelf('MEDIUM', 'probe broken')], START)).toMatchObject(marks);
  });

  test.each([
    ['that is worse than what was put off is heard', 'HIGH', [shelf('MEDIUM', 'known')], null],
    [
      'lies on the longest shelf that was meant for something as bad',
      'HIGH',
      [shelf('MEDIUM', 'long', 480), shelf('HIGH', 'short', 30)],
      'short',
    ],
    ['that is milder lies on the shelf, too', 'LOW', [shelf('MEDIUM', 'known')], 'known'],
    ['does not lie on a shelf that is over', 'MEDIUM', [shelf('MEDIUM', 'over', 0)], null],
  ] as const)('%s', (_words, severity, shelves, reason) => {
    expect(inheritedBy(severity, null, shelves, START).shelve_reason).toBe(reason);
  });
});
