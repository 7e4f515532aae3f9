import type * as z from 'zod';
import {
  type ProbeCreate,
  type ProbeUpdate,
  probe,
  type probeCalibrationCreate,
} from '#contract/resources/probes.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, purge, update } from '#core/changes.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { profileOf } from './decode-registers.ts';
import type { ProbeInPond, ProbeRow } from './ports.ts';
import { type SetUpDeps, setUpGuard } from './set-up-bus.ts';

/** Probes of one farm, most. */
const MOST_PROBES = 128;
const CALIBRATION_DAYS = 30;
/** A clock of the caller may be that far ahead. */
const AHEAD_MS = 10 * 60_000;

/** Decides a new probe. Throws 404 for a pond, 422 for a bus or profile of no such name, 409 for a place that is taken. */
export async function createProbe(
  deps: SetUpDeps,
  by: { userId: string; farmId: string },
  input: ProbeCreate,
): Promise<Decision<ProbeInPond>> {
  const guard = await setUpGuard(deps);
  const known = await deps.queries.probesOf(by.farmId);
  if (known.length >= MOST_PROBES) throw conflict(`A farm has at most ${MOST_PROBES} probes`, 'TOO_MANY');
  const wanted: ProbeRow = {
    ...input,
    id: deps.newId(),
    farm_id: by.farmId,
    calibrated_at: input.calibrated_at ?? null,
    calibration_days: input.calibration_days === undefined ? CALIBRATION_DAYS : input.calibration_days,
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  const { row, pond_cod } = await placed(deps, wanted);
  return {
    answer: { ...row, pond_cod },
    changes: [insert(probe, row), entry(deps, by.userId, row, { action: 'create' })],
    guards: [guard],
  };
}

export async function changeProbe(
  deps: SetUpDeps,
  userId: string,
  current: ProbeInPond,
  input: ProbeUpdate,
): Promise<Decision<ProbeInPond>> {
  const guard = await setUpGuard(deps);
  const { pond_cod: _cod, ...before } = current;
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const wanted = { ...before, ...given, updated_at: isoOf(deps.now()) };
  const { row, pond_cod } = await placed(deps, wanted);
  const { id, ...set } = row;
  return {
    answer: { ...row, pond_cod },
    changes: [update(probe, id, set), entry(deps, userId, row, { action: 'update', details: given })],
    guards: [guard],
  };
}

export function deleteProbe(deps: SetUpDeps, userId: string, current: ProbeInPond): Decision<void> {
  return {
    answer: undefined,
    changes: [purge(probe, current.id), entry(deps, userId, current, { action: 'delete' })],
  };
}

/** Decides that a probe was calibrated; who did it stands in the log. Throws 422 for a date ahead. */
export function calibrateProbe(
  deps: SetUpDeps,
  userId: string,
  current: ProbeInPond,
  input: z.infer<typeof probeCalibrationCreate>,
): Decision<ProbeInPond> {
  const calibrated_at = input.calibrated_at ?? isoOf(deps.now());
  requirePast(deps, calibrated_at);
  const set = { calibrated_at, updated_at: isoOf(deps.now()) };
  const details = { calibrated_at, before: current.calibrated_at, notes: input.notes ?? null };
  return {
    answer: { ...current, ...set },
    changes: [update(probe, current.id, set), entry(deps, userId, current, { action: 'calibrate', details })],
  };
}

/** The row with the ids of what stands on the same farm. */
async function placed(deps: SetUpDeps, wanted: ProbeRow): Promise<{ row: ProbeRow; pond_cod: string }> {
  const { queries } = deps;
  const pond = await queries.pondOf(wanted.pond_id);
  if (pond === null) throw notFound('Pond');
  if (pond.farm_id !== wanted.farm_id)
    throw invalidField(422, 'pond_id', 'must be a pond of the probe’s farm');
  const bus = await queries.busById(wanted.probe_bus_id);
  if (bus === null || bus.farm_id !== wanted.farm_id)
    throw invalidField(422, 'probe_bus_id', 'is not a bus of this farm');
  if (profileOf(wanted.probe_profile_id, await queries.profilesOf(wanted.farm_id)) === null)
    throw invalidField(422, 'probe_profile_id', 'is neither a shipped profile nor one of this farm');
  if (wanted.calibrated_at !== null) requirePast(deps, wanted.calibrated_at);
  const row = { ...wanted, pond_id: pond.id };
  const others = await queries.probesOf(wanted.farm_id);
  const same = others.find(
    (other) =>
      other.id !== row.id &&
      other.probe_bus_id === row.probe_bus_id &&
      other.unit_id === row.unit_id &&
      other.probe_profile_id === row.probe_profile_id,
  );
  if (same !== undefined)
    throw conflict(`The probe "${same.name}" has address ${row.unit_id} on this bus already`, 'PLACE_TAKEN');
  return { row, pond_cod: pond.cod };
}

function requirePast({ now, clockQuality }: SetUpDeps, at: string): void {
  if (clockQuality() === 'trusted' && Date.parse(at) > now() + AHEAD_MS)
    throw invalidField(422, 'calibrated_at', 'must not lie ahead');
}

function entry(
  deps: SetUpDeps,
  userId: string,
  row: ProbeRow,
  { action, details }: { action: string; details?: Record<string, unknown> },
): Change {
  const { pond_id, probe_bus_id, unit_id, probe_profile_id } = row;
  return audit(deps, {
    farm_id: row.farm_id,
    entity_type: 'SENSOR',
    entity_id: row.id,
    entity_name: row.name,
    action,
    user_id: userId,
    details: details ?? { pond_id, probe_bus_id, unit_id, probe_profile_id },
  });
}
