import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { notification } from '#contract/resources/notifications.ts';
import { pond } from '#contract/resources/ponds.ts';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import { user } from '#contract/resources/users.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { type Change, insert, put, update } from '#core/changes.ts';
import { onBothEngines, type TestDatabase } from '#test/databases.ts';
import { aFarm, aMeasurement, aMember, ana, aPond, at, aUser, idOf, norte } from './rows.ts';
import { logged, pair, STREAM, shown, streamOf } from './two-sides.ts';

const OTHER = 3;
const sul = idOf(2, 2);
const bia = idOf(1, 2);

onBothEngines('a hosted instance', (open) => {
  let opened: TestDatabase;
  let hosted: Database;
  beforeEach(async () => {
    opened = await open({ streams: 'by scope', node: 'c0000001' });
    hosted = opened.database;
    await pair(hosted);
    await pair(hosted, OTHER);
    await write(
      insert(user, aUser({ id: bia, email_key: 'bia@farm.br' })),
      insert(farm, aFarm()),
      insert(farm, aFarm({ id: sul, owner_id: bia })),
      put(syncFarm, { id: norte, stream_id: STREAM, bound_at: at }),
      put(syncFarm, { id: sul, stream_id: OTHER, bound_at: at }),
    );
  });
  afterEach(() => opened.close());

  const write = (...changes: Change[]) => hosted.commit({ changes, actor: ana });
  const told = async (streamId: number, after: number) =>
    (await logged(hosted, streamId, 'core', after)).map(({ entity, id }) => `${entity} ${id}`);
  const heads = async () =>
    [(await streamOf(hosted, STREAM)).core_seq, (await streamOf(hosted, OTHER)).core_seq] as const;

  it('tells each gateway of its own farms, and of nothing else', async () => {
    const [a, b] = await heads();
    const { fed } = await write(
      insert(pond, aPond(1)),
      insert(pond, aPond(2, { farm_id: sul })),
      insert(measurement, aMeasurement(1)),
    );
    expect(fed).toEqual([
      { streamId: STREAM, head: a + 2 },
      { streamId: OTHER, head: b + 1 },
    ]);
    expect(await told(STREAM, a)).toEqual([`19 ${idOf(5, 1)}`, `5 ${idOf(3, 1)}`]);
    expect(await told(OTHER, b)).toEqual([`5 ${idOf(3, 2)}`]);
    const lone = idOf(2, 3);
    await write(insert(farm, aFarm({ id: lone })), insert(pond, aPond(3, { farm_id: lone })));
    expect(await heads()).toEqual([a + 2, b + 1]);
    expect(
      await hosted.read.selectFrom('sync_register').select('id').where('id', '=', idOf(3, 3)).execute(),
    ).toHaveLength(1);
  });

  it('tells a gateway who a person is who becomes visible there, and from then on of what that person changes', async () => {
    const [a, b] = await heads();
    await write(insert(farmMember, aMember({ user_id: bia })));
    expect(await told(STREAM, a)).toEqual([`1 ${bia}`, `4 ${idOf(6, 1)}`]);
    await write(update(user, bia, { name: 'Beatriz' }));
    expect(await told(STREAM, a + 2)).toEqual([`1 ${bia}`]);
    expect(await told(OTHER, b)).toEqual([`1 ${bia}`]);
    const [one] = await logged(hosted, STREAM, 'core', a + 2);
    const [other] = await logged(hosted, OTHER, 'core', b);
    expect(one?.hlc).toBe(other?.hlc);
    expect(one?.chain).not.toBe(other?.chain);
  });

  it('passes over what a gateway says of somebody that it did not make, and tells it the name anew', async () => {
    await write(insert(farmMember, aMember({ user_id: bia })));
    const [a, b] = await heads();
    const [row] = await logged(hosted, STREAM, 'core', a - 2);
    const change = {
      ...(row ?? (await logged(hosted, STREAM))[0]),
      seq: 1,
      tx: 1,
      entity: user.entity,
      id: bia,
      op: 1,
      cl: 1,
      hlc: '0abc00000000.0000.0aaa0001',
      over: null,
      base: { name: row?.hlc ?? '', role: '' },
      body: { name: { name: 'Bibi' }, role: { role: 'ADMIN' } },
      actor: bia,
      sv: 1,
      chain: '',
    } as const;
    const { merged } = await hosted.commit({
      actor: null,
      changes: [],
      incoming: {
        from: 'gateway',
        streamId: STREAM,
        lane: 'core',
        changes: [{ ...change, hlc: row?.hlc.replace('c000', 'c001') ?? '' }],
      },
    });
    expect(merged).toMatchObject({ applied: 1, passedOver: 1, parked: [] });
    // as it stands, and to that gateway alone
    expect(await told(STREAM, a)).toEqual([`1 ${bia}`]);
    expect(await told(OTHER, b)).toEqual([]);
    expect(await shown(hosted, 'users')).toMatchObject([{}, { name: 'Ana', role: 'OWNER' }]);
    // under a later stamp the same name would stand under two stamps for ever
    const [correction] = await logged(hosted, STREAM, 'core', a);
    const same = { ...change, seq: 2, hlc: `${correction?.hlc ?? ''}!`, body: { name: { name: 'Ana' } } };
    await hosted.commit({
      actor: null,
      changes: [],
      incoming: { from: 'gateway', streamId: STREAM, lane: 'core', changes: [same] },
    });
    const [again] = await logged(hosted, STREAM, 'core', a + 1);
    expect(again).toMatchObject({ id: bia, body: { name: { name: 'Ana' } } });
    expect(again?.hlc && again.hlc > same.hlc).toBe(true);
  });

  it('tells of a notification at its farm, and of one without a farm nowhere', async () => {
    await write(insert(farmMember, aMember({ user_id: bia })));
    const [a, b] = await heads();
    const aNote = (n: number, farm_id: string | null) =>
      insert(notification, {
        id: idOf(8, n),
        user_id: bia,
        farm_id,
        type: 'SYSTEM',
        title: '',
        message: '',
        data: {},
        is_read: false,
        read_at: null,
        created_at: at,
      });
    await write(aNote(1, norte), aNote(2, null));
    expect(await told(STREAM, a)).toEqual([`12 ${idOf(8, 1)}`]);
    expect(await told(OTHER, b)).toEqual([]);
  });
});
