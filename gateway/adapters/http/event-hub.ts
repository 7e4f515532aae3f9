import type {
  ChangedEvent,
  ClockEvent,
  CommandEvent,
  ControlPointEvent,
  DiskEvent,
  GatewayEvent,
  MeasurementEvent,
  PresenceItem,
  StreamEventName,
  SyncEvent,
} from '#contract/events/stream.ts';
import { plainJson } from '#contract/plain-number.ts';
import { accessToken } from '#contract/resources/access-tokens.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { revokedToken, secondFactor, sessionGeneration } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { user } from '#contract/resources/users.ts';
import { type CommitListener, type Committed, rowsOf } from '#core/changes.ts';
import { AppError, notFound } from '#core/errors.ts';
import type { Caller } from '#core/route.ts';
import type { ChangedFor, TellChanged } from '#core/tell-changed.ts';
import { isOfLiveGeneration, type LoginsStanding } from '#features/people/login-standing.ts';
import { gatherChanged, type RowEvent, type RowEventDeps, rowEventsOf } from './row-events.ts';
import {
  type EventSink,
  openViewerStream,
  type Viewer,
  type ViewerStream,
  type VisibleFarms,
} from './viewer-stream.ts';

const EVERY_MS = 1000;

const MAX_STREAMS = 500;
const MAX_STREAMS_PER_USER = 20;
/** Somebody without a farm sees nothing there: accounts by the dozen must not leave a farm's wall without a stream. */
const WITHOUT_FARM = { each: 3, together: 50 };
/** Beats between two questions whether token and farms still hold: what another process changed is heard of so. */
const BEATS_PER_CHECK = 12;

export type EventHubDeps = RowEventDeps & {
  onCommit: (listener: CommitListener) => () => void;
  /** Farms the user owns or is a member of, and as what. */
  farmsOf: (userId: string) => Promise<VisibleFarms>;
  snapshotFor: (userId: string, farmIds: readonly string[]) => Promise<unknown>;
  /** Throws 401 when the token does not hold, or no longer. */
  authenticate: (bearer: string) => Promise<Caller>;
  now: () => number;
  later: (ms: number, run: () => void) => void;
};

export type EventHub = ReturnType<typeof createEventHub>;

