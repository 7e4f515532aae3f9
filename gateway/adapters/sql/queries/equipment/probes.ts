import type { Resource } from '#contract/resource.ts';
import { probe, probeBus, probeProfile } from '#contract/resources/probes.ts';
import type { ProbeInPond, ProbeQueries } from '#features/equipment/probes/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { uuidOf } from '../paging.ts';

/** The probes of this box: a handful of rows. What lies on a deleted farm or pond is nobody's any more. */
export function probeQueries(db: Db): ProbeQueries {
  return {
    buses: async () => (await standingBuses(db).execute()).map((row) => plainRow(probeBus, row)),
    probes: async () => (await standingProbes(db).execute()).map(asProbe),
    profiles: async () =>
      (await db.selectFrom('probe_profiles').selectAll().execute()).map((row) => plainRow(probeProfile, row)),
    async busById(id) {
      const row = await standingBuses(db).where('probe_buses.id', '=', id).executeTakeFirst();
      return row ? plainRow(probeBus, row) : null;
    },
    async probeById(id) {
      const row = await standingProbes(db).where('probes.id', '=', id).executeTakeFirst();
      return row ? asProbe(row) : null;
    },
    async profileById(id) {
      const row = await db.selectFrom('probe_profiles').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? plainRow(probeProfile, row) : null;
    },
    async busesOf(farmId) {
      const rows = await standingBuses(db).where('probe_buses.farm_id', '=', farmId).execute();
      return rows.map((row) => plainRow(probeBus, row));
    },
    async probesOf(farmId) {
      return (await standingProbes(db).where('probes.farm_id', '=', farmId).execute()).map(asProbe);
    },
    async profilesOf(farmId) {
      const rows = await db
        .selectFrom('probe_profiles')
        .selectAll()
        .where('farm_id', '=', farmId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map((row) => plainRow(probeProfile, row));
    },
    async pondOf(ref) {
      const row = await db
        .selectFrom('ponds')
        .select(['id', 'cod', 'farm_id'])
        .where('id', '=', uuidOf(db, 'pond', ref))
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
  };
}

function standingBuses(db: Db) {
  return db
    .selectFrom('probe_buses')
    .innerJoin('farms', 'farms.id', 'probe_buses.farm_id')
    .selectAll('probe_buses')
    .where('farms.hidden', '=', 0)
    .orderBy('probe_buses.created_at')
    .orderBy('probe_buses.id');
}

function standingProbes(db: Db) {
  return db
    .selectFrom('probes')
    .innerJoin('ponds', 'ponds.id', 'probes.pond_id')
    .innerJoin('farms', 'farms.id', 'probes.farm_id')
    .selectAll('probes')
    .select('ponds.cod as pond_cod')
    .where('ponds.hidden', '=', 0)
    .where('farms.hidden', '=', 0)
    .orderBy('probes.created_at')
    .orderBy('probes.id');
}

type StoredProbe = Awaited<ReturnType<ReturnType<typeof standingProbes>['execute']>>[number];

function asProbe({ pond_cod, ...row }: StoredProbe): ProbeInPond {
  return { ...plainRow(probe, row), pond_cod };
}

/** Local rows have no version. */
function plainRow<Row extends { id: string }>(resource: Resource<Row>, stored: Record<string, unknown>) {
  const { rev: _rev, ...row } = decodeRow(resource, stored);
  return row;
}
