import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '#core/route.ts';
import { apiDocument } from '#test/api-document.ts';
import { type Reply, type SignedUp, startApp } from '#test/app.ts';
import { type Engine, onBothEngines } from '#test/databases.ts';
import { answerValidator, wrongAnswer } from '#test/documented-answer.ts';
import { aFarm, deviceIdOf } from '#test/farm-rows.ts';
import { type HostileRequest, hostileRequests } from '#test/hostile-requests.ts';
import { type ApiDocument, type Names, operationOf } from '#test/sample-request.ts';
import { aPartOf } from '#test/turn.ts';

// FUZZ_SEED repeats a run that failed; FUZZ_SECONDS gives it longer.
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_120);
const BUDGET_MS = Number(process.env['FUZZ_SECONDS'] ?? 5) * 1000;
// a faster machine finds nothing that this seed was not seen to pass: looking further is asked for by FUZZ_SECONDS
const RUNS_PER_ROUTE = process.env['FUZZ_SECONDS'] === undefined ? 60 : 10_000;

/** A hosted instance has routes of its own; what it counts and asks of controllers is another test's. */
const HOSTED = ['--role', 'hosted', '--rate-limits', '0', '--allow-unkeyed-devices', '1'] as const;

// each route is asked of one of the three each day
onBothEngines('whatever a client sends', (_open, engine) => isAnswered(engine, engine === 'sqlite' ? 0 : 1));
describe('whatever a client sends to a hosted instance', () => {
  isAnswered('sqlite', 2, HOSTED);
});

function isAnswered(engine: Engine, ahead: number, args: readonly string[] = []): void {
  let app: Awaited<ReturnType<typeof startApp>>;
  let document: ApiDocument;
  let validator: ReturnType<typeof answerValidator>;
  beforeAll(async () => {
    app = await startApp(engine, args);
    document = apiDocument(app.routes, 'closed');
    validator = answerValidator(document);
  });
  afterAll(() => app.close());

  async function send(route: Route, token: string, { path, body, headers }: HostileRequest): Promise<Reply> {
    const canHaveBody = route.method !== 'GET' && body !== undefined;
    return app.call(route.method, path, {
      token,
      headers: { ...headers, ...(canHaveBody ? JSON_BODY : {}) },
      ...(canHaveBody ? { body } : {}),
    });
  }

  async function fuzz(route: Route, caller: SignedUp): Promise<string | null> {
    const operation = operationOf(document, route);
    const ids = await aFarm(app.kernel, caller.user.id);
    const names: Names = { ...ids, user: caller.user.id, device: deviceIdOf(ids.control_point) };
    const outcome = await fc.check(
      fc.asyncProperty(hostileRequests(route, operation, names), async (request) => {
        const reply = await send(route, caller.token, request);
        const wrong = wrongAnswer(validator, route, operation, reply);
        if (wrong !== null) throw new Error(wrong);
      }),
      {
        seed: SEED,
        numRuns: RUNS_PER_ROUTE,
        interruptAfterTimeLimit: BUDGET_MS / app.routes.length,
        endOnFailure: true,
      },
    );
    const { failed, errorInstance, counterexample } = outcome;
    // a route so slow that its time was over before the first answer has nothing to show
    if (!failed || counterexample === null) return null;
    const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
    return `${route.method} ${route.path}: ${why}\n  sent: ${JSON.stringify(counterexample).slice(0, 1000)}`;
  }

  test(
    'the answer is a documented one and never a fault of ours, and nobody else’s farm is touched',
    async () => {
      const bystander = await app.signUp();
      const ids = await aFarm(app.kernel, bystander.user.id);
      const before = await lookAt(bystander, ids.farm);
      const found: string[] = [];
      let caller = await app.signUp();
      for (const route of aPartOf(app.routes, 3, ahead)) {
        const wrong = await fuzz(route, caller);
        // the account may be signed out now, or have another password
        if (route.access.who === 'account' && route.method !== 'GET') caller = await app.signUp();
        if (wrong !== null) found.push(wrong);
      }
      const faults = app.sentences.filter(({ level }) => level === 'error');
      expect(found, JSON.stringify(faults.slice(0, 3).map(({ fields }) => String(fields['err'])))).toEqual(
        [],
      );
      expect(faults).toEqual([]);
      expect(await lookAt(bystander, ids.farm)).toEqual(before);
      expect(await admins()).toBe(0);
      if (engine === 'sqlite') expect(await damage()).toEqual([{ integrity_check: 'ok' }]);
    },
    BUDGET_MS + 300_000,
  );

  async function lookAt({ token }: SignedUp, farmId: string) {
    const paths = [`/farms/${farmId}`, '/farms/', '/users/me'];
    const replies = await Promise.all(paths.map((path) => app.call('GET', path, { token })));
    return replies.map(({ status, body }) => ({ status, body }));
  }

  async function admins(): Promise<number> {
    const rows = await app.database.read
      .selectFrom('users')
      .select('id')
      .where('role', '=', 'ADMIN')
      .execute();
    return rows.length;
  }

  async function damage(): Promise<unknown[]> {
    return (await sql`pragma integrity_check`.execute(app.database.read)).rows;
  }
}

const JSON_BODY = { 'Content-Type': 'application/json' };
