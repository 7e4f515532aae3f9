import { sql } from 'kysely';
import { METER_CHANGES, meterKey } from '#contract/resources/meter-readings.ts';
import { SWITCH_STATES, type SwitchState } from '#contract/words.ts';
import type { EnergyQueries, ReadingOfMeter, RunFacts } from '#features/production/finance/ports.ts';
import type { Db } from '../../database.ts';

export function energyQueries(db: Db): EnergyQueries {
  const aerators = () =>
    db
      .selectFrom('aerators')
      .innerJoin('ponds', 'ponds.id', 'aerators.pond_id')
      .select(['ponds.id as pond_id', 'ponds.cod as pond_cod', 'aerators.power_kw', 'ponds.control_point_id'])
      .where('aerators.hidden', '=', 0)
      .where('ponds.hidden', '=', 0)
      .orderBy('ponds.created_at')
      .orderBy('ponds.id');
  return {
    aeratorsIn: async (pondIds) =>
      pondIds.length === 0 ? [] : aerators().where('ponds.id', 'in', pondIds).execute(),
    aeratorsOfFarm: (farmId) => aerators().where('ponds.farm_id', '=', farmId).execute(),
    runFacts: (controlPointIds, since) => Promise.all(controlPointIds.map((id) => runFactsOf(db, id, since))),
    async meterReadings(farmId, { from, before }) {
      const rows = await readings(db, farmId)
        .where('happened_at', '>=', from)
        .where('happened_at', '<', before)
        .orderBy('happened_at')
        .orderBy('id')
        .execute();
      return rows.flatMap(readingOf);
    },
    async metersOf(farmId) {
      const newest = readings(db, farmId).select([
        sql<number>`row_number() over (partition by meter order by happened_at desc, id desc)`.as('place'),
        sql<string>`min(happened_at) over (partition by meter)`.as('first_at'),
      ]);
      const rows = await db
        .selectFrom(newest.as('newest'))
        .selectAll()
        .where('place', '=', 1)
        .orderBy('meter')
        .limit(MOST_NAMES)
        .execute();
      const told = rows.flatMap(({ first_at, ...row }) =>
        readingOf(row).map((reading) => ({ ...reading, first_at })),
      );
      return [...Map.groupBy(told, ({ meter }) => meterKey(meter)).values()].flatMap((same) => {
        const last = same.toSorted((one, other) => (one.happened_at < other.happened_at ? 1 : -1))[0];
        const first_at = same.map((one) => one.first_at).toSorted()[0];
        return last === undefined || first_at === undefined ? [] : [{ ...last, first_at }];
      });
    },
    async zoneOfFarm(farmId) {
      const row = await db
        .selectFrom('farms')
        .select('timezone')
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row?.timezone ?? null;
    },
  };
}

/** Ways in which meters of a farm are written. */
const MOST_NAMES = 200;

const readings = (db: Db, farmId: string) =>
  db
    .selectFrom('farm_records')
    .select(['id', 'meter', 'happened_at', 'amount', 'meter_factor', 'meter_change'])
    .where('farm_id', '=', farmId)
    .where('kind', '=', 'METER')
    .where('hidden', '=', 0);

/** What another instance sent without a meter or a figure is no reading. */
function readingOf(row: {
  meter: string | null;
  happened_at: string;
  amount: number | null;
  meter_factor: number | null;
  meter_change: string | null;
}): ReadingOfMeter[] {
  const { meter, happened_at, amount, meter_factor } = row;
  const meter_change = METER_CHANGES.find((word) => word === row.meter_change) ?? null;
  return meter === null || amount === null
    ? []
    : [{ meter, happened_at, amount, meter_factor, meter_change }];
}

async function runFactsOf(db: Db, controlPointId: string, since: string): Promise<RunFacts> {
  const now = await db
    .selectFrom('control_points')
    .select(['current_status', 'current_since', 'is_simulated'])
    .where('id', '=', controlPointId)
    .where('hidden', '=', 0)
    // a siren airs nothing, whatever another instance has made of its ponds
    .where('is_siren', '=', 0)
    .executeTakeFirst();
  // no motor, no energy
  if (now?.is_simulated === 1)
    return { control_point_id: controlPointId, current_status: null, current_since: null, changes: [] };
  const changes = await db
    .selectFrom('logs')
    .select(['timestamp as at', 'details'])
    .where('entity_id', '=', controlPointId)
    // a gateway may write what it likes of a motor into the log of its own farm
    .where('farm_id', '=', (point) =>
      point.selectFrom('control_points').select('farm_id').where('id', '=', controlPointId),
    )
    .where('action', '=', 'status_changed')
    .where('timestamp', '>=', since)
    .orderBy('timestamp')
    .orderBy('id')
    .execute();
  return {
    control_point_id: controlPointId,
    current_status: now?.current_status ?? null,
    current_since: now?.current_since ?? null,
    changes: changes.flatMap(({ at, details }) => changeIn(at, details)),
  };
}

/** The change that an entry tells of; none where it tells of none that is known. */
function changeIn(at: string, details: string | null): RunFacts['changes'][number][] {
  // details of an entry are an object or null
  const { from, to } = (JSON.parse(details ?? '{}') ?? {}) as { from?: unknown; to?: unknown };
  return isState(to) ? [{ at, from: isState(from) ? from : null, to }] : [];
}

function isState(word: unknown): word is SwitchState {
  return SWITCH_STATES.some((state) => state === word);
}
