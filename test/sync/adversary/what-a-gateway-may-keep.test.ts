import { afterAll, beforeAll, expect, it } from 'vitest';
import { arrivedNews } from '#contract/resources/local-tables.ts';
import { parkedChange, syncConflict } from '#contract/resources/sync-tables.ts';
import { user } from '#contract/resources/users.ts';
import { SYNC_SCHEMA, type WireChange } from '#contract/sync/wire.ts';
import { type Incoming, insert } from '#core/changes.ts';
import { sweep } from '#operations/upkeep/upkeep.ts';
import { formatHlc } from '#store/hlc.ts';
import { onBothEngines } from '#test/databases.ts';
import { toldInADay } from '../../../gateway/adapters/sync/hosted-store.ts';
import { lookAndCommit } from '../../../gateway/sync/hosted/hosted-deps.ts';
import { aSpysGateway, GATEWAY_NODE, type SpysGateway } from './a-spys-gateway.ts';

const DAY_MS = 24 * 3_600_000;

onBothEngines('what a gateway in other hands may make an instance keep', (_open, engine) => {
  let its: SpysGateway;
  beforeAll(async () => {
    its = await aSpysGateway(engine);
  });
  afterAll(() => its.app.close());

  /** As an instance takes a push: who waits for one another there, as a notice of what came before does, goes again. */
  async function taken(changes: Incoming['changes']): Promise<number> {
    const { streamId } = its.stream;
    const incoming = { from: 'gateway', streamId, lane: 'core', changes } as const;
    const { committed } = await lookAndCommit(its.app.kernel, async () => ({
      seen: null,
      unit: { actor: null, changes: [], incoming },
    }));
    return committed?.merged?.forgotten ?? 0;
  }

  let counter = 0;
  async function said(changes: Pick<WireChange, 'entity' | 'id' | 'body' | 'hlc'>[]): Promise<number> {
    let forgotten = 0;
    for (let from = 0; from < changes.length; from += 500) {
      forgotten += await taken(
        changes.slice(from, from + 500).map((change, at) => ({
          ...change,
          op: 1,
          cl: 1,
          over: null,
          base: Object.fromEntries(Object.keys(change.body ?? {}).map((group) => [group, ''])),
          actor: its.spy.user.id,
          seq: from + at + 1,
          tx: 1,
          sv: SYNC_SCHEMA,
          chain: 'a'.repeat(32),
        })),
      );
      its.app.clock.advance(1_000);
    }
    return forgotten;
  }
  /** Older than what stands: it loses, each for itself. */
  const stale = () => {
    counter += 1;
    return formatHlc(its.app.clock.now() - 30 * DAY_MS + counter, 0, GATEWAY_NODE);
  };
  const read = () => its.app.database.read;
  const counted = async (name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await its.app.metrics.text())?.[1]);

  it.each([
    ['rows', 10_600, 'x'],
    ['bytes', 2_400, 'x'.repeat(9_000)],
  ])(
    'of edits that lost are so many %s, the newest, and none of another gateway’s',
    { timeout: 300_000 },
    async (_of, count, text) => {
      const conflicts = () => read().selectFrom('sync_conflicts').selectAll().execute();
      const others = {
        id: its.app.kernel.newId(),
        stream_id: its.stream.streamId + 1_000,
        farm_id: its.victimsFarm,
        entity: 3,
        row_id: its.victimsFarm,
        field_group: 'name',
        rule: 'last_writer',
        kept_json: '{}',
        dropped_json: '{}',
        kept_hlc: stale(),
        dropped_hlc: stale(),
        kept_by: null,
        dropped_by: null,
        state: 'open',
        found_at: '2020-01-01T00:00:00.000Z',
        settled_at: null,
        settled_by: null,
      } as const;
      await its.app.kernel.commit({ actor: null, changes: [insert(syncConflict, others)] });
      const name = { entity: 3, id: its.spysFarm };
      const edits = Array.from({ length: count }, (_, n) => ({
        ...name,
        hlc: stale(),
        body: { description: { description: `${text}${n}` } },
      }));
      // what stands is newer
      await its.call(its.spy, 'PUT', `/farms/${its.spysFarm}`, { description: `mine ${counter}` });
      const forgotten = await said(edits);
      const kept = (await conflicts()).filter(({ stream_id }) => stream_id === its.stream.streamId);
      const bytes = kept.reduce((sum, row) => sum + row.kept_json.length + row.dropped_json.length, 0);
      expect(kept.length).toBeGreaterThan(500);
      expect(kept.length).toBeLessThanOrEqual(10_000);
      expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
      expect(forgotten).toBe(count - kept.length);
      expect(forgotten).toBeGreaterThan(0);
      expect(kept.some(({ dropped_json }) => dropped_json.includes(`${text}${count - 1}`))).toBe(true);
      expect((await conflicts()).some(({ id }) => id === others.id)).toBe(true);
      await read().deleteFrom('sync_conflicts').execute();
    },
  );

  it('of edits that lost tells people once, and lets the next push in between', async () => {
    const { app, spysFarm } = its;
    await its.call(its.spy, 'PUT', `/farms/${spysFarm}`, { description: `mine ${counter}` });
    await app.syncConflicts.told();
    const entriesOf: number[] = [];
    let news = 0;
    app.database.onCommit(({ rows }) => {
      const of = (name: string) => rows.filter(({ table }) => table === name).length;
      if (of('sync_conflicts') > 0) return;
      if (of('logs') > 0) entriesOf.push(of('logs'));
      news += of('notifications');
    });
    await said(
      Array.from({ length: 130 }, (_each, n) => ({
        entity: 3,
        id: spysFarm,
        hlc: stale(),
        body: { description: { description: `theirs ${n}` } },
      })),
    );
    await app.syncConflicts.told();
    expect(entriesOf.reduce((sum, count) => sum + count, 0)).toBe(130);
    expect(Math.max(...entriesOf)).toBeLessThanOrEqual(50);
    expect(news).toBe(1);
    await read().deleteFrom('sync_conflicts').execute();
  });

  it('of people whom it says were lost are ten thousand', { timeout: 300_000 }, async () => {
    const { app } = its;
    const at = new Date(app.clock.now()).toISOString();
    const most = 10_300;
    for (let from = 0; from < most; from += 500)
      await taken(
        Array.from({ length: Math.min(500, most - from) }, (_each, place) => {
          const n = from + place;
          const email = `p${n}@perdida.test`;
          const id = app.kernel.newId();
          const names = { id, numeric_id: 50_000 + n, name: `Nome ${n}`, email, email_key: email };
          const secret = { phone_number: null, password_hash: '', password_version: 1, language: null };
          return {
            entity: user.entity,
            id,
            op: 1,
            cl: 1,
            // made at this instance, as it says
            hlc: formatHlc(app.clock.now() + n, 0, 'c0000009'),
            over: {},
            base: null,
            body: {
              ...names,
              ...secret,
              role: 'OWNER',
              is_active: true,
              created_at: at,
              updated_at: null,
            },
            actor: null,
            seq: n + 1,
            tx: n + 1,
            sv: SYNC_SCHEMA,
            chain: 'a'.repeat(32),
          };
        }),
      );
    const kept = await read().selectFrom('lost_people').select('email').execute();
    expect(kept).toHaveLength(10_000);

    await read().deleteFrom('lost_people').execute();
  });

  it('of what fits nowhere goes after ninety days, and is counted', async () => {
    const { app } = its;
    const nowhere = () => ({
      entity: 5,
      id: app.kernel.newId(),
      hlc: stale(),
      body: { cod: { cod: 'V-9' } },
    });
    const aside = async () =>
      (await read().selectFrom('sync_parked').select('id').execute()).map(({ id }) => id);
    await read().deleteFrom('sync_parked').execute();
    await said([nowhere(), nowhere()]);
    const old = await aside();
    expect(old).toHaveLength(2);
    app.clock.advance(89 * DAY_MS);
    await said([nowhere()]);
    await sweep(app);
    expect(await aside()).toEqual(expect.arrayContaining(old));
    app.clock.advance(2 * DAY_MS);
    await sweep(app);
    const left = await aside();
    expect(left).toHaveLength(1);
    expect(old).not.toContain(left[0]);
    expect(await counted('sync_kept_aside_expired_total')).toBe(2);
    expect(app.sentences.map(({ sentence }) => sentence)).toContain(
      'changes that fitted nowhere for 90 days were dropped',
    );
  });

  it.runIf(engine === 'sqlite')(
    'of what fits nowhere does not hold the loop with all that is kept',
    async () => {
      const { app, stream } = its;
      /** Of the processor, the least of five. */
      async function leastMs(run: () => Promise<unknown>): Promise<number> {
        const spent: number[] = [];
        for (let n = 0; n < 5; n += 1) {
          const began = process.threadCpuUsage();
          await run();
          const { user, system } = process.threadCpuUsage(began);
          spent.push((user + system) / 1_000);
        }
        return Math.min(...spent);
      }
      const one = () =>
        said([{ entity: 5, id: app.kernel.newId(), hlc: stale(), body: { cod: { cod: 'V-9' } } }]);
      const aside = Array.from({ length: 10_000 }, (_, n) => ({
        id: `kept-${n}`,
        stream_id: stream.streamId,
        lane: 'core' as const,
        seq: n,
        entity: 5,
        row_id: app.kernel.newId(),
        reason: `absent:ponds/${app.kernel.newId()}`,
        change_json: JSON.stringify({ words: 'x'.repeat(1_500) }),
        parked_at: new Date(app.clock.now() + n).toISOString(),
        tries: 1,
        tried_schema: SYNC_SCHEMA,
      }));
      for (let from = 0; from < aside.length; from += 1_000)
        await app.kernel.commit({
          actor: null,
          changes: aside.slice(from, from + 1_000).map((row) => insert(parkedChange, row)),
        });
      const withAll = await leastMs(one);
      const all = await leastMs(async () => {
        const kept = await read().selectFrom('sync_parked').selectAll().execute();
        for (const { change_json } of kept) JSON.parse(change_json);
      });
      // 50 ms, on a slow machine what its own scan of so much takes; rows looked up one by one take four times that
      expect(withAll).toBeLessThan(Math.max(50, 1.5 * all));
      await read().deleteFrom('sync_parked').execute();
    },
  );

  it('of news that are to be told goes with the next look, also where the news themselves are gone', async () => {
    const { app } = its;
    const marks = Array.from({ length: 120 }, () =>
      insert(arrivedNews, { id: app.kernel.newId(), arrived_at: new Date(app.clock.now()).toISOString() }),
    );
    await app.kernel.commit({ actor: null, changes: marks });
    await app.delivery.tell();
    expect(await read().selectFrom('arrived_news').select('id').execute()).toEqual([]);
  });
});

it('a gateway tells two thousand megabytes at once at most, and five hundred a day from then on', () => {
  const clock = { ms: 0 };
  const told = toldInADay({ monotonic: () => clock.ms });
  const MB = 1_000_000;
  for (let n = 0; n < 1_000; n += 1) told(7, 'push', 2 * MB);
  expect(() => told(7, 'push', 2 * MB)).toThrow('the rest waits at the farm');
  // another one, and what was found by a comparison, has its own
  told(8, 'push', 2 * MB);
  told(7, 'repair', 2 * MB);
  clock.ms += DAY_MS;
  for (let n = 0; n < 256; n += 1) told(7, 'push', 2 * MB);
  expect(() => told(7, 'push', 2 * MB)).toThrow('the rest waits at the farm');
});
