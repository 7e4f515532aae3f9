import { beforeAll, expect, it } from 'vitest';
import { pond } from '#contract/resources/ponds.ts';
import { OPS, SYNC_SCHEMA, type WireChange } from '#contract/sync/wire.ts';
import { insert } from '#core/changes.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import { CALM } from './network.ts';
import { FARM } from './paired-farm.ts';
import { freshImage } from './sqlite-replica.ts';
import { THINGS } from './things.ts';
import { createPairedWorld, type World } from './world.ts';

// One side was upgraded before the other.

const NEWER = SYNC_SCHEMA + 1;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const AHEAD_MS = { gateway: 10 * 24 * HOUR_MS, hosted: 0 };
let image: Buffer;
beforeAll(() => {
  image = freshImage();
});

const aPond = (cod: string) =>
  insert(pond, {
    id: `40000000-0000-4000-8000-0000000000${cod.slice(-2)}`,
    numeric_id: Number(cod.slice(-2)),
    farm_id: FARM,
    cod,
    pond_type: null,
    size_m2: null,
    depth_m: null,
    lat: null,
    lng: null,
    aerator_count: 0,
    control_point_id: null,
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: null,
  });

/** The log of a program that knows a schema more: everything not yet sent was written under it. */
async function asWrittenByNewer({ gateway }: World, rowId: string): Promise<void> {
  const { read, execute } = gateway.replica;
  const [stream] = await read('select acked_core_seq, acked_core_chain from sync_stream where stream_id = 1');
  let chain = String(stream?.['acked_core_chain']);
  const rows = await read(
    `select * from sync_change where stream_id = 1 and lane = 'core' and seq > ${Number(stream?.['acked_core_seq'])} order by seq`,
  );
  for (const row of rows) {
    const sv = row['id'] === rowId ? NEWER : Number(row['schema_version']);
    chain = chainAfter(chain, changeOf(row, sv));
    await execute(
      `update sync_change set schema_version = ${sv}, chain = '${chain}' where stream_id = 1 and lane = 'core' and seq = ${Number(row['seq'])}`,
    );
  }
  await execute(`update sync_stream set core_chain = '${chain}' where stream_id = 1`);
}

function changeOf(row: Record<string, unknown>, sv: number): Parameters<typeof chainAfter>[1] {
  // the change log writes objects there
  const json = (name: string) => {
    const text = row[name];
    return typeof text === 'string' ? (JSON.parse(text) as WireChange['body'] & WireChange['over']) : null;
  };
  return {
    entity: Number(row['entity']),
    id: String(row['id']),
    op: OPS.put,
    cl: Number(row['cl']),
    hlc: String(row['hlc']),
    base: json('base_json'),
    body: json('body_json'),
    over: json('over_json'),
    sv,
  };
}

async function pondsOn(world: World): Promise<unknown[]> {
  const rows = await world.hosted.replica.read('select cod from ponds order by cod');
  return rows.map(({ cod }) => cod);
}

it('a row of a newer schema waits aside at the hosted instance and holds nothing up', async () => {
  const world = await createPairedWorld({ seed: 3, image });
  try {
    await world.pass(120_000);
    world.network.setWeather({ ...CALM, lost: 1 });
    await world.write('gateway', aPond('V-01'));
    await world.write('gateway', aPond('V-02'));
    await world.write('gateway', aPond('V-03'));
    await asWrittenByNewer(world, '40000000-0000-4000-8000-000000000002');
    world.network.setWeather(CALM);
    await world.pass(30 * 60_000);
    expect(await pondsOn(world)).toEqual(['V-01', 'V-03']);
    const aside = await world.hosted.replica.read('select row_id, reason from sync_parked');
    expect(aside).toEqual([{ row_id: '40000000-0000-4000-8000-000000000002', reason: `schema:${NEWER}` }]);
  } finally {
    await world.close();
  }
});

it.each([
  ['is days behind', -10 * 24 * HOUR_MS, 'hosted'],
  ['was days ahead', 0, 'gateway'],
] as const)(
  'what an older program had not known of a measurement is filled in after its upgrade, though the clock of the box %s',
  async (_, offsetMs, side) => {
    const world = await createPairedWorld({ seed: 1, image, compares: true });
    await world.pass(2 * MINUTE_MS);
    await world.write('gateway', aPond('V-01'));
    await world.pass(2 * MINUTE_MS);
    const reading = THINGS.find(({ resource }) => resource.name === 'measurements');
    const at = new Date(world.wallTime('hosted') + AHEAD_MS[side]).toISOString();
    const one = (table: string) =>
      table === 'ponds' ? { id: '40000000-0000-4000-8000-000000000001' } : null;
    const row = reading?.make?.({ chance: world.chance, at, one }, world.chance.uuid(), '7');
    if (reading === undefined || row === undefined || row === null) throw new Error('no measurement is made');
    await world.write(side, insert(reading.resource, Object.assign(row, { temperature: 28.5 })));
    world.setClock('gateway', offsetMs);
    await world.pass(2 * MINUTE_MS);
    // as a program leaves it that does not know the field
    const { read, execute } = world.gateway.replica;
    for (const { name } of await read(
      "select name from sqlite_master where type = 'trigger' and tbl_name = 'measurements'",
    ))
      await execute(`drop trigger ${String(name)}`);
    await execute(`update measurements set temperature = null;
      update instance_values set value = json_set(value, '$.schema', ${SYNC_SCHEMA - 1}) where id = 'sync_compared'`);
    await world.gateway.start();
    await world.pass(HOUR_MS);
    expect(await read('select temperature from measurements')).toEqual([{ temperature: 28.5 }]);
    expect(Object.keys(world.counts).filter((said) => said.includes('tell the makers'))).toEqual([]);
    await world.close();
  },
);
