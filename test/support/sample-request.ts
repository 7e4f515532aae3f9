import { randomUUID } from 'node:crypto';
import type { Owned, Route } from '#core/route.ts';

export type JsonSchema = {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  default?: unknown;
};
export type Operation = {
  operationId: string;
  parameters?: { in: 'path' | 'query' | 'header'; name: string; required?: boolean; schema: JsonSchema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
};
export type ApiDocument = { paths: Record<string, Record<string, Operation>> };

/** What a request may name: the things of one farm, its owner, the controller of its control point, who is invited to it. */
export type Names = Record<Owned, string> & {
  user: string;
  device: string;
  invitation?: string;
  lost_person?: string;
};

/** The operation of a route, whatever names its path parameters have in the document. */
export function operationOf(document: ApiDocument, route: Pick<Route, 'method' | 'path'>): Operation {
  const operation = itemsOf(document).get(shapeOf(route.path))?.[route.method.toLowerCase()];
  if (!operation) throw new Error(`${route.method} ${route.path} is not in the OpenAPI document`);
  return operation;
}

const shapeOf = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');

const itemsByDocument = new WeakMap<ApiDocument, Map<string, Record<string, Operation>>>();

/** Every route is looked up for every caller: the paths of a document are read once. */
function itemsOf(document: ApiDocument): Map<string, Record<string, Operation>> {
  const known = itemsByDocument.get(document);
  if (known !== undefined) return known;
  const items = new Map(Object.entries(document.paths).map(([path, item]) => [shapeOf(path), item]));
  itemsByDocument.set(document, items);
  return items;
}

/** The id a field of that name means, or null for other fields. */
export function idFor(route: Pick<Route, 'access'>, field: string, names: Names): string | null {
  const { access } = route;
  if (access.who === 'farm' && access.field === field) return names[access.of];
  // where a controller is registered its name must be a new one
  if (field === 'device_id' && access.who !== 'device') return null;
  const of = field.replace(/_id$/, '');
  return field.endsWith('_id') && of in names ? (names[of as keyof Names] ?? null) : null;
}

// What a schema cannot say about a field: a place, a time, a code that is not taken.
const VALUES: Readonly<Record<string, () => unknown>> = {
  email: () => `user-${randomUUID()}@farm.test`,
  // not that of any account here: who says the right one may lose the account
  password: () => 'another-password-1',
  timezone: () => 'America/Fortaleza',
  lat: () => '-3.7319',
  lng: () => '-38.5267',
  state: () => 'CE',
  zip_code: () => '60000-000',
  start_time: () => '2026-04-01T21:00:00Z',
  end_time: () => '2026-04-01T23:00:00Z',
  until: () => '2026-03-02T13:00:00Z',
  device_id: () => `device-${randomUUID().slice(0, 13)}`,
  cod: () => `X-${randomUUID().slice(0, 8)}`,
  mac: () => randomUUID().slice(-12),
  claim: () => 'ABCD2345EFGH',
  sha256: () => 'cd'.repeat(32),
};

/** Fields of an address that are no ids. */
const DAYS: Readonly<Record<string, string>> = { due_on: '2026-02-20' };

/** Fields a route needs beside those its schema requires. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'POST /aerators/': { power_kw: 1.5 },
  'POST /water-quality/': { temperature: 29 },
  // a field of that name is elsewhere a part of the country
  'PUT /firmware/rollouts/{rollout_id}/state': { state: 'paused' },
};

/** A request that the route's schemas accept, about the things that are named. */
export function sampleRequest(document: ApiDocument, route: Route, names: Names) {
  const operation = operationOf(document, route);
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(idFor(route, field, names) ?? DAYS[field] ?? randomUUID()),
  );
  const query = new URLSearchParams();
  for (const { name, required, schema, in: where } of operation.parameters ?? []) {
    const isRule = route.access.who === 'farm' && route.access.at === 'query' && route.access.field === name;
    if (where === 'query' && (required || isRule))
      query.set(name, String(sample(route, schema, name, names)));
  }
  const schema = operation.requestBody?.content['application/json']?.schema;
  const body =
    schema === undefined
      ? undefined
      : {
          ...(sample(route, schema, '', names) as Record<string, unknown>),
          ...BESIDE[`${route.method} ${route.path}`],
        };
  return { path: query.size === 0 ? path : `${path}?${query}`, body };
}

function sample(route: Route, schema: JsonSchema, name: string, names: Names): unknown {
  const id = idFor(route, name, names);
  if (id !== null) return id;
  const known = VALUES[name];
  if (known) return known();
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = (schema.anyOf ?? schema.oneOf)?.find((one) => one.type !== 'null');
  if (choice) return sample(route, choice, name, names);
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  switch (type) {
    case 'object': {
      const fields = new Set(schema.required);
      if (name === '' && route.access.who === 'farm' && route.access.at === 'body')
        fields.add(route.access.field);
      return Object.fromEntries(
        [...fields].map((field) => [field, sample(route, schema.properties?.[field] ?? {}, field, names)]),
      );
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sample(route, schema.items ?? {}, '', names));
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1, (schema.exclusiveMinimum ?? 0) + 1);
    case 'boolean':
      return true;
    case 'string':
      return textOf(schema);
    default:
      return {};
  }
}

function textOf({ format, minLength = 1 }: JsonSchema): string {
  if (format === 'uuid') return randomUUID();
  if (format === 'date-time') return '2026-03-02T12:00:00Z';
  if (format === 'date') return '2026-03-02';
  return 'camarao-123'.padEnd(minLength, 'x');
}
