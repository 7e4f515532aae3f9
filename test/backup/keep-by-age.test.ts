import { describe, expect, it } from 'vitest';
import { type Kept, toRemove } from '#adapters/backup/backup-folder.ts';
import { isBackupDue, isSaveDue, isSnapshotDue } from '#adapters/backup/due.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 5, 1, 12);

const hourly = (hours: number): Kept[] =>
  Array.from({ length: hours }, (_, n) => ({ name: `b${n}`, madeAt: NOW - n * HOUR, bytes: 10 }));

describe('hourly backups of a year', () => {
  const files = hourly(365 * 24);
  const keptWithin = (maxBytes: number) => {
    const removed = new Set(toRemove(files, NOW, maxBytes));
    return files.filter(({ name }) => !removed.has(name));
  };
  const kept = keptWithin(1e9);
  const ages = kept.map(({ madeAt }) => (NOW - madeAt) / DAY);

  it('are all there of the last day, one a day for 14 days, one a week for 8 weeks', () => {
    expect(ages.filter((age) => age <= 1)).toHaveLength(25);
    expect(ages.filter((age) => age > 1 && age <= 14).length).toBeGreaterThanOrEqual(13);
    expect(ages.filter((age) => age > 1 && age <= 14).length).toBeLessThanOrEqual(14);
    expect(ages.filter((age) => age > 14).length).toBeGreaterThanOrEqual(6);
    expect(ages.filter((age) => age > 14).length).toBeLessThanOrEqual(7);
    expect(Math.max(...ages)).toBeLessThanOrEqual(56);
  });

  it('fit in the room they are given, the newest staying whatever its size', () => {
    expect(keptWithin(55).map(({ name }) => name)).toEqual(['b0', 'b1', 'b2', 'b3', 'b4']);
    expect(keptWithin(5)).toHaveLength(1);
  });

  it('stay for 30 days where a person wants one, of many the newest, and push out none that its age keeps', () => {
    const pinned = (days: number) => ({
      name: `p${days}`,
      madeAt: NOW - days * DAY - 1,
      bytes: 10,
      isPinned: true,
    });
    const old = [1, 2, 3, 4, 29, 30].map(pinned);
    const stay = (max: number) => {
      const gone = new Set(toRemove([...files, ...old], NOW, max));
      return [...old, ...kept].filter(({ name }) => !gone.has(name)).map(({ name }) => name);
    };
    expect(stay(1e9)).toEqual(['p1', 'p2', 'p3', 'p4', 'p29', ...kept.map(({ name }) => name)]);
    expect(stay(70)).toEqual(['p1', 'p2', 'p3', 'p4', 'p29', 'b0', 'b1']);
    expect(toRemove([1, 2, 3, 4, 5, 6].map(pinned), NOW, 1e9)).toEqual([]);
  });

  it('named by a clock that was years ahead do not push out the others', () => {
    const ahead = { name: 'ahead', madeAt: NOW + 20 * 365 * DAY, bytes: 10 };
    expect(toRemove([ahead, ...hourly(3)], NOW, 1e9)).toEqual([]);
  });
});

describe('what is due', () => {
  const never = { triedAt: null, failed: false };
  const facts = { now: NOW, monotonic: 5 * HOUR, everyMs: HOUR };

  it('a backup is, an hour after the newest, ten minutes after a failure, and whatever the clock does', () => {
    expect(isBackupDue({ ...facts, newestAt: null, tried: never })).toBe(true);
    expect(isBackupDue({ ...facts, newestAt: NOW - HOUR / 2, tried: never })).toBe(false);
    expect(isBackupDue({ ...facts, newestAt: NOW - HOUR, tried: never })).toBe(true);
    expect(isBackupDue({ ...facts, newestAt: NOW + 9 * DAY, tried: never })).toBe(true);
    const tried = (minutes: number, failed: boolean) => ({ triedAt: 5 * HOUR - minutes * 60_000, failed });
    expect(isBackupDue({ ...facts, now: 0, newestAt: NOW, tried: tried(59, false) })).toBe(false);
    expect(isBackupDue({ ...facts, now: 0, newestAt: NOW, tried: tried(60, false) })).toBe(true);
    expect(isBackupDue({ ...facts, newestAt: null, tried: tried(9, true) })).toBe(false);
    expect(isBackupDue({ ...facts, newestAt: null, tried: tried(10, true) })).toBe(true);
  });

  it('a snapshot is when its bytes are paid for by the budget of the card', () => {
    const due = (bytes: number, ageH: number, hasChanged = true) =>
      isSnapshotDue({
        now: NOW,
        monotonic: 0,
        hasChanged,
        newest: { madeAt: NOW - ageH * HOUR, bytes },
        mbPerDay: 20,
        tried: never,
      });
    expect(due(100_000, 0.9)).toBe(false);
    expect(due(100_000, 1)).toBe(true);
    // 40 MB: every two days
    expect(due(40_000_000, 47)).toBe(false);
    expect(due(40_000_000, 48)).toBe(true);
    expect(due(100_000, 24, false)).toBe(false);
    expect(due(100_000, 24 * 7, false)).toBe(true);
  });

  it('the configuration is saved ten seconds after a person changed it, after fifteen minutes when only targets did', () => {
    const due = (config: number | null, state: number | null) =>
      isSaveDue({
        monotonic: 1_000_000,
        configChangedAt: config === null ? null : 1_000_000 - config,
        stateChangedAt: state === null ? null : 1_000_000 - state,
      });
    expect([
      due(9_999, null),
      due(10_000, null),
      due(null, 899_999),
      due(null, 900_000),
      due(null, null),
    ]).toEqual([false, true, false, true, false]);
  });
});
