import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '#core/route.ts';
import { apiDocument } from '#test/api-document.ts';
import { type App, type Reply, type SignedUp, startApp } from '#test/app.ts';
import { type Engine, onBothEngines } from '#test/databases.ts';
import { aFarm, deviceIdOf } from '#test/farm-rows.ts';
import {
  type ApiDocument,
  type JsonSchema,
  type Names,
  operationOf,
  sampleRequest,
} from '#test/sample-request.ts';
import { aPartOf } from '#test/turn.ts';

// What the interface says of every route, tried on every route: If-Match, Idempotency-Key, and the answers to ids,
// bodies and queries that are none. Values of fields: contract-fuzz.test.ts; who may do what: permissions.test.ts. A gateway
// on SQLite is asked about all of its routes each time, the others about a part of theirs.

onBothEngines('every route of a gateway', (_open, engine) => keepsRules(engine));
describe('every route of a hosted instance', () => {
  keepsRules('sqlite', ['--role', 'hosted', '--rate-limits', '0', '--allow-unkeyed-devices', '1']);
});

/** Creates that keep no answer, and why nothing is made twice, or why it may not be kept. */
const NOT_KEPT: Readonly<Record<string, string>> = {
  'POST /auth/register': 'nobody has signed in; an address stands once',
  'POST /firmware/': 'the body is a file, which is named by its digest',
  'POST /system/backup/upload': 'an upload lives for minutes, an answer for a day',
  'POST /sync/claims': 'the body is a code that opens something, and a box is claimed once',
};
/** A mark may be set before its device knocks, and outlives it. */
const MARKS: Readonly<Record<string, true>> = {
  'POST /adoption/queue/{entry_id}/ignore': true,
  'DELETE /adoption/queue/{entry_id}/ignore': true,
};
const JSON_BODY = { 'Content-Type': 'application/json' };
const queryOf = (path: string) => (path.includes('?') ? path.slice(path.indexOf('?')) : '');
const bodyOf = (document: ApiDocument, route: Route) =>
  operationOf(document, route).requestBody?.content['application/json']?.schema;
/** Words of an enumeration as the interface writes them; none where some are written small. */
function capitalsOf(schema: JsonSchema): string[] {
  const own = schema.enum ?? [schema.items, ...(schema.anyOf ?? [])].flatMap((one) => one?.enum ?? []);
  const words = own.filter((word): word is string => typeof word === 'string');
  return words.every((word) => /^[A-Z0-9_]*[A-Z][A-Z0-9_]*$/.test(word)) ? words : [];
}
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

