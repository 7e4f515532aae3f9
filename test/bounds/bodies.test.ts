import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { bodyBytesOf } from '#adapters/http/app.ts';
import { MOST_VALUES } from '#adapters/http/read-json-body.ts';
import type { Route } from '#core/route.ts';
import { type App, startApp } from '#test/app.ts';

type Schema = Record<string, unknown> & {
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  maxItems?: number;
  maxLength?: number;
};

/** What no JSON schema says: a date, a word in any case, a rule of its own. */
const ANYTHING = 800;
/** Of a letter in UTF-8, outside of emoji, which take two places for four bytes. */
const LETTER = 3;

/** About the longest body of that kind that a person or a program has a reason to send. */
function longest(schema: Schema): number {
  const any = schema.anyOf ?? schema.oneOf;
  if (any !== undefined) return Math.max(...any.map(longest));
  if (schema.enum !== undefined) return Math.max(...schema.enum.map((word) => JSON.stringify(word).length));
  switch (schema['type']) {
    case 'string':
      // an id, an instant
      return schema['format'] === undefined ? (schema.maxLength ?? 255) * LETTER + 2 : 40;
    case 'array':
      return (schema.maxItems ?? 100) * (longest(schema.items ?? {}) + 1) + 2;
    case 'object':
      return (
        Object.entries(schema.properties ?? {}).reduce(
          (sum, [name, of]) => sum + name.length + 4 + longest(of),
          2,
        ) + longestOfMap(schema)
      );
    case 'number':
    case 'integer':
      return 24;
    case 'boolean':
    case 'null':
      return 5;
    default:
      return ANYTHING;
  }
}
/** A map by closed words. */
const longestOfMap = ({ propertyNames, additionalProperties }: Schema): number => {
  const names = (propertyNames as Schema | undefined)?.enum ?? [];
  return names.length * (40 + longest((additionalProperties as Schema | undefined) ?? {}));
};
const longestOf = (route: Route): number =>
  route.body === undefined
    ? 0
    : longest(z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' }) as Schema);

/** The most values of a body of that kind, as they are counted before it is read. */
function mostValues(schema: Schema): number {
  const any = schema.anyOf ?? schema.oneOf;
  if (any !== undefined) return Math.max(...any.map(mostValues));
  if (schema['type'] === 'array') return 1 + (schema.maxItems ?? 100) * mostValues(schema.items ?? {});
  const properties = Object.values(schema.properties ?? {});
  return 1 + properties.reduce((sum, of) => sum + mostValues(of), 0);
}

describe.each(['gateway', 'hosted'])('bodies at a %s', (role) => {
  let app: App;
  let token: string;
  beforeAll(async () => {
    app = await startApp('sqlite', ['--role', role]);
    ({ token } = await app.signUp());
  });
  afterAll(() => app.close());

  it('all that a route takes fits into its bound', () => {
    const tooLong = app.routes
      .map((route) => [`${route.method} ${route.path}`, longestOf(route), bodyBytesOf(route)] as const)
      .filter(([, needed, most]) => needed > most);
    expect(tooLong).toEqual([]);
  });

  it('no route takes more values than are read at all', () => {
    const most = app.routes.map(({ method, path, body }) => {
      const schema = body === undefined ? {} : z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
      return [`${method} ${path}`, mostValues(schema as Schema)] as const;
    });
    expect(most.filter(([, values]) => values > MOST_VALUES)).toEqual([]);
    // or nothing was counted
    expect(Math.max(...most.map(([, values]) => values))).toBeGreaterThan(10_000);
  });

  /** Begins a body of so many bytes and sends none of it. */
  const beginning = (method: string, path: string, bytes: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Content-Length': bytes,
      };
      const request = httpRequest(`${app.base}/api/v1${path}`, { method, headers }, (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      request.flushHeaders();
    });

  it('what is longer is refused by every route before it is sent', async () => {
    const id = '019cb0a5-0000-7000-8000-000000000000';
    const refused: [string, number | undefined][] = [];
    for (const route of app.routes) {
      const { access, method, path } = route;
      if (method === 'GET' || route.takes !== undefined) continue;
      const most = access.who === 'anyone' || access.who === 'device' ? 16_384 : bodyBytesOf(route);
      const status = await beginning(method, path.replaceAll(/\{\w+\}/g, id), most + 1);
      if (status !== 413) refused.push([`${method} ${path}`, status]);
    }
    expect(refused).toEqual([]);
  });
});
