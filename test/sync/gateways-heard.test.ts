import { expect, test } from 'vitest';
import { runStatement } from '#adapters/sql/database.ts';
import { tellOthers } from '#adapters/sync/follow-others.ts';
import { createSightings } from '#adapters/sync/hosted-store.ts';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { type Unit, update } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { onBothEngines } from '#test/databases.ts';
import type { BusMessage } from '../../gateway/sync/ports.ts';
import { GATEWAY_ID, PAIRED_STREAM, STREAM, settleOwner } from './sim/paired-farm.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const caller = { gatewayId: GATEWAY_ID, streamId: STREAM };
const gone = { gatewayId: '00000000-0000-4000-8000-0000000000aa', streamId: STREAM + 1 };
const ignore = () => undefined;
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

onBothEngines('gateways that are heard', (open) => {
  async function aCloud() {
    const at = { ms: NOON };
    const { database, close } = await open({ streams: 'by scope', now: () => at.ms, node: 'c0000001' });
    for (const statement of PAIRED_STREAM.split(';')) await runStatement(database.read)(statement, []);
    await settleOwner(database);
    const units: Unit[] = [];
    const commit = async (unit: Unit) => {
      units.push(unit);
      return database.commit(unit);
    };
    const sightings = createSightings({ now: () => at.ms, commit, log: silent });
    database.onRows(sightings.hear);
    const lastSeen = async () => {
      const row = await database.read
        .selectFrom('gateways')
        .select('last_seen_at')
        .where('id', '=', GATEWAY_ID)
        .executeTakeFirstOrThrow();
      return row.last_seen_at;
    };
    return { at, database, close, units, sightings, lastSeen };
  }

  test('are written together, and one that is gone does not keep the others from it', async () => {
    const { at, close, units, sightings, lastSeen } = await aCloud();
    for (let n = 0; n < 50; n += 1) for (const one of [gone, caller]) sightings.heard(one);
    expect(units).toEqual([]);
    await sightings.write();
    expect(await lastSeen()).toBe(new Date(NOON).toISOString());
    // both together, and then each alone
    expect(units.map(({ changes }) => changes.length)).toEqual([2, 1, 1]);
    at.ms += 30_000;
    sightings.heard(caller);
    await sightings.write();
    expect(units).toHaveLength(3);
    at.ms += 31_000;
    sightings.heard(caller);
    await sightings.write();
    expect(await lastSeen()).toBe(new Date(NOON + 61_000).toISOString());
    await close();
  });

  test('are given up for now, once, while the database is away', async () => {
    const { at, close } = await aCloud();
    let tries = 0;
    const commit = () => {
      tries += 1;
      return Promise.reject(new StorageUnavailable('connection', null));
    };
    const sightings = createSightings({ now: () => at.ms, commit, log: silent });
    for (const one of [gone, caller]) sightings.heard(one);
    await sightings.write();
    expect(tries).toBe(1);
    await close();
  });

  test('are not written a second time for the sign-in that wrote it', async () => {
    const { database, close, units, sightings } = await aCloud();
    const changes = [update(pairedGateway, GATEWAY_ID, { last_seen_at: new Date(NOON).toISOString() })];
    await database.commit({ actor: null, changes });
    sightings.heard(caller);
    await sightings.write();
    expect(units).toEqual([]);
    await close();
  });

  test('are no news for other processes; one that is unpaired is', async () => {
    const { database, close, sightings } = await aCloud();
    const said: BusMessage[] = [];
    tellOthers({ bus: { tell: (message) => void said.push(message) }, onCommit: database.onCommit });
    sightings.heard(caller);
    await sightings.write();
    await sightings.told(caller, { is: 'outage', until_ms: NOON, reason: 'update' });
    expect(said).toEqual([]);
    const changes = [update(pairedGateway, GATEWAY_ID, { status: 'revoked' })];
    await database.commit({ actor: null, changes });
    expect(said).toContainEqual({ is: 'rows', rows: [{ table: 'gateways', id: GATEWAY_ID }] });
    await close();
  });
});
