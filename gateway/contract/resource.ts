import * as z from 'zod';

/**
 * How two instances merge a table (design: star of one gateway and one hosted instance per farm).
 * - `editable`: two writers; the last writer of each field group wins, deletes beat concurrent edits
 * - `fact`: inserted once under a unique id, union of both sides
 * - `local`: never leaves this instance
 */
export type SyncRule = 'editable' | 'fact' | 'local';

/** Which lane of the change log carries it: `core` first (registers, orders), `history` behind it. */
export type Lane = 'core' | 'history';

export type GroupOwner = 'gateway' | 'hosted';

/**
 * `isLater`: programs that sync are there which do not know it. They keep a change of it aside, so it is told in a change
 * of its own; where nothing stands in it, they compare alike.
 * `since`: schema with which fields that were set once, at the making, came to be changed. Programs below it keep a change
 * of them aside, so it is told in a change of its own.
 */
export type FieldGroup = { fields: readonly string[]; owner?: GroupOwner; isLater?: true; since?: number };

export type Resource<Row extends { id: string } = { id: string }> = {
  /** Table name and entity name. */
  name: string;
  /** Number in the change log; never reused. 0 for local tables. */
  entity: number;
  row: z.ZodType<Row> & { shape: Record<string, z.ZodType> };
  sync: SyncRule;
  lane: Lane;
  /** Fields that merge as one. Fields in no group are set at creation and never change. */
  groups: Readonly<Record<string, FieldGroup>>;
  /** parent table → column: hiding the parent hides this row. */
  parents: Readonly<Record<string, string>>;
  goesBy: GoesBy;
  /** Schema of the sync (SYNC_SCHEMA) that the table came with; 1: with the first that synchronised. */
  since: number;
  /**
   * Schemas by field: of those that came to the table afterwards. A program below that neither knows nor tells of one, so
   * it has a default, which stands for "nothing was said".
   */
  later: Readonly<Record<string, number>>;
  /** Schemas by field: of those that may say more since then. A program below that refuses what it does not know. */
  widened: Readonly<Record<string, number>>;
};

/**
 * How rows go when their parent is deleted.
 * - `row`: each is hidden with it, in the same commit
 * - `parent`: none is touched, however many years of them there are, because every read asks for the parent
 * - a list of the newest open ones: these are hidden, so that whoever watches them hears of it; the rest as `parent`
 */
export type GoesBy = 'row' | 'parent' | { status: string; newestBy: string; most: number };

export function defineResource<S extends z.ZodRawShape & { id: z.ZodType<string> }>(definition: {
  name: string;
  entity?: number;
  row: z.ZodObject<S>;
  sync: SyncRule;
  lane?: Lane;
  groups?: Resource['groups'];
  parents?: Resource['parents'];
  goesBy?: GoesBy;
  since?: number;
  later?: Readonly<Partial<Record<keyof S & string, number>>>;
  widened?: Readonly<Partial<Record<keyof S & string, number>>>;
}): Resource<z.infer<z.ZodObject<S>> & { id: string }> {
  return {
    name: definition.name,
    entity: definition.entity ?? 0,
    // a ZodObject is a ZodType of its inferred row and has the shape; TypeScript cannot see it through the generic
    row: definition.row as unknown as Resource<z.infer<z.ZodObject<S>> & { id: string }>['row'],
    sync: definition.sync,
    lane: definition.lane ?? 'core',
    groups: definition.groups ?? {},
    parents: definition.parents ?? {},
    goesBy: definition.goesBy ?? 'row',
    since: definition.since ?? 1,
    // fields of the row; those without a number are not named
    later: (definition.later ?? {}) as Resource['later'],
    widened: (definition.widened ?? {}) as Resource['widened'],
  };
}

export type RowOf<R> = R extends Resource<infer Row> ? Row : never;

/** A row as read from the database: `rev` counts its changes on this instance and is its ETag. */
export type Stored<Row> = Row & { rev: number };

// Building blocks of rows.
export const uuid = z.uuid();
export const instant = z.iso.datetime({ precision: 3 }).describe('ISO 8601 UTC with milliseconds');
export const localDate = z.iso.date().describe('YYYY-MM-DD in the zone of the farm');
