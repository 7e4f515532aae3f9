import fc from 'fast-check';
import type { Route } from '#core/route.ts';
import { idFor, type JsonSchema, type Names, type Operation } from './sample-request.ts';

// Requests as a careless or hostile client sends them, made from what the OpenAPI document says of an operation.

export type HostileRequest = {
  /** Below /api/v1, with its query. */
  path: string;
  body: string | undefined;
  headers: Record<string, string>;
};

const HOSTILE_TEXTS = [
  '',
  ' ',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e309',
  '9'.repeat(400),
  'x'.repeat(256),
  'x'.repeat(10_001),
  'a\u0000b',
  '\u0000',
  '\ud800',
  'ok\udfff',
  '\u202e\u2066',
  'e\u0301',
  'ação 漢字 🦐',
  "'; drop table farms; --",
  '" or 1=1 --',
  '%',
  '%00',
  '../../etc/passwd',
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '\r\nSet-Cookie: a=b',
  '__proto__',
  'constructor',
  'toString',
  '2026-02-30T00:00:00Z',
  '0000-00-00',
  '275760-09-13T00:00:00.001Z',
  '2026-03-01T10:00:00+99:99',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '0190A5D0-0000-7000-8000-00000000000G',
];

const HOSTILE_NUMBERS = [
  0,
  -0,
  -1,
  0.1,
  1e-320,
  1.5,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  -(2 ** 63),
  1e21,
  1e308,
  -1e308,
];

const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(...HOSTILE_NUMBERS),
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { id: null }, nested(40), nested(500)),
  fc.jsonValue({ maxDepth: 3 }),
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

/** Requests of one operation: mostly sensible, with something wrong here and there. */
export function hostileRequests(
  route: Route,
  operation: Operation,
  names: Names,
): fc.Arbitrary<HostileRequest> {
  return fc.record({
    path: fc
      .tuple(pathOf(route, names), queryOf(route, operation, names))
      .map(([path, query]) => path + query),
    body: bodyOf(route, operation, names),
    headers: headersOf(operation),
  });
}

function pathOf(route: Route, names: Names): fc.Arbitrary<string> {
  const segments = route.path.split('/').map((segment) => {
    const [, field] = /^\{(\w+)\}$/.exec(segment) ?? [];
    if (field === undefined) return fc.constant(segment);
    const valid = fc.constant(idFor(route, field, names) ?? 'unknown');
    const hostile = hostileText
      .filter((text) => text !== '' && text.isWellFormed() && text.length < 2000)
      .map(encodeURIComponent)
      // what `fetch` itself would fold into another path
      .filter((text) => !/^\.+$/.test(text));
    return fc.oneof({ weight: 8, arbitrary: valid }, hostile, fc.constantFrom('%ZZ', '%C3', '%2e%2e%2f'));
  });
  return fc.tuple(...segments).map((parts) => parts.join('/'));
}

function queryOf(route: Route, operation: Operation, names: Names): fc.Arbitrary<string> {
  const known = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  if (known.length === 0) return fc.constantFrom('', '', '?unknown=1', '?__proto__=1');
  const pairs = known.map(({ name, schema, required }) => {
    const value = fc.oneof(
      { weight: 4, arbitrary: valueOf(route, schema, name, names).map(String) },
      hostileText.filter((text) => text.length < 2000),
    );
    const given = value.map((text) => `${name}=${encodeURIComponent(text.toWellFormed())}`);
    const twice = fc.tuple(given, given).map((both) => both.join('&'));
    const given2 = fc.oneof({ weight: 9, arbitrary: given }, twice);
    return required ? given2 : fc.option(given2, { nil: null });
  });
  return fc.tuple(...pairs, fc.constantFrom(null, null, null, '__proto__=1', 'x=%ZZ')).map((given) => {
    const query = given.filter((pair) => pair !== null).join('&');
    return query === '' ? '' : `?${query}`;
  });
}

function bodyOf(route: Route, operation: Operation, names: Names): fc.Arbitrary<string | undefined> {
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (schema === undefined) return fc.constantFrom(undefined, undefined, '{}', '[]', 'null');
  const sensible = valueOf(route, schema, '', names);
  // a body may also have no field of its own
  const fields = [...Object.keys(schema.properties ?? {}), 'x'];
  const spoiled = fc
    .tuple(sensible, fc.dictionary(fc.constantFrom(...fields), hostileValue))
    .map(([value, wrong]) => ({ ...(value as object), ...wrong }));
  const text = fc
    .oneof({ weight: 8, arbitrary: sensible }, { weight: 5, arbitrary: spoiled }, hostileValue)
    .map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 16, arbitrary: text },
    text.map((json) => json.replace(/^\{/, '{"__proto__":{"role":"ADMIN"},')),
    // numbers JSON can write and no number can hold
    text.map((json) => json.replace(/:(-?\d+(\.\d+)?)([,}])/, ':1e999$3')),
    text.map((json) => json.slice(0, -1)),
    fc.constantFrom(
      undefined,
      '',
      '"text"',
      '0',
      '{"a":',
      '['.repeat(20_000),
      `{"id":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    ),
  );
}

function headersOf(operation: Operation): fc.Arbitrary<Record<string, string>> {
  const known = new Set(
    (operation.parameters ?? []).filter((one) => one.in === 'header').map((one) => one.name),
  );
  const ifMatch = fc.constantFrom(
    null,
    null,
    null,
    '*',
    '"1"',
    'W/"2"',
    '"x"',
    '"999999999999999999"',
    'nonsense',
  );
  const key = fc.constantFrom(null, null, null, 'k-1', 'k-2', ' ', 'x'.repeat(256));
  return fc.record({ ifMatch, key }).map((given) => ({
    ...(known.has('If-Match') && given.ifMatch !== null ? { 'If-Match': given.ifMatch } : {}),
    ...(known.has('Idempotency-Key') && given.key !== null ? { 'Idempotency-Key': given.key } : {}),
  }));
}

/** Values a schema allows; ids name real things most of the time. */
function valueOf(route: Route, schema: JsonSchema, name: string, names: Names): fc.Arbitrary<unknown> {
  const id = idFor(route, name, names);
  if (id !== null) return fc.oneof({ weight: 9, arbitrary: fc.constant(id) }, fc.uuid());
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueOf(route, choice, name, names)));
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return fc.oneof(
    ...types.map((type) => valueOfType(route, { ...schema, type: type ?? 'any' }, name, names)),
  );
}

function valueOfType(
  route: Route,
  schema: JsonSchema & { type: string },
  name: string,
  names: Names,
): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([field, inner]) => [
            field,
            valueOf(route, inner, field, names),
          ]),
        ),
        { requiredKeys: schema.required ?? [] },
      );
    case 'array':
      return fc.array(valueOf(route, schema.items ?? {}, '', names), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? 0, -1e6),
        max: Math.min(schema.maximum ?? 1000, 1e6),
      });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1000, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return textOf(schema, name);
    default:
      return hostileValue;
  }
}

function textOf({ format, minLength = 0, maxLength = 60 }: JsonSchema, name: string): fc.Arbitrary<string> {
  const instant = fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true });
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time') return instant.map((at) => at.toISOString());
  if (format === 'email') return fc.emailAddress();
  if (name === 'lat' || name === 'lng')
    return fc.double({ min: -90, max: 90, noNaN: true }).map((degrees) => degrees.toFixed(6));
  if (name === 'timezone')
    return fc.constantFrom('America/Fortaleza', 'America/Manaus', 'Etc/UTC', 'Mars/Base');
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 60) });
}
