import { controlPoint, order } from '#contract/resources/control-points.ts';
import { command } from '#contract/resources/sync-tables.ts';
import { UNTOLD } from '#contract/words.ts';
import { type Commit, type Committed, rowsOf } from '#core/changes.ts';
import type { VirtualTime } from '../virtual-time.ts';

export type OrderViolation = { rule: string; what: string };

type Told = { state: string; result: string | null };

/** It had the word that the order counts: so long nobody is told that nothing is known of it. */
const GATEWAY_MAY_SAY_MS = 20 * 3_600_000;

/** What both sides wrote, in the order in which it happened: which orders were carried out, and what the owner was told. */
export function createOracle(time: VirtualTime) {
  const violations: OrderViolation[] = [];
  const given = new Map<string, { expiresAt: number }>();
  const carried = new Set<string>();
  /** The first word that nothing came of it. */
  const told = new Map<string, Told>();
  /** A later order took their place after they were carried out: that is no word that nothing came of them. */
  const replaced = new Set<string>();
  const versions = new Map<string, number>();
  const counts = { ordersOnPoints: 0, movesOfTargets: 0 };

  const broken = (rule: string, what: string) =>
    void violations.push({ rule, what: `${time.now()} ms: ${what}` });

  return {
    violations,
    carriedOut: () => carried.size,
    toldOtherwise: () => told.size,
    replacedAfterwards: () => replaced.size,
    /** Neither: its gateway had the word that it counts, and what it did was never told. */
    neither: () => [...given.keys()].filter((id) => !carried.has(id) && !told.has(id)).length,
    wasCarriedOut: (id: string) => carried.has(id),
    gave(id: string, expiresAt: number): void {
      given.set(id, { expiresAt });
    },
    /** The gateway is about to write that it takes these orders. */
    decided({ changes }: Parameters<Commit>[0]): void {
      for (const change of changes) {
        if (change.op !== 'insert' || change.resource.name !== order.name) continue;
        const late = time.now() - (given.get(change.row.id)?.expiresAt ?? Number.POSITIVE_INFINITY);
        if (late > 0) broken('carried out after its time', `${change.row.id}, ${late} ms late`);
      }
    },
    onGateway(committed: Committed): void {
      for (const { id, before, after } of rowsOf(committed, order)) {
        if (before !== null || after.origin !== 'REMOTE') continue;
        counts.ordersOnPoints += 1;
        if (carried.has(id)) broken('carried out twice', id);
        carried.add(id);
        const earlier = told.get(id);
        if (earlier !== undefined)
          broken(
            'carried out after the owner was told otherwise',
            `${id}: ${earlier.state} ${earlier.result}`,
          );
      }
      for (const { id, after } of rowsOf(committed, controlPoint)) {
        // a control point is made with the first
        counts.movesOfTargets += after.version - (versions.get(id) ?? 1);
        versions.set(id, after.version);
      }
    },
    onHosted(committed: Committed): void {
      for (const { id, after } of rowsOf(committed, command)) {
        const { state, result } = after;
        if (state !== 'expired' && state !== 'rejected' && state !== 'superseded') continue;
        if (result !== null && UNTOLD.includes(result)) {
          const waitedMs = time.now() - (given.get(id)?.expiresAt ?? 0);
          if (waitedMs < GATEWAY_MAY_SAY_MS)
            broken('given up while the gateway may still say what it did', `${id}: ${state} ${result}`);
          continue;
        }
        if (carried.has(id) && state === 'superseded' && result === 'NEWER_ORDER') {
          replaced.add(id);
          continue;
        }
        if (!told.has(id)) told.set(id, { state, result });
        if (carried.has(id)) broken('told as not carried out though it was', `${id}: ${state} ${result}`);
      }
    },
    /** Once every fault is healed: `stored`, the hosted instance's last word of each order. */
    atTheEnd(stored: readonly { id: string; state: string }[]): void {
      if (counts.movesOfTargets !== counts.ordersOnPoints)
        broken(
          'carried out twice',
          `${counts.ordersOnPoints} orders moved targets ${counts.movesOfTargets} times`,
        );
      for (const { id, state } of stored) {
        const isEnd = state === 'accepted' || state === 'done';
        const isVoid = state === 'expired' || state === 'rejected' || state === 'superseded';
        if (!isEnd && !isVoid) broken('no end', `${id} is still ${state}`);
        if (isEnd && !carried.has(id)) broken('told as carried out though it was not', id);
      }
    },
  };
}