/** All open event streams: tells each viewer what happens on the farms they may see, and nothing else. */
export function createEventHub(deps: EventHubDeps) {
  const streams = new Set<ViewerStream>();
  const farmless = new Set<ViewerStream>();
  const counts = { events: 0, droppedSlow: 0, beats: 0 };
  const tellAll = (name: StreamEventName, data: unknown, to: Omit<RowEvent, 'text'>): void => {
    const text = eventText(counts, name, data);
    for (const stream of streams) stream.offer({ ...to, text });
  };
  const gather = gatherPresence({
    later: deps.later,
    tell: (farmId, control_points) =>
      tellAll('presence', { farm_id: farmId, control_points }, { farmId, userId: null }),
  });
  const gatherOthers = gatherChanged({
    later: deps.later,
    tell: (to, kinds) => {
      const whom = audienceOf(to);
      const data: ChangedEvent = { farm_id: whom.farmId, kinds };
      tellAll('changed', data, whom);
    },
  });

  async function sendSnapshot(stream: ViewerStream): Promise<void> {
    const snapshot = stream.awaitSnapshot();
    const farms = await visibleFarms(deps, stream);
    if (farms === null) throw notFound('Farm');
    if (!snapshot.isWanted()) return;
    const data = await deps.snapshotFor(stream.caller.userId, [...farms.keys()]);
    snapshot.deliver(farms, eventText(counts, 'snapshot', data));
  }

  function refresh(stream: ViewerStream): void {
    sendSnapshot(stream).catch((error: unknown) => {
      const isGone = error instanceof AppError && error.status === 404;
      if (!isGone) deps.onError(error);
      // without its snapshot a stream would go on half blind; the client opens a new one
      stream.close(isGone ? 'access_ended' : 'server_stopping');
    });
  }

  deps.onCommit((committed) => {
    if (streams.size === 0) return;
    const isEnded = sessionsEndedBy(committed);
    for (const stream of streams) if (isEnded(stream.caller)) stream.close('signed_out');
    const isDoubted = standingChangedBy(committed);
    for (const stream of streams) {
      if (isDoubted(stream.caller.userId)) check(deps, stream, refresh).catch(deps.onError);
    }
    for (const stream of followFarms(streams, committed)) refresh(stream);
    rowEventsOf(deps, committed, ({ name, data, ...to }) => tellAll(name, data, to));
  });

  return {
    /**
     * Opens a stream and sends its snapshot. Throws 401 for a token that does not hold, 404 for a farm the caller
     * cannot see, 429 and 503 when there are too many streams.
     */
    async open(
      viewer: Omit<Viewer, 'caller'>,
      sink: EventSink,
    ): Promise<Pick<ViewerStream, 'caller' | 'abandon'>> {
      const caller = await deps.authenticate(viewer.bearer);
      const isFarmless = (await deps.farmsOf(caller.userId)).size === 0;
      requireRoom(streams, caller.userId, isFarmless ? farmless : null);
      const stream = openViewerStream({ ...viewer, caller }, sink, (ended, why) => {
        streams.delete(ended);
        farmless.delete(ended);
        if (why === 'too_slow') counts.droppedSlow += 1;
      });
      streams.add(stream);
      if (isFarmless) farmless.add(stream);
      try {
        // again, now that a logout is heard: one committed in between would leave the stream open
        await deps.authenticate(viewer.bearer);
        await sendSnapshot(stream);
      } catch (error) {
        stream.abandon();
        throw error;
      }
      return stream;
    },
    /** Tells the viewers of a farm what no commit tells. Presence is gathered: the newest of each controller counts. */
    tell(
      farmId: string,
      ...[name, data]:
        | ['presence', PresenceItem]
        | ['measurement', MeasurementEvent]
        | ['command', CommandEvent]
        | ['control_point', ControlPointEvent]
        | ['gateway', GatewayEvent]
    ): void {
      if (streams.size === 0) return gather.forget();
      if (name === 'presence') gather.add(farmId, data);
      else tellAll(name, data, { farmId, userId: null });
    },
    /** Tells that answers differ from now on, gathered for a second; see TellChanged. */
    tellChanged: ((kind, to) => {
      if (streams.size === 0) gatherOthers.forget();
      else gatherOthers.add(kind, to);
    }) satisfies TellChanged as TellChanged,
    /** Tells every viewer about this instance. */
    tellAll(...[name, data]: ['clock', ClockEvent] | ['disk', DiskEvent] | ['sync', SyncEvent]): void {
      tellAll(name, data, { farmId: null, userId: null });
    },
    /** Called every five seconds by a timer: proves the line, ends what expired, now and then asks again who may see. */
    beat(): void {
      counts.beats += 1;
      for (const stream of streams) {
        if (deps.now() >= stream.caller.tokenExpiresAt) stream.close('token_expired');
        else stream.offer({ farmId: null, userId: null, text: ':\n\n' });
      }
      if (counts.beats % BEATS_PER_CHECK !== 0) return;
      for (const stream of streams) check(deps, stream, refresh).catch(deps.onError);
    },
    closeAll(): void {
      for (const stream of streams) stream.close('server_stopping');
    },
    /** Farms that somebody watches on this process. */
    watchedFarms(): Set<string> {
      const farms = new Set<string>();
      for (const stream of streams) for (const farmId of stream.farms()) farms.add(farmId);
      return farms;
    },
    openStreams: () => streams.size,
    droppedStreams: () => counts.droppedSlow,
  };
}

/** null: the one farm that is watched cannot be seen. */
async function visibleFarms(
  deps: Pick<EventHubDeps, 'farmsOf'>,
  { caller, onlyFarm }: Viewer,
): Promise<VisibleFarms | null> {
  const all = await deps.farmsOf(caller.userId);
  if (onlyFarm === null) return all;
  const role = all.get(onlyFarm);
  return role === undefined ? null : new Map([[onlyFarm, role]]);
}

function audienceOf(to: ChangedFor): Omit<RowEvent, 'text'> {
  if (typeof to === 'string') return { farmId: null, userId: null, isForOperators: to === 'operators' };
  if ('userId' in to) return { farmId: null, userId: to.userId };
  return { farmId: to.farmId, userId: null, isForOperators: to.who === 'operators' };
}

