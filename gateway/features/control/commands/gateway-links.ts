import { farm } from '#contract/resources/farms.ts';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import type { GatewayFrame, LiveState } from '#contract/sync/wire.ts';
import { onTables, type RowListener, rowsOf } from '#core/changes.ts';
import { NewestMap } from '#core/newest-map.ts';
import {
  type ControlView,
  currentOf,
  noteCurrent,
  type RemotePresence,
  type RemoteTarget,
} from '../control-view.ts';

// What a hosted instance knows of farms with a gateway: whether the gateway is there, and what it last said of its
// control points. In memory in every process; the one with the socket tells the others.

/** How long what a gateway said is believed without another word of the process that holds its socket. */
const BELIEVED_MS = 60_000;
const RETOLD_EVERY_MS = 20_000;
/** Gateways retold in one look: they come back all at once after an outage, and one after the other they hold nobody up. */
const RETOLD_AT_ONCE = { least: 50, share: 1 / 10 } as const;
/** Control points told to the other processes at once. */
const POINTS_A_SENTENCE = 25;
/** Gateways that a process knows of: several times those that one instance has. */
const MOST_LINKS = 100_000;

/** A sentence between processes; stream 0 stands for controllers that this instance hears itself. */
type PresenceSentence = {
  is: 'presence';
  streamId: number;
  points: readonly LiveState[];
  isConnected: boolean;
};
const HEARD_HERE = 0;

type LinkDeps = {
  now: () => number;
  monotonic: () => number;
  views: {
    byId: (id: string) => ControlView | null;
    ofFarm: (farmId: string) => readonly ControlView[];
    unflushed: Set<string>;
  };
  streamOf: (farmId: string) => number | null;
  farmsOf: (streamId: number) => Iterable<string>;
  tell: (sentence: PresenceSentence) => void;
  presenceChanged: (controlPointId: string) => void;
  /** Notes that these gateways are there; now and then. */
  keepSeen: (streamIds: readonly number[], atMs: number) => Promise<void>;
};

type Link = RemotePresence['link'] & { isConnected: boolean; isOurs: boolean; heardAt: number | null };

