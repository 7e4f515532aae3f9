import type { LanePoints, WireChange } from '#contract/sync/wire.ts';
import type { Committed, CommittedRow, Incoming, MergeReport, Unit } from '#core/changes.ts';
import type { ChangeLog } from '../change-log.ts';
import { OWN_STREAM } from '../own-stream.ts';
import type { Steps, UnitContext } from '../register.ts';
import { acceptStamps, stampsOf, takeLaterRestamps, takeRestamps } from './accept-stamps.ts';
import { logDifference } from './log-difference.ts';
import type { Heard } from './merge.ts';
import { mergeBatch } from './merge-batch.ts';
import { noteSeen, snapshotAsIncoming } from './note-seen.ts';
import { parkedToTry, writeParked } from './parked.ts';
import { followReturns, returnStamps } from './time-return.ts';
import { writeBatch } from './write-batch.ts';

/** What of a unit came from the other instance, or goes on with a resync; before the unit's own changes. */
export function* applySync(unit: Unit, log: ChangeLog, context: UnitContext): Steps<Committed> {
  const { restamps = [], snapshot, incoming, difference } = unit;
  const returned = unit.returnStamps === true ? { returned: yield* returnStamps(log, context) } : {};
  const again = restamps.length > 0 ? yield* takeRestamps(restamps, log, context) : [];
  if (restamps.length > 0) yield* takeLaterRestamps(restamps, log, context);
  if (unit.returns !== undefined) yield* followReturns(unit.returns, log, context);
  const rows: CommittedRow[] = [];
  const reports: MergeReport[] = [];
  if (again.length > 0) {
    const own = { from: 'hosted', streamId: OWN_STREAM, lane: 'core', changes: again, isOwn: true } as const;
    rows.push(...(yield* applyIncoming(own, log, context)).rows);
  }
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
  return { rows, ...(reports.length === 0 ? {} : { merged: sumOf(reports) }), ...logged, ...returned };
}

function* applyIncoming(
  incoming: Incoming & {
    isSnapshot?: true;
    isSettled?: boolean;
    heard?: LanePoints;
    isOwn?: true;
  },
  log: ChangeLog,
  context: UnitContext,
): Steps<{ rows: CommittedRow[]; report: MergeReport }> {
  const { from, streamId } = incoming;
  const isAside = incoming.isRepair !== true && incoming.isOwn !== true;
  const parked = isAside ? yield* parkedToTry(incoming, context) : [];
  const changes = yield* acceptStamps(incoming, log, context);
  const anew = changes === incoming.changes ? null : anewIn(incoming);
  const fresh = changes.map((change) => ({ change, parkedId: null, ...anew?.(change) }));
  // rows that waited come before what is new of them, parts of rows behind the rows
  const [rowsKept, partsKept] = [parked.filter(isRow), parked.filter((heard) => !isRow(heard))];
  const merged = yield* mergeBatch(
    {
      from,
      streamId,
      changes: [...rowsKept, ...fresh, ...partsKept],
      isSnapshot: incoming.isSnapshot === true,
      isSettled: incoming.isSettled === true,
      isRepair: incoming.isRepair === true,
      isOwn: incoming.isOwn === true,
      heard: incoming.heard ?? null,
    },
    context,
  );
  const { rows, report } = yield* writeBatch(merged, log, context);
  const unparked = merged.applied.flatMap(({ heard }) => heard.parkedId ?? []);
  const dropped = isAside ? yield* writeParked({ incoming, kept: merged.kept, unparked }, context) : 0;
  const kept = merged.kept.filter(({ parkedId }) => parkedId === null);
  return {
    rows,
    report: {
      ...report,
      parked: kept.map(({ change, reason }) => ({ seq: change.seq, reason })),
      unparked: unparked.length,
      ...(dropped > 0 ? { dropped } : {}),
    },
  };
}

/** All stamps of a change that were too far ahead are one now. */
function anewIn({ changes }: Incoming): (change: WireChange) => Pick<Heard, 'anew' | 'sent'> {
  const asSent = new Map(changes.map((change) => [change.seq, change]));
  return (change) => {
    const sent = asSent.get(change.seq);
    const known = new Set(sent === undefined ? [] : stampsOf(sent));
    const anew = stampsOf(change).find((stamp) => !known.has(stamp));
    return anew === undefined || sent === undefined ? {} : { anew, sent };
  };
}

const isRow = ({ change }: Heard): boolean => change.base === null;

function sumOf(reports: readonly MergeReport[]): MergeReport {
  const sum = (count: (report: MergeReport) => number): number =>
    reports.reduce((all, report) => all + count(report), 0);
  const dropped = sum((report) => report.dropped ?? 0);
  const forgotten = sum((report) => report.forgotten ?? 0);
  const ofErased = sum((report) => report.ofErased ?? 0);
  return {
    ...(dropped > 0 ? { dropped } : {}),
    ...(forgotten > 0 ? { forgotten } : {}),
    ...(ofErased > 0 ? { ofErased } : {}),
    applied: sum(({ applied }) => applied),
    parked: reports.flatMap(({ parked }) => parked),
    conflicts: sum(({ conflicts }) => conflicts),
    passedOver: sum(({ passedOver }) => passedOver),
    unparked: sum(({ unparked }) => unparked),
  };
}