/**
 * A person who came to a farm or left it sees so at once, on the open stream: what they lost is taken from them here,
 * the streams that need a new snapshot are answered. So are those of a farm on which something was deleted.
 */
function followFarms(streams: ReadonlySet<ViewerStream>, committed: Committed): Set<ViewerStream> {
  const changed = new Set<ViewerStream>();
  for (const { farmId, userId, closedTo } of farmChangesIn(committed)) {
    for (const stream of streams) {
      const isMeant = stream.caller.userId === userId;
      // the others hear of a new member, too: what they do is told by their name
      if (isMeant || stream.sees(farmId)) changed.add(stream);
      if (closedTo === 'everybody' || (closedTo === 'user' && isMeant)) stream.loses(farmId);
    }
  }
  for (const farmId of farmsWithLessIn(committed)) {
    for (const stream of streams) if (stream.sees(farmId)) changed.add(stream);
  }
  return changed;
}

async function check(
  deps: Pick<EventHubDeps, 'authenticate' | 'farmsOf'>,
  stream: ViewerStream,
  refresh: (stream: ViewerStream) => void,
): Promise<void> {
  try {
    stream.isNow(await deps.authenticate(stream.bearer));
  } catch (error) {
    // only a refusal ends it; a database that does not answer now is no reason to blind a wall screen
    if (error instanceof AppError && isRefusal(error)) stream.close('signed_out');
    return;
  }
  const farms = await visibleFarms(deps, stream);
  const isSame = farms !== null && stream.seesExactly(farms);
  if (!isSame && stream.isOpen() && !stream.isAwaitingSnapshot()) refresh(stream);
}

/** 403: the token counts, but opens no stream any more, as before a second factor that is asked for. */
const isRefusal = ({ status }: AppError): boolean => status === 401 || status === 403;

/**
 * Refuses who has too many. Where the instance is full, whoever holds the most gives one up to who would still have
 * fewer: nobody with a few dozen accounts keeps everybody else out.
 * @param farmless streams of people without a farm, where this one is of such; else null
 */
function requireRoom(
  streams: ReadonlySet<ViewerStream>,
  userId: string,
  farmless: ReadonlySet<ViewerStream> | null,
): void {
  const own = streamsOf(streams, userId).length;
  const most = farmless === null ? MAX_STREAMS_PER_USER : WITHOUT_FARM.each;
  if (own >= most) {
    throw new AppError(429, `You have ${most} event streams open; close one of them`, {
      code: 'TOO_MANY_STREAMS',
      headers: { 'Retry-After': '30' },
    });
  }
  const isCrowded = farmless !== null && farmless.size >= WITHOUT_FARM.together;
  if (!isCrowded && streams.size < MAX_STREAMS) return;
  // somebody without a farm takes nothing from who watches one
  const spare = farmless === null ? newestOfGreediest(streams, own + 1) : null;
  if (spare === null) {
    throw new AppError(503, 'Too many event streams are open on this instance; please try again later', {
      code: 'TOO_MANY_STREAMS',
      headers: { 'Retry-After': '30' },
    });
  }
  spare.close('making_room');
}

const streamsOf = (streams: ReadonlySet<ViewerStream>, userId: string): ViewerStream[] =>
  [...streams].filter((stream) => stream.caller.userId === userId);

/** Of whoever has the most streams, and more than `least`; null: nobody has. */
function newestOfGreediest(streams: ReadonlySet<ViewerStream>, least: number): ViewerStream | null {
  const byUser = [...Map.groupBy(streams, (stream) => stream.caller.userId).values()];
  const [greediest = []] = byUser.toSorted((a, b) => b.length - a.length);
  return greediest.length > least ? (greediest.at(-1) ?? null) : null;
}

function eventText(counts: { events: number }, name: StreamEventName, data: unknown): string {
  counts.events += 1;
  return `id: ${counts.events}\nevent: ${name}\ndata: ${plainJson(data)}\n\n`;
}

/**
 * Gathers presence for a second: thousands of heartbeats become one event per farm, in which the newest word of each
 * controller counts.
 */
