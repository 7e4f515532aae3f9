import { beforeEach, describe, expect, test } from 'vitest';
import { runStatement } from '#adapters/sql/database.ts';
import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import {
  type HelloAnswer,
  type PullAnswer,
  type PushAnswer,
  type SnapshotAnswer,
  SYNC_SCHEMA,
} from '#contract/sync/wire.ts';
import { type Commit, update } from '#core/changes.ts';
import { hostedSyncServer } from '#operations/sync/hosted-sync.ts';
import { formatHlc } from '#store/hlc.ts';
import { onBothEngines, type TestDatabase } from '#test/databases.ts';
import { gatewayLog, pondId } from '#test/gateway-log.ts';
import type { AskKind } from '../../gateway/sync/ports.ts';
import { FARM, GATEWAY_ID, PAIRED_STREAM, STREAM, settleOwner } from './sim/paired-farm.ts';

const ZERO = { seq: 0, chain: '' };
const NONE = { core: ZERO, history: ZERO };
const NOON = Date.UTC(2026, 2, 1, 12);
const OTHER_FARM = '29999999-0000-4000-8000-000000000009';

onBothEngines('what a hosted instance says to a gateway', (open) => {
  const at = { now: NOON };
  const refusals: string[] = [];
  const drops: number[] = [];
  let db: TestDatabase;
  let commit: Commit;
  let server: ReturnType<typeof hostedSyncServer>;
  let log: ReturnType<typeof gatewayLog>;
  const caller = { gatewayId: GATEWAY_ID, streamId: STREAM };

  beforeEach(async () => {
    at.now = NOON;
    refusals.length = 0;
    drops.length = 0;
    db = await open({ streams: 'by scope', now: () => at.now, node: 'c0000001' });
    const run = runStatement(db.database.read);
    for (const statement of PAIRED_STREAM.split(';')) await run(statement, []);
    await settleOwner(db.database);
    ({ commit } = db.database);
    server = hostedSyncServer({
      kernel: { now: () => at.now, commit: (unit) => commit(unit) },
      database: db.database,
      monotonic: () => at.now,
      refused: (kind, code) => refusals.push(`${kind} ${code}`),
      dropped: (_stream, rows) => drops.push(rows),
    });
    log = gatewayLog(FARM);
    return () => db.close();
  });

  /** The answer, or the code of the refusal. */
  async function ask<Answer>(kind: AskKind, body: unknown): Promise<Answer | string> {
    const asked = await server.ask(caller, kind, body);
    return asked.ok ? (asked.answer as Answer) : asked.refused.code;
  }
  const push = (body: unknown) => ask<PushAnswer>('push', body);
  const hello = (more: Record<string, unknown> = {}) =>
    ask<HelloAnswer>('hello', {
      epoch: 1,
      timeline: '',
      schema: 1,
      software: 'test',
      head: NONE,
      acked: NONE,
      cursor: ZERO,
      clock: { trust: 'trusted', now_ms: at.now },
      ...more,
    });
  const pull = (more: Record<string, unknown> = {}) =>
    ask<PullAnswer>('pull', { epoch: 1, cursor: ZERO, acked: NONE, limit: 500, ...more });
  const snapshot = (more: Record<string, unknown> = {}) =>
    ask<SnapshotAnswer>('snapshot', {
      resync: null,
      epoch: 1,
      after: null,
      limit: 500,
      history_from: null,
      ...more,
    });
  const answered = <Answer>(found: Answer | string): Answer => {
    if (typeof found === 'string') throw new Error(`refused: ${found}`);
    return found;
  };
  const ponds = async () =>
    (await db.database.read.selectFrom('ponds').select('cod').orderBy('cod').execute()).map(({ cod }) => cod);
  /** Everything a refused request might have touched. */
  const everything = async () => ({
    ponds: await db.database.read.selectFrom('ponds').selectAll().orderBy('id').execute(),
    farms: await db.database.read.selectFrom('farms').selectAll().orderBy('id').execute(),
    streams: await db.database.read.selectFrom('sync_stream').selectAll().orderBy('stream_id').execute(),
    parked: await db.database.read.selectFrom('sync_parked').selectAll().execute(),
    log: await db.database.read.selectFrom('sync_change').select(['stream_id', 'seq', 'chain']).execute(),
  });
  const inPoint = async () => answered(await hello()).in.core;

  describe('a push', () => {
    test('is applied, and answers how far', async () => {
      log.pond(1);
      log.pond(2);
      expect(await push(log.push(1, 2))).toMatchObject({ in: log.head(), parked: [], restamps: [] });
      expect(await ponds()).toEqual(['V-1', 'V-2']);
    });

    test('that comes twice is applied once and answered the same', async () => {
      log.pond(1);
      const first = await push(log.push(1, 1));
      const before = await everything();
      expect(await push(log.push(1, 1))).toEqual(first);
      expect(await everything()).toEqual(before);
    });

    test('that overlaps what was applied adds only the rest', async () => {
      for (const n of [1, 2, 3, 4]) log.pond(n);
      await push(log.push(1, 3));
      expect(await push(log.push(2, 4))).toMatchObject({ in: log.head() });
      expect(await ponds()).toEqual(['V-1', 'V-2', 'V-3', 'V-4']);
    });

    test('two of them at the same moment are one', async () => {
      for (let n = 1; n <= 20; n += 1) log.pond(n);
      const both = await Promise.all([push(log.push(1, 20)), push(log.push(1, 20))]);
      for (const answer of both) expect(answer).toMatchObject({ in: log.head() });
      expect(await ponds()).toHaveLength(20);
    });

    test('that leaves out changes is refused, and told where to go on', async () => {
      for (const n of [1, 2, 3]) log.pond(n);
      await push(log.push(1, 1));
      const before = await everything();
      const asked = await server.ask(caller, 'push', log.push(3, 3));
      expect(asked).toMatchObject({ ok: false, refused: { status: 409, code: 'SYNC_GAP', in: { seq: 1 } } });
      expect(await everything()).toEqual(before);
    });

    test('of another history is a fork, however little of it overlaps', async () => {
      for (let n = 1; n <= 5; n += 1) log.pond(n);
      await push(log.push(1, 5));
      const other = gatewayLog(FARM, NOON + 1_000);
      for (let n = 11; n <= 17; n += 1) other.pond(n);
      const before = await everything();
      // over the end, up to the end, and an old batch alone, which ends where one was noted
      expect(await push(other.push(1, 7))).toBe('SYNC_FORK');
      expect(await push(other.push(6, 7))).toBe('SYNC_FORK');
      expect(await push(other.push(1, 5))).toBe('SYNC_FORK');
      expect(await everything()).toEqual(before);
      expect(refusals).toEqual(['push SYNC_FORK', 'push SYNC_FORK', 'push SYNC_FORK']);
    });

    test('an old batch of another history is found by a mark within it', async () => {
      for (let n = 1; n <= 70; n += 1) log.pond(n);
      await push(log.push(1, 70));
      const other = gatewayLog(FARM, NOON + 1_000);
      for (let n = 1; n <= 66; n += 1) other.pond(n);
      expect(await push(other.push(60, 66))).toBe('SYNC_FORK');
    });

    test('with a row that was altered on its way changes nothing', async () => {
      for (const n of [1, 2, 3]) log.pond(n);
      const sent = log.push(1, 3);
      const before = await everything();
      const altered = { ...sent, rows: sent.rows.map((row) => (row.seq === 2 ? { ...row, cl: 3 } : row)) };
      expect(await push(altered)).toBe('SYNC_FORGED');
      const [first, second, third] = sent.rows;
      expect(await push({ ...sent, rows: [first, third, second] })).toBe('SYNC_MALFORMED');
      expect(await push({ ...sent, after: { seq: 0, chain: 'ab'.repeat(16) } })).toBe('SYNC_FORGED');
      expect(await everything()).toEqual(before);
    });

    test('of a farm that is not the gateway’s leaves that farm as it is', async () => {
      const [owner] = await db.database.read.selectFrom('farms').selectAll().execute();
      if (owner === undefined) throw new Error('the world has a farm');
      await commit({
        actor: null,
        changes: [
          {
            op: 'insert',
            resource: farm as never,
            row: { ...owner, id: OTHER_FARM, rev: undefined, hidden: undefined },
            ifAbsent: false,
          },
        ],
      });
      const foreign = gatewayLog(OTHER_FARM);
      foreign.pond(7);
      const answer = answered(await push(foreign.push(1, 1)));
      expect(answer).toMatchObject({ in: foreign.head(), parked: [1] });
      expect(await ponds()).toEqual([]);
    });

    test.each([
      ['rows', 10_600, 'x'],
      ['bytes', 600, 'x'.repeat(32_000)],
    ])(
      'of what fits nowhere keeps only so many %s, and longest what waits for another row',
      {
        timeout: 120_000,
      },
      async (_of, count, notes) => {
        // five wait for their farm, the others can never be read
        for (let n = 1; n <= count; n += 1)
          log.pond(n, n <= 5 ? { farm_id: OTHER_FARM } : { size_m2: notes });
        for (let from = 1; from <= count; from += 500)
          expect(await push(log.push(from, Math.min(count, from + 499)))).toMatchObject({ restamps: [] });
        const { parked } = await everything();
        const dropped = drops.reduce((sum, rows) => sum + rows, 0);
        const bytes = parked.reduce((sum, { change_json }) => sum + change_json.length, 0);
        expect(parked.length).toBeLessThanOrEqual(10_000);
        expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
        expect(parked.length).toBeGreaterThan(400);
        expect(dropped).toBe(count - parked.length);
        expect(dropped).toBeGreaterThan(0);
        expect(
          parked
            .filter(({ reason }) => reason.startsWith('parent:'))
            .map(({ seq }) => seq)
            .toSorted((a, b) => a - b),
        ).toEqual([1, 2, 3, 4, 5]);
        // of the others the newest
        expect(Math.max(...parked.map(({ seq }) => seq))).toBe(count);
      },
    );

    test('with half a character, in a value, a name or deep below, is refused', async () => {
      const before = await everything();
      log.pond(1);
      const sent = log.push(1, 1);
      for (const odd of [{ cod: '\ud800' }, { 'V\udc00': 1 }, { a: [{ b: '\ud800' }] }])
        for (const part of [{ body: odd }, { base: { cod: '\ud800' } }, { over: { '\ud800': '' } }])
          expect(await push({ ...sent, rows: [{ ...sent.rows[0], ...part }] })).toBe('SYNC_MALFORMED');
      expect(await everything()).toEqual(before);
    });

    test('with garbage, too many rows or unknown words is refused and counted', async () => {
      const before = await everything();
      log.pond(1);
      const sent = log.push(1, 1);
      for (const garbage of [null, 7, 'x', [], {}, { ...sent, lane: 'other' }, { ...sent, epoch: 0 }])
        expect(await push(garbage)).toBe('SYNC_MALFORMED');
      expect(await push({ ...sent, rows: [{ ...sent.rows[0], hlc: 'now' }] })).toBe('SYNC_MALFORMED');
      for (let n = 2; n <= 501; n += 1) log.pond(n);
      expect(await push(log.push(1, 501))).toBe('SYNC_TOO_MANY');
      expect(await everything()).toEqual(before);
      expect(refusals).toHaveLength(9);
    });

    test('of a newer version that cannot be read waits for the upgrade', async () => {
      log.pond(1);
      const sent = log.push(1, 1);
      expect(await push({ ...sent, rows: [{ ...sent.rows[0], op: 9, sv: SYNC_SCHEMA + 1 }] })).toBe(
        'SYNC_SCHEMA',
      );
    });

    test('of history waits for the core rows it rests on', async () => {
      log.pond(1);
      const history = log.push(1, 1, { lane: 'history', needs_core: 3 });
      expect(await push(history)).toBe('SYNC_NEEDS_CORE');
      expect(await ponds()).toEqual([]);
    });

    test('of an older life is refused', async () => {
      log.pond(1);
      await snapshot();
      expect(await push(log.push(1, 1))).toBe('SYNC_STALE_EPOCH');
      expect(await push(log.push(1, 1, { epoch: 2 }))).toMatchObject({ in: log.head() });
    });

    test('with a stamp from the future is stamped anew, and told so until it is acknowledged', async () => {
      const future = formatHlc(NOON + 3_600_000, 0, '00abcdef');
      log.pond(1, {}, future);
      const renewed = { epoch: 1, lane: 'core', seq: 1, chain: log.head().chain, from: future };
      expect(answered(await push(log.push(1, 1))).restamps).toMatchObject([renewed]);
      expect(answered(await pull()).restamps).toMatchObject([renewed]);
      expect(answered(await hello({ head: { ...NONE, core: log.head() } })).restamps).toMatchObject([
        renewed,
      ]);
      const acked = { ...NONE, core: log.head() };
      expect(answered(await pull({ acked })).restamps).toEqual([]);
    });

    test('of an unpaired gateway is refused', async () => {
      log.pond(1);
      await runStatement(db.database.read)("update gateways set status = 'revoked'", []);
      expect(await push(log.push(1, 1))).toBe('SYNC_REVOKED');
      expect(await hello()).toBe('SYNC_REVOKED');
      expect(await snapshot()).toBe('SYNC_REVOKED');
    });
  });

  describe('a hello', () => {
    test('of a gateway that stands where it was goes on', async () => {
      log.pond(1);
      await push(log.push(1, 1));
      const core = log.head();
      const found = answered(await hello({ head: { ...NONE, core }, acked: { ...NONE, core } }));
      expect(found).toMatchObject({ directive: 'go', reason: null, epoch: 1, in: { core } });
      expect(
        answered(
          await hello({ head: { ...NONE, core }, acked: { ...NONE, core }, timeline: found.timeline }),
        ),
      ).toMatchObject({ directive: 'go' });
    });

    test.each([
      ['came back from an older image of its card', () => ({ head: NONE }), 'core gateway lost changes'],
      [
        'was told of more than this instance has',
        () => ({
          acked: { ...NONE, core: { seq: 9, chain: 'ab'.repeat(16) } },
          head: { ...NONE, core: { seq: 9, chain: 'ab'.repeat(16) } },
        }),
        'core hosted lost changes',
      ],
      [
        'writes another history',
        () => ({ head: { ...NONE, core: { seq: 1, chain: 'ab'.repeat(16) } } }),
        'core fork',
      ],
      ['is of another epoch', () => ({ head: head(), epoch: 5 }), 'epoch'],
      [
        'pulled more than there is',
        () => ({ head: head(), cursor: { seq: 99, chain: 'ab'.repeat(16) } }),
        'feed lost changes',
      ],
      [
        'pulled another feed',
        () => ({ head: head(), cursor: { seq: 1, chain: 'ab'.repeat(16) } }),
        'feed fork',
      ],
    ])('of one that %s starts a comparison', async (_what, more, reason) => {
      log.pond(1);
      await push(log.push(1, 1));
      expect(await hello(more())).toMatchObject({ directive: 'resync', reason });
    });
    const head = () => ({ ...NONE, core: log.head() });

    test('of one that saw another life of the database goes on where all that it counts on is shown to stand', async () => {
      log.pond(1);
      await push(log.push(1, 1));
      const counted = head();
      log.pond(2);
      await push(log.push(2, 2));
      const found = await hello({ head: head(), acked: head(), timeline: 'another' });
      expect(found).toMatchObject({ directive: 'go' });
      const before = await hello({ head: head(), acked: counted, timeline: 'another' });
      expect(before).toMatchObject({ directive: 'go' });
      // what is noted of each push is forgotten after thirty days
      await db.database.read.deleteFrom('sync_marks').execute();
      expect(await hello({ head: head(), acked: counted })).toMatchObject({ directive: 'go' });
      expect(await hello({ head: head(), acked: counted, timeline: 'another' })).toMatchObject({
        directive: 'resync',
        reason: 'timeline',
      });
    });
  });

  describe('a pull', () => {
    const cursorAt = ({ rows }: PullAnswer) => {
      const last = rows.at(-1);
      return last === undefined ? ZERO : { seq: last.seq, chain: last.chain };
    };

    test('brings what people do here, in whole transactions, and goes on from there', async () => {
      log.pond(1);
      await push(log.push(1, 1));
      const cursor = cursorAt(answered(await pull({ acked: { ...NONE, core: log.head() } })));
      await commit({
        actor: null,
        changes: [update(pond, pondId(1), { cod: 'V-um' }), update(farm, FARM, { name: 'Fazenda Nova' })],
      });
      const found = answered(await pull({ cursor }));
      expect(found.rows.map(({ body }) => body)).toEqual([
        { name: { name: 'Fazenda Nova' }, updated_at: null },
        { cod: { cod: 'V-um' }, updated_at: null },
      ]);
      expect(found.more).toBe(false);
      const last = { seq: found.head, chain: found.rows.at(-1)?.chain };
      expect(answered(await pull({ cursor: last })).rows).toEqual([]);
      const stream = await db.database.read
        .selectFrom('sync_stream')
        .select(['acked_core_seq', 'acked_core_chain'])
        .where('stream_id', '=', STREAM)
        .executeTakeFirstOrThrow();
      expect(stream).toEqual({ acked_core_seq: last.seq, acked_core_chain: last.chain });
    });

    test('does not take two rows of one transaction apart, unless there is nothing else to bring', async () => {
      const cursor = cursorAt(answered(await pull()));
      await commit({ actor: null, changes: [update(farm, FARM, { name: 'Um' })] });
      log.pond(1);
      log.pond(2);
      await push(log.push(1, 2));
      await commit({
        actor: null,
        changes: [update(pond, pondId(1), { cod: 'V-um' }), update(pond, pondId(2), { cod: 'V-dois' })],
      });
      const first = answered(await pull({ cursor, limit: 2 }));
      expect(first).toMatchObject({ rows: [{ entity: 3 }], more: true });
      const second = answered(await pull({ cursor: cursorAt(first), limit: 2 }));
      expect(second).toMatchObject({ rows: [{ entity: 5 }, { entity: 5 }], more: false });
      expect(answered(await pull({ cursor: cursorAt(first), limit: 1 })).rows).toHaveLength(1);
    });

    test('at a point that is not this feed’s is refused', async () => {
      const found = answered(await pull());
      const there = { seq: found.head, chain: 'ab'.repeat(16) };
      expect(await pull({ cursor: there })).toBe('SYNC_FORK');
      expect(await pull({ cursor: { ...there, seq: found.head + 1 } })).toBe('SYNC_FORK');
      expect(await pull({ epoch: 2 })).toBe('SYNC_STALE_EPOCH');
      expect(await pull({ acked: { ...NONE, core: { seq: 5, chain: 'ab'.repeat(16) } } })).toBe('SYNC_FORK');
    });

    test('below what is kept is refused', async () => {
      const { head } = answered(await pull());
      await commit({
        actor: null,
        changes: [],
        stream: { id: STREAM, expect: {}, set: { floor_seq: head } },
      });
      expect(await pull()).toBe('SYNC_BELOW_FLOOR');
      expect(await hello()).toMatchObject({ directive: 'resync', reason: 'feed forgotten', floor: head });
    });
  });

  describe('a snapshot', () => {
    test('begins a new epoch and brings all the gateway may know, in pages', async () => {
      log.pond(1);
      log.pond(2);
      await push(log.push(1, 2));
      const first = answered(await snapshot({ limit: 2 }));
      expect(first.resync.epoch).toBe(2);
      const rows = [...first.rows];
      for (let { next } = first; next !== null; ) {
        const page = answered(await snapshot({ resync: first.resync, after: next, limit: 2 }));
        rows.push(...page.rows);
        next = page.next;
      }
      expect(rows.map(({ entity }) => entity)).toEqual([1, 2, 13, 3, 5, 5]);
      expect(rows.at(-1)).toMatchObject({ id: pondId(2), cl: 1, body: { cod: 'V-2', size_m2: 900 } });
      expect(await inPoint()).toEqual(ZERO);
    });

    test('of one life ends when another began', async () => {
      const first = answered(await snapshot({ limit: 1 }));
      expect(answered(await snapshot({ epoch: 7 })).resync.epoch).toBe(8);
      expect(await snapshot({ resync: first.resync, after: first.next })).toBe('SYNC_STALE_EPOCH');
    });

    test('tells the stamps that were set anew in the life before', async () => {
      log.pond(1, {}, formatHlc(NOON + 3_600_000, 0, '00abcdef'));
      await push(log.push(1, 1));
      expect(answered(await snapshot()).restamps).toMatchObject([{ epoch: 1, lane: 'core', seq: 1 }]);
    });
  });
});
