import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOKEN_SCOPES, type TokenScope } from '#contract/resources/access-tokens.ts';
import type { Route } from '#core/route.ts';
import { scopeFor } from '#core/token-scope.ts';
import { apiDocument } from '#test/api-document.ts';
import { type App, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aFarm, deviceIdOf } from '#test/farm-rows.ts';
import { aProgram } from '#test/programs.ts';
import { type ApiDocument, sampleRequest } from '#test/sample-request.ts';
import { standingFarm } from '#test/standing-farm.ts';

/** Account matters: what a stolen token must not reach, whatever its scopes. */
const ACCOUNT_MATTERS =
  /^\/(auth|access-tokens|payment|subscriptions|invitations|notification-channels|users\/me\/export)|\/members|\/invitations/;

const name = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;

onBothEngines('every route and every scope', (_open, engine) => {
  let app: App;
  let owner: SignedUp;
  let document: ApiDocument;
  let tokens: Record<TokenScope, string>;
  beforeAll(async () => {
    app = await startApp(engine);
    owner = await app.signUp();
    document = apiDocument(app.routes);
    const made = await Promise.all(
      TOKEN_SCOPES.map(async (scope) => [scope, (await aProgram(app, owner, [scope])).token] as const),
    );
    tokens = Object.fromEntries(made) as typeof tokens;
  });
  afterAll(() => app.close());

  test('account matters are closed to every token', () => {
    const open = app.routes
      .filter(({ access }) => access.who !== 'anyone')
      .filter((route) => {
        const changesAccount = route.path === '/users/me' && route.method !== 'GET';
        const isMatter = ACCOUNT_MATTERS.test(route.path) || changesAccount || route.access.who === 'admin';
        return isMatter && scopeFor(route) !== null;
      })
      .map(name);
    expect(open).toEqual([]);
  });

  test('safe methods need read, and nothing that changes something does', () => {
    const wrong = app.routes
      .filter(({ access }) => access.who !== 'anyone')
      .filter((route) => {
        const scope = scopeFor(route);
        if (scope === null) return false;
        return (scope === 'read') !== (route.method === 'GET');
      })
      .map(name);
    // a ticket opens the event stream and changes nothing; a label carries what adopts a board
    expect(wrong.toSorted()).toEqual(['GET /bench/label-sheet', 'GET /bench/labels', 'POST /events/ticket']);
  });

  test('route by route, scope by scope', async () => {
    const wanted: Record<string, Record<string, string>> = {};
    const kept: Record<string, Record<string, string>> = {};
    const farm = standingFarm(async () => {
      const ids = await aFarm(app.kernel, owner.user.id);
      return { ...ids, user: owner.user.id, device: deviceIdOf(ids.control_point) };
    });
    for (const route of app.routes) {
      if (route.access.who === 'anyone') continue;
      const needed = scopeFor(route);
      for (const scope of TOKEN_SCOPES) {
        const { path, body } = sampleRequest(document, route, await farm.names());
        const reply = await app.call(route.method, path, {
          token: tokens[scope],
          ...(body === undefined ? {} : { body }),
        });
        farm.answered(route.method, reply);
        const { code } = (reply.body ?? {}) as { code?: string };
        const isRefused = code === 'LOGIN_REQUIRED' || code === 'SCOPE_MISSING';
        kept[name(route)] = {
          ...kept[name(route)],
          [scope]: isRefused ? `${reply.status} ${code}` : 'served',
        };
        const refusal = needed === null ? '403 LOGIN_REQUIRED' : '403 SCOPE_MISSING';
        wanted[name(route)] = { ...wanted[name(route)], [scope]: scope === needed ? 'served' : refusal };
      }
    }
    expect(kept).toEqual(wanted);
  });
});
