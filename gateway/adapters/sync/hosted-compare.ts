import type { Express, Response } from 'express';
import * as z from 'zod';
import type { Database } from '#adapters/sql/database.ts';
import type { Resource } from '#contract/resource.ts';
import { sharedResources } from '#contract/resources/all.ts';
import type { WireRow } from '#contract/sync/wire.ts';
import { AppError } from '#core/errors.ts';
import { formatHlc } from '#store/hlc.ts';
import { MOST_AHEAD_MS } from '#store/merge/accept-stamps.ts';
import { stampOf } from '#store/merge/claims.ts';
import { bucketOf, digestOf, hexOf, isBeyond, waysToCompare } from '#store/merge/digest.ts';
import { changeOf } from '#store/merge/note-seen.ts';
import { enteredBeside, schemaOfRow } from '#store/merge/schemas.ts';
import { type CompareDeps, compareTables } from '../../sync/hosted/compare-tables.ts';
import { comparedRows, isComparedTable } from './compared-rows.ts';
import { callerOf, type GatewayByToken } from './hosted-http.ts';
import { withinSize } from './snapshot-pages.ts';

/** Characters of rows in one answer. */
const MOST_ANSWERED = 1_000_000;

/** The hosted side of the comparison, on a database. */
export function hostedCompare(
  deps: Pick<CompareDeps, 'store' | 'commit' | 'now' | 'timeline' | 'repaired'> &
    Pick<Database, 'read' | 'dialect'>,
) {
  const { read, dialect, ...rest } = deps;
  return compareTables({
    ...rest,
    rowsOf(streamId) {
      const rows = comparedRows({ read, dialect }, streamId);
      return {
        sums: rows.sums,
        within: ({ table, ...range }, window) =>
          isComparedTable(table) ? rows.within({ table, ...range }, window) : Promise.resolve([]),
      };
    },
    isComparedTable,
    entityOf: (table) => resourceOf(table).entity,
    bucketOf,
    digestOf,
    waysToCompare,
    // a row that says what a program cannot know was never told to it
    isBeyond: (table, row, schema) => isBeyond(resourceOf(table), row, schema) || schemaOfRow(row) > schema,
    schemaOf: schemaOfRow,
    hexOf,
    changeOf,
    withOwnWords,
    withinSize: (rows) => withinSize(rows, MOST_ANSWERED),
    isTooFarAhead({ hlc, over }) {
      const limit = formatHlc(deps.now() + MOST_AHEAD_MS, 0xffff, 'ffffffff');
      return [hlc, ...Object.values(over)].some((stamp) => stamp > limit);
    },
  });
}

// the names of the tables were checked
const resourceOf = (table: string): Resource =>
  (sharedResources as unknown as Readonly<Record<string, Resource>>)[table] ?? failed(table);

function failed(table: string): never {
  throw new Error(`${table} is not a shared table`);
}

/** null: there is nothing in it that this side would take. */
function withOwnWords(table: string, sent: WireRow, own: WireRow | null): WireRow | null {
  if (own === null) return sent;
  const resource = resourceOf(table);
  if (resource.sync === 'fact') return null;
  const body: Record<string, unknown> = { ...sent.body };
  // but a default that stands here because the field came after the word is nobody's
  const stands = { ...own.body, ...enteredBeside(resource, own.body, sent.body) };
  for (const [group, { fields }] of Object.entries(resource.groups)) {
    if (stampOf(sent, group) !== stampOf(own, group)) continue;
    for (const field of fields) body[field] = stands[field];
  }
  if (sent.hlc === own.hlc) {
    const grouped = new Set(Object.values(resource.groups).flatMap(({ fields }) => fields));
    for (const field of Object.keys(body)) if (!grouped.has(field)) body[field] = stands[field];
  }
  return { ...sent, body };
}

const ARCHS = ['amd64', 'arm64'] as const;
const query = z.object({
  arch: z.enum(ARCHS),
  version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}(-[0-9A-Za-z.]{1,40})?$/),
});
type PackageWish = z.infer<typeof query>;

export type HostedPackagesDeps = {
  gatewayByToken: GatewayByToken;
  /** Where the operator lays packages; null: nowhere. */
  folder: string | null;
  /** Name of the newest one there that is newer; null: there is none. */
  newest: (folder: string, wish: PackageWish) => Promise<string | null>;
};

/** Handed out at a time: each is an open file and a slow line. */
const AT_ONCE = 16;
const COME_AGAIN_S = 60;

/** The route on which gateways fetch new versions of their program. */
export function mountPackages(app: Express, deps: HostedPackagesDeps): void {
  const open = { all: 0 };
  app
    .route('/sync/v1/update')
    .get(async (request, response) => {
      await callerOf(deps, request);
      const wish = query.safeParse(request.query);
      if (!wish.success)
        throw new AppError(422, 'say arch (amd64 or arm64) and the version that runs', {
          code: 'VALIDATION_ERROR',
        });
      const { folder } = deps;
      const name = folder === null ? null : await deps.newest(folder, wish.data);
      if (folder === null || name === null)
        throw new AppError(404, 'This instance offers no newer version', { code: 'UPDATE_NONE' });
      if (open.all >= AT_ONCE)
        throw new AppError(503, 'Others are fetching now; please come again', {
          code: 'UPDATE_BUSY',
          headers: { 'Retry-After': String(COME_AGAIN_S) },
        });
      open.all += 1;
      try {
        await sent(response, { folder, name });
      } finally {
        open.all -= 1;
      }
    })
    .all(({ method }) => {
      throw new AppError(405, `${method} is not possible here; use GET`, {
        code: 'METHOD_NOT_ALLOWED',
        headers: { Allow: 'GET' },
      });
    });
}

/** With what the platform of the web knows of parts: a line that broke goes on where it was. */
function sent(response: Response, { folder, name }: { folder: string; name: string }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { 'Content-Type': 'application/octet-stream' };
  response.once('close', resolve);
  response.sendFile(name, { root: folder, cacheControl: false, headers }, (error) => {
    // who is gone needs no answer
    if (error == null || response.headersSent) resolve();
    else reject(error);
  });
  return promise;
}
