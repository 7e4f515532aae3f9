import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startOfDay } from '#core/zone-clock.ts';
import { harvestFrom } from '#features/production/withdrawal.ts';

/**
 * Withdrawal periods as they are published (SEAFDEC Aquaculture Department, in Okocha et al. 2018, Public Health Reviews
 * 39:21, table 2): kuruma prawn, rainbow trout and yellowtail. The program knows no product by itself: whoever treats enters the
 * days of the label. Each of them is a whole one, from the dose on (Fimea: kept for 6 days, delivered on the 7th day after the last
 * dose): the day on which the last one ends is not free yet, whatever the hour of the dose.
 */
const PUBLISHED = [
  ['oxytetracycline, kuruma prawn', 25, '2026-03-28'],
  ['oxolinic acid, kuruma prawn', 30, '2026-04-02'],
  ['oxytetracycline, rainbow trout', 30, '2026-04-02'],
  ['oxolinic acid, rainbow trout', 21, '2026-03-24'],
  ['sulfadimethoxine, rainbow trout', 30, '2026-04-02'],
  ['sulfamonomethoxine, rainbow trout', 15, '2026-03-18'],
  ['florfenicol, rainbow trout', 14, '2026-03-17'],
  ['amoxicillin, yellowtail', 5, '2026-03-08'],
  ['ampicillin, yellowtail', 5, '2026-03-08'],
  ['erythromycin, yellowtail', 30, '2026-04-02'],
  ['oxytetracycline, yellowtail', 20, '2026-03-23'],
  ['oxolinic acid, yellowtail', 16, '2026-03-19'],
  ['spiramycin, yellowtail', 30, '2026-04-02'],
  ['novobiocin, yellowtail', 15, '2026-03-18'],
  ['lincomycin, yellowtail', 10, '2026-03-13'],
  ['florfenicol, yellowtail', 5, '2026-03-08'],
  ['thiamphenicol, yellowtail', 15, '2026-03-18'],
] as const;

test.each(PUBLISHED)(
  '%s: treated on 2 March and kept for %d days, it is harvested from %s on',
  (_what, days, from) => {
    // in the evening of 2 March on the farm it is the 3rd in Greenwich
    const treated = { happened_at: '2026-03-03T01:30:00.000Z', withdrawal_days: days };
    expect(harvestFrom(treated, 'America/Fortaleza')).toBe(from);
  },
);

test('a period over the end of summer time has whole days too, and an unknown one has none', () => {
  const treated = { happened_at: '2018-02-16T12:00:00.000Z', withdrawal_days: 2 };
  expect(harvestFrom(treated, 'America/Sao_Paulo')).toBe('2018-02-19');
  // in Lisbon the day after has 23 hours
  const lateInMarch = { happened_at: '2026-03-28T23:40:00.000Z', withdrawal_days: 1 };
  expect(harvestFrom(lateInMarch, 'Europe/Lisbon')).toBe('2026-03-31');
  expect(harvestFrom({ ...lateInMarch, happened_at: '2026-03-28T22:40:00.000Z' }, 'Europe/Lisbon')).toBe(
    '2026-03-30',
  );
  expect(harvestFrom({ ...treated, withdrawal_days: null }, 'America/Sao_Paulo')).toBeNull();
  expect(harvestFrom({ ...treated, withdrawal_days: 0 }, 'America/Sao_Paulo')).toBe('2018-02-16');
});

test('on the first free day so many times 24 hours have passed since the dose, at whatever hour and in whatever zone it was given', () => {
  const zone = fc.constantFrom(
    'America/Fortaleza',
    'America/Sao_Paulo',
    'America/Guayaquil',
    'Europe/Lisbon',
  );
  const givenAt = fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2030, 0, 1) });
  fc.assert(
    fc.property(zone, givenAt, fc.integer({ min: 1, max: 60 }), (timezone, at, days) => {
      const treated = { happened_at: new Date(at).toISOString(), withdrawal_days: days };
      const free = Date.parse(startOfDay(harvestFrom(treated, timezone) ?? '', timezone));
      expect(free - at).toBeGreaterThanOrEqual(days * 86_400_000);
    }),
  );
});
