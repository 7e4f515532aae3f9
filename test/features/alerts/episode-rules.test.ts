import { describe, expect, test } from 'vitest';
import { isoOf } from '#core/kernel.ts';
import { inheritedBy, isToBeTold } from '#features/alerts/episode-rules.ts';
import { anEpisodeAlert, START } from './builders.ts';

const MINUTE = 60_000;
const alertsAt = (...minutes: number[]) =>
  minutes.map((minute) => anEpisodeAlert({ triggered_at: isoOf(START + minute * MINUTE) }));

describe('an episode notifies', () => {
  test.each([
    ['with its first alert', [], 0, 'LOW', true],
    ['not again after 29 minutes', [0], 29, 'MEDIUM', false],
    ['again after 30 minutes', [0], 30, 'MEDIUM', true],
    ['at once when it gets worse', [0], 1, 'HIGH', true],
    ['not when it gets better', [0], 1, 'LOW', false],
    ['30 minutes after it last did, not after its last alert', [0, 20], 31, 'MEDIUM', true],
    ['not twice within 30 minutes', [0, 31], 40, 'MEDIUM', false],
    [
      'still every 30 minutes after a day',
      Array.from({ length: 288 }, (_, i) => i * 5),
      1440,
      'MEDIUM',
      true,
    ],
  ] as const)('%s', (_words, earlier, minute, severity, isTold) => {
    expect(isToBeTold(alertsAt(...earlier), { at: START + minute * MINUTE, severity })).toBe(isTold);
  });

  test('when a silence over its only alert has ended', () => {
    const silenced = anEpisodeAlert({ silenced_until: isoOf(START + 10 * MINUTE) });
    expect(isToBeTold([silenced], { at: START + 11 * MINUTE, severity: 'MEDIUM' })).toBe(true);
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
    expect(inheritedBy('MEDIUM', earlier, undefined, START)).toMatchObject({
      acknowledged_by: 'u1',
      silence_reason: 'seen',
    });
  });

  test('that is worse is not acknowledged', () => {
    expect(inheritedBy('HIGH', earlier, undefined, START).acknowledged_at).toBeNull();
  });

  test('is not silent after the silence', () => {
    expect(inheritedBy('MEDIUM', earlier, undefined, START + MINUTE).silenced_until).toBeNull();
  });

  test('lies on the shelf of its alarm', () => {
    const shelf = { shelved_until: isoOf(START + MINUTE), shelved_by: 'u1', shelve_reason: 'probe broken' };
    expect(inheritedBy('MEDIUM', undefined, shelf, START)).toMatchObject(shelf);
  });
});
