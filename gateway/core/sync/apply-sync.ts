import type { ChangeLog } from '../change-log.ts';
import type { Committed, CommittedRow, Incoming, MergeReport, Unit } from '../changes.ts';
import type { Steps, UnitContext } from '../statements.ts';
import { acceptStamps } from './accept-stamps.ts';
import { logDifference } from './log-difference.ts';
import { type Heard, mergeBatch } from './merge-batch.ts';
import { noteSeen, snapshotAsIncoming } from './note-seen.ts';
import { parkedToTry, writeParked } from './parked.ts';
import { takeRestamps } from './take-restamps.ts';
import { writeBatch } from './write-batch.ts';

/** What of a unit came from the other instance, or goes on with a resync; before the unit's own changes. */
export function* applySync(unit: Unit, log: ChangeLog, context: UnitContext): Steps<Committed> {
  const { restamps = [], snapshot, incoming, difference } = unit;
  if (restamps.length > 0) yield* takeRestamps(restamps, log);
  const rows: CommittedRow[] = [];
  const reports: MergeReport[] = [];
  if (snapshot !== undefined) {
    const { rows: merged, report } = yield* applyIncoming(snapshotAsIncoming(snapshot), log, context);
    yield* noteSeen(snapshot, context);
    rows.push(...merged);
    reports.push(report);
  }
  if (incoming !== undefined) {
    const { rows: merged, report } = yield* applyIncoming(incoming, log, context);
    rows.push(...merged);
    reports.push(report);
  }
  const logged =
    difference === undefined ? {} : { difference: yield* logDifference(difference, log, context) };
  return { rows, ...(reports.length === 0 ? {} : { merged: sumOf(reports) }), ...logged };
}

function* applyIncoming(
  incoming: Incoming & { isSnapshot?: true },
  log: ChangeLog,
  context: UnitContext,
): Steps<{ rows: CommittedRow[]; report: MergeReport }> {
  const { from, streamId } = incoming;
  const parked = incoming.isRepair === true ? [] : yield* parkedToTry(incoming, context);
  const changes = yield* acceptStamps(incoming, log, context);
  const fresh = changes.map((change) => ({ change, parkedId: null }));
  // rows that waited come before what is new of them, parts of rows behind the rows
  const [rowsKept, partsKept] = [parked.filter(isRow), parked.filter((heard) => !isRow(heard))];
  const merged = yield* mergeBatch(
    {
      from,
      streamId,
      changes: [...rowsKept, ...fresh, ...partsKept],
      isSnapshot: incoming.isSnapshot === true,
      isRepair: incoming.isRepair === true,
    },
    context,
  );
  const { rows, report } = yield* writeBatch(merged, log, context);
  const unparked = merged.applied.flatMap(({ heard }) => heard.parkedId ?? []);
  if (incoming.isRepair !== true) yield* writeParked({ incoming, kept: merged.kept, unparked }, context);
  const kept = merged.kept.filter(({ parkedId }) => parkedId === null);
  return {
    rows,
    report: {
      ...report,
      parked: kept.map(({ change, reason }) => ({ seq: change.seq, reason })),
      unparked: unparked.length,
    },
  };
}

const isRow = ({ change }: Heard): boolean => change.base === null;

function sumOf(reports: readonly MergeReport[]): MergeReport {
  const sum = (count: (report: MergeReport) => number): number =>
    reports.reduce((all, report) => all + count(report), 0);
  return {
    applied: sum(({ applied }) => applied),
    parked: reports.flatMap(({ parked }) => parked),
    conflicts: sum(({ conflicts }) => conflicts),
    passedOver: sum(({ passedOver }) => passedOver),
    unparked: sum(({ unparked }) => unparked),
  };
}
