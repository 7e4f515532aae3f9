import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lostPerson } from '#contract/resources/sync-tables.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { type FarmRole, MEMBER_ROLES } from '#contract/words.ts';
import { insert } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { type Access, type BoxNeed, OWNED, type Route } from '#core/route.ts';
import { grantBoxRight } from '#features/people/box-rights.ts';
import { apiDocument } from '#test/api-document.ts';
import { type Reply, startApp } from '#test/app.ts';
import { type Engine, onBothEngines } from '#test/databases.ts';
import { answerValidator, wrongAnswer } from '#test/documented-answer.ts';
import { aFarm, anInvitation, deviceIdOf } from '#test/farm-rows.ts';
import { type ApiDocument, operationOf, sampleRequest } from '#test/sample-request.ts';
import { standingFarm } from '#test/standing-farm.ts';
import { isInTurn } from '#test/turn.ts';

const CALLERS = [
  'nobody',
  'stranger',
  'VIEWER',
  'OPERATOR',
  'TECHNICIAN',
  'MANAGER',
  'OWNER',
  'box hand',
  'box owner',
  'admin',
] as const;
type Caller = (typeof CALLERS)[number];
type Verdict = 'served' | 'not signed in' | 'forbidden' | 'as if missing' | 'own matter' | 'broken';

/** Who asks at every route each time, on SQLite; the others, and PostgreSQL, ask at a part of them. */
const EACH_TIME: readonly Caller[] = ['nobody', 'stranger', 'VIEWER', 'OPERATOR'];

/** Who has nothing on the farm of this test. */
const OUTSIDERS: readonly Caller[] = ['stranger', 'admin', 'box hand', 'box owner'];

/** Rights over the box; the farm's MANAGER is its keeper, the hand works on another farm of the box's owner. */
const BOX: Readonly<Partial<Record<Caller, readonly BoxNeed[]>>> = {
  'box hand': ['work'],
  MANAGER: ['work', 'keep'],
  'box owner': ['work', 'keep', 'own'],
  admin: ['work', 'keep', 'own'],
};

type Role = 'gateway' | 'hosted';

/** A hosted instance has no box: whatever is granted there counts nothing. */
function mayOnBox(caller: Caller, need: BoxNeed, role: Role): boolean {
  return (role === 'gateway' || caller === 'admin') && (BOX[caller] ?? []).includes(need);
}

/** What the access rule of a route promises to a caller. */
function promised(access: Access, caller: Caller, role: Role): Verdict {
  switch (access.who) {
    case 'anyone':
    case 'device':
      return 'own matter';
    case 'account':
      return caller === 'nobody' ? 'not signed in' : 'own matter';
    case 'admin':
      if (caller === 'nobody') return 'not signed in';
      return caller === 'admin' ? 'served' : 'forbidden';
    case 'box':
      if (caller === 'nobody') return 'not signed in';
      return mayOnBox(caller, access.right, role) ? 'served' : 'forbidden';
    case 'farm': {
      if (caller === 'nobody') return 'not signed in';
      if (OUTSIDERS.includes(caller)) return access.others === 403 ? 'forbidden' : 'as if missing';
      const isEnough = access.box === undefined || mayOnBox(caller, access.box, role);
      return isEnough && mayOnFarm(caller as FarmRole, access.right) ? 'served' : 'forbidden';
    }
    default:
      throw new Error(`a route without an access rule: ${JSON.stringify(access)}`);
  }
}

function verdictOf(access: Access, { status, body }: Reply): Verdict {
  const { code } = (typeof body === 'object' && body !== null ? body : {}) as { code?: string };
  if (status >= 500) return 'broken';
  if (status === 401 && code === 'NOT_AUTHENTICATED' && access.who !== 'device') return 'not signed in';
  if (access.who === 'anyone' || access.who === 'device' || access.who === 'account') return 'own matter';
  // beyond its right a route of the box has refusals of its own: a password, a thing that is not there
  if (access.who === 'box') return code === 'BOX_RIGHT_REQUIRED' ? 'forbidden' : 'served';
  if (status === 403) return 'forbidden';
  return status === 404 ? 'as if missing' : 'served';
}

describe('the table of promises', () => {
  test('a route without a rule fails', () => {
    expect(() => promised(undefined as never, 'nobody', 'gateway')).toThrow();
    expect(() => promised({ who: 'somebody' } as never, 'nobody', 'gateway')).toThrow(
      'without an access rule',
    );
  });
});

/** A hosted instance has routes of its own; what it counts and asks of controllers is another test's. */
const HOSTED = ['--role', 'hosted', '--rate-limits', '0', '--allow-unkeyed-devices', '1'] as const;

onBothEngines('every route keeps its promise to every caller', (_open, engine) => keepsItsPromises(engine));
describe('every route of a hosted instance keeps its promise to every caller', () => {
  keepsItsPromises('sqlite', HOSTED);
});

