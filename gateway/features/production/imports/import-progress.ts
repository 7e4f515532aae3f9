import type { RowOf } from '#contract/resource.ts';
import { importRecord } from '#contract/resources/import-records.ts';
import type { ImportKind } from '#contract/resources/imports.ts';
import { type Change, purge, put, update } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { ImportDeps } from './ports.ts';
import type { ImportBy } from './read-rows.ts';

export type ImportRecord = RowOf<typeof importRecord>;

/** Files of a farm whose undo is kept; of more the oldest stay imported for good. */
export const MOST_RECORDS = 100;
const SAYS_EVERY_MS = 1_000;

/** Somebody called it off, or the program ends. */
export class CalledOff extends Error {
  readonly by: 'person' | 'stop';
  constructor(by: 'person' | 'stop') {
    super(`called off by ${by}`);
    this.by = by;
  }
}

export type Progress = {
  /** Of the record. */
  readonly id: string;
  /** Says how far it came, once a second at most; throws CalledOff. */
  step: (done: number, total: number) => Promise<void>;
};

export type Begun = { kind: ImportKind; fileName: string | null; state: 'CHECKING' | 'IMPORTING' };

/** The record of a file that is being brought, and what is stored with it. */
export async function newRecord(
  deps: ImportDeps,
  by: ImportBy,
  { kind, fileName, state }: Begun,
): Promise<{ record: ImportRecord; changes: Change[] }> {
  const at = isoOf(deps.now());
  const row: ImportRecord = {
    id: deps.newId(),
    farm_id: by.farm.farmId,
    kind,
    file_name: fileName,
    sheet: null,
    state,
    rows_total: 0,
    rows_done: 0,
    imported: 0,
    undone: 0,
    kept: 0,
    fault_code: null,
    fault: null,
    batch_codes: [],
    created_by: by.caller.userId,
    created_at: at,
    touched_at: at,
    ended_at: null,
    cancel_asked_at: null,
    undone_by: null,
    undone_at: null,
  };
  const oldest = await deps.queries.importsBeyond(by.farm.farmId, MOST_RECORDS - 1);
  const changes = [put(importRecord, row), ...oldest.map((id) => purge(importRecord, id))];
  return { record: row, changes };
}

/** Writes down that a file is being brought. */
export async function beginRecord(deps: ImportDeps, by: ImportBy, begun: Begun): Promise<ImportRecord> {
  const { record, changes } = await newRecord(deps, by, begun);
  await deps.commit({ actor: by.caller.userId, changes });
  return record;
}

export async function noteIn(
  deps: Pick<ImportDeps, 'commit' | 'now'>,
  id: string,
  set: Partial<Omit<ImportRecord, 'id'>>,
): Promise<void> {
  const touched = { ...set, touched_at: isoOf(deps.now()) };
  await deps.commit({ actor: null, changes: [update(importRecord, id, touched)] });
}

export function progressOf(deps: ImportDeps, id: string, isStopping: () => boolean): Progress {
  let saidAt = deps.now();
  return {
    id,
    async step(done, total) {
      if (isStopping()) throw new CalledOff('stop');
      // a clock that is set back says at once
      if (Math.abs(deps.now() - saidAt) < SAYS_EVERY_MS) return;
      saidAt = deps.now();
      const row = await deps.queries.importById(id);
      if (row === null || row.cancel_asked_at !== null) throw new CalledOff('person');
      await noteIn(deps, id, { rows_done: done, rows_total: total });
    },
  };
}

/** How work on a record ended that did not come to its end; what it did until then stays, and can be undone. */
export async function noteFailure(deps: ImportDeps, id: string, error: unknown): Promise<void> {
  const ended_at = isoOf(deps.now());
  if (error instanceof CalledOff && error.by === 'person')
    return noteIn(deps, id, { state: 'CANCELLED', ended_at });
  const known = error instanceof AppError ? error : null;
  if (known === null && !(error instanceof CalledOff))
    deps.log.error({ err: error, import: id }, 'an import failed');
  const [field] = known?.extras.errors ?? [];
  return noteIn(deps, id, {
    state: 'FAILED',
    ended_at,
    fault_code: error instanceof CalledOff ? 'IMPORT_STOPPED' : (known?.extras.code ?? 'INTERNAL'),
    fault:
      (known === null
        ? null
        : known.extras.code === 'NOT_A_TABLE'
          ? (field?.code ?? null)
          : known.message
      )?.slice(0, 500) ?? null,
  });
}

export type Turn = {
  isStopping: () => boolean;
  /** Throws 503 while another file is being worked on: each is held in memory. */
  requireFree: () => void;
  /** The same, and nobody else has the turn until this work ends. */
  alone: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
  /** Work that goes on by itself, behind whatever took the turn meanwhile. */
  start: (work: () => Promise<void>) => void;
  /** Calls off what is under way, and waits for it. */
  stop: () => Promise<void>;
};

export function createTurn({ log }: Pick<ImportDeps, 'log'>): Turn {
  const state = { waiting: 0, isStopping: false, last: Promise.resolve() };
  const requireFree = () => {
    if (state.waiting > 0 || state.isStopping)
      throw new AppError(503, 'Another file is being imported; please try again in a moment', {
        code: 'BUSY',
        headers: { 'Retry-After': '5' },
      });
  };
  const inTurn = <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    state.waiting += 1;
    const done = state.last.then(work).finally(() => void (state.waiting -= 1));
    state.last = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  };
  return {
    isStopping: () => state.isStopping,
    requireFree,
    alone(work) {
      requireFree();
      return inTurn(work);
    },
    start: (work) =>
      void inTurn(work).catch((error: unknown) =>
        log.error({ err: error }, 'how an import ended was not stored'),
      ),
    async stop() {
      state.isStopping = true;
      await state.last;
    },
  };
}