export function createGatewayLinks(deps: LinkDeps) {
  const links = new NewestMap<number, Link>(MOST_LINKS);
  const heardHere = new Set<string>();
  /** By stream: when the others were last told all of those whose socket is here. */
  const toldAt = new Map<number, number>();

  function linkOf(streamId: number): Link {
    const known = links.get(streamId);
    const link = known ?? {
      isConnected: false,
      isOurs: false,
      heardAt: null,
      believedUntil: Number.NEGATIVE_INFINITY,
    };
    // the longest unheard is the first to be forgotten
    links.set(streamId, link);
    return link;
  }

  function heard(streamId: number, isConnected: boolean): Link {
    const link = linkOf(streamId);
    link.isConnected = isConnected;
    if (isConnected) {
      link.heardAt = deps.now();
      link.believedUntil = deps.now() + BELIEVED_MS;
    }
    return link;
  }

  function take(streamId: number, points: readonly LiveState[], link: Link | null): void {
    for (const point of points) {
      const view = deps.views.byId(point.id);
      // a gateway speaks of its own control points only
      if (view === null || (deps.streamOf(view.row.farm_id) ?? HEARD_HERE) !== streamId) continue;
      takePoint(view, point, link);
      deps.presenceChanged(point.id);
    }
  }

  function takePoint({ row, presence }: ControlView, point: LiveState, link: Link | null): void {
    const heardAt = point.heard_at_ms === null ? null : Math.min(point.heard_at_ms, deps.now());
    presence.lastReportAt = heardAt;
    noteCurrent(presence, point.current_status, heardAt ?? deps.now());
    presence.consumption = point.consumption ?? 0;
    presence.powerOk = point.power_ok ?? presence.powerOk;
    presence.motorCurrentMa = point.motor_current_ma ?? presence.motorCurrentMa;
    presence.isProved = point.is_proved ?? null;
    presence.remote =
      link === null ? null : { isOnline: point.is_online, link, target: remoteTargetOf(point) };
    if (link !== null) noteUnflushed(row.id, link.isOurs);
    else presence.lastReportMonotonic = heardAt === null ? null : deps.monotonic();
  }

  /** What another process hears is flushed there. */
  function noteUnflushed(id: string, isOurs: boolean): void {
    if (isOurs) deps.views.unflushed.add(id);
    else deps.views.unflushed.delete(id);
  }

  const viewsOf = (streamId: number): ControlView[] =>
    [...deps.farmsOf(streamId)].flatMap((farmId) => deps.views.ofFarm(farmId));

  function pointsOf(streamId: number): LiveState[] {
    return viewsOf(streamId).map((view) => stateOf(view, view.presence.remote?.isOnline ?? false));
  }

  function tell(streamId: number, points: readonly LiveState[]): void {
    const { isConnected } = linkOf(streamId);
    for (let at = 0; at === 0 || at < points.length; at += POINTS_A_SENTENCE) {
      const some = points.slice(at, at + POINTS_A_SENTENCE);
      deps.tell({ is: 'presence', streamId, points: some, isConnected });
    }
  }

  return {
    connected(streamId: number, isConnected: boolean): void {
      const link = heard(streamId, isConnected);
      link.isOurs = isConnected;
      if (isConnected) toldAt.set(streamId, Number.NEGATIVE_INFINITY);
      else toldAt.delete(streamId);
      tell(streamId, []);
      for (const { row } of viewsOf(streamId)) deps.presenceChanged(row.id);
    },
    live(streamId: number, frame: Extract<GatewayFrame, { is: 'live' }>): void {
      const link = heard(streamId, true);
      link.isOurs = true;
      if (!toldAt.has(streamId)) toldAt.set(streamId, Number.NEGATIVE_INFINITY);
      take(streamId, frame.points, link);
      tell(streamId, frame.points);
    },
    /** What another process said. */
    hear({ streamId, points, isConnected }: PresenceSentence): void {
      if (streamId === HEARD_HERE) {
        // a process hears its own sentences, too: what it knows itself is newer
        const foreign = points.filter(({ id, heard_at_ms }) => isNews(deps.views.byId(id), heard_at_ms));
        take(HEARD_HERE, foreign, null);
        return;
      }
      if (linkOf(streamId).isOurs) return;
      take(streamId, points, heard(streamId, isConnected));
    },
    /** A controller of a farm without gateway reported to this process. */
    heardHere: (controlPointId: string) => void heardHere.add(controlPointId),
    /** Every second. */
    async look(): Promise<void> {
      tellHeardHere();
      const now = deps.monotonic();
      const most = Math.max(RETOLD_AT_ONCE.least, Math.ceil(toldAt.size * RETOLD_AT_ONCE.share));
      const due: number[] = [];
      for (const [streamId, at] of toldAt) {
        if (due.length === most) break;
        if (now - at >= RETOLD_EVERY_MS) due.push(streamId);
      }
      for (const streamId of due) {
        // of one that just came, that it is there was told by then
        const isNew = toldAt.get(streamId) === Number.NEGATIVE_INFINITY;
        toldAt.set(streamId, now);
        heard(streamId, true);
        if (!isNew) tell(streamId, pointsOf(streamId));
      }
      if (due.length > 0) await deps.keepSeen(due, deps.now());
    },
    /** Since when the gateway is silent, ms; null: it is there. undefined: this process has not heard of it. */
    silentSince(streamId: number): number | null | undefined {
      const link = links.get(streamId);
      if (link?.heardAt == null) return undefined;
      return link.isConnected && deps.now() <= link.believedUntil ? null : link.heardAt;
    },
    /** A farm has a gateway from now on, or none any more: what the other one said does not count. */
    bindingChanged(farmId: string): void {
      for (const { presence } of deps.views.ofFarm(farmId)) presence.remote = null;
    },
  };

  function tellHeardHere(): void {
    const views = [...heardHere].flatMap((id) => deps.views.byId(id) ?? []);
    heardHere.clear();
    for (let at = 0; at < views.length; at += POINTS_A_SENTENCE) {
      const points = views
        .slice(at, at + POINTS_A_SENTENCE)
        .map((view) => stateOf(view, !view.presence.isLost));
      deps.tell({ is: 'presence', streamId: HEARD_HERE, points, isConnected: true });
    }
  }
}

