import type { CloseReason } from '#contract/events/stream.ts';
import { mayOnFarm } from '#contract/rights.ts';
import type { FarmRole } from '#contract/words.ts';
import type { Caller } from '#core/route.ts';
import type { RowEvent } from './row-events.ts';

/** Bytes a stream may lie behind its client before the connection is dropped. */
const MAX_BEHIND_BYTES = 262_144;

/** Where a stream is written to. */
export type EventSink = {
  write: (text: string) => void;
  /** Bytes that the client has not taken yet. */
  behindBytes: () => number;
  /** Ends the stream; `now` throws away what the client has not taken. */
  end: (how: 'after_writing' | 'now') => void;
};

/** Farms that somebody sees, and what they are there. */
export type VisibleFarms = ReadonlyMap<string, FarmRole>;

export type Viewer = {
  caller: Caller;
  bearer: string;
  /** The one farm that is watched; null: all farms of the caller. */
  onlyFarm: string | null;
};

export type ViewerStream = ReturnType<typeof openViewerStream>;

/** One open stream: holds events back while a snapshot is read, and never more than its client may lie behind. */
export function openViewerStream(
  viewer: Viewer,
  sink: EventSink,
  ended: (stream: ViewerStream, why: 'closed' | 'too_slow') => void,
) {
  const state = {
    caller: viewer.caller,
    farms: new Map<string, FarmRole>(),
    /** Events since the snapshot now being read; null while none is being read. */
    held: null as RowEvent[] | null,
    heldBytes: 0,
    /** Counts snapshots asked for: an older one that comes later is thrown away. */
    round: 0,
    allowedBytes: MAX_BEHIND_BYTES,
    isOpen: true,
  };

  function offer(event: RowEvent): void {
    if (!state.isOpen) return;
    if (state.held !== null) hold(state.held, event);
    else if (mayHear(event)) write(event.text);
  }

  function hold(held: RowEvent[], event: RowEvent): void {
    held.push(event);
    state.heldBytes += event.text.length;
    if (state.heldBytes > MAX_BEHIND_BYTES) drop();
  }

  /** Rows of a farm go to those who see it, rows of a person to that person. */
  function mayHear({ farmId, userId, isForOperators = false }: RowEvent): boolean {
    if (userId !== null && userId !== state.caller.userId) return false;
    if (farmId !== null && !state.farms.has(farmId)) return false;
    return !isForOperators || operates(farmId);
  }

  function operates(farmId: string | null): boolean {
    // who administers the box looks after it without a farm on it
    if (farmId === null && state.caller.role === 'ADMIN') return true;
    const roles = farmId === null ? [...state.farms.values()] : [state.farms.get(farmId)];
    return roles.some((role) => role !== undefined && mayOnFarm(role, 'operate'));
  }

  function write(text: string): void {
    const behind = sink.behindBytes();
    if (behind === 0) state.allowedBytes = MAX_BEHIND_BYTES;
    if (behind + text.length > state.allowedBytes) drop();
    else sink.write(text);
  }

  function drop(): void {
    forget('too_slow');
    sink.end('now');
  }

  function forget(why: 'closed' | 'too_slow'): void {
    if (!state.isOpen) return;
    state.isOpen = false;
    state.held = null;
    ended(stream, why);
  }

  const stream = {
    bearer: viewer.bearer,
    onlyFarm: viewer.onlyFarm,
    get caller() {
      return state.caller;
    },
    /** The same person, as they stand by now. */
    isNow(caller: Caller): void {
      state.caller = caller;
    },
    offer,
    isOpen: () => state.isOpen,
    isAwaitingSnapshot: () => state.held !== null,
    farms: (): Iterable<string> => state.farms.keys(),
    sees: (farmId: string) => state.farms.has(farmId),
    seesExactly: (farms: VisibleFarms) =>
      farms.size === state.farms.size && [...farms].every(([id, role]) => state.farms.get(id) === role),
    loses: (farmId: string) => void state.farms.delete(farmId),
    /**
     * Holds events back from now on: what is committed while a snapshot is read must not be overtaken by it. Answers
     * how the snapshot is handed over, and whether it is still wanted.
     */
    awaitSnapshot() {
      state.round += 1;
      const { round } = state;
      state.held ??= [];
      const isWanted = () => state.isOpen && round === state.round;
      return {
        isWanted,
        deliver(farms: VisibleFarms, text: string): void {
          if (!isWanted()) return;
          const held = state.held ?? [];
          state.farms = new Map(farms);
          state.held = null;
          state.heldBytes = 0;
          sink.write(text);
          // a farm's snapshot may be larger than the bound: the bound counts from its end
          state.allowedBytes = sink.behindBytes() + MAX_BEHIND_BYTES;
          for (const event of held) offer(event);
        },
      };
    },
    /** Says why and ends, when the client has taken everything. */
    close(reason: CloseReason): void {
      if (!state.isOpen) return;
      forget('closed');
      sink.write(`event: closed\ndata: ${JSON.stringify({ reason })}\n\n`);
      sink.end('after_writing');
    },
    /** The client is gone. */
    abandon: () => forget('closed'),
  };
  return stream;
}
