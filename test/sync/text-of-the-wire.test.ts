import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as wire from '#contract/sync/wire.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

// Whatever text a gateway sends, an instance is not felled by it: what no database takes is refused before anybody looks
// it up. Of rows each is looked at by itself (test/sync/adversary/what-a-gateway-may-say.test.ts).

const NOT_TEXT = ['a\u0000b', '\ud800'];
const OF_ROWS = new Set(['changes', 'rows', 'mutations']);

/** Texts in a schema, by where they stand. */
function textsIn(schema: z.core.$ZodType, at: string): [string, z.ZodType][] {
  const { def } = schema as z.ZodType;
  const all = def as unknown as Record<string, unknown>;
  const inner = (name: string, of: unknown) => textsIn(of as z.ZodType, name === '' ? at : `${at}.${name}`);
  switch (def.type) {
    case 'string':
      return [[at, schema as z.ZodType]];
    case 'object':
      return Object.entries(all['shape'] as Record<string, unknown>).flatMap(([name, one]) =>
        OF_ROWS.has(name) ? [] : inner(name, one),
      );
    case 'array':
      return inner('[]', all['element']);
    case 'union':
      return (all['options'] as unknown[]).flatMap((one) => inner('', one));
    case 'record':
      return [...inner('key', all['keyType']), ...inner('[]', all['valueType'])];
    case 'optional':
    case 'nullable':
    case 'default':
      return inner('', all['innerType']);
    default:
      return [];
  }
}

describe('what a gateway sends', () => {
  const sent = Object.entries(wire).filter(
    ([name, value]) => /(?:Request|Query)$|^gatewayFrame$/.test(name) && value instanceof z.ZodType,
  ) as [string, z.ZodType][];

  it('holds no text that a database refuses', () => {
    const texts = sent.flatMap(([name, schema]) => textsIn(schema, name));
    expect(texts.length).toBeGreaterThan(30);
    const taken = texts.flatMap(([at, schema]) =>
      NOT_TEXT.filter(
        (text) => schema.safeParse(text.padEnd(43, 'x')).success || schema.safeParse(text).success,
      ).map((text) => `${at}: ${JSON.stringify(text)}`),
    );
    expect(taken).toEqual([]);
  });
});

onBothEngines('an instance', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine, ['--role', 'hosted']);
  });
  afterAll(() => app.close());

  it.each([
    ['pair/start', { public_key: 'x'.repeat(43), name: 'a\u0000', software: '1', proof: 'x' }],
    ['pair/poll', { device_code: 'a\u0000' }],
    ['session/nonce', { gateway_id: 'a\u0000' }],
    [
      'session',
      {
        nonce: 'a\u0000',
        gateway_id: '019cae6b-6600-7000-8000-afc325de4e48',
        signature: '\u0000',
        run: '\u0000'.repeat(8),
      },
    ],
  ])('refuses it at %s', async (path, body) => {
    const reply = await fetch(`${app.base}/sync/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(reply.status).toBe(422);
  });
});
