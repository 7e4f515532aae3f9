import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { type HostedFrame, MAX_MESSAGE_BYTES } from '#contract/sync/wire.ts';
import { update } from '#core/changes.ts';
import { aFarmWith } from '#test/app.ts';
import { localOf, pair, startBoth } from '#test/paired-apps.ts';
import { createShedding } from '../../gateway/adapters/sync/hosted-http.ts';

const ZERO = { seq: 0, chain: '' };
const NONE = { core: ZERO, history: ZERO };
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('the machines’ side of a hosted instance over real sockets', () => {
  let both: Awaited<ReturnType<typeof startBoth>>;
  let token: string;
  let epoch: number;

  beforeAll(async () => {
    both = await startBoth('sqlite');
    const owner = await both.hosted.signUp();
    await pair(both, { token: owner.token });
    token = await localOf(both.gateway).sessionToken();
    epoch = (await stream()).epoch;
  });
  afterAll(() => both.close());

  const stream = () =>
    both.hosted.database.read
      .selectFrom('sync_stream')
      .selectAll()
      .where('stream_id', '=', 2)
      .executeTakeFirstOrThrow();
  const hello = () => ({
    epoch,
    timeline: '',
    schema: 1,
    software: 'test',
    head: NONE,
    acked: NONE,
    cursor: ZERO,
    clock: { trust: 'trusted', now_ms: 1 },
  });
  const send = (
    kind: string,
    init: { body: NonNullable<RequestInit['body']>; headers?: Record<string, string> },
  ) =>
    fetch(`${both.hosted.base}/sync/v1/${kind}`, {
      method: 'POST',
      ...init,
      headers: { Authorization: `Bearer ${token}`, ...JSON_TYPE, ...init.headers },
    });
  const codeOf = async (response: Response) => {
    const { code } = (await response.json()) as { code: string };
    return `${response.status} ${code}`;
  };

  test('a hello is answered, plain, as gzip and as zstd', async () => {
    const text = JSON.stringify(hello());
    const bodies: [string, string | Uint8Array<ArrayBuffer>][] = [
      ['identity', text],
      ['gzip', gzipSync(text)],
      ['zstd', zstdCompressSync(text)],
    ];
    for (const [encoding, body] of bodies) {
      const response = await send('hello', { body, headers: { 'Content-Encoding': encoding } });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ epoch, in: NONE });
    }
  });

  test('a long answer is packed as the gateway takes it', async () => {
    await aFarmWith(both.hosted);
    const body = JSON.stringify({ resync: null, epoch, after: null, limit: 500, history_from: null });
    const response = await send('snapshot', { body, headers: { 'Accept-Encoding': 'zstd, gzip' } });
    epoch = (await stream()).epoch;
    expect(response.status).toBe(200);
    // a browser’s fetch unpacks what it knows
    const bytes = Buffer.from(await response.arrayBuffer());
    const isPacked = response.headers.get('content-encoding') === 'zstd' && bytes[0] === 0x28;
    const text = isPacked ? zstdDecompressSync(bytes) : bytes;
    expect(JSON.parse(text.toString())).toMatchObject({ resync: { epoch }, next: null });
  });

  test('nobody is served without the token of a gateway', async () => {
    for (const headers of [{ Authorization: '' }, { Authorization: 'Bearer nonsense' }])
      expect(await codeOf(await send('hello', { body: JSON.stringify(hello()), headers }))).toBe(
        '401 SYNC_TOKEN',
      );
    const owner = await both.hosted.signUp();
    const headers = { Authorization: `Bearer ${owner.token}` };
    expect(await codeOf(await send('push', { body: '{}', headers }))).toBe('401 SYNC_TOKEN');
  });

  test('what cannot be read is refused with a reason, counted, and changes nothing', async () => {
    const before = await stream();
    const bomb = gzipSync(Buffer.alloc(MAX_MESSAGE_BYTES * 4, 0x20));
    const gzip = { 'Content-Encoding': 'gzip' };
    expect(await codeOf(await send('push', { body: 'no json' }))).toBe('400 SYNC_MALFORMED');
    expect(await codeOf(await send('push', { body: '{"a":' }))).toBe('400 SYNC_MALFORMED');
    expect(await codeOf(await send('push', { body: '[]' }))).toBe('400 SYNC_MALFORMED');
    expect(await codeOf(await send('push', { body: Buffer.from([0xff, 0xfe]) }))).toBe('400 SYNC_MALFORMED');
    expect(await codeOf(await send('push', { body: 'not gzip', headers: gzip }))).toBe('400 SYNC_MALFORMED');
    expect(await codeOf(await send('push', { body: bomb, headers: gzip }))).toBe('413 BODY_TOO_LARGE');
    expect(await codeOf(await send('push', { body: Buffer.alloc(MAX_MESSAGE_BYTES + 1, 0x20) }))).toBe(
      '413 BODY_TOO_LARGE',
    );
    const other = { 'Content-Encoding': 'br' };
    expect(await codeOf(await send('push', { body: '{}', headers: other }))).toBe(
      '415 UNSUPPORTED_MEDIA_TYPE',
    );
    const plain = { 'Content-Type': 'text/plain' };
    expect(await codeOf(await send('push', { body: '{}', headers: plain }))).toBe(
      '415 UNSUPPORTED_MEDIA_TYPE',
    );
    expect((await fetch(`${both.hosted.base}/sync/v1/push`)).status).toBe(405);
    expect(await stream()).toEqual(before);
    const counted = both.hosted.refusals.totals('http');
    expect(counted['413 BODY_TOO_LARGE']).toBe(2);
    expect(counted['400 SYNC_MALFORMED']).toBe(5);
  });

  test('one gateway alone cannot take all the room', async () => {
    const body = JSON.stringify(hello());
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await send('hello', { body })).status),
    );
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(6);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    expect((await send('hello', { body })).status).toBe(200);
  });

  test('a body that ends before its time changes nothing', async () => {
    const { port, hostname } = new URL(both.hosted.base);
    const before = await stream();
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `POST /sync/v1/push HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"epoch":`,
    );
    socket.resume();
    socket.end();
    await once(socket, 'close');
    expect(await stream()).toEqual(before);
    expect((await send('hello', { body: JSON.stringify(hello()) })).status).toBe(200);
  });

  describe('the live connection', () => {
    function open(bearer = token) {
      const socket = new WebSocket(`${both.hosted.base.replace('http', 'ws')}/sync/v1/live`, {
        headers: { Authorization: `Bearer ${bearer}` },
      });
      const frames: HostedFrame[] = [];
      socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString())));
      socket.on('error', () => undefined);
      const closed = new Promise<number>((resolve) => socket.on('close', resolve));
      return { socket, frames, closed };
    }
    async function until(holds: () => boolean): Promise<void> {
      for (let round = 0; round < 3_000 && !holds(); round += 1)
        await new Promise((resolve) => setTimeout(resolve, 10));
      expect(holds()).toBe(true);
    }

    test('tells a gateway where the feed stands, and when it moves', async () => {
      const { socket, frames, closed } = open();
      await until(() => frames.length === 1);
      const { core_seq } = await stream();
      expect(frames[0]).toEqual({ is: 'poke', head: core_seq });
      both.hosted.processes.bus.tell({ is: 'stream', streamId: 2, head: core_seq + 1 });
      both.hosted.processes.bus.tell({ is: 'stream', streamId: 3, head: 99 });
      await until(() => frames.length === 2);
      expect(frames[1]).toEqual({ is: 'poke', head: core_seq + 1 });
      socket.close();
      await closed;
    });

    test('is one per gateway: the newer wins', async () => {
      const first = open();
      await until(() => first.frames.length === 1);
      const second = open();
      expect(await first.closed).toBe(4001);
      await until(() => second.frames.length === 1);
      expect(both.hosted.sync?.sockets.counts().open).toBe(1);
      second.socket.close();
      await second.closed;
    });

    test('is refused without a token', async () => {
      const socket = open('nonsense');
      expect(await socket.closed).toBe(1006);
      expect(both.hosted.refusals.totals('http')['401 SYNC_TOKEN']).toBeGreaterThan(0);
    });

    test('passes over words it does not know, ends with what is no word at all', async () => {
      const { socket, frames, closed } = open();
      await until(() => frames.length === 1);
      socket.send(JSON.stringify({ is: 'weather', rain: true }));
      socket.send(
        JSON.stringify({
          is: 'report',
          head: { core: 1, history: 2 },
          oldest_unacked_ms: null,
          clock: 'trusted',
          parked: 0,
          disk: 'ok',
        }),
      );
      const reported = async () =>
        (
          await both.hosted.database.read
            .selectFrom('gateways')
            .select('last_report_json')
            .executeTakeFirstOrThrow()
        ).last_report_json;
      for (let round = 0; round < 3_000 && (await reported()) === null; round += 1)
        await new Promise((resolve) => setTimeout(resolve, 10));
      expect(JSON.parse((await reported()) ?? '')).toMatchObject({ head: { core: 1, history: 2 } });
      socket.send('not json');
      expect(await closed).toBe(4007);
      expect(await both.hosted.metrics.text()).toContain(
        'sync_refused_total{kind="live",code="frame_not_understood"} 1',
      );
    });

    test.each([
      ['nested deeply', `${'['.repeat(400_000)}${']'.repeat(400_000)}`, 4007],
      ['of nothing but small values', `[${'0,'.repeat(400_000)}0]`, 4007],
      ['larger than any farm says', JSON.stringify({ is: 'weather', rain: 'x'.repeat(1_100_000) }), 1009],
    ])('ends with a frame %s, before it is parsed', async (_what, text, code) => {
      const { socket, frames, closed } = open();
      await until(() => frames.length === 1);
      socket.send(text);
      expect(await closed).toBe(code);
      const next = open();
      await until(() => next.frames.length === 1);
      next.socket.close();
      await next.closed;
    });

    test('of one that talks without end is ended', async () => {
      const { socket, frames, closed } = open();
      await until(() => frames.length === 1);
      for (let n = 0; n < 200; n += 1) socket.send(JSON.stringify({ is: 'weather' }));
      expect(await closed).toBe(4008);
    });

    test('ends at once when the gateway is unpaired', async () => {
      const { frames, closed } = open();
      await until(() => frames.length === 1);
      const { id } = await both.hosted.database.read
        .selectFrom('gateways')
        .select('id')
        .executeTakeFirstOrThrow();
      await both.hosted.kernel.commit({
        actor: null,
        changes: [update(pairedGateway, id, { status: 'revoked' })],
      });
      expect(await closed).toBe(4003);
      expect(frames.at(-1)).toEqual({ is: 'revoked' });
      expect((await send('hello', { body: JSON.stringify(hello()) })).status).toBe(403);
    });
  });
});

