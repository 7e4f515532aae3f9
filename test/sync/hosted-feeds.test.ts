import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { runStatement } from '#adapters/sql/database.ts';
import { farm } from '#contract/resources/farms.ts';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { update } from '#core/changes.ts';
import { onBothEngines } from '#test/databases.ts';
import { gathered, payloadsOf, readPayload } from '../../gateway/adapters/sync/bus-payloads.ts';
import { forgetFeeds, keepFrom } from '../../gateway/adapters/sync/forget-feed.ts';
import { hostedStore } from '../../gateway/adapters/sync/hosted-store.ts';
import { createTimeline } from '../../gateway/adapters/sync/timeline.ts';
import type { BusMessage } from '../../gateway/sync/ports.ts';
import { FARM, GATEWAY_ID, PAIRED_STREAM, STREAM, settleOwner } from './sim/paired-farm.ts';

const DAY = 24 * 3600 * 1000;
const NOON = Date.UTC(2026, 2, 1, 12);

describe('what is kept of a feed', () => {
  const facts = { head: 1_000, acked: 800, floor: 0, firstYoung: 300, seenAtMs: NOON };

  test.each([
    ['is what is younger than 30 days', {}, 300],
    ['is what was not fetched, however old', { firstYoung: 900 }, 800],
    ['is what was not fetched, when nothing is young', { firstYoung: null }, 800],
    ['is never less than before', { floor: 500 }, 500],
    ['is its end alone when the gateway was silent for 90 days', { seenAtMs: NOON - 91 * DAY }, 1_000],
    ['is its end alone when too much waits', { head: 300_000 }, 300_000],
  ])('%s', (_what, more, from) => {
    expect(keepFrom({ ...facts, ...more }, NOON)).toBe(from);
  });
});

onBothEngines('a feed', (open) => {
  test('is forgotten as far as it was fetched, a month later', async () => {
    const at = { now: NOON };
    const { database, close } = await open({ streams: 'by scope', now: () => at.now, node: 'c0000001' });
    for (const statement of PAIRED_STREAM.split(';')) await runStatement(database.read)(statement, []);
    await settleOwner(database);
    for (const name of ['Um', 'Dois', 'Três'])
      await database.commit({ actor: null, changes: [update(farm, FARM, { name })] });
    const store = hostedStore(database.read);
    const all = await store.feedFrom(STREAM, 1, { rows: 500, bytes: 1e6 });
    const head = all.rows.length;
    const acked = head - 1;
    await database.commit({
      actor: null,
      changes: [update(pairedGateway, GATEWAY_ID, { last_seen_at: new Date(NOON + 35 * DAY).toISOString() })],
      stream: { id: STREAM, expect: {}, set: { acked_core_seq: acked } },
    });
    await forgetFeeds(database, { now: () => at.now });
    expect((await store.stream(STREAM))?.floor_seq).toBe(1);
    at.now = NOON + 35 * DAY;
    await forgetFeeds(database, { now: () => at.now });
    expect((await store.stream(STREAM))?.floor_seq).toBe(acked);
    // the row at the gateway’s cursor stays: its chain proves that both mean the same feed
    const { rows } = await store.feedFrom(STREAM, 1, { rows: 500, bytes: 1e6 });
    expect(rows.map(({ seq }) => seq)).toEqual([acked, head]);
    await close();
  });

  test('leaves what was noted of pushes for 30 days, and no longer, however many there were', async () => {
    const { database, close } = await open({ streams: 'by scope', node: 'c0000001' });
    const noted = (lane: string, count: number, ageMs: number) => sql`
      with recursive n(seq) as (select 1 union all select seq + 1 from n where seq < ${sql.lit(count)})
      insert into sync_marks (stream_id, lane, seq, chain, marked_at)
        select ${sql.lit(STREAM)}, ${lane}, seq, 'c', ${new Date(NOON - ageMs).toISOString()} from n`;
    await noted('core', 11_000, 31 * DAY).execute(database.read);
    await noted('history', 7, 29 * DAY).execute(database.read);
    await forgetFeeds(database, { now: () => NOON });
    const left = await database.read.selectFrom('sync_marks').select('lane').execute();
    expect(left.map(({ lane }) => lane)).toEqual(Array<string>(7).fill('history'));
    await close();
  });

  test('is of a database that tells which life it lives', async () => {
    const { database, close } = await open();
    const at = { ms: 0 };
    const timeline = createTimeline({ database, monotonic: () => at.ms });
    const first = await timeline();
    expect(first).toMatch(/^\d+\.\d+\.\d+$|^[0-9a-f-]{36}\.1$/);
    if (database.dialect === 'sqlite') {
      await runStatement(database.read)('update sync_stream set epoch = epoch + 1', []);
      expect(await timeline()).toBe(first);
      at.ms = 1_000;
      expect(await timeline()).not.toBe(first);
    } else {
      at.ms = 1_000;
      expect(await timeline()).toBe(first);
    }
    await close();
  });
});

describe('what processes say to each other', () => {
  const rows = (count: number, table = 'ponds'): BusMessage => ({
    is: 'rows',
    rows: Array.from({ length: count }, (_, n) => ({
      table,
      id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    })),
  });

  test('of one moment goes together, the newest of each', () => {
    expect(
      gathered([
        { is: 'stream', streamId: 2, head: 7 },
        rows(2),
        { is: 'command', streamId: 2 },
        { is: 'stream', streamId: 2, head: 9 },
        { is: 'command', streamId: 2 },
        rows(1),
      ]),
    ).toEqual([{ is: 'command', streamId: 2 }, { is: 'stream', streamId: 2, head: 9 }, rows(2)]);
  });

  test('is cut to what one sentence of the database carries, and arrives whole', () => {
    const said: BusMessage[] = [rows(1_500), { is: 'command', streamId: 2 }];
    const payloads = payloadsOf('here', said);
    expect(payloads.length).toBeGreaterThan(1);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
    const heard = payloads.flatMap((payload) => readPayload('there', payload) ?? []);
    expect(gathered(heard)).toEqual(gathered(said));
  });

  test('is too much for single rows: history first, then everybody looks again', () => {
    expect(gathered([rows(3_000, 'measurements'), rows(2)])).toEqual([rows(2)]);
    expect(gathered([rows(3_000)])).toEqual([{ is: 'gap' }]);
  });

  test('is not heard by whoever said it, nor when it is garbage', () => {
    const [payload = ''] = payloadsOf('here', [rows(1)]);
    expect(readPayload('here', payload)).toBeNull();
    expect(readPayload('there', payload.slice(0, 20))).toBeNull();
    expect(readPayload('there', '7')).toBeNull();
  });
});
