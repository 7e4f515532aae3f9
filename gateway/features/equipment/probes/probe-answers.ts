import type {
  ProbeAnswer,
  ProbeBusAnswer,
  ProbeProfileAnswer,
  ProbeReading,
  Quality,
} from '#contract/resources/probes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Language } from '#core/notifying.ts';
import type { BusLine } from './bus-line.ts';
import type { JudgedValue } from './decode-registers.ts';
import type { PolledProbe } from './poll-bus.ts';
import type { BusRow, ProbeInPond } from './ports.ts';
import { type Profile, UNITS } from './shipped-profiles.ts';
import { troubleTold } from './trouble-words.ts';

export type Clocks = { now: number; monotonic: number };

const DAY_MS = 86_400_000;
const LEAST_STALE_MS = 60_000;
const RANK: Readonly<Record<Quality, number>> = { good: 0, suspect: 1, stale: 2, fault: 3 };

/** A probe that missed three readings, and for at least a minute, speaks of the past. */
export function isStale(probe: Pick<PolledProbe, 'row' | 'answeredAt'>, monotonic: number): boolean {
  const afterMs = Math.max(LEAST_STALE_MS, probe.row.poll_s * 3_000);
  return probe.answeredAt === null || monotonic - probe.answeredAt > afterMs;
}

/** The worst of its readings decides; a probe that is not read is stale. */
export function qualityOf(probe: PolledProbe | null, monotonic: number): Quality {
  if (probe === null || isStale(probe, monotonic)) return 'stale';
  const values = probe.samples.at(-1)?.values ?? [];
  return values.reduce<Quality>(
    (worst, { quality }) => (RANK[quality] > RANK[worst] ? quality : worst),
    'good',
  );
}

export function readingsOf(profile: Profile, probe: PolledProbe | null, monotonic: number): ProbeReading[] {
  const sample = probe?.samples.at(-1);
  const isOld = probe === null || isStale(probe, monotonic);
  return profile.registers.map(({ parameter }) => {
    const value = sample?.values.find((one) => one.parameter === parameter);
    return {
      parameter,
      unit: UNITS[parameter],
      value: value?.value ?? null,
      measured_at: sample === undefined ? null : isoOf(sample.at),
      ...(isOld || value === undefined
        ? ({ quality: 'stale', reason: 'NO_ANSWER' } as const)
        : { quality: value.quality, reason: value.reason }),
    };
  });
}

/** Readings taken by hand, judged by themselves. */
export function handReadings(values: readonly JudgedValue[], at: number): ProbeReading[] {
  return values.map(({ parameter, ...value }) => ({
    parameter,
    unit: UNITS[parameter],
    ...value,
    measured_at: isoOf(at),
  }));
}

export function calibrationDue(row: Pick<ProbeInPond, 'calibrated_at' | 'calibration_days' | 'created_at'>) {
  if (row.calibration_days === null) return null;
  return Date.parse(row.calibrated_at ?? row.created_at) + row.calibration_days * DAY_MS;
}

export function probeAnswerOf(
  row: ProbeInPond,
  profile: Profile | null,
  {
    probe,
    bus,
    clocks,
    language,
  }: { probe: PolledProbe | null; bus: BusRow | null; clocks: Clocks; language: Language },
): ProbeAnswer {
  const dueAt = calibrationDue(row);
  const answered = probe?.answeredAt ?? null;
  const place = bus === null ? '' : placeOf(bus);
  return {
    id: row.id,
    farm_id: row.farm_id,
    probe_bus_id: row.probe_bus_id,
    pond_id: row.pond_id,
    pond_cod: row.pond_cod,
    name: row.name,
    unit_id: row.unit_id,
    probe_profile_id: row.probe_profile_id,
    profile_name: profile?.name ?? row.probe_profile_id,
    poll_s: row.poll_s,
    is_enabled: row.is_enabled,
    calibrated_at: row.calibrated_at,
    calibration_days: row.calibration_days,
    calibration_due_at: dueAt === null ? null : isoOf(dueAt),
    is_calibration_due: dueAt !== null && dueAt <= clocks.now,
    created_at: row.created_at,
    updated_at: row.updated_at,
    quality: qualityOf(probe, clocks.monotonic),
    last_answer_at: answered === null ? null : isoOf(clocks.now - (clocks.monotonic - answered)),
    readings: profile === null ? [] : readingsOf(profile, probe, clocks.monotonic),
    trouble: troubleTold(
      probe?.trouble ?? null,
      { place, kind: bus?.kind ?? 'serial', unitId: row.unit_id },
      language,
    ),
  };
}

/** Where the bus is, for a sentence. */
export const placeOf = ({ kind, device, host, port }: BusRow): string =>
  kind === 'serial' ? (device ?? '') : `${host ?? ''}:${port}`;

export function busAnswerOf(
  row: BusRow,
  { line, probes, language }: { line: BusLine | null; probes: readonly ProbeInPond[]; language: Language },
): ProbeBusAnswer {
  const trouble = line?.trouble() ?? null;
  const own = probes.filter(({ probe_bus_id }) => probe_bus_id === row.id);
  const state = !row.is_enabled
    ? 'off'
    : trouble !== null
      ? 'trouble'
      : own.some(({ is_enabled }) => is_enabled)
        ? 'running'
        : 'idle';
  return {
    ...row,
    probes: own.length,
    state,
    trouble:
      state === 'trouble'
        ? troubleTold(trouble, { place: placeOf(row), kind: row.kind, unitId: null }, language)
        : null,
    figures: line?.figures() ?? { reads: 0, no_answer: 0, garbled: 0, refused: 0 },
  };
}

export function profileAnswerOf(profile: Profile, farmId: string | null): ProbeProfileAnswer {
  return {
    id: profile.id,
    is_shipped: farmId === null,
    farm_id: farmId,
    name: profile.name,
    notes: profile.notes,
    serial: profile.serial,
    registers: profile.registers.map((register) => ({
      ...register,
      not_measured: [...register.not_measured],
      unit: UNITS[register.parameter],
    })),
  };
}
