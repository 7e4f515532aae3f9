import { expect, test } from 'vitest';
import { harvestFrom } from '#features/production/withdrawal.ts';

/**
 * Withdrawal periods as they are published (SEAFDEC Aquaculture Department, in Okocha et al. 2018, Public Health Reviews
 * 39:21, table 2): kuruma prawn, rainbow trout and yellowtail. The program knows no product by itself: whoever treats enters the
 * days of the label, and a harvest is free from the day that lies so many days after that of the treatment.
 */
const PUBLISHED = [
  ['oxytetracycline, kuruma prawn', 25, '2026-03-27'],
  ['oxolinic acid, kuruma prawn', 30, '2026-04-01'],
  ['oxytetracycline, rainbow trout', 30, '2026-04-01'],
  ['oxolinic acid, rainbow trout', 21, '2026-03-23'],
  ['sulfadimethoxine, rainbow trout', 30, '2026-04-01'],
  ['sulfamonomethoxine, rainbow trout', 15, '2026-03-17'],
  ['florfenicol, rainbow trout', 14, '2026-03-16'],
  ['amoxicillin, yellowtail', 5, '2026-03-07'],
  ['ampicillin, yellowtail', 5, '2026-03-07'],
  ['erythromycin, yellowtail', 30, '2026-04-01'],
  ['oxytetracycline, yellowtail', 20, '2026-03-22'],
  ['oxolinic acid, yellowtail', 16, '2026-03-18'],
  ['spiramycin, yellowtail', 30, '2026-04-01'],
  ['novobiocin, yellowtail', 15, '2026-03-17'],
  ['lincomycin, yellowtail', 10, '2026-03-12'],
  ['florfenicol, yellowtail', 5, '2026-03-07'],
  ['thiamphenicol, yellowtail', 15, '2026-03-17'],
] as const;

test.each(PUBLISHED)(
  '%s: treated on 2 March and kept for %d days, it is harvested from %s on',
  (_what, days, from) => {
    // in the evening of 2 March on the farm it is the 3rd in Greenwich
    const treated = { happened_at: '2026-03-03T01:30:00.000Z', withdrawal_days: days };
    expect(harvestFrom(treated, 'America/Fortaleza')).toBe(from);
  },
);

test('a period over the end of summer time counts days of the calendar, and none of an unknown one', () => {
  const treated = { happened_at: '2018-02-16T12:00:00.000Z', withdrawal_days: 2 };
  expect(harvestFrom(treated, 'America/Sao_Paulo')).toBe('2018-02-18');
  expect(harvestFrom({ ...treated, withdrawal_days: null }, 'America/Sao_Paulo')).toBeNull();
  expect(harvestFrom({ ...treated, withdrawal_days: 0 }, 'America/Sao_Paulo')).toBe('2018-02-16');
});
