import { describe, expect, test } from 'vitest';
import type { AlertType } from '#contract/words.ts';
import { inEach } from '#core/each-language.ts';
import type { Words } from '#core/notifying.ts';
import { UNSTEADY } from '#features/alarms/alerts/device-alert-rules.ts';
import {
  heldOffWords,
  noCurrentWords,
  offlineWords,
  storedDeviceWords,
  unconfirmedWords,
  unstableWords,
} from '#features/alarms/alerts/device-alert-words.ts';

const device = { cod: 'CP-1', ponds: [{ cod: 'V-01' }] };
const REASONS = ['unconfirmed', 'refused', 'never_seen', 'absent', 'deferred', 'fell_out'] as const;

/** What a reader of English is told again, minutes later, of an alert that is stored in Portuguese. */
function toldAgain(type: AlertType, words: Words, figures: { value?: number; threshold?: number } = {}) {
  const { value = null, threshold = null } = figures;
  const row = { type, message: words('pt-BR'), severity: 'HIGH' as const, value, threshold };
  const again = storedDeviceWords(row, device);
  return { pt: again('pt-BR') === row.message, en: again('en') };
}

describe('an alert that is told again says the same in either language:', () => {
  test.each(REASONS.flatMap((why) => (['ON', 'OFF'] as const).map((target) => [why, target] as const)))(
    '%s, wanted %s',
    (why, target) => {
      for (const reason of why === 'refused' ? [null, 'door. open: 2'] : [null]) {
        const words = unconfirmedWords(device, { why, target, seconds: 15, reason, trouble: null });
        expect(toldAgain('COMMAND_NOT_CONFIRMED', words, { threshold: 15 })).toEqual({
          pt: true,
          en: words('en'),
        });
      }
    },
  );

  test('what a relay says of itself stands in the first of them', () => {
    const trouble = {
      code: 'AUTO_OFF',
      sentence: inEach('O relé desliga sozinho.', 'The relay goes off by itself.', 'El relé se apaga solo.'),
    };
    const facts = { why: 'fell_out', target: 'ON', seconds: 15, reason: null } as const;
    const words = unconfirmedWords(device, { ...facts, trouble });
    expect([words('pt-BR'), words('en'), words('es')]).toEqual([
      expect.stringMatching(/por si, sem ordem\. .* O relé desliga sozinho\.$/),
      expect.stringMatching(/The relay goes off by itself\.$/),
      expect.stringMatching(/por sí solo, sin orden\. .* El relé se apaga solo\.$/),
    ]);
    expect(toldAgain('COMMAND_NOT_CONFIRMED', words, { threshold: 15 }).en).toBe(
      unconfirmedWords(device, { ...facts, trouble: null })('en'),
    );
  });

  test.each(UNSTEADY.map((kind) => [kind] as const))('unsteady by %s', (kind) => {
    const words = unstableWords(device, [{ kind, times: 7 }]);
    expect(toldAgain('UNSTABLE', words)).toEqual({ pt: true, en: words('en') });
  });

  test('unsteady by several', () => {
    const words = unstableWords(device, [
      { kind: 'restarts', times: 3 },
      { kind: 'changes', times: 12 },
      { kind: 'deferrals', times: 4 },
    ]);
    expect(toldAgain('UNSTABLE', words).en).toBe(words('en'));
  });

  test.each([
    ['until the schedule', { since: '20:03', until: null, isOverdue: false }],
    ['for a time', { since: '20:03', until: '21:03', isOverdue: false }],
    ['for longer than its time', { since: '20:03', until: '20:33', isOverdue: true }],
  ])('held off %s', (_words, hold) => {
    const words = heldOffWords(device, hold);
    expect(toldAgain('OFF_SCHEDULE', words)).toEqual({ pt: true, en: words('en') });
  });

  test('silent, and without current', () => {
    const [offline, idle] = [offlineWords(device, 10), noCurrentWords(device, 12)];
    expect([
      toldAgain('DEVICE_OFFLINE', offline, { threshold: 10 }).en,
      toldAgain('NO_CURRENT', idle, { value: 12, threshold: 100 }).en,
    ]).toEqual([offline('en'), idle('en')]);
  });

  test('what a person wrote is left as it is', () => {
    const row = {
      type: 'UNSTABLE',
      message: 'veja isto',
      severity: 'LOW',
      value: null,
      threshold: null,
    } as const;
    expect(storedDeviceWords(row, device)('en')).toBe('veja isto');
  });
});
