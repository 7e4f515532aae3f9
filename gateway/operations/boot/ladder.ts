// What to try at a start, decided from what lies in the data folder. Pure: the climb itself is in climb.ts.

/** From best to worst; its place is the figure /metrics shows. */
export const RUNGS = ['normal', 'wal', 'rolled_back', 'snapshot', 'last_good', 'fail_safe'] as const;
export type Rung = (typeof RUNGS)[number];

export type Stand = { syncEpoch: number; coreSeq: number };

export type Evidence = {
  /** `empty`: a file without a table in it. */
  database:
    | { state: 'absent' | 'empty' | 'sound'; stand: Stand | null }
    | { state: 'broken'; detail: string };
  /** The log beside the database before it was opened. */
  wal: 'none' | 'whole' | 'garbage';
  lastGood: 'absent' | 'broken' | Stand;
  /** Files of verified snapshots, newest first. */
  snapshots: readonly string[];
  /** Whether a broken database was put aside here before. */
  wasBroken: boolean;
};

export type Step =
  | { rung: 'normal' | 'wal' | 'rolled_back'; detail: string }
  | { rung: 'snapshot'; file: string; detail: string }
  | { rung: 'last_good' | 'fail_safe'; detail: string };

/** What to try, in this order, until one reaches a controlling state. */
export function stepsFor(evidence: Evidence): Step[] {
  const { database, wal } = evidence;
  if (database.state === 'broken') return lowerRungs(evidence, database.detail);
  if (database.state === 'sound') {
    const lost = lossOf(database.stand, evidence);
    if (lost !== null) return [{ rung: 'rolled_back', detail: lost }];
    return wal === 'whole'
      ? [{ rung: 'wal', detail: 'the last stop was not clean; what was acknowledged came back from the log' }]
      : [{ rung: 'normal', detail: 'the database is sound' }];
  }
  const hasTraces = evidence.snapshots.length > 0 || evidence.lastGood !== 'absent' || wal !== 'none';
  const isNew = !hasTraces && !evidence.wasBroken;
  if (isNew) return [{ rung: 'normal', detail: 'first start' }];
  return lowerRungs(evidence, database.state === 'absent' ? 'the database is gone' : 'the database is empty');
}

function lowerRungs({ snapshots, lastGood }: Evidence, detail: string): Step[] {
  return [
    ...snapshots.map((file): Step => ({ rung: 'snapshot', file, detail })),
    ...(typeof lastGood === 'string' ? [] : [{ rung: 'last_good' as const, detail }]),
    { rung: 'fail_safe', detail },
  ];
}

/** Why a sound database is older than what was acknowledged; null: it is not, as far as anything here tells. */
function lossOf(stand: Stand | null, { wal, lastGood }: Evidence): string | null {
  if (wal === 'garbage') return 'the log beside the database was damaged; the last changes are lost';
  if (typeof lastGood === 'string' || stand === null) return null;
  return isOlder(stand, lastGood)
    ? 'the database is older than the configuration saved beside it; the last changes are lost'
    : null;
}

/** Within an epoch the sequence of the change log only grows. */
export function isOlder(stand: Stand, than: Stand): boolean {
  return (
    stand.syncEpoch < than.syncEpoch || (stand.syncEpoch === than.syncEpoch && stand.coreSeq < than.coreSeq)
  );
}
