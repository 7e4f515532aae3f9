import type { CommandState } from '#contract/words.ts';
import { isoOf } from '#core/kernel.ts';
import type { Command, Order } from './ports.ts';

/** Nobody knows yet what came of it. */
export const isUnderWay = (state: CommandState): state is 'pending' | 'sent' | 'confirming' =>
  state === 'pending' || state === 'sent' || state === 'confirming';

/** Who says so: this instance by its clock and its people, or the gateway, which knows what it did. */
export type Says = 'hosted' | 'gateway';

const BY_HOSTED: Readonly<Record<CommandState, readonly CommandState[]>> = {
  pending: ['sent', 'expired', 'superseded'],
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

export type Outcome = {
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
