import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FarmRole, MEMBER_ROLES } from '#contract/words.ts';
import { OWNED, type Owned, type Route } from '#core/route.ts';
import { apiDocument } from '#test/api-document.ts';
import { type App, type Reply, type SignedUp, startApp } from '#test/app.ts';
import { type Engine, onBothEngines } from '#test/databases.ts';
import { aFarm, deviceIdOf } from '#test/farm-rows.ts';
import { type ApiDocument, idFor, type Names, operationOf, sampleRequest } from '#test/sample-request.ts';
import { standingFarm } from '#test/standing-farm.ts';

// Every route of a farm against ids of other farms and of deleted ones, wherever a request can name them: in the path,
// the query, the body, each beside ids that are one's own. Who may do what with one's own: permissions.test.ts.

onBothEngines('a farm of others is not there', (_open, engine) => isNotThere(engine));
describe('a farm of others is not there on a hosted instance', () => {
  isNotThere('sqlite', ['--role', 'hosted', '--rate-limits', '0', '--allow-unkeyed-devices', '1']);
});

function isNotThere(engine: Engine, args: readonly string[] = []): void {
  let app: App;
  let document: ApiDocument;
  let people: Record<FarmRole | 'neighbour' | 'invited', SignedUp>;
  beforeAll(async () => {
    app = await startApp(engine, args);
    document = apiDocument(app.routes);
    const words = ['OWNER', ...MEMBER_ROLES, 'neighbour', 'invited'] as const;
    const made = await Promise.all(words.map(async (word) => [word, await app.signUp()] as const));
    people = Object.fromEntries(made) as typeof people;
  });
  afterAll(() => app.close());

  async function farmOf(owner: SignedUp): Promise<Names> {
    const members = owner === people.OWNER ? MEMBER_ROLES.map((role) => [role, people[role].user.id]) : [];
    const ids = await aFarm(app.kernel, owner.user.id, Object.fromEntries(members));
    return { ...ids, user: owner.user.id, device: deviceIdOf(ids.control_point) };
  }

  const ofFarms = () => app.routes.filter(({ access }) => access.who === 'farm');
  const send = (
    route: Route,
    { path, body }: { path: string; body?: unknown },
    who: SignedUp,
  ): Promise<Reply> =>
    app.call(route.method, path, { token: who.token, ...(body === undefined ? {} : { body }) });

  test('to who is invited and has not answered', async () => {
    const names = await farmOf(people.OWNER);
    const asked = await app.call('POST', `/farms/${names.farm}/members`, {
      token: people.OWNER.token,
      body: { user_id: people.invited.user.id, role: 'MANAGER' },
    });
    expect(asked.status).toBeLessThan(300);
    const open: string[] = [];
    for (const route of ofFarms()) {
      const { status } = await send(route, sampleRequest(document, route, names), people.invited);
      const { access } = route;
      const want = access.who === 'farm' && access.others === 403 ? 403 : 404;
      if (status !== want) open.push(`${route.method} ${route.path}: ${status}`);
    }
    expect(open).toEqual([]);
  });

  test('once it is deleted, not to its owner either', async () => {
    const names = await farmOf(people.OWNER);
    const gone = await app.call('DELETE', `/farms/${names.farm}`, { token: people.OWNER.token });
    expect(gone.status).toBeLessThan(300);
    const open: string[] = [];
    for (const who of ['OWNER', 'MANAGER'] as const)
      for (const route of ofFarms()) {
        const { status } = await send(route, sampleRequest(document, route, names), people[who]);
        const isGone =
          status === 404 || (route.access.who === 'farm' && route.access.others === 403 && status === 403);
        if (!isGone) open.push(`${who}: ${route.method} ${route.path}: ${status}`);
      }
    expect(open).toEqual([]);
  });

  test('a single thing that is deleted, wherever its id is named', async () => {
    const open: string[] = [];
    const deleted: string[] = [];
    const farm = standingFarm(() => farmOf(people.OWNER));
    const removalOf = (thing: Owned) =>
      ofFarms().find(
        ({ method, path, access }) =>
          method === 'DELETE' && path.endsWith('}') && access.who === 'farm' && access.of === thing,
      );
    for (const thing of OWNED.filter((one) => one !== 'farm' && removalOf(one) !== undefined)) {
      const gone = await farmOf(people.OWNER);
      // a bus and a profile are in use while their probe stands
      for (const one of thing.startsWith('probe_') ? (['probe', thing] as const) : [thing]) {
        const removal = removalOf(one);
        if (removal === undefined) continue;
        const { path } = sampleRequest(document, removal, gone);
        const { status } = await send(removal, { path: `${path}?force=true` }, people.OWNER);
        if (status >= 300) open.push(`${thing} could not be deleted: ${path} ${status}`);
      }
      deleted.push(thing);
      for (const route of ofFarms()) {
        const { access } = route;
        const isOfIt = access.who === 'farm' && access.of === thing;
        const request = isOfIt ? sampleRequest(document, route, gone) : null;
        // its id beside those of another farm of the same owner
        const beside = mixed(route, await farm.names(), gone, [thing]);
        const told = request ?? (beside.isMixed ? beside.told : null);
        if (told === null) continue;
        const reply = await send(route, told, people.OWNER);
        farm.answered(route.method, reply);
        const isThere = isOfIt ? reply.status !== 404 : route.method !== 'GET' && reply.status < 400;
        if (isThere || reply.status >= 500)
          open.push(`${thing}: ${route.method} ${told.path} ${JSON.stringify(told.body)}: ${reply.status}`);
      }
    }
    expect(open).toEqual([]);
    // an alert ends, and is not deleted
    const always = [
      'pond',
      'aerator',
      'control_point',
      'schedule',
      'batch',
      'harvest',
      'transfer',
      'expense',
    ];
    expect(deleted).toEqual(expect.arrayContaining([...always, 'biometry', 'feeding_record', 'measurement']));
  });

  /** A request of one's own farm with every other field that can name a thing, and the things of others in them. */
  function mixed(route: Route, own: Names, foreign: Names, of: readonly Owned[] = OWNED) {
    const { access } = route;
    const things = of.filter((thing) => access.who !== 'farm' || access.of !== thing);
    const names: Names = { ...own, ...Object.fromEntries(things.map((thing) => [thing, foreign[thing]])) };
    const request = sampleRequest(document, route, names);
    const operation = operationOf(document, route);
    const more = Object.keys(
      operation.requestBody?.content['application/json']?.schema.properties ?? {},
    ).flatMap((field) => {
      const id = idFor(route, field, names);
      return id === null ? [] : [[field, id] as const];
    });
    const [path = '', query = ''] = request.path.split('?');
    const asked = new URLSearchParams(query);
    for (const { name, in: where } of operation.parameters ?? []) {
      const id = where === 'query' ? idFor(route, name, names) : null;
      if (id !== null) asked.set(name, id);
    }
    const body =
      request.body === undefined && more.length === 0
        ? undefined
        : { ...request.body, ...Object.fromEntries(more) };
    const told = {
      path: asked.size === 0 ? path : `${path}?${asked}`,
      ...(body === undefined ? {} : { body }),
    };
    const ids = of.map((thing) => foreign[thing]);
    return { told, isMixed: ids.some((id) => JSON.stringify(told).includes(id)) };
  }

  test('beside what is one’s own, in path, query and body', async () => {
    const foreign = await farmOf(people.neighbour);
    const farm = standingFarm(() => farmOf(people.OWNER));
    const before = await namedIn(foreign);
    const open: string[] = [];
    let tried = 0;
    for (const route of ofFarms()) {
      const { told, isMixed } = mixed(route, await farm.names(), foreign);
      if (!isMixed) continue;
      tried += 1;
      const reply = await send(route, told, people.OWNER);
      farm.answered(route.method, reply);
      const text = JSON.stringify(reply.body);
      // a list that is asked for what is another's may be empty; what is changed may not name it
      const isOpen = route.method === 'GET' ? text.includes(foreign.farm) : reply.status < 400;
      if (isOpen || reply.status >= 500)
        open.push(
          `${route.method} ${told.path} ${JSON.stringify(told.body)}: ${reply.status} ${text.slice(0, 200)}`,
        );
    }
    expect(open).toEqual([]);
    expect(tried).toBeGreaterThan(10);
    expect(await namedIn(foreign)).toEqual(before);
  });

  /** How what stands on that farm is seen by its owner. */
  async function namedIn(names: Names) {
    const paths = [`/farms/${names.farm}`, `/ponds/${names.pond}`, `/control-points/${names.control_point}`];
    const replies = await Promise.all(
      paths.map((path) => app.call('GET', path, { token: people.neighbour.token })),
    );
    return replies.map(({ status, body }) => ({ status, body }));
  }
}
