import { aerator } from '#contract/resources/aerators.ts';
import { command } from '#contract/resources/sync-tables.ts';
import type { CommandState } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { FAILED, failedMessage, failedTitle } from './command-words.ts';
import type { Command, CommandQueries } from './ports.ts';
import { mayBecome, type Says } from './take-command.ts';

export type MoveDeps = Pick<
  Kernel,
  'now' | 'newId' | 'idOf' | 'clockQuality' | 'guard' | 'commit' | 'pause' | 'random'
> & { queries: CommandQueries; notify: Notify };

export type Step = {
  to: CommandState;
  result: string | null;
  says: Says;
  /** Void before its time is over: what it rested on has changed. */
  isWithdrawn?: true;
};

/**
 * Moves an order to a later state, with all that belongs to it: the aerator it came from follows when the gateway took
 * it; whoever ordered is told when nothing came of it. Answers false when the order does not go there from where it is.
 */
export async function moveCommand(deps: MoveDeps, known: Command, step: Step): Promise<boolean> {
  const { answer } = await perform(deps, null, async () => {
    const guard = await deps.guard('commands', known.control_point_id);
    const current = await deps.queries.commandById(known.id);
    if (current === null || !mayBecome(current.state, step.to, step.says)) return { answer: false };
    // by its own clock this instance says what is void; only then, because another process may see it otherwise
    const isLate = deps.now() >= current.expires_at_ms;
    if (step.to === 'expired' && step.says === 'hosted' && step.isWithdrawn !== true && !isLate)
      return { answer: false };
    if (step.to === 'confirming' && isLate) return { answer: false };
    const set = { state: step.to, state_at: isoOf(deps.now()), result: step.result };
    return {
      answer: true,
      changes: [update(command, current.id, set), ...(await besides(deps, current, step))],
      guards: [guard],
    };
  });
  return answer;
}

async function besides(deps: MoveDeps, current: Command, step: Step): Promise<Change[]> {
  if (step.to === 'accepted' || step.to === 'done') return aeratorFollows(deps, current);
  if (!FAILED.includes(step.to)) return [];
  const changes = await tellFailure(deps, current, step);
  if (step.to !== 'expired') return changes;
  return [...changes, ...(await expiredAudit(deps, current, step))];
}

const AFTER_A_CHANGE: readonly (string | null)[] = ['GATEWAY_CHANGED', 'MOVED_UNTOLD'];

async function aeratorFollows({ queries, now }: MoveDeps, current: Command): Promise<Change[]> {
  // of a gateway that is no longer the farm's it is told, and nothing follows
  if (current.aerator_id === null || AFTER_A_CHANGE.includes(current.result)) return [];
  const row = await queries.aeratorById(current.aerator_id);
  if (row === null || row.status === current.target_status) return [];
  const at = isoOf(now());
  return [update(aerator, row, { status: current.target_status, last_command_at: at, updated_at: at })];
}

/** A person whose own newer order took the place of this one knows. */
async function tellFailure(deps: MoveDeps, current: Command, step: Step): Promise<Change[]> {
  if (current.issued_by === null || step.result === 'NEWER_ORDER') return [];
  const names = await deps.queries.pointNames(current.control_point_id);
  if (names === null) return [];
  const told = { ...names, target: current.target_status, result: step.result };
  return deps.notify(
    { userIds: [current.issued_by] },
    {
      type: 'ALERT',
      severity: 'MEDIUM',
      title: (language) => failedTitle(step.result, language),
      message: (language) => failedMessage(told, language),
      data: {
        event: `order_${step.to}`,
        control_point_id: current.control_point_id,
        order_id: current.id,
        pond_id: null,
        pond_cod: null,
        parameter: 'order',
        value: null,
        threshold: null,
      },
      cause: `command_failed:${current.id}`,
      farmId: names.farmId,
    },
  );
}

async function expiredAudit(deps: MoveDeps, current: Command, step: Step): Promise<Change[]> {
  const names = await deps.queries.pointNames(current.control_point_id);
  if (names === null) return [];
  return [
    audit(deps, {
      farm_id: names.farmId,
      entity_type: 'CONTROL_POINT',
      entity_id: current.control_point_id,
      entity_name: names.cod,
      action: 'order_expired',
      user_id: current.issued_by,
      origin: 'REMOTE',
      details: { order_id: current.id, target: current.target_status, reason: step.result },
      cause: `order_expired:${current.id}`,
      isOfBoth: true,
    }),
  ];
}
