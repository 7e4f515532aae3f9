import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { askHosted } from '#adapters/sync/ask-hosted.ts';
import type { KeyPair } from '#adapters/sync/ed25519.ts';
import { gatewaySocket } from '#adapters/sync/gateway-socket.ts';
import { gatewayTransport } from '#adapters/sync/gateway-transport.ts';
import { createGatewaySession } from '#adapters/sync/pairing-http.ts';
import type { WireChange } from '#contract/sync/wire.ts';
import type { StreamPoints } from '#core/changes.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import type { SyncStore } from '../../../gateway/sync/gateway/ports.ts';
import { createSyncClient } from '../../../gateway/sync/gateway/sync-client.ts';
import type { GatewayLiveParts } from '../../../gateway/sync/ports.ts';
import { answerCalls } from '../remote.ts';
import { batchOf, newToldFarm, type ToldFarm } from './told-rows.ts';

// Hundreds of gateways in one process: the real engines, sockets, requests and signatures, before logs in memory.

export type CrowdGateway = {
  gatewayId: string;
  streamId: number;
  key: KeyPair;
  controlPointIds: string[];
  pondId: string;
  hostedUrl: string;
};

export type CrowdState = {
  open: number;
  /** Gateways with rows that are not confirmed. */
  behind: number;
  failures: number;
  /** What the last request of those that do not get on was told, and how many of them. */
  troubles: Record<string, number>;
  taken: number;
};

type Log = {
  points: StreamPoints;
  history: WireChange[];
  farm: ToldFarm;
  /** Told of each control point that was heard. */
  listeners: Set<(controlPointId: string) => void>;
};
type Member = CrowdGateway & {
  log: Log;
  client: ReturnType<typeof createSyncClient>;
  failuresBefore: number;
};

const LOOK_EVERY_MS = 10;
const MINUTE_MS = 60_000;

export type Rate = { readingsPerMinute: number; heardEveryMs: number };

const crowd: Member[] = [];
const counts = { taken: 0 };
const timers: ReturnType<typeof setTimeout>[] = [];

const handlers = {
  async open({ gateways, hostedKey }: { gateways: CrowdGateway[]; hostedKey: string }): Promise<void> {
    for (const gateway of gateways) {
      const log = newLog(gateway);
      crowd.push({ ...gateway, log, client: newClient(gateway, log, hostedKey), failuresBefore: 0 });
    }
  },
  /** So many readings more on each, not told yet. */
  async write({ rows }: { rows: number }): Promise<void> {
    for (const { log } of crowd) measure(log, rows);
  },
  /** From now on each has so many readings a minute, and hears each of its control points so often; 0 ends both. */
  async live({ readingsPerMinute, heardEveryMs }: Rate): Promise<void> {
    for (const timer of timers.splice(0)) clearTimeout(timer);
    if (readingsPerMinute === 0) return;
    for (const member of crowd) {
      repeat(MINUTE_MS, () => {
        measure(member.log, readingsPerMinute);
        member.client.hear({ is: 'logged', core: 0, history: readingsPerMinute });
      });
      repeat(heardEveryMs, () => {
        for (const listener of member.log.listeners) for (const id of member.controlPointIds) listener(id);
      });
    }
  },
  /** A few at a time: the next one when one before it is there, however fast the machine is. */
  async startInLanes({ lanes }: { lanes: number }): Promise<void> {
    const waiting = [...crowd];
    const lane = async () => {
      for (let member = waiting.pop(); member !== undefined; member = waiting.pop()) {
        const { client } = member;
        client.start(true);
        while (!client.state().isSocketOpen || client.state().phase !== 'steady') await pause(LOOK_EVERY_MS);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  },
  /** All at the same moment. */
  async start(_all: Record<never, never>): Promise<void> {
    for (const member of crowd) {
      member.failuresBefore = 0;
      member.client.start(true);
    }
  },
  async stop(_all: Record<never, never>): Promise<void> {
    await Promise.all(crowd.map(({ client }) => client.stop()));
  },
  async state(_all: Record<never, never>): Promise<CrowdState> {
    const sum = (of: (member: Member) => number) => crowd.reduce((total, member) => total + of(member), 0);
    return {
      open: sum(({ client }) => (client.state().isSocketOpen ? 1 : 0)),
      behind: sum(({ log: { points } }) => (points.acked_history_seq < points.history_seq ? 1 : 0)),
      failures: sum(({ client }) => client.state().counts.failures),
      troubles: troubles(),
      taken: counts.taken,
    };
  },
  /** Places of those whose socket is open. */
  async connected(_all: Record<never, never>): Promise<number[]> {
    return crowd.flatMap(({ client }, place) => (client.state().isSocketOpen ? [place] : []));
  },
};

export type GatewayCrowd = typeof handlers;
answerCalls(handlers);

function troubles(): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const { client } of crowd) {
    const { trouble, failures } = client.state();
    if (trouble === null || failures === 0) continue;
    const told = `${trouble.code}: ${trouble.detail}`;
    counted[told] = (counted[told] ?? 0) + 1;
  }
  return counted;
}

