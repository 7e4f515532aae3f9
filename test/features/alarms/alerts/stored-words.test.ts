import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AlertType, LANGUAGES } from '#contract/words.ts';
import { inEach } from '#core/each-language.ts';
import type { Words } from '#core/notifying.ts';
import { simulatedWords } from '#features/alarms/alerts/alert-words.ts';
import { UNSTEADY } from '#features/alarms/alerts/device-alert-rules.ts';
import {
  heldOffWords,
  noCurrentWords,
  offlineWords,
  powerFailureWords,
  silentGatewayWords,
  unconfirmedWords,
  unstableWords,
} from '#features/alarms/alerts/device-alert-words.ts';
import { storedWords } from '#features/alarms/alerts/stored-words.ts';
import { TROUBLES, troubleIn, UNSUPPORTED } from '#features/equipment/relays/relay-troubles.ts';
import { waterAlertMessage } from '#science/advice/water-alert-text.ts';
import { AMMONIA_GAPS } from '#science/ammonia.ts';

const device = { cod: 'CP-1', ponds: [{ cod: 'V-01' }] };
const names = { farmName: 'Fazenda Sul', controlPoint: { ...device, id: 'c1' }, pond: null } as never;
const REASONS = ['unconfirmed', 'refused', 'never_seen', 'absent', 'deferred', 'fell_out'] as const;

/** What a reader of English is told again, minutes later, of an alert that is stored in Portuguese. */
function toldAgain(type: AlertType, words: Words, figures: { value?: number; threshold?: number } = {}) {
  const { value = null, threshold = null } = figures;
  const row = {
    type,
    message: words('pt-BR'),
    severity: 'HIGH' as const,
    parameter: null,
    value,
    threshold,
  };
  const again = storedWords(row, names, troubleIn);
  // true where the Spanish equals the first telling, else what was told instead
  const es = again('es') === words('es') || again('es');
  return { pt: again('pt-BR') === row.message, en: again('en'), es };
}

describe('an alert that is told again says the same in either language:', () => {
  test.each(REASONS.flatMap((why) => (['ON', 'OFF'] as const).map((target) => [why, target] as const)))(
    '%s, wanted %s',
    (why, target) => {
      for (const reason of why === 'refused' ? [null, 'door. open: 2'] : [null]) {
        const words = unconfirmedWords(device, { why, target, seconds: 15, reason, trouble: null });
        expect(toldAgain('COMMAND_NOT_CONFIRMED', words, { threshold: 15 })).toEqual({
          pt: true,
          es: true,
          en: words('en'),
        });
      }
    },
  );

  const { timer, protection, refused, notListening, ...others } = TROUBLES;
  const troubles = [
    ...Object.values(UNSUPPORTED).map((sentence) => ({ code: 'UNSUPPORTED', sentence })),
    ...Object.values(others),
    refused('invalid (id: 3)'),
    notListening('DVES_1'),
    ...[true, false].flatMap((isTold) => [
      timer(0, isTold),
      timer(600, isTold),
      protection([], isTold),
      protection(['overpower', 'overtemp'], isTold),
    ]),
  ];
  test.each(troubles)('with what a relay says of itself: $sentence.en', (trouble) => {
    for (const why of REASONS) {
      const words = unconfirmedWords(device, { why, target: 'ON', seconds: 15, reason: null, trouble });
      expect(toldAgain('COMMAND_NOT_CONFIRMED', words, { threshold: 15 })).toEqual({
        pt: true,
        es: true,
        en: words('en'),
      });
    }
  });

  test('with what a relay says that nobody translated, in its own words', () => {
    const trouble = {
      code: 'NEW',
      sentence: inEach('O relé pede água.', 'The relay wants water.', 'El relé pide agua.'),
    };
    const facts = { why: 'fell_out', target: 'ON', seconds: 15, reason: null } as const;
    const words = unconfirmedWords(device, { ...facts, trouble });
    expect(toldAgain('COMMAND_NOT_CONFIRMED', words, { threshold: 15 }).en).toBe(
      `${unconfirmedWords(device, { ...facts, trouble: null })('en')} O relé pede água.`,
    );
  });

  const companion = { cod: 'CP-B', ponds: [] };
  test.each([
    ['POWER_FAILURE', powerFailureWords([device], 2)],
    ['POWER_FAILURE', powerFailureWords([device], null)],
    ['POWER_FAILURE', powerFailureWords([device, companion], null, [device])],
    [
      'POWER_FAILURE',
      powerFailureWords(
        Array.from({ length: 50 }, () => device),
        60,
      ),
    ],
    [
      'POWER_FAILURE',
      powerFailureWords(
        Array.from({ length: 50 }, () => device),
        null,
      ),
    ],
    ['GATEWAY_OFFLINE', silentGatewayWords('Caixa 1 (Fazenda Sul)', 7)],
  ] as const)('%s of a farm', (type, words) => {
    expect(toldAgain(type, words)).toEqual({ pt: true, es: true, en: words('en') });
    const marked = simulatedWords(words);
    expect(toldAgain(type, marked)).toEqual({ pt: true, es: true, en: marked('en') });
  });

  const amount = fc.double({ min: 0.01, max: 2000, noNaN: true });
  const ammonia = fc.record({
    typed: amount,
    twin: amount,
    gaps: fc.option(fc.subarray([...AMMONIA_GAPS], { minLength: 1 })),
    word: fc.constantFrom('CRITICAL', 'HIGH', 'MEDIUM', 'LOW'),
    pond: fc.constantFrom('V-01', 'Berçário 2 (norte)', 'V = 3'),
    isTotal: fc.boolean(),
  });
  test('ammonia with what was typed, its twin and what is missing', () => {
    fc.assert(
      fc.property(ammonia, ({ typed, twin, gaps, word, pond, isTotal }) => {
        const violation = {
          type: 'HIGH_AMMONIA',
          parameter: 'ammonia',
          threshold: 0.1,
          value: isTotal ? twin : typed,
          measured: typed,
          nh3:
            gaps === null
              ? { isKnown: true, mgL: twin, isExtrapolated: false }
              : { isKnown: false, worstMgL: twin, gaps },
          ...(isTotal ? {} : { tan: twin }),
        } as const;
        const words: Words = (language) =>
          waterAlertMessage({ pond, violation: violation as never, word }, language);
        const again = storedWords(
          { ...violation, message: words('pt-BR'), severity: 'HIGH' },
          { farmName: 'Fazenda Sul', controlPoint: null, pond: { id: 'p1', cod: pond } },
          troubleIn,
        );
        expect(LANGUAGES.map(again)).toEqual(LANGUAGES.map(words));
      }),
    );
  });

  test.each(UNSTEADY.map((kind) => [kind] as const))('unsteady by %s', (kind) => {
    const words = unstableWords(device, [{ kind, times: 7 }]);
    expect(toldAgain('UNSTABLE', words)).toEqual({ pt: true, es: true, en: words('en') });
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
    expect(toldAgain('OFF_SCHEDULE', words)).toEqual({ pt: true, es: true, en: words('en') });
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
      parameter: null,
      value: null,
      threshold: null,
    } as const;
    expect(storedWords(row, names, troubleIn)('en')).toBe('veja isto');
  });
});
