import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hardenServer, SERVER_OPTIONS } from '#adapters/http/harden-server.ts';
import { farm } from '#contract/resources/farms.ts';
import { insert } from '#core/changes.ts';
import { type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

type App = Awaited<ReturnType<typeof startApp>>;
const JSON_TYPE = { 'Content-Type': 'application/json' };

onBothEngines('a bad request', (_open, engine) => {
  let app: App;
  let owner: SignedUp;
  beforeAll(async () => {
    app = await startApp(engine);
    owner = await app.signUp();
  });
  afterAll(() => app.close());
  const createFarm = (body: unknown, headers: Record<string, string> = JSON_TYPE) =>
    app.call('POST', '/farms/', { token: owner.token, body, headers });
  const farms = async () => (await app.call('GET', '/farms/', { token: owner.token })).body;

  test.each([
    ['malformed JSON', '{"name":', JSON_TYPE, 400, 'MALFORMED_JSON'],
    ['a body that is not JSON', 'name=x', { 'Content-Type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a body over 1 MiB', JSON.stringify({ name: 'x'.repeat(1_048_576) }), JSON_TYPE, 413, 'BODY_TOO_LARGE'],
    ['an unknown encoding', '{}', { ...JSON_TYPE, 'Content-Encoding': 'zip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a list', '[1]', JSON_TYPE, 422, 'VALIDATION_ERROR'],
    ['nothing', '', JSON_TYPE, 422, 'VALIDATION_ERROR'],
    [
      'a bottomless nest',
      `{"name":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      JSON_TYPE,
      400,
      'MALFORMED_JSON',
    ],
  ])('%s is refused and stores nothing', async (_what, body, headers, status, code) => {
    const reply = await createFarm(body, headers);
    expect([reply.status, reply.body]).toEqual([
      status,
      expect.objectContaining({ code, detail: expect.any(String) }),
    ]);
    expect(await farms()).toEqual([]);
  });

  test.each([
    ['a field that is missing', {}, 'batch_id: is required'],
    ['a list for an id', { batch_id: ['x'] }, 'batch_id: must be an id: a UUID, or the integer id'],
    ['a text for a number', { quantity_kg: '5' }, 'quantity_kg: must be a number'],
    ['nothing for a number', { quantity_kg: null }, 'quantity_kg: must be a number'],
    ['a number at its open end', { quantity_kg: 0 }, 'quantity_kg: must be more than 0'],
    ['a number beyond its end', { quantity_kg: 1e7 }, 'quantity_kg: must be at most 1000000'],
    ['an empty text', { feed_type: ' ' }, 'feed_type: must not be empty'],
    ['a long text', { feed_type: 'x'.repeat(256) }, 'feed_type: must have at most 255 characters'],
  ])('%s is told in plain words', async (what, fields, words) => {
    const whole = {
      batch_id: randomUUID(),
      feed_type: '35 %',
      quantity_kg: 1,
      cost_per_kg: 1,
      feed_date: '2026-03-01',
    };
    const body = what === 'a field that is missing' ? {} : { ...whole, ...fields };
    const reply = await app.call('POST', '/feeding/', { token: owner.token, body });
    expect(reply).toMatchObject({ status: 422, body: { detail: expect.stringContaining(words) as unknown } });
  });

  test('a word out of a closed list is told with the list', async () => {
    const reply = await app.call('GET', '/batches/?status=x', { token: owner.token });
    expect(reply.body).toMatchObject({ detail: 'status: must be one of ACTIVE, FINISHED, ABORTED' });
  });

  test.each([
    ['the character U+0000', '{"name":"a\\u0000b"}', 'name', 'TEXT_NOT_ALLOWED'],
    ['half a surrogate pair', '{"name":"a\\ud800"}', 'name', 'TEXT_NOT_ALLOWED'],
    ['it where nobody looks', '{"name":"x","unknown":{"a":["\\u0000"]}}', 'unknown.a.0', 'TEXT_NOT_ALLOWED'],
    ['a number beyond all numbers', '{"name":"x","lat":1e999}', 'lat', 'NUMBER_TOO_LARGE'],
    ['a number next to nothing', '{"name":"x","lat":5e-324}', 'lat', 'NUMBER_TOO_SMALL'],
    ['a prototype', '{"name":"x","__proto__":{"role":"ADMIN"}}', '__proto__', 'NAME_NOT_ALLOWED'],
  ])('%s is named with its field', async (_what, body, path, code) => {
    const reply = await createFarm(body);
    expect(reply).toMatchObject({
      status: 422,
      body: { code: 'VALIDATION_ERROR', errors: [{ path, code }] },
    });
    expect(await farms()).toEqual([]);
  });

  test('a query parameter given twice, or with text nothing can hold, is named', async () => {
    for (const query of ['limit=1&limit=2', 'limit=%00', 'limit=abc', 'skip=-1']) {
      const reply = await app.call('GET', `/farms/?${query}`, { token: owner.token });
      const name = query.split('=')[0];
      expect([query, reply.status, reply.body]).toEqual([
        query,
        422,
        expect.objectContaining({ errors: [expect.objectContaining({ path: name })] }),
      ]);
    }
    expect((await app.call('GET', '/farms/?cache=1&cache=2', { token: owner.token })).status).toBe(200);
  });

  test('an address that cannot be decoded is 400, an id that cannot exist 404', async () => {
    expect((await app.call('GET', '/farms/%ZZ', { token: owner.token })).status).toBe(400);
    for (const id of ['%00', 'a%00b', 'nonsense', '__proto__', randomUUID()]) {
      expect([id, (await app.call('GET', `/farms/${id}`, { token: owner.token })).status]).toEqual([id, 404]);
    }
  });

  test('a body that grows beyond 1 MiB while it comes is refused, and the next request on the line is served', async () => {
    const headers = { ...JSON_TYPE, Authorization: `Bearer ${owner.token}` };
    const request = httpRequest(`${app.base}/api/v1/farms/`, { method: 'POST', headers });
    const answered = once(request, 'response');
    for (let sent = 0; sent < 20; sent += 1) request.write(`${' '.repeat(65_536)}`);
    request.end('{}');
    const [response] = await answered;
    expect([response.statusCode, JSON.parse(await text(response))]).toMatchObject([
      413,
      { code: 'BODY_TOO_LARGE' },
    ]);
    expect(await farms()).toEqual([]);
  });

  test('who sends too much and goes then, as through a proxy, hears why', async () => {
    for (const [size, type, status] of [
      [8_000_000, 'application/json', 413],
      [900_000, 'text/csv', 415],
    ] as const) {
      const headers = {
        'Content-Type': type,
        'Content-Length': size,
        Authorization: `Bearer ${owner.token}`,
        Connection: 'close',
      };
      const request = httpRequest(`${app.base}/api/v1/farms/`, { method: 'POST', headers });
      const answered = once(request, 'response');
      request.end(' '.repeat(size));
      const [response] = await answered;
      expect([response.statusCode, JSON.parse(await text(response))]).toMatchObject([
        status,
        { detail: expect.any(String) },
      ]);
      if (!request.writableFinished) await once(request, 'finish');
    }
  });

  test('text that is not UTF-8 is refused', async () => {
    const response = await fetch(`${app.base}/api/v1/farms/`, {
      method: 'POST',
      headers: { ...JSON_TYPE, Authorization: `Bearer ${owner.token}` },
      body: Buffer.from('{"name":"fazenda \xe3"}', 'latin1'),
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'MALFORMED_JSON' }]);
  });

  test('the request id of a fault stands in the log', async () => {
    const reply = await app.call('GET', '/nothing', { headers: { 'X-Request-Id': 'trace-7' } });
    expect(reply.headers.get('x-request-id')).toBe('trace-7');
  });
});

describe('a long list', () => {
  let app: App;
  let owner: SignedUp;
  beforeAll(async () => {
    app = await startApp();
    owner = await app.signUp();
    const changes = Array.from({ length: 6_000 }, (_, number) =>
      insert(farm, {
        id: randomUUID(),
        name: `Fazenda ${number}`,
        description: 'x'.repeat(1_000),
        owner_id: owner.user.id,
        address_id: null,
        lat: null,
        lng: null,
        timezone: 'America/Fortaleza',
        created_at: new Date(Date.UTC(2026, 0, 1) + number).toISOString(),
        updated_at: null,
      }),
    );
    await app.kernel.commit({ changes, actor: null });
  });
  afterAll(() => app.close());

  const ask = () =>
    httpRequest(`${app.base}/api/v1/farms/`, {
      headers: { Authorization: `Bearer ${owner.token}` },
      agent: false,
    });

  test('reaches a slow reader whole, and others are served meanwhile', async () => {
    const request = ask().end();
    const response = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
    // nothing is read: the server may fill the line and then has to wait
    response.pause();
    for (let meanwhile = 0; meanwhile < 20; meanwhile += 1) {
      expect((await app.call('GET', '/farms/?limit=1', { token: owner.token })).status).toBe(200);
    }
    const rows = JSON.parse(await text(response));
    expect(rows.length).toBe(6_000);
    expect(rows.map(({ name }: { name: string }) => name).slice(-1)).toEqual(['Fazenda 5999']);
  });

  test('whose reader goes away ends quietly', async () => {
    const before = app.sentences.length;
    const request = ask().end();
    await new Promise<void>((resolve) => request.once('response', () => resolve()));
    request.destroy();
    expect((await app.call('GET', '/farms/?limit=1', { token: owner.token })).status).toBe(200);
    expect(app.sentences.slice(before).filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a hardened server', () => {
  let app: App;
  let server: Server;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    server = hardenServer(createServer({ ...SERVER_OPTIONS, connectionsCheckingInterval: 20 }, app.app));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
  });

  async function say(words: string): Promise<string> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(words);
    return text(socket);
  }
  const statusAndBody = (answer: string) => [
    Number(answer.split(' ')[1]),
    JSON.parse(answer.split('\r\n\r\n')[1] ?? ''),
  ];

  test('answers what it cannot read with 400 in its own words', async () => {
    expect(statusAndBody(await say('NONSENSE\r\n\r\n'))).toEqual([
      400,
      { detail: 'The request could not be read', code: 'BAD_REQUEST' },
    ]);
  });

  test.each([
    ['names two hosts', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\n'],
    ['names one host twice', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n'],
    ['asks as if this were a proxy', 'GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n'],
    [
      'asks so for a route',
      'GET http://localhost/api/v1/subscriptions/plans HTTP/1.1\r\nHost: evil.example\r\n',
    ],
  ])('who %s is told that it is not clear whom they ask', async (_who, words) => {
    const answer = await say(`${words}Connection: close\r\n\r\n`);
    expect(statusAndBody(answer)).toMatchObject([400, { code: 'BAD_REQUEST' }]);
  });

  test.each(['NONSENSE\r\n\r\n', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: farm\r\n\r\n`])(
    'is as strict with browsers there as anywhere: %#',
    async (words) => {
      const head = (await say(words)).split('\r\n\r\n')[0] ?? '';
      expect(head).toMatch(/^X-Content-Type-Options: nosniff$/im);
      expect(head).toMatch(
        /^Content-Security-Policy: default-src 'none'; base-uri 'none'; frame-ancestors 'none'$/im,
      );
      expect(head).toMatch(/^Cache-Control: no-store$/im);
    },
  );

  test('answers an endless address with 431', async () => {
    const answer = await say(`GET /api/v1/farms/?a=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: farm\r\n\r\n`);
    expect(statusAndBody(answer)).toMatchObject([431, { code: 'HEADERS_TOO_LARGE' }]);
  });

  test('does not wait for ever for a client that drips its headers', async () => {
    server.headersTimeout = 50;
    const answer = await say('GET /healthz HTTP/1.1\r\nHost: farm\r\nX-Slow: ');
    expect(statusAndBody(answer)).toMatchObject([408, { code: 'REQUEST_TIMEOUT' }]);
  });

  test('tells hundreds that ran out of time one in each turn of the loop', async () => {
    const told: string[] = [];
    const slow = hardenServer(
      createServer({ ...SERVER_OPTIONS, connectionsCheckingInterval: 20 }),
      (reason) => void told.push(reason),
    );
    const connected: unknown[] = [];
    slow.on('connection', (socket) => void connected.push(socket));
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const { port } = slow.address() as AddressInfo;
    const answers = Array.from({ length: 200 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\n');
      return text(socket);
    });
    await expect.poll(() => connected.length).toBe(200);
    slow.headersTimeout = 1;
    const inOneTurn: number[] = [];
    while (told.length < 200) {
      const before = told.length;
      await nextTurn();
      inOneTurn.push(told.length - before);
    }
    expect(Math.max(...inOneTurn)).toBe(1);
    for (const answer of await Promise.all(answers)) expect(answer.split(' ')[1]).toBe('408');
    await new Promise((resolve) => slow.close(resolve));
  });

  test('keeps a connection from one heartbeat to the next', () => {
    expect(server.keepAliveTimeout).toBeGreaterThan(60_000);
    expect(server.maxConnections).toBe(10_000);
  });
});
