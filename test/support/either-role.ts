import { describe } from 'vitest';
import type { Route } from '#core/route.ts';
import { type App, startApp } from './app.ts';
import type { Engine } from './databases.ts';
import { describeOnPostgres } from './postgres.ts';
import { whyNoPostgres } from './postgres-cluster.ts';

/** An instance whose routes are looked at; `besides`: not those that one with these options has in the same way. */
export type Place = { engine: Engine; args: readonly string[]; besides: readonly string[] | null };

const GATEWAY: readonly string[] = [];
/** It has routes of its own; what it counts and asks of controllers is another test's. */
const HOSTED = ['--role', 'hosted', '--rate-limits', '0', '--allow-unkeyed-devices', '1'] as const;

/**
 * Facts of every route in either role and on either engine: of a gateway on SQLite and a hosted instance on PostgreSQL
 * all that they have, on the other engine what the other role has not. Where no PostgreSQL runs, both on SQLite.
 */
export function inEitherRole(title: string, facts: (place: Place) => void): void {
  const onSqlite = whyNoPostgres() === null ? GATEWAY : null;
  describe(`${title} (gateway, sqlite)`, () => {
    facts({ engine: 'sqlite', args: GATEWAY, besides: null });
  });
  describe(`${title} (hosted, sqlite)`, () => {
    facts({ engine: 'sqlite', args: HOSTED, besides: onSqlite });
  });
  describeOnPostgres(`${title} (hosted, postgres)`, () => {
    facts({ engine: 'postgres', args: HOSTED, besides: null });
  });
  describeOnPostgres(`${title} (gateway, postgres)`, () => {
    facts({ engine: 'postgres', args: GATEWAY, besides: HOSTED });
  });
}

/** The routes of an instance that are looked at there. */
export async function routesAt(app: App, { besides }: Place): Promise<readonly Route[]> {
  if (besides === null) return app.routes;
  const other = await startApp('sqlite', besides);
  const known = new Set(other.routes.map(nameOf));
  await other.close();
  return app.routes.filter((one) => !known.has(nameOf(one)));
}

const nameOf = ({ method, path, access }: Route) => JSON.stringify([method, path, access]);
