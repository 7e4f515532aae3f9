import { takenCommand } from '#contract/resources/sync-tables.ts';
import type { CommandFrame, GatewayFrame } from '#contract/sync/wire.ts';
import type { CommandState, Origin, SwitchState } from '#contract/words.ts';
import { type Change, insert } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type Decision, perform } from '#core/use-case.ts';
import type { ControlView, UnsavedTarget } from '../control-view.ts';
import type { Command, Order, TakenCommand, TakenQueries } from './ports.ts';

/** Nobody knows yet what came of it. */
export const isUnderWay = (state: CommandState): state is 'pending' | 'sent' | 'confirming' =>
  state === 'pending' || state === 'sent' || state === 'confirming';

/** Who says so: this instance by its clock and its people, or the gateway, which knows what it did. */
export type Says = 'hosted' | 'gateway';

const BY_HOSTED: Readonly<Record<CommandState, readonly CommandState[]>> = {
  // whoever asks has it: a database that was brought back may have lost that it was sent
  pending: ['sent', 'confirming', 'expired', 'superseded'],
  sent: ['confirming', 'expired', 'superseded'],
  confirming: ['expired'],
  accepted: [],
  done: [],
  rejected: [],
  expired: [],
  superseded: [],
};

// an order that was void here may have been taken in time all the same, its answer lost: the gateway's word counts
const BY_GATEWAY: Readonly<Record<CommandState, readonly CommandState[]>> = {
  pending: ['accepted', 'done', 'rejected', 'expired', 'superseded'],
  sent: ['accepted', 'done', 'rejected', 'expired', 'superseded'],
  confirming: ['accepted', 'done', 'rejected', 'expired', 'superseded'],
  accepted: ['done', 'rejected', 'superseded'],
  done: [],
  rejected: [],
  expired: ['accepted', 'done', 'rejected', 'superseded'],
  superseded: [],
};

export function mayBecome(from: CommandState, to: CommandState, says: Says): boolean {
  return (says === 'hosted' ? BY_HOSTED : BY_GATEWAY)[from].includes(to);
}

type Outcome = {
  state: Exclude<CommandState, 'pending' | 'sent' | 'confirming'>;
  result: string | null;
};

/** What the order a gateway made of a command tells of the command. */
export function outcomeOf({ state }: Pick<Order, 'state'>): Outcome {
  switch (state) {
    case 'SENT':
    case 'ACKED':
      return { state: 'accepted', result: null };
    case 'APPLIED':
      return { state: 'done', result: null };
    case 'SUPERSEDED':
      return { state: 'superseded', result: 'NEWER_ORDER' };
    case 'REJECTED':
    case 'FAILED':
    case 'EXPIRED':
      return { state: 'rejected', result: 'DEVICE_REFUSED' };
  }
}

/** Why nothing more is waited for; `NEVER_TOLD`: its gateway knew that it counts, and may have carried it out. */
export function voidBecause({ state }: Pick<Command, 'state'>) {
  if (state === 'confirming') return 'NEVER_TOLD';
  return state === 'pending' ? 'NOT_DELIVERED' : 'NOT_ANSWERED';
}

/**
 * The order as it stands at this moment, whichever process notes that its time is over, and when: void once it is,
 * unless the gateway's own order, `made`, tells what came of it.
 */
export function asOf<Row extends Command>(
  row: Row,
  now: number,
  made: Pick<Order, 'state'> | undefined,
): Row {
  if (!isUnderWay(row.state) || now < row.expires_at_ms) return row;
  if (made !== undefined) return { ...row, ...outcomeOf(made) };
  // it had the word that it counts: what came of it is the gateway's to say
  if (row.state === 'confirming') return row;
  return { ...row, state: 'expired', state_at: isoOf(row.expires_at_ms), result: voidBecause(row) };
}

/** How long an order that the gateway took is shown as the target before the gateway's own row tells it. */
const SHOWN_AFTER_MS = 60_000;

/** True for an order of which nobody knows whether it was carried out, for so long that its target is no longer shown. */
export const isUntold = (command: Command, now: number): boolean =>
  command.state === 'confirming' && now >= command.expires_at_ms + SHOWN_AFTER_MS;

/** True while the order decides what people are shown as the target. */
export function isShown(command: Command, row: { version: number; epoch: string }, now: number): boolean {
  if (command.state === 'pending' || command.state === 'sent') return now < command.expires_at_ms;
  if (command.state !== 'accepted' && command.state !== 'confirming') return false;
  const isSynced = row.epoch !== command.basis_epoch || row.version > command.basis_version;
  return !isSynced && now < command.expires_at_ms + SHOWN_AFTER_MS;
}

export type TakeDeps = Kernel & {
  /** Milliseconds that only grow, also while the machine sleeps. */
  monotonic: () => number;
  queries: TakenQueries;
  memory: {
    byId: (id: string) => ControlView | null;
    refresh: (id: string) => Promise<ControlView | null>;
  };
  /** The one way a target changes; decides rows, does not write. */
  giveOrder: (
    view: ControlView,
    request: {
      id: string;
      target: SwitchState;
      origin: Origin;
      issuedBy: string | null;
      reason: string | null;
      holdUntil: number | null;
      details: Record<string, unknown>;
    },
  ) => { changes: Change[]; unsaved: UnsavedTarget };
  /** Why the water of a control point's ponds is in an emergency; null: it is not. */
  emergencyOf: (controlPointId: string) => string | null;
  /** An order of somebody on the farm that holds now, and the rows that end it; null: none. */
  localHold: (view: ControlView) => { target: SwitchState; end: Change[] } | null;
};

type Taken = Pick<TakenCommand, 'state' | 'result'>;
type StateFrame = Extract<GatewayFrame, { is: 'command_state' }>;

