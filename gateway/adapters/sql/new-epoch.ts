import { controlPoint } from '#contract/resources/control-points.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, put, update } from '#core/changes.ts';
import { applyUnit } from '#store/commit.ts';
import type { Statement } from '#store/register.ts';
import { type Stamping, unitContext } from './database.ts';
import { OWN_STREAM } from './instance.ts';
import type { SqliteConnection } from './open-sqlite.ts';

/** The instance value that orders carry and controllers compare. */
export const TARGET_EPOCH = 'target_epoch';

export type NewEpoch = {
  /** New on every call: controllers that know other levels accept those of a new epoch. */
  targetEpoch: string;
  /** The stream's epoch becomes higher than this and than it was. */
  syncEpochAbove: number;
  /** What is told of it, in the same transaction. */
  changes: readonly Change[];
};

/**
 * Begins a new history: this database is older than what controllers and the hosted instance have seen of it. One
 * transaction; the connection has no other use yet.
 */
export function beginNewEpoch(
  connection: SqliteConnection,
  stamping: Omit<Stamping, 'streams'>,
  { targetEpoch, syncEpochAbove, changes }: NewEpoch,
): void {
  const points = connection.prepare('select id from control_points where hidden = 0').pluck().all();
  runAlone(
    connection,
    stamping,
    [
      put(instanceValue, { id: TARGET_EPOCH, value: targetEpoch }),
      ...points.map((id) => update(controlPoint, String(id), { epoch: targetEpoch })),
      ...changes,
    ],
    () => {
      connection
        .prepare('update sync_stream set epoch = max(epoch, ?) + 1 where stream_id = ?')
        .run(syncEpochAbove, OWN_STREAM);
    },
  );
}

/** Writes changes through the one door, on a connection that nobody else uses yet. */
export function runAlone(
  connection: SqliteConnection,
  stamping: Omit<Stamping, 'streams'>,
  changes: readonly Change[],
  more: () => void = () => undefined,
): void {
  let isOpen = 0;
  connection.function('unit_is_open', () => isOpen);
  const execute = ({ sql, params }: Statement): Record<string, unknown>[] => {
    const statement = connection.prepare<unknown[]>(sql);
    // rows of tables, read by column name
    if (statement.reader) return statement.all(...params) as Record<string, unknown>[];
    statement.run(...params);
    return [];
  };
  connection
    .transaction(() => {
      isOpen = 1;
      try {
        const steps = applyUnit(
          { changes, actor: null },
          unitContext('sqlite', { ...stamping, streams: 'own' }),
        );
        let step = steps.next();
        while (!step.done) step = steps.next(execute(step.value));
        more();
      } finally {
        isOpen = 0;
      }
    })
    .immediate();
}