function keepsItsPromises(engine: Engine, args: readonly string[] = []): void {
  let app: Awaited<ReturnType<typeof startApp>>;
  let document: ApiDocument;
  let tokens: Record<Exclude<Caller, 'nobody'>, string>;
  let users: Record<Exclude<Caller, 'nobody'>, string>;
  let emails: Record<string, string>;

  beforeAll(async () => {
    app = await startApp(engine, args);
    document = apiDocument(app.routes);
    const people = CALLERS.filter((caller) => caller !== 'nobody');
    // the first owns the box
    const boxOwner = await app.signUp();
    const signedUp = await Promise.all(
      people.map(async (caller) => {
        const { token, user } =
          caller === 'box owner' ? boxOwner : await app.signUp(caller === 'admin' ? { role: 'ADMIN' } : {});
        return { caller, token, id: user.id, email: user.email };
      }),
    );
    tokens = Object.fromEntries(signedUp.map(({ caller, token }) => [caller, token])) as typeof tokens;
    users = Object.fromEntries(signedUp.map(({ caller, id }) => [caller, id])) as typeof users;
    emails = Object.fromEntries(signedUp.map(({ caller, email }) => [caller, email]));
    const by = { by: users['box owner'], now: app.clock.now() };
    const rights = [grantBoxRight(users['box owner'], 'owner', by), grantBoxRight(users.MANAGER, 'keep', by)];
    await app.kernel.commit({ actor: null, changes: rights });
    await aFarm(app.kernel, users['box owner'], { TECHNICIAN: users['box hand'] });
  });
  afterAll(() => app.close());

  async function namesOfFreshFarm() {
    const members = Object.fromEntries(MEMBER_ROLES.map((role) => [role, users[role]]));
    const ids = await aFarm(app.kernel, users.OWNER, members);
    const invitation = await anInvitation(app.kernel, { farm: ids.farm, owner: users.OWNER });
    const lost_person = await aLostMember(app.kernel, { farm: ids.farm, user: users.OWNER });
    return { ...ids, user: users.OWNER, device: deviceIdOf(ids.control_point), invitation, lost_person };
  }

  /** A token of its own for what may end it, a login of its own for logging out: the caller goes on to other routes. */
  async function tokenFor(caller: Caller, route: Route): Promise<string | undefined> {
    if (caller === 'nobody') return undefined;
    if (route.access.who !== 'account' || route.method === 'GET') return tokens[caller];
    const { body } =
      route.path === '/auth/logout'
        ? await app.call('POST', '/auth/login', {
            body: { email: emails[caller], password: 'camarao-123' },
          })
        : await app.call('POST', '/auth/renew', { token: tokens[caller] });
    return (body as { access_token: string }).access_token;
  }

  const farm = standingFarm(namesOfFreshFarm);

  async function ask(route: Route, caller: Caller): Promise<Reply> {
    const { path, body } = sampleRequest(document, route, await farm.names());
    const token = await tokenFor(caller, route);
    const reply = await app.call(route.method, path, {
      ...(token === undefined ? {} : { token }),
      ...(body === undefined ? {} : { body }),
    });
    farm.answered(route.method, reply);
    return reply;
  }

  test('every kind of thing a rule can name stands on the farm of this test', async () => {
    const names = await namesOfFreshFarm();
    expect(Object.keys(names)).toEqual(expect.arrayContaining([...OWNED]));
  });

  test('route by route, caller by caller, with an answer that is documented', async () => {
    const closed = apiDocument(app.routes, 'closed');
    const validator = answerValidator(closed);
    const undocumented: string[] = [];
    const kept: Record<string, Record<string, Verdict>> = {};
    const wanted: Record<string, Record<string, Verdict>> = {};
    const said: string[] = [];
    for (const [index, route] of app.routes.entries()) {
      const name = `${route.method} ${route.path}`;
      if (engine === 'postgres' && !isInTurn(index, 4)) continue;
      for (const [place, caller] of CALLERS.entries()) {
        const isAsked = engine === 'postgres' || EACH_TIME.includes(caller) || isInTurn(index + place, 4);
        if (!isAsked) continue;
        const reply = await ask(route, caller);
        const verdict = verdictOf(route.access, reply);
        const wrong = wrongAnswer(validator, route, operationOf(closed, route), reply);
        if (wrong !== null) undocumented.push(`${name} to ${caller}: ${wrong}`);
        const want = promised(route.access, caller, args.includes('hosted') ? 'hosted' : 'gateway');
        kept[name] = { ...kept[name], [caller]: verdict };
        wanted[name] = { ...wanted[name], [caller]: want };
        if (verdict !== want)
          said.push(`${name} to ${caller}: ${reply.status} ${JSON.stringify(reply.body)}`);
      }
    }
    expect(kept, said.join('\n')).toEqual(wanted);
    expect(undocumented).toEqual([]);
  }, 480_000);

  /** By what the rules promise, which the test above holds the routes to. */
  const routesOf = (caller: Caller) =>
    new Set(
      app.routes
        .filter(
          ({ access }) =>
            promised(access, caller, args.includes('hosted') ? 'hosted' : 'gateway') === 'served',
        )
        .map(({ method, path }) => `${method} ${path}`),
    );
  const ofFinance = () =>
    app.routes
      .filter(({ access }) => access.who === 'farm' && access.right === 'read_finance')
      .map(({ method, path }) => `${method} ${path}`);

  test('an OPERATOR may all that a VIEWER may but read finance, and nothing that a MANAGER may not', () => {
    const [viewer, operator, manager] = [routesOf('VIEWER'), routesOf('OPERATOR'), routesOf('MANAGER')];
    expect(without(viewer, operator)).toEqual(ofFinance().toSorted());
    expect(without(operator, manager)).toEqual([]);
    expect(ofFinance().filter((one) => operator.has(one))).toEqual([]);
  });

  test('beyond reading an OPERATOR records, switches and acknowledges; a new route of that kind is named here', () => {
    const beyond = without(routesOf('OPERATOR'), routesOf('VIEWER'));
    expect(beyond).toEqual(OF_OPERATORS.filter((one) => hasRoute(one)));
    expect(beyond.length).toBeGreaterThan(8);
    const own = app.routes.filter(({ access }) => access.who === 'farm' && access.recorder !== undefined);
    expect(own.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(OWN_RECORDS);
    // notes on control points are written by technicians, too, and are theirs to correct
    for (const { access, path } of own)
      expect(access).toMatchObject({
        right: 'manage',
        recorder: /^\/(records|photos)\//.test(path) ? 'attend' : 'record',
      });
  });
  const without = (all: ReadonlySet<string>, some: ReadonlySet<string>) =>
    [...all].filter((one) => !some.has(one)).toSorted();
  const hasRoute = (named: string) => app.routes.some(({ method, path }) => `${method} ${path}` === named);

  test('a list without its farm answers what is the caller’s own', async () => {
    const lists = app.routes.filter(({ access }) => access.who === 'farm' && access.optional);
    for (const route of lists) {
      const names = await namesOfFreshFarm();
      const { path } = sampleRequest(document, route, names);
      const reply = await app.call(route.method, path.split('?')[0] ?? '', { token: tokens.stranger });
      expect([path, reply.status]).toEqual([path, 200]);
      expect(JSON.stringify(reply.body)).not.toContain(names.farm);
    }
  });
}

/** What an OPERATOR may and a VIEWER may not. */
const OF_OPERATORS: readonly string[] = [
  'DELETE /alerts/{alert_id}/acknowledge',
  'DELETE /tasks/{task_id}/marks/{due_on}',
  'GET /farms/{farm_id}/contacts',
  'POST /aerators/{aerator_id}/control',
  'POST /alerts/{alert_id}/acknowledge',
  'POST /batches/{batch_id}/adjust-survival',
  'POST /batches/{batch_id}/losses/{loss_id}/photos',
  'POST /batches/{batch_id}/photos',
  'POST /batches/{batch_id}/records',
  'POST /biometries/',
  'POST /control-points/{control_point_id}/photos',
  'POST /control-points/{control_point_id}/records',
  'POST /control-points/{control_point_id}/turn-off',
  'POST /control-points/{control_point_id}/turn-on',
  'POST /farms/{farm_id}/feed-stock/entries',
  'POST /farms/{farm_id}/records',
  'POST /farms/{farm_id}/siren/hush',
  'POST /feeding/',
  'POST /ponds/{pond_id}/photos',
  'POST /ponds/{pond_id}/records',
  'POST /tasks/{task_id}/marks',
  'POST /water-quality/',
];

/** Records that whoever made them corrects and deletes himself. */
const OWN_RECORDS: readonly string[] = [
  'DELETE /batches/{batch_id}/losses/{loss_id}',
  'DELETE /biometries/{biometry_id}',
  'DELETE /feed-stock/{entry_id}',
  'DELETE /feeding/{feeding_id}',
  'DELETE /photos/{photo_id}',
  'DELETE /records/{record_id}',
  'DELETE /water-quality/{measurement_id}',
  'PUT /batches/{batch_id}/losses/{loss_id}',
  'PUT /biometries/{biometry_id}',
  'PUT /feed-stock/{entry_id}',
  'PUT /feeding/{feeding_id}',
  'PUT /photos/{photo_id}',
  'PUT /photos/{photo_id}/image',
  'PUT /records/{record_id}',
  'PUT /water-quality/{measurement_id}',
];

/** What a gateway says of a person who is on that farm already. */
async function aLostMember(kernel: Kernel, { farm, user }: { farm: string; user: string }): Promise<string> {
  const id = kernel.newId();
  const at = new Date(kernel.now()).toISOString();
  const row = {
    id,
    stream_id: 2,
    kind: 'membership' as const,
    user_id: user,
    farm_id: farm,
    name: 'Beto',
    email: 'beto@farm.test',
    role: 'VIEWER',
    password_version: 1,
    told_before: false,
    left_told: false,
    state: 'open' as const,
    seen_at: at,
    settled_at: null,
    settled_by: null,
  };
  await kernel.commit({ actor: null, changes: [insert(lostPerson, row)] });
  return id;
}