function keepsRules(engine: Engine, args: readonly string[] = []): void {
  let app: App;
  let document: ApiDocument;
  let admin: SignedUp;
  let owner: SignedUp | null = null;
  const walksAll = engine === 'sqlite' && args.length === 0;
  /** A walk that found nothing to look at would find nothing wrong. */
  const expectMore = (looked: number, than: number) => {
    if (walksAll) expect(looked).toBeGreaterThan(than);
  };
  beforeAll(async () => {
    app = await startApp(engine, [...args, '--local-plan', 'ENTERPRISE']);
    document = apiDocument(app.routes);
    admin = await app.signUp({ role: 'ADMIN' });
  });
  afterAll(() => app.close());

  type Sent = { path?: string; token?: string; body?: unknown; headers?: Record<string, string> };
  /** A farm of its own for each route, and a request that the route's schemas accept. */
  async function sampleOf(route: Route) {
    const needsAdmin = route.access.who === 'admin' || route.access.who === 'box' || 'box' in route.access;
    owner ??= await app.signUp();
    const caller = needsAdmin ? admin : owner;
    // the account may be signed out then, or have another password
    if (route.access.who === 'account' && route.method !== 'GET') owner = null;
    const ids = await aFarm(app.kernel, caller.user.id);
    const names: Names = { ...ids, user: caller.user.id, device: deviceIdOf(ids.control_point) };
    const { path, body } = sampleRequest(document, route, names);
    const send = (sent: Sent = {}): Promise<Reply> => {
      const given = 'body' in sent ? sent.body : body;
      return app.call(route.method, sent.path ?? path, {
        token: sent.token ?? caller.token,
        headers: sent.headers ?? {},
        ...(given === undefined ? {} : { body: given }),
      });
    };
    return { caller, path, body, send };
  }

  /** What is wrong on which routes; '' where nothing is. */
  async function walk(
    which: (route: Route) => boolean,
    look: (route: Route, sample: Awaited<ReturnType<typeof sampleOf>>) => Promise<(string | null)[]>,
  ): Promise<string[]> {
    const wrong: string[] = [];
    const routes = app.routes.filter(which);
    for (const route of walksAll ? routes : aPartOf(routes, 4, engine === 'postgres' ? 1 : 2))
      for (const found of await look(route, await sampleOf(route)))
        if (found !== null) wrong.push(`${nameOf(route)}: ${found}`);
    return wrong;
  }
  const told = (what: string, { status, body }: Reply) =>
    `${what}: ${status} ${JSON.stringify(body).slice(0, 200)}`;
  /** Of an error: its shape, and that the document names its status. */
  function asError(route: Route, what: string, reply: Reply, statuses: readonly number[]): string | null {
    const { detail, code } = (reply.body ?? {}) as { detail?: unknown; code?: unknown };
    const isShaped = typeof detail === 'string' && detail !== '' && /^[A-Z][A-Z0-9_]*$/.test(String(code));
    const isTold = reply.status in operationOf(document, route).responses;
    return isShaped && isTold && statuses.includes(reply.status) ? null : told(what, reply);
  }
  const isChange = ({ method }: Route) => method === 'PUT' || method === 'PATCH';
  const isCreate = ({ method, answers }: Route) => method === 'POST' && 201 in answers;

  test('a change under an outdated or a foreign If-Match is refused, and nothing is changed', async () => {
    const wrong = await walk(isChange, async (route, { send }) => {
      const replies = await Promise.all(
        ['"99999"', 'rubbish'].map(
          async (tag) => [tag, await send({ headers: { 'If-Match': tag } })] as const,
        ),
      );
      return replies.map(([tag, reply]) =>
        // a thing of the caller that the sample does not have
        reply.status === 404 && route.access.who === 'account' ? null : asError(route, tag, reply, [412]),
      );
    });
    expect(wrong).toEqual([]);
  });

  test('what carries an ETag is changed under it, once', async () => {
    const singles = new Map(
      app.routes.flatMap((route) => (route.method === 'GET' ? [[route.path, route] as const] : [])),
    );
    let tagged = 0;
    const wrong = await walk(
      (route) => isChange(route) && singles.has(route.path),
      async (route, { send, path, caller }) => {
        const tag = (await app.call('GET', path, { token: caller.token })).headers.get('etag');
        if (tag === null) return [route.hasNoTag === true || route.access.who !== 'farm' ? null : 'no ETag'];
        if (route.hasNoTag === true) return ['has an ETag that a change does not ask for'];
        tagged += 1;
        const [weak, star] = [
          await send({ headers: { 'If-Match': `W/${tag}` } }),
          await send({ headers: { 'If-Match': '*' } }),
        ];
        return [weak, star].map((reply) => (reply.status === 200 ? null : told(tag, reply)));
      },
    );
    expect(wrong).toEqual([]);
    expectMore(tagged, 8);
  });

  test('a deletion under an outdated or a foreign If-Match deletes nothing, under the right one it does', async () => {
    const singles = new Set(app.routes.flatMap(({ method, path }) => (method === 'GET' ? [path] : [])));
    let deleted = 0;
    const wrong = await walk(
      ({ method }) => method === 'DELETE',
      async (route, { send, path, caller }) => {
        const found: (string | null)[] = [];
        for (const tag of ['"99999"', 'rubbish']) {
          const reply = await send({ headers: { 'If-Match': tag } });
          // a thing that the sample does not have
          const isMissing = reply.status === 404 && !singles.has(route.path);
          found.push(isMissing ? null : asError(route, tag, reply, [412, 404]));
        }
        if (!singles.has(route.path)) return found;
        const before = await app.call('GET', path.split('?')[0] ?? path, { token: caller.token });
        const tag = before.headers.get('etag');
        if (before.status !== 200 || tag === null) return found;
        const reply = await send({ headers: { 'If-Match': tag } });
        if (reply.status === 204) deleted += 1;
        // one that something else forbids
        // and an account asks for its password
        const isAsked = route.access.who === 'account' && reply.status === 422;
        return [...found, isAsked || [204, 409].includes(reply.status) ? null : told(tag, reply)];
      },
    );
    expect(wrong).toEqual([]);
    expectMore(deleted, 8);
  });

  test('a create keeps its answer for the key of a request, or shows what opens something', () => {
    const without = app.routes.filter(
      (route) => isCreate(route) && !route.idempotent && !route.answersSecret && !(nameOf(route) in NOT_KEPT),
    );
    expect(without.map(nameOf)).toEqual([]);
  });

  test('a create that is repeated under its key creates once, and under another body is refused', async () => {
    let made = 0;
    const wrong = await walk(
      (route) => isCreate(route) && route.idempotent,
      async (route, { send, body }) => {
        const headers = { 'Idempotency-Key': nameOf(route) };
        const first = await send({ headers });
        // the sample cannot make every one: 403 and the like are other tests'
        if (first.status !== 201) return [first.status < 500 ? null : told('first', first)];
        made += 1;
        const again = await send({ headers });
        const other = await send({ headers, body: { ...(body as object), notes: 'another' } });
        const isSame =
          again.status === 201 &&
          JSON.stringify(again.body) === JSON.stringify(first.body) &&
          again.headers.get('etag') === first.headers.get('etag') &&
          again.headers.get('idempotent-replayed') === 'true';
        const refused = await Promise.all(
          ['', ' ', 'x'.repeat(256)].map((key) => send({ headers: { 'Idempotency-Key': key } })),
        );
        return [
          isSame ? null : told('again', again),
          asError(route, 'another body', other, [422]),
          ...refused.map((reply) => asError(route, 'no key', reply, [422])),
        ];
      },
    );
    expect(wrong).toEqual([]);
    expectMore(made, 10);
  });

  test('an id that is none or of nothing, in the path, is not found', async () => {
    const IDS = ['nonsense', '01890000-0000-7000-8000-00000000abcd', '0', '%00', 'a'.repeat(300)];
    const wrong = await walk(
      (route) => route.path.includes('{') && !(nameOf(route) in MARKS),
      async (route, { send, path }) => {
        const replies = await Promise.all(
          IDS.map(
            async (id) =>
              [id, await send({ path: `${route.path.replaceAll(/\{\w+\}/g, id)}${queryOf(path)}` })] as const,
          ),
        );
        // a file is looked at before what it is for
        const refused = route.takes === undefined ? [404, 403] : [404, 403, 415];
        return replies.map(([id, reply]) => asError(route, id.slice(0, 40), reply, refused));
      },
    );
    expect(wrong).toEqual([]);
  });

  test('an id that a caller gives is one of those that two never draw alike', async () => {
    // none, all, a clock of one machine, and the kind that alerts of the gateway itself are named by
    const IDS = ['0'.repeat(8), 'f'.repeat(8), '1', '5'].map((kind) =>
      kind.length === 1
        ? `01890000-0000-${kind}000-8000-00000000abcd`
        : `${kind}-${kind.slice(4)}-${kind.slice(4)}-${kind.slice(4)}-${kind.slice(4)}${kind}`,
    );
    let looked = 0;
    const wrong = await walk(
      (route) => isCreate(route) && 'id' in (bodyOf(document, route)?.properties ?? {}),
      async (route, { send, body }) => {
        looked += 1;
        const refused: (string | null)[] = [];
        for (const id of IDS) {
          const reply = await send({ body: { ...(body as object), id } });
          refused.push(asError(route, id, reply, [route.invalid]));
        }
        return refused;
      },
    );
    expect(wrong).toEqual([]);
    expectMore(looked, 15);
  });

  test('a word of an enumeration is taken in any case, in bodies and in queries', async () => {
    const looked: string[] = [];
    const wrong = await walk(
      (route) => route.body !== undefined || route.query !== undefined,
      async (route, { path, body }) => {
        const { parameters = [] } = operationOf(document, route);
        const inQuery = parameters.filter(({ in: where }) => where === 'query');
        const given = Object.fromEntries(new URLSearchParams(queryOf(path)));
        const places = [
          [route.body, bodyOf(document, route)?.properties ?? {}, { ...(body as object) }],
          [route.query, Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])), given],
        ] as const;
        return places.flatMap(([schema, fields, sent]) =>
          Object.entries(fields).flatMap(([field, described]) => {
            const word = capitalsOf(described)[0];
            if (schema === undefined || word === undefined) return [];
            looked.push(`${nameOf(route)} ${field}`);
            const said = (as: string) =>
              schema.safeParse({ ...sent, [field]: described.items === undefined ? as : [as] });
            const [usual, small] = [said(word), said(` ${word.toLowerCase()}`)];
            const isSame = JSON.stringify(usual) === JSON.stringify(small);
            return [isSame ? null : `${field}: ${JSON.stringify(small.error?.issues[0])}`];
          }),
        );
      },
    );
    expect(wrong).toEqual([]);
    expectMore(looked.length, 30);
  });

  test('a yes or no of a query is taken as each language writes it, and as a figure', async () => {
    const looked: string[] = [];
    const wrong = await walk(
      ({ query }) => query !== undefined,
      async (route, { path }) => {
        const { parameters = [] } = operationOf(document, route);
        const given = Object.fromEntries(new URLSearchParams(queryOf(path)));
        const flags = parameters.filter(
          ({ in: where, schema }) => where === 'query' && schema.type === 'boolean',
        );
        return flags.map(({ name }) => {
          looked.push(`${nameOf(route)} ${name}`);
          const said = ['true', 'True', 'TRUE', '1', 'false', 'False', '0'].map(
            (word) => (route.query?.safeParse({ ...given, [name]: word }).data as typeof given)?.[name],
          );
          const isRead = JSON.stringify(said) === '[true,true,true,true,false,false,false]';
          return isRead ? null : `${name}: ${JSON.stringify(said)}`;
        });
      },
    );
    expect(wrong).toEqual([]);
    expectMore(looked.length, 6);
  });

  test('a body that is no JSON, of another kind, or no object is refused as that', async () => {
    const wrong = await walk(
      (route) => route.method !== 'GET' && route.body !== undefined,
      async (route, { send }) => [
        asError(route, 'half', await send({ body: '{"a":', headers: JSON_BODY }), [400]),
        asError(route, 'text', await send({ body: 'a', headers: { 'Content-Type': 'text/plain' } }), [415]),
        asError(route, 'list', await send({ body: '[]', headers: JSON_BODY }), [route.invalid]),
        asError(route, 'null', await send({ body: 'null', headers: JSON_BODY }), [400]),
        asError(
          route,
          'large',
          await send({ body: `"${'x'.repeat(1_100_000)}"`, headers: JSON_BODY }),
          [413],
        ),
      ],
    );
    expect(wrong).toEqual([]);
  });

  test('a query that is none is refused by its name, and a name that nobody knows is passed over', async () => {
    const wrong = await walk(
      ({ method, query }) => method === 'GET' && query !== undefined,
      async (route, { send, path }) => {
        const beside = `${path}${path.includes('?') ? '&' : '?'}`;
        const plain = await send();
        const unknown = await send({ path: `${beside}nobody_knows=1` });
        const found = [unknown.status === plain.status ? null : told('unknown', unknown)];
        for (const { in: where, name, schema } of operationOf(document, route).parameters ?? []) {
          if (where !== 'query' || JSON.stringify(schema).includes('"type":"string"')) continue;
          const reply = await send({ path: `${beside}${name}=~nonsense~` });
          found.push(asError(route, name, reply, [route.invalid, 403, 404]));
          if (!/"type":"(integer|number)"/.test(JSON.stringify(schema))) continue;
          // taken for 0 it would be a number that nobody said
          const empty = await send({ path: `${beside}${name}=` });
          found.push(asError(route, `${name} empty`, empty, [route.invalid, 403, 404]));
        }
        return found;
      },
    );
    expect(wrong).toEqual([]);
  });

  test('an account without a farm is answered as documented, and without a fault of ours', async () => {
    const nobody = await app.signUp();
    const wrong = await walk(
      ({ access, method }) => access.who !== 'anyone' && (method === 'GET' || access.who !== 'account'),
      async (route, { send }) => {
        const reply = await send({ token: nobody.token });
        const isTold = reply.status in operationOf(document, route).responses;
        if (!isTold || reply.status >= 500) return [told('nobody', reply)];
        return [reply.status < 400 ? null : asError(route, 'nobody', reply, [reply.status])];
      },
    );
    expect(wrong).toEqual([]);
  });

  test('a path is served with and without its slash, and another method is told which there are', async () => {
    const wrong = await walk(
      ({ method }) => method === 'GET',
      async (route, { send, path }) => {
        const [plain = '', query] = path.split('?');
        const slashed = plain.endsWith('/') ? plain.slice(0, -1) : `${plain}/`;
        const [one, two] = [
          await send(),
          await send({ path: query === undefined ? slashed : `${slashed}?${query}` }),
        ];
        const other = await app.call('PROPFIND' as 'GET', path, {});
        return [
          one.status === two.status ? null : told('slash', two),
          other.status === 405 && other.headers.get('allow') !== null ? null : told('method', other),
        ];
      },
    );
    expect(wrong).toEqual([]);
  });

  test('repeated at the same moment, when its key is out of date or its answer too large to keep, a create is made once', async () => {
    const { token, user } = await app.signUp();
    const headers = { 'Idempotency-Key': 'at once' };
    const create = (as: unknown) =>
      app.call('POST', '/farms/', { token: String(as), body: { name: 'Norte' }, headers });
    expect((await create(token)).status).toBe(201);
    app.clock.advance(25 * 3_600_000);
    const login = { email: user.email, password: 'camarao-123' };
    const anew = (await app.call('POST', '/auth/login', { body: login })).body as Record<string, unknown>;
    const again = await Promise.all(Array.from({ length: 8 }, () => create(anew['access_token'])));
    expect(again.map(({ status }) => status)).toEqual(again.map(() => 201));
    expect(new Set(again.map(({ body }) => (body as { id: string }).id)).size).toBe(1);
    const farms = await app.call('GET', '/farms/', { token: String(anew['access_token']) });
    expect(farms.body).toHaveLength(2);

    const ids = await aFarm(app.kernel, user.id);
    const weighing = {
      batch_id: ids.batch,
      measurement_date: new Date(app.clock.now()).toISOString(),
      sample_size: 10_000,
      total_weight_g: 123_456.789,
      individual_weights_g: Array.from({ length: 10_000 }, () => 12.3456789),
    };
    const send = () =>
      app.call('POST', '/biometries/', { token: String(anew['access_token']), body: weighing, headers });
    const both = await Promise.all([send(), send()]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    expect(await send()).toMatchObject({ status: 409, body: { code: 'ALREADY_DONE' } });
  });

  test('a key is free again after a day, whether its answer was swept or not', async () => {
    const { token, user } = await app.signUp();
    const create = (name: string, as: unknown) =>
      app.call('POST', '/farms/', {
        token: String(as),
        body: { name },
        headers: { 'Idempotency-Key': 'daily' },
      });
    expect((await create('Norte', token)).status).toBe(201);
    expect((await create('Sul', token)).status).toBe(422);
    app.clock.advance(25 * 3_600_000);
    const login = { email: user.email, password: 'camarao-123' };
    const anew = (await app.call('POST', '/auth/login', { body: login })).body as Record<string, unknown>;
    const second = await create('Sul', anew['access_token']);
    expect([second.status, second.body]).toMatchObject([201, { name: 'Sul' }]);
    expect((await create('Sul', anew['access_token'])).body).toEqual(second.body);
  });
}