function measure(log: Log, rows: number): void {
  log.history.push(...batchOf('new measurements', log.farm, { nth: 0, rows }));
  const last = log.history.at(-1);
  if (last !== undefined) Object.assign(log.points, { history_seq: last.seq, history_chain: last.chain });
}

/** Each begins at another moment, as machines do that were switched on by people. */
function repeat(everyMs: number, work: () => void): void {
  const place = timers.length;
  const again = (after: number) => {
    timers[place] = setTimeout(() => {
      again(everyMs);
      work();
    }, after);
  };
  again(Math.random() * everyMs);
}

function newLog({ streamId, pondId }: CrowdGateway): Log {
  const points = {
    epoch: 1,
    core_seq: 0,
    core_chain: '',
    history_seq: 0,
    history_chain: '',
    in_core_seq: 0,
    in_core_chain: '',
    in_history_seq: 0,
    in_history_chain: '',
    acked_core_seq: 0,
    acked_core_chain: '',
    acked_history_seq: 0,
    acked_history_chain: '',
    floor_seq: 0,
    timeline: '',
    resync: null,
  };
  return { points, history: [], farm: { ...newToldFarm(streamId), pond: pondId }, listeners: new Set() };
}

function storeOf(log: Log): SyncStore {
  return {
    points: async () => ({ ...log.points }),
    chainAt: async (lane, seq) =>
      seq === 0 ? '' : lane === 'core' ? null : (log.history[seq - 1]?.chain ?? null),
    async outRows({ lane, after, rows }) {
      const found = lane === 'core' ? [] : log.history.slice(after, after + rows);
      return { rows: found, isFull: found.length === rows };
    },
    async take({ changes, set }) {
      Object.assign(log.points, set);
      return { applied: changes.length, parked: [], conflicts: 0, passedOver: 0, unparked: 0 };
    },
    noteMoved: async () => undefined,
    noteKeptAside: async () => undefined,
    forgetKeptAside: async () => undefined,
    retryReadable: async () => undefined,
    historyFrom: async () => null,
    beginSnapshot: async () => undefined,
    logDifference: async () => true,
  };
}

function newClient(gateway: CrowdGateway, log: Log, hostedKey: string): Member['client'] {
  const { gatewayId, hostedUrl, key } = gateway;
  const monotonic = () => performance.now();
  const session = createGatewaySession({
    ask: askHosted,
    keys: { current: async () => key },
    monotonic,
    paired: async () => ({ gatewayId, hostedUrl, hostedKey }),
    run: randomBytes(16).toString('hex'),
    software: 'bench',
    hardware: 'bench',
    onNotLetIn: async () => undefined,
  });
  const { sessionToken, forgetToken } = session;
  const access = { hostedUrl: async () => hostedUrl, sessionToken, forgetToken };
  const silent = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  return createSyncClient({
    now: Date.now,
    random: Math.random,
    log: silent,
    monotonic,
    later,
    store: storeOf(log),
    transport: gatewayTransport(access),
    line: gatewaySocket({ ...access, monotonic, later, random: Math.random, log: silent }),
    live: liveParts(gateway, log.listeners),
    clockTrust: () => 'trusted',
    software: 'bench',
    chainAfter,
  });
}

function liveParts({ controlPointIds }: CrowdGateway, listeners: Log['listeners']): GatewayLiveParts {
  return {
    async takeCommand({ id }) {
      counts.taken += 1;
      return { is: 'command_state', id, state: 'accepted', result: null };
    },
    livePoints: () =>
      controlPointIds.map((id) => ({
        id,
        is_online: true,
        heard_at_ms: Date.now(),
        // the current of a motor is never twice the same
        consumption: 4 + Math.round(Math.random() * 100) / 100,
        current_status: 'ON',
        target_status: 'ON',
      })),
    onCommandState: () => () => undefined,
    onLive(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