describe('more gateways than can be served', () => {
  type Bounds = Pick<Parameters<typeof createShedding>[0], 'running' | 'runningHistory' | 'waiting'>;
  const clock = { ms: 0, rests: [] as { ms: number; end: () => void }[] };
  const aShedding = (bounds: Bounds, rest = 0, busy = 1) =>
    createShedding({
      ...bounds,
      rest,
      watchBusy: () => () => busy,
      monotonic: () => clock.ms,
      later: (ms, end) => (ms === 0 ? end() : void clock.rests.push({ ms, end })),
    });

  test('history rests little while the processor has little to do', async () => {
    const bounds = { running: 2, runningHistory: 1, waiting: { core: 9, history: 9 } };
    const shedding = aShedding(bounds, 2, 0.25);
    const work = async () => void (clock.ms += 40);
    const all = [1, 2].map(() => shedding.run('history', work));
    await all[0];
    const [rest] = clock.rests.splice(0);
    expect(rest?.ms).toBe(20);
    rest?.end();
    await Promise.all(all);
  });

  test('history rests between gateways, so that orders find a processor', async () => {
    const bounds = { running: 2, runningHistory: 1, waiting: { core: 9, history: 9 } };
    const shedding = aShedding(bounds, 2);
    const order: string[] = [];
    const work = (name: string) => async () => {
      clock.ms += 40;
      order.push(name);
    };
    const all = ['one', 'two'].map((name) => shedding.run('history', work(name)));
    await all[0];
    await shedding.run('core', work('core'));
    expect(order).toEqual(['one', 'core']);
    const [rest] = clock.rests.splice(0);
    expect(rest?.ms).toBe(80);
    rest?.end();
    await Promise.all(all);
    expect(order).toEqual(['one', 'core', 'two']);
    // nobody waits: nobody is kept waiting
    await shedding.run('history', work('three'));
    expect(clock.rests).toEqual([]);
  });

  test('core goes before history, and what finds no room is sent away', async () => {
    const shedding = aShedding({ running: 1, runningHistory: 1, waiting: { core: 1, history: 1 } });
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = shedding.run('history', () => gate.promise.then(() => order.push('first')));
    const history = shedding.run('history', async () => order.push('history'));
    const core = shedding.run('core', async () => order.push('core'));
    expect(await shedding.run('core', async () => order.push('too many'))).toBeNull();
    expect(await shedding.run('history', async () => order.push('too many'))).toBeNull();
    gate.resolve();
    await Promise.all([first, history, core]);
    expect(order).toEqual(['first', 'core', 'history']);
    expect(shedding.counts()).toEqual({ running: 0, waiting: 0, shed: 2 });
  });

  test('readings of years leave room for what control and people wait for', async () => {
    const shedding = aShedding({ running: 3, runningHistory: 1, waiting: { core: 9, history: 9 } });
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    const readings = ['one', 'two'].map((name) =>
      shedding.run('history', () => gate.promise.then(() => order.push(name))),
    );
    await shedding.run('core', async () => order.push('core'));
    expect(shedding.counts()).toEqual({ running: 1, waiting: 1, shed: 0 });
    gate.resolve();
    await Promise.all(readings);
    expect(order).toEqual(['core', 'one', 'two']);
  });

  test('work that fails gives its place to the next', async () => {
    const shedding = aShedding({ running: 1, runningHistory: 1, waiting: { core: 9, history: 9 } });
    await expect(shedding.run('core', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await shedding.run('core', async () => 'served')).toBe('served');
  });
});