function gatherPresence(deps: {
  later: (ms: number, run: () => void) => void;
  tell: (farmId: string, items: PresenceItem[]) => void;
}): { add: (farmId: string, item: PresenceItem) => void; forget: () => void } {
  const itemsByFarm = new Map<string, Map<string, PresenceItem>>();
  function flush(): void {
    const gathered = [...itemsByFarm];
    itemsByFarm.clear();
    for (const [farmId, items] of gathered) deps.tell(farmId, [...items.values()]);
  }
  return {
    add(farmId, item) {
      if (itemsByFarm.size === 0) deps.later(EVERY_MS, flush);
      const items = itemsByFarm.get(farmId) ?? new Map<string, PresenceItem>();
      itemsByFarm.set(farmId, items.set(item.control_point_id, item));
    },
    /** While nobody listens nothing is gathered, and what was gathered before is older than the next snapshot. */
    forget: () => itemsByFarm.clear(),
  };
}

/**
 * Says of a caller whether this unit ended their session: logged out, revoked, ended from elsewhere, another password,
 * no longer active. Of what another process committed nothing tells how it was before.
 */
function sessionsEndedBy(committed: Committed): (caller: Caller) => boolean {
  const tokens = new Set([
    ...rowsOf(committed, revokedToken).map(({ id }) => id),
    ...rowsOf(committed, accessToken)
      .filter(({ after, hidden }) => hidden || after.revoked_at !== null)
      .map(({ id }) => id),
  ]);
  const gone = new Set<string>();
  const versions = new Map<string, number>();
  const generations = new Map<string, LoginsStanding>();
  for (const { id, after, hidden } of rowsOf(committed, user)) {
    if (hidden || !after.is_active) gone.add(id);
    versions.set(id, after.password_version);
  }
  for (const { id, after, hidden } of rowsOf(committed, sessionGeneration))
    if (!hidden) generations.set(id, after);
  return ({ tokenId, userId, login }) => {
    if (tokens.has(tokenId) || gone.has(userId)) return true;
    // an access token goes on
    if (login === undefined) return false;
    const version = versions.get(userId);
    const logins = generations.get(userId);
    return (
      tokens.has(login.id) ||
      (version !== undefined && version !== login.passwordVersion) ||
      (logins !== undefined && !isOfLiveGeneration(login, logins))
    );
  };
}

/** Says of whom this unit changed what else decides if a token opens a stream, and what is heard there: role, second factor. */
function standingChangedBy(committed: Committed): (userId: string) => boolean {
  const people = new Set([
    ...rowsOf(committed, secondFactor).map(({ id }) => id),
    ...rowsOf(committed, user)
      .filter(({ before, after }) => before?.role !== after.role)
      .map(({ id }) => id),
  ]);
  return (userId) => people.has(userId);
}

type FarmChange = {
  farmId: string;
  /** The member, or the owner. */
  userId: string;
  /** From now on these hear nothing of the farm until asked anew: one person, everybody, or nobody. */
  closedTo: 'user' | 'everybody' | 'nobody';
};

/**
 * Farms on which a pond or control point went out of sight with this unit. What ended on it long ago goes with it, and no
 * row tells so.
 */
function farmsWithLessIn(committed: Committed): ReadonlySet<string> {
  const gone = [...rowsOf(committed, pond), ...rowsOf(committed, controlPoint)].filter(
    ({ hidden }) => hidden,
  );
  return new Set(gone.map(({ after }) => after.farm_id));
}

/** Who may see which farm differently after this unit. */
function farmChangesIn(committed: Committed): FarmChange[] {
  return [
    ...rowsOf(committed, farmMember).map(
      ({ after, hidden }): FarmChange => ({
        farmId: after.farm_id,
        userId: after.user_id,
        closedTo: hidden ? 'user' : 'nobody',
      }),
    ),
    ...rowsOf(committed, farm).map(({ id, before, after, hidden }): FarmChange => {
      const hasNewOwner = before !== null && before.owner_id !== after.owner_id;
      return {
        farmId: id,
        userId: after.owner_id,
        closedTo: hidden || hasNewOwner ? 'everybody' : 'nobody',
      };
    }),
  ];
}
