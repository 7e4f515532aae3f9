import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

// What opens something is in the answer of its route and in no other place: answers that are kept for repeated requests
// lie in the database as plain text, and in its backups.

const OPENS = /^(.*_)?(token|secret|password|key|recovery_codes|user_code)$/;
const IS_SHOWN_ONCE = /shown (only )?(this )?(once|here)|shown when it is made/i;
/** Named like one, and open to everybody. */
const IS_PUBLIC = /^(public_key|config_key)$/;

/** Names of fields of an answer that open something. */
function secretsIn(schema: z.ZodType): string[] {
  const found = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) return node.forEach(walk);
    const { properties } = node as { properties?: Record<string, { description?: string; enum?: unknown }> };
    for (const [name, field] of Object.entries(properties ?? {})) {
      // a word of a list opens nothing, nor does what is told about a key
      const isText = field.enum === undefined && !JSON.stringify(field).includes('"properties"');
      const isNamedSo = OPENS.test(name) && !IS_PUBLIC.test(name);
      if (isText && (isNamedSo || IS_SHOWN_ONCE.test(field.description ?? ''))) found.add(name);
    }
    Object.values(node).forEach(walk);
  };
  walk(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' }));
  return [...found];
}

describe.each(['gateway', 'hosted'])('routes of a %s that answer what opens something', (role) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp('sqlite', ['--role', role]);
  });
  afterAll(() => app.close());

  it('say so, and none of their answers is kept', () => {
    const told = app.routes.flatMap(({ method, path, answers, answersSecret, idempotent }) => {
      const secrets = Object.values(answers).flatMap((answer) =>
        answer === null ? [] : secretsIn(answer.schema),
      );
      return secrets.length === 0 ? [] : [{ route: `${method} ${path}`, secrets, answersSecret, idempotent }];
    });
    expect(told.length).toBeGreaterThan(10);
    expect(told.filter(({ answersSecret, idempotent }) => !answersSecret || idempotent)).toEqual([]);
  });
});

onBothEngines('a key or a token that was asked for with an Idempotency-Key', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  it('is made anew for each request, and lies in no answer that is kept', async () => {
    const { token, farmId } = await aFarmWith(app);
    const point = await aControlPoint(app, { token, farmId });
    const headers = { 'Idempotency-Key': 'once-1' };
    const asked = [
      ['/access-tokens', 'token', { name: 'Planilha', scopes: ['read'] }],
      [`/control-points/${point.id}/device-key`, 'key', undefined],
    ] as const;
    const made: string[] = [];
    for (const [path, field, sent] of asked)
      for (const _ of [1, 2]) {
        const reply = await app.call('POST', path, {
          token,
          headers,
          ...(sent === undefined ? {} : { body: sent }),
        });
        expect([path, reply.status, reply.body]).toEqual([path, 201, expect.anything()]);
        made.push(String(body(reply)[field]));
      }
    expect(new Set(made).size).toBe(4);
    const kept = await app.database.read.selectFrom('idempotent_answers').selectAll().execute();
    for (const secret of made) expect(JSON.stringify(kept)).not.toContain(secret);
  });
});
