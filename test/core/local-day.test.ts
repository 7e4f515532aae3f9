import { describe, expect, it } from 'vitest';
import { dayAfter, daysBetween, instantOnFarm, localDay, startOfDay, zoneClock } from '#core/zone-clock.ts';

describe('days on a farm', () => {
  it('begin at its own midnight', () => {
    // Fortaleza is three hours behind UTC
    expect(localDay('2026-03-02T02:59:59.999Z', 'America/Fortaleza')).toBe('2026-03-01');
    expect(localDay('2026-03-02T03:00:00.000Z', zoneClock('America/Fortaleza'))).toBe('2026-03-02');
    expect(startOfDay('2026-03-02', 'America/Fortaleza')).toBe('2026-03-02T03:00:00.000Z');
  });

  it('begin an hour later where the clock skips midnight', () => {
    // São Paulo, 4 November 2018: 00:00 became 01:00 (UTC-2)
    expect(startOfDay('2018-11-04', 'America/Sao_Paulo')).toBe('2018-11-04T03:00:00.000Z');
    expect(localDay('2018-11-04T02:59:59Z', 'America/Sao_Paulo')).toBe('2018-11-03');
  });

  it('are counted by the calendar, over leap days and both ways', () => {
    expect(daysBetween('2024-02-28', '2024-03-01')).toBe(2);
    expect(daysBetween('2026-03-02', '2026-01-31')).toBe(-30);
    expect(dayAfter('2023-12-31', 1)).toBe('2024-01-01');
    expect(dayAfter('2026-03-01', -1)).toBe('2026-02-28');
  });

  it('a bare date is the start of the day there, a time is that time', () => {
    const zone = 'America/Fortaleza';
    expect(instantOnFarm('2026-03-02T00:00:00.000Z', ' 2026-03-02', zone)).toBe('2026-03-02T03:00:00.000Z');
    expect(instantOnFarm('2026-03-02T00:00:00.000Z', '2026-03-02T00:00Z', zone)).toBe(
      '2026-03-02T00:00:00.000Z',
    );
  });
});