function remoteTargetOf({ target_status, version, epoch }: LiveState): RemoteTarget | null {
  return version === undefined || epoch === undefined ? null : { target_status, version, epoch };
}

function isNews(view: ControlView | null, heardAtMs: number | null): boolean {
  return view !== null && heardAtMs !== null && heardAtMs > (view.presence.lastReportAt ?? 0);
}

function stateOf(view: ControlView, isOnlineThere: boolean): LiveState {
  const { row, presence } = view;
  return {
    id: row.id,
    is_online: isOnlineThere,
    heard_at_ms: presence.lastReportAt,
    consumption: presence.consumption,
    current_status: currentOf(view).current_status,
    target_status: row.target_status,
    ...presence.remote?.target,
    power_ok: presence.powerOk,
    motor_current_ma: presence.motorCurrentMa,
    is_proved: presence.isProved ?? null,
  };
}

export type BindingQueries = {
  all: () => Promise<{ id: string; stream_id: number }[]>;
  streamOf: (farmId: string) => Promise<number | null>;
};

/** Which gateway runs which farm, in memory in front of the database. Hosted instance. */
export type FarmBindings = {
  /** Reads everything; at start, and now and then for what was not heard of. */
  load: () => Promise<void>;
  /** Asks the database, and remembers. */
  refresh: (farmId: string) => Promise<number | null>;
  streamOf: (farmId: string) => number | null;
  farmsOf: (streamId: number) => Iterable<string>;
  /** Grows with every farm that comes under a gateway or away from one. */
  changes: () => number;
  follow: RowListener;
};

/** Bindings that follow one another faster than they are read end some time; what they left is followed. */
const READ_AGAIN = 5;

export function createFarmBindings(
  queries: BindingQueries,
  changed: (farmId: string, streamId: number | null) => void = () => undefined,
  failed: (error: unknown) => void = () => undefined,
): FarmBindings {
  const streamsByFarm = new Map<string, number>();
  const farmsByStream = new Map<number, Set<string>>();
  let changes = 0;
  /** How many bindings commits have told of. */
  let told = 0;

  /** What a commit says while the database is asked may not be in its answer: then it is asked again. */
  async function read<Answer>(ask: () => Promise<Answer>, take: (answer: Answer) => void): Promise<void> {
    for (let reading = 1; ; reading += 1) {
      const before = told;
      const answer = await ask();
      if (told !== before && reading < READ_AGAIN) continue;
      return take(answer);
    }
  }

  function keep(farmId: string, streamId: number | null): void {
    const before = streamsByFarm.get(farmId) ?? null;
    if (before === streamId) return;
    changes += 1;
    if (before !== null) {
      const left = farmsByStream.get(before);
      left?.delete(farmId);
      if (left?.size === 0) farmsByStream.delete(before);
    }
    if (streamId === null) streamsByFarm.delete(farmId);
    else {
      streamsByFarm.set(farmId, streamId);
      farmsByStream.set(streamId, (farmsByStream.get(streamId) ?? new Set()).add(farmId));
    }
    changed(farmId, streamId);
  }

  async function refresh(farmId: string): Promise<number | null> {
    await read(
      () => queries.streamOf(farmId),
      (streamId) => keep(farmId, streamId),
    );
    return streamsByFarm.get(farmId) ?? null;
  }

  return {
    load: () =>
      read(queries.all, (rows) => {
        const stored = new Map(rows.map(({ id, stream_id }) => [id, stream_id]));
        for (const farmId of streamsByFarm.keys()) if (!stored.has(farmId)) keep(farmId, null);
        for (const [farmId, streamId] of stored) keep(farmId, streamId);
      }),
    refresh,
    streamOf: (farmId) => streamsByFarm.get(farmId) ?? null,
    farmsOf: (streamId) => farmsByStream.get(streamId) ?? [],
    changes: () => changes,
    follow: onTables([syncFarm, farm], (committed) => {
      for (const { id, after, hidden } of rowsOf(committed, syncFarm)) {
        told += 1;
        keep(id, hidden ? null : after.stream_id);
      }
      // a farm that a gateway brings is bound by the merge itself, which tells of the farm alone
      for (const { id } of rowsOf(committed, farm)) if (!streamsByFarm.has(id)) refresh(id).catch(failed);
    }),
  };
}
