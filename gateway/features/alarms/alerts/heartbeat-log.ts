import { instanceValue } from '#contract/resources/local-tables.ts';
import type { AuditFacts } from '#core/audit.ts';
import { type Change, purge, put } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Clock } from './ports.ts';
import type { Watched } from './power-failure-rules.ts';

/** A controller that comes and goes is logged once in that time; what was not is counted into the next entry. */
const REST_MS = 15 * 60_000;

/** A silence outlives the program: when the controller was last heard before it, by the instance's clock. */
const SILENT_PREFIX = 'heartbeat_lost:';

export type StoredSilence = { id: string; value: string };

/** An entry that is due. `silentSince`: when the controller that is lost was last heard; null: it is heard again. */
export type HeartbeatEntry = {
  controlPointId: string;
  facts: AuditFacts;
  silentSince: { iso: string; monotonic: number } | null;
};

/**
 * `silentSince`: of a silence that the log tells of, when the controller was last heard before it; null: the log tells of none.
 * Instants are monotonic ms.
 */
type Told = { silentSince: number | null; at: number; unlogged: number; isDown: boolean };

/**
 * Silences of controllers for the activity log, from the first that is noticed: DEVICE_OFFLINE comes ten minutes later,
 * and of a shorter silence nothing else would be left.
 */
export function createHeartbeatLog() {
  const toldById = new Map<string, Told>();

  function due({ facts, memory }: Watched, clock: Clock): HeartbeatEntry[] {
    const id = facts.controlPointId;
    const isDown = !memory.isUp && memory.fellAt !== null;
    const told = toldById.get(id) ?? {
      silentSince: null,
      at: Number.NEGATIVE_INFINITY,
      unlogged: 0,
      isDown: false,
    };
    if (isDown && told.silentSince === null) {
      const isResting = clock.monotonic - told.at < REST_MS;
      if (isResting) {
        // counted once, when it falls
        toldById.set(id, { ...told, unlogged: told.unlogged + (told.isDown ? 0 : 1), isDown });
        return [];
      }
      const heard = facts.lastReportAt === null ? null : isoOf(facts.lastReportAt);
      // the fall that is told now may have been counted when it was not due yet
      const before = told.unlogged - (told.isDown ? 1 : 0);
      const lost = entryOf(facts, 'heartbeat_lost', { last_heartbeat: heard, ...unlogged(before) });
      return [{ ...lost, silentSince: lastHeardOf(facts, clock) }];
    }
    toldById.set(id, { ...told, isDown });
    if (!memory.isUp || told.silentSince === null) return [];
    // to the report that ended it, not to this look
    const heardAt = facts.lastReportMonotonic ?? clock.monotonic;
    const silentS = Math.max(0, Math.round((heardAt - told.silentSince) / 1000));
    return [entryOf(facts, 'heartbeat_restored', { silent_s: silentS })];
  }

  /** What an earlier run, or another process, left in the log. */
  function load(stored: readonly StoredSilence[], clock: Clock): void {
    const silentById = new Map(
      stored.map(({ id, value }) => [id.slice(SILENT_PREFIX.length), Date.parse(value)] as const),
    );
    for (const [id, told] of toldById)
      if (told.silentSince !== null && !silentById.has(id)) toldById.set(id, { ...told, silentSince: null });
    for (const [id, at] of silentById) {
      if ((toldById.get(id)?.silentSince ?? null) !== null) continue;
      // a clock that was set back meanwhile makes no silence of the future
      const silentSince = clock.monotonic - Math.max(0, clock.now - at);
      toldById.set(id, { silentSince, at: silentSince, unlogged: 0, isDown: true });
    }
  }

  return {
    due,
    load,
    /** Follows what is stored. */
    done({ controlPointId, silentSince }: HeartbeatEntry, monotonic: number): void {
      toldById.set(controlPointId, {
        silentSince: silentSince?.monotonic ?? null,
        at: monotonic,
        unlogged: 0,
        isDown: silentSince !== null,
      });
    },
    forget: (controlPointId: string): void => void toldById.delete(controlPointId),
  };
}

/** What an entry leaves for the next run, stored with it. */
export function silenceAfter({ controlPointId, silentSince }: HeartbeatEntry): Change {
  const id = `${SILENT_PREFIX}${controlPointId}`;
  return silentSince === null ? purge(instanceValue, id) : put(instanceValue, { id, value: silentSince.iso });
}

/** By the monotonic clock where this run heard it; one that nobody has heard is silent from now on. */
function lastHeardOf(
  { lastReportAt, lastReportMonotonic }: Watched['facts'],
  clock: Clock,
): { iso: string; monotonic: number } {
  const agoMs =
    lastReportMonotonic === null
      ? clock.now - (lastReportAt ?? clock.now)
      : clock.monotonic - lastReportMonotonic;
  const silentMs = Math.max(0, agoMs);
  return { iso: isoOf(clock.now - silentMs), monotonic: clock.monotonic - silentMs };
}

const unlogged = (count: number) => (count > 0 ? { unlogged_losses: count } : {});

function entryOf(
  facts: Watched['facts'],
  action: 'heartbeat_lost' | 'heartbeat_restored',
  details: Record<string, unknown>,
): HeartbeatEntry {
  return {
    controlPointId: facts.controlPointId,
    silentSince: null,
    facts: {
      farm_id: facts.farmId,
      entity_type: 'CONTROL_POINT',
      entity_id: facts.controlPointId,
      entity_name: facts.cod,
      action,
      user_id: null,
      origin: 'DEVICE',
      details,
    },
  };
}
