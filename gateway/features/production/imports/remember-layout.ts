import type { RowOf } from '#contract/resource.ts';
import { importLayout } from '#contract/resources/import-records.ts';
import type { ImportKind, ImportLook, ImportQuery } from '#contract/resources/imports.ts';
import { purge, put } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { ImportDeps } from './ports.ts';

/** Kinds of sheets that are remembered of a farm; of more the one that was used least lately goes. */
const MOST_LAYOUTS = 50;

type OfSheet = { farmId: string; kind: ImportKind; headings: readonly string[] };

/** Sheets with the same headings are of one form, in whatever row these stand. */
const idOfLayout = ({ idOf }: Pick<ImportDeps, 'idOf'>, { farmId, kind, headings }: OfSheet): string =>
  idOf(`import-layout:${farmId}:${kind}:${JSON.stringify(headings)}`);

export async function rememberedOf(
  deps: Pick<ImportDeps, 'idOf' | 'queries'>,
  sheet: OfSheet,
): Promise<ImportLook['remembered']> {
  const row = await deps.queries.layoutById(idOfLayout(deps, sheet));
  return row === null
    ? null
    : { columns: row.columns, decimal: row.decimal_mark, date_order: row.date_order };
}

/** Keeps how a sheet was said to be read, for the next one of its form; where nothing was said the last word is forgotten. */
export async function rememberLayout(
  deps: ImportDeps,
  sheet: OfSheet,
  said: Pick<ImportQuery, 'columns' | 'decimal' | 'date_order'>,
): Promise<void> {
  const id = idOfLayout(deps, sheet);
  const isSaid = said.columns !== undefined || said.decimal !== undefined || said.date_order !== undefined;
  const known = await deps.queries.layoutById(id);
  if (!isSaid && known === null) return;
  if (!isSaid) return void (await deps.commit({ actor: null, changes: [purge(importLayout, id)] }));
  const row: RowOf<typeof importLayout> = {
    id,
    farm_id: sheet.farmId,
    columns: said.columns ?? null,
    decimal_mark: said.decimal ?? null,
    date_order: said.date_order ?? null,
    used_at: isoOf(deps.now()),
  };
  const oldest = known === null ? await deps.queries.layoutsBeyond(sheet.farmId, MOST_LAYOUTS - 1) : [];
  await deps.commit({
    actor: null,
    changes: [put(importLayout, row), ...oldest.map((gone) => purge(importLayout, gone))],
  });
}
