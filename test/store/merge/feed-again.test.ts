import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { snapshotPages } from '#adapters/sync/snapshot-pages.ts';
import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import type { WireChange } from '#contract/sync/wire.ts';
import { type Change, insert, remove, update } from '#core/changes.ts';
import { onBothEngines, type TestDatabase } from '#test/databases.ts';
import { aFarm, ana, aPond } from './rows.ts';
import { logged, pair, pull, push, STREAM, shown, streamOf } from './two-sides.ts';

onBothEngines('a feed that tells again what the snapshot had', (open) => {
  let opened: TestDatabase[] = [];
  let gateway: Database;
  let hosted: Database;
  let before = 0;
  beforeEach(async () => {
    opened = [
      await open({ streams: 'own', node: '0aaa0001' }),
      await open({ streams: 'by scope', node: 'c0000001' }),
    ];
    [gateway, hosted] = opened.map(({ database }) => database) as [Database, Database];
    await pair(hosted);
    await pull(gateway, hosted);
    await atGateway(insert(farm, aFarm()), insert(pond, aPond(1)));
    await push(gateway, hosted);
    await pull(gateway, hosted);
    before = (await streamOf(hosted, STREAM)).core_seq;
  });
  afterEach(async () => {
    for (const { close } of opened) await close();
  });

  const atGateway = (...changes: Change[]) => gateway.commit({ changes, actor: ana });
  const atHosted = (...changes: Change[]) => hosted.commit({ changes, actor: ana });
  const named = (cod: string) => update(pond, aPond(1).id, { cod });
  const since = () => logged(hosted, STREAM, 'core', before);
  const hear = (changes: readonly WireChange[]) =>
    gateway.commit({
      actor: null,
      changes: [],
      incoming: { from: 'hosted', streamId: 1, lane: 'core', changes },
    });
  const hearOneByOne = async (changes: readonly WireChange[]) => {
    for (const change of changes) await hear([change]);
  };
  const takeSnapshot = async () => {
    const { rows } = await snapshotPages(hosted.read)(STREAM, {
      epoch: 1,
      after: null,
      limit: 100,
      historyFrom: null,
    });
    await gateway.commit({ actor: null, changes: [], snapshot: { streamId: 1, rows, isFirst: true } });
  };
  const notes = () =>
    gateway.read.selectFrom('sync_conflicts').select(['rule', 'kept_json', 'dropped_json']).execute();

  it('makes no conflict of changes that were made one over the other, whatever the batches', async () => {
    await atHosted(named('A'));
    await atHosted(named('B'));
    await atHosted(named('C'));
    await takeSnapshot();
    await hearOneByOne(await since());
    expect(await shown(gateway, 'ponds')).toMatchObject([{ cod: 'C' }]);
    expect(await notes()).toEqual([]);
  });

  it('makes no conflict of a pond that was named, then deleted', async () => {
    await atHosted(named('A'));
    await atHosted(remove(pond, aPond(1).id));
    await takeSnapshot();
    await hearOneByOne(await since());
    expect(await shown(gateway, 'ponds')).toEqual([]);
    expect(await notes()).toEqual([]);
  });

  it('makes no conflict of what somebody at the farm changed or deleted, having seen the snapshot', async () => {
    await atHosted(named('A'));
    await atHosted(named('B'));
    await takeSnapshot();
    await atGateway(named('Neu'));
    await hearOneByOne(await since());
    expect(await notes()).toEqual([]);
    await atGateway(remove(pond, aPond(1).id));
    await hearOneByOne((await since()).slice(1));
    expect(await notes()).toEqual([]);
  });

  it('still tells of two names that nobody chose between', async () => {
    await atHosted(named('A'));
    await takeSnapshot();
    await atHosted(named('B'));
    await atGateway(named('Neu'));
    await hearOneByOne(await since());
    expect(await notes()).toHaveLength(1);
    expect(await notes()).toMatchObject([{ rule: 'last_writer' }]);
  });
});
