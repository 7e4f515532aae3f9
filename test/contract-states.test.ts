import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MEMBER_ROLES } from '#contract/words.ts';
import type { Route } from '#core/route.ts';
import { apiDocument } from '#test/api-document.ts';
import { startApp } from '#test/app.ts';
import { answerValidator, wrongAnswer } from '#test/documented-answer.ts';
import { aFarm, anInvitation, deviceIdOf } from '#test/farm-rows.ts';
import { type ApiDocument, type Names, operationOf, sampleRequest } from '#test/sample-request.ts';
import { standingFarm } from '#test/standing-farm.ts';
import { isInTurn } from '#test/turn.ts';

const SIGNED_IN = ['stranger', 'invited', ...MEMBER_ROLES, 'OWNER', 'admin'] as const;
const CALLERS = ['nobody', 'expired', ...SIGNED_IN] as const;
type Caller = (typeof CALLERS)[number];

const NEW_HERE = ['expired', 'invited'] as const;
const AS_MADE = 'as it was made';

/** What may have happened to the farm that a request is about, as its owner makes it happen. */
const STATES: Readonly<
  Record<string, readonly ((of: Names) => [method: string, path: string, body?: object])[]>
> = {
  [AS_MADE]: [],
  'its batch is finished': [({ batch }) => ['POST', `/batches/${batch}/finish`, {}]],
  'its batch was aborted': [({ batch }) => ['POST', `/batches/${batch}/abort`, { reason: 'vazou' }]],
  'its pond is deleted': [({ pond }) => ['DELETE', `/ponds/${pond}?force=true`]],
  'its control point is deleted': [({ control_point }) => ['DELETE', `/control-points/${control_point}`]],
  'it is deleted': [({ farm }) => ['DELETE', `/farms/${farm}?force=true`]],
};

describe('whatever happened to a farm, every caller', () => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let document: ApiDocument;
  let validator: ReturnType<typeof answerValidator>;
  const people = {} as Record<(typeof SIGNED_IN)[number], { token: string; id: string; email: string }>;
  let expired: string;

  beforeAll(async () => {
    app = await startApp();
    document = apiDocument(app.routes, 'closed');
    validator = answerValidator(document);
    const late = await app.signUp();
    expired = late.token;
    app.clock.advance(61 * 60_000);
    for (const name of SIGNED_IN) {
      const { user, token } = await app.signUp(name === 'admin' ? { role: 'ADMIN' } : {});
      people[name] = { token, id: user.id, email: user.email };
    }
  });
  afterAll(() => app.close());

  async function farmIn(state: string): Promise<Names> {
    const members = Object.fromEntries(MEMBER_ROLES.map((role) => [role, people[role].id]));
    const ids = await aFarm(app.kernel, people.OWNER.id, members);
    const invitation = await anInvitation(app.kernel, { farm: ids.farm, owner: people.OWNER.id });
    const names = { ...ids, user: people.OWNER.id, device: deviceIdOf(ids.control_point), invitation };
    await app.call('POST', `/farms/${ids.farm}/members`, {
      token: people.OWNER.token,
      body: { user_id: people.invited.id, role: 'VIEWER' },
    });
    for (const step of STATES[state] ?? []) {
      const [method, path, body] = step(names);
      const done = await app.call(method, path, { token: people.OWNER.token, ...(body ? { body } : {}) });
      if (done.status >= 300) throw new Error(`${state}: ${done.status} ${JSON.stringify(done.body)}`);
    }
    return names;
  }

  /** A login of its own for what may end it. */
  async function tokenOf(caller: Caller, { access, method, path }: Route): Promise<string | undefined> {
    if (caller === 'nobody') return undefined;
    if (caller === 'expired') return expired;
    const { token, email } = people[caller];
    if (access.who !== 'account' || method === 'GET') return token;
    const reply =
      path === '/auth/logout'
        ? await app.call('POST', '/auth/login', { body: { email, password: 'camarao-123' } })
        : await app.call('POST', '/auth/renew', { token });
    return (reply.body as { access_token: string }).access_token;
  }

  test.each(Object.keys(STATES))(
    'is answered as documented where %s',
    async (state) => {
      const farm = standingFarm(() => farmIn(state));
      const found: string[] = [];
      for (const [index, route] of app.routes.entries()) {
        const operation = operationOf(document, route);
        // how a farm stands matters to those routes alone; who asks of one as it was made is the test of permissions, too
        const isOfFarm = route.access.who === 'farm' || route.access.who === 'device';
        const callers = state === AS_MADE ? NEW_HERE : isOfFarm ? CALLERS : [];
        for (const [place, caller] of callers.entries()) {
          if (!isInTurn(index + place, 3)) continue;
          const { path, body } = sampleRequest(document, route, await farm.names());
          const token = await tokenOf(caller, route);
          const reply = await app.call(route.method, path, {
            ...(token === undefined ? {} : { token }),
            ...(body === undefined ? {} : { body }),
          });
          farm.answered(route.method, reply);
          const wrong = wrongAnswer(validator, route, operation, reply);
          if (wrong !== null) found.push(`${route.method} ${route.path} to ${caller}: ${wrong}`);
        }
      }
      const faults = app.sentences.filter(({ level }) => level === 'error');
      expect(found, JSON.stringify(faults.slice(0, 3).map(({ fields }) => String(fields['err'])))).toEqual(
        [],
      );
      expect(faults).toEqual([]);
    },
    480_000,
  );
});