/**
 * Takes an order of the hosted instance, or says why not. That it was taken is on disk in the very commit that changes
 * the target, before any controller hears of it: the same order again, also after a power cut, answers what became of
 * it and switches nothing. From `lateAtMs` on, by the time that grows while the machine sleeps, it is not carried out.
 */
export async function takeCommand(
  deps: TakeDeps,
  frame: CommandFrame,
  lateAtMs: number,
): Promise<StateFrame> {
  try {
    const { answer } = await perform(deps, null, () => decide(deps, frame, lateAtMs));
    return { is: 'command_state', id: frame.id, ...answer };
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    // what is not on disk could be done twice; those on the farm are heard all the same
    deps.log.warn(
      { controlPointId: frame.control_point_id, reason: error.reason },
      'an order from afar was refused: the disk does not take it',
    );
    return { is: 'command_state', id: frame.id, state: 'rejected', result: 'STORAGE' };
  }
}

async function decide(deps: TakeDeps, frame: CommandFrame, lateAtMs: number): Promise<Decision<Taken>> {
  const stored = await deps.queries.takenById(frame.id);
  if (stored !== null) return { answer: await standing(deps, stored) };
  const view = await deps.memory.refresh(frame.control_point_id);
  const refusal =
    lateness(deps, lateAtMs) ??
    ((await deps.queries.orderById(frame.id)) === null ? null : refused('rejected', 'ID_TAKEN')) ??
    (view === null ? refused('rejected', 'UNKNOWN_CONTROL_POINT') : await refusalOf(deps, frame, view));
  // nothing later than here: reading took its time, too
  const answer = refusal ?? lateness(deps, lateAtMs) ?? ({ state: 'accepted', result: null } as const);
  const row: TakenCommand = { id: frame.id, ...answer, taken_at: isoOf(deps.now()) };
  if (view === null || answer.state !== 'accepted') return { answer, changes: [insert(takenCommand, row)] };
  return {
    answer,
    changes: [insert(takenCommand, row), ...(await orderOf(deps, frame, view))],
  };
}

function lateness(deps: TakeDeps, lateAtMs: number): Taken | null {
  return deps.monotonic() > lateAtMs ? refused('expired', 'TOO_LATE') : null;
}

const refused = (state: 'rejected' | 'superseded' | 'expired', result: string): Taken => ({ state, result });

/** Lock-out and safety first: nothing that was confirmed far away goes before them. */
async function refusalOf(deps: TakeDeps, frame: CommandFrame, view: ControlView): Promise<Taken | null> {
  const { row } = view;
  if (frame.issued_by !== null && (await deps.queries.isRefusedOn(row.farm_id, frame.issued_by)))
    return refused('rejected', 'NOT_ALLOWED');
  if (row.is_siren) return refused('rejected', 'IS_SIREN');
  if (frame.target_status === 'ON' && row.locked_out) {
    return refused(
      'rejected',
      row.lock_out_reason === null ? 'LOCKED_OUT' : `LOCKED_OUT: ${row.lock_out_reason}`,
    );
  }
  const emergency = frame.target_status === 'OFF' && !row.locked_out ? deps.emergencyOf(row.id) : null;
  if (emergency !== null) return refused('rejected', 'OXYGEN_EMERGENCY');
  const since = await originsSince(deps, frame, view);
  if (since.has('SAFETY')) return refused('superseded', 'SAFETY');
  if (frame.is_forced) return null;
  if (since.has('LOCAL') || since.has('SCHEDULE')) return refused('superseded', 'CHANGED_ON_FARM');
  if (frame.basis.epoch !== row.epoch) return refused('superseded', 'CHANGED_ON_FARM');
  const hold = deps.localHold(view);
  return hold !== null && hold.target !== frame.target_status ? refused('superseded', 'LOCAL_HOLD') : null;
}

/** Who changed the target since the version that whoever ordered saw. Orders from afar follow one another by themselves. */
async function originsSince(
  deps: TakeDeps,
  { basis }: CommandFrame,
  { row, unsaved }: ControlView,
): Promise<Set<Origin>> {
  // what was given before the restore that began this epoch is another history
  const from = basis.epoch === row.epoch ? basis.version : row.version;
  const stored = await deps.queries.ordersSince(row.id, from);
  const inMemory = unsaved === null ? [] : [...unsaved.earlier, unsaved.order];
  const newer = [...stored, ...inMemory].filter(({ version }) => version > from);
  return new Set(newer.map(({ origin }) => origin));
}

async function orderOf(deps: TakeDeps, frame: CommandFrame, view: ControlView): Promise<Change[]> {
  const isKnown = frame.issued_by !== null && (await deps.queries.userExists(frame.issued_by));
  const hold = frame.is_forced ? deps.localHold(view) : null;
  const given = deps.giveOrder(view, {
    id: frame.id,
    target: frame.target_status,
    origin: 'REMOTE',
    issuedBy: isKnown ? frame.issued_by : null,
    reason: frame.reason,
    holdUntil: frame.hold_s === null ? null : deps.now() + frame.hold_s * 1000,
    details: { ...(frame.is_forced ? { forced: true } : {}), age_s: Math.round(frame.age_ms / 1000) },
  });
  return [...(hold?.end ?? []), ...given.changes];
}

/** How a taken order stands: never fired again, but answered from what the controller reported. */
export async function standing(
  deps: { queries: Pick<TakenQueries, 'orderById'> },
  { id, state, result }: TakenCommand,
): Promise<Taken> {
  if (state !== 'accepted') return { state, result };
  const made = await deps.queries.orderById(id);
  if (made === null) return { state, result };
  const { state: now, result: why } = outcomeOf(made);
  return { state: now, result: why };
}
