import type { CommandFrame, GatewayFrame, LiveState } from '#contract/sync/wire.ts';

// Seams of the sync: what its two sides ask of the parts around them.

/** Requests of the protocol that carry data, by their path under /sync/v1. */
export type AskKind = 'hello' | 'push' | 'pull' | 'snapshot' | 'digest' | 'repair';

export type Refused = {
  status: number;
  code: string;
  detail: string;
  in?: { seq: number; chain: string };
  retryAfterMs?: number;
};

/** How the gateway's side reaches the hosted one. Throws when the network did not carry it; nothing is known then. */
export type SyncTransport = {
  ask(
    kind: AskKind,
    body: unknown,
    limits: { timeoutMs: number },
  ): Promise<{ ok: true; answer: unknown } | { ok: false; refused: Refused }>;
};

/** A gateway as its token proves it. `run`: the start of its program, where the token says it. */
export type GatewayCaller = { gatewayId: string; streamId: number; run?: string };

/** What the hosted instance's live socket asks of the part that knows commands and presence. */
export type HostedLiveParts = {
  /** Orders that wait for that gateway, oldest first; never an expired one. They are `sent` when this answers. */
  commandsToSend(streamId: number): Promise<readonly CommandFrame[]>;
  /**
   * How long that order still counts, ms; null: it is void. From this answer on the gateway alone says what became of it:
   * nobody is told that it was not carried out before the gateway says so.
   */
  still(streamId: number, id: string): Promise<number | null>;
  commandState(streamId: number, frame: Extract<GatewayFrame, { is: 'command_state' }>): Promise<void>;
  live(streamId: number, frame: Extract<GatewayFrame, { is: 'live' }>): void;
  /** The socket of that gateway opened or closed, in this process. */
  connected(streamId: number, isConnected: boolean): void;
};

/** What the gateway's live socket asks of the part that switches. */
export type GatewayLiveParts = {
  /** Takes an order; answers how far it got. The same order again answers the same. From `lateAtMs`, monotonic, on it is late. */
  takeCommand(frame: CommandFrame, lateAtMs: number): Promise<Extract<GatewayFrame, { is: 'command_state' }>>;
  /** How every control point stands now. */
  livePoints(): readonly LiveState[];
  /** Tells how a taken order went on after `takeCommand` had answered; for the socket that is open then, if any. */
  onCommandState(listener: (frame: Extract<GatewayFrame, { is: 'command_state' }>) => void): () => void;
  /** Tells which control point stands otherwise than a moment ago. */
  onLive(listener: (controlPointId: string) => void): () => void;
};

/**
 * Sentences between the processes of a hosted instance: said after a commit, never inside one, lost without harm.
 * - `rows`: rows of these tables changed, for registries and event streams
 * - `stream`: that feed moved
 * - `command`: an order waits for that stream
 * - `presence`: live states of that stream
 * - `socket`: the gateway opened that live socket; older ones of it are dead
 * - `gap`: sentences may have been lost; look at everything that is followed again
 */
export type BusMessage =
  | { is: 'rows'; rows: readonly { table: string; id: string }[] }
  | { is: 'stream'; streamId: number; head: number }
  | { is: 'command'; streamId: number }
  | { is: 'presence'; streamId: number; points: readonly LiveState[]; isConnected: boolean }
  | { is: 'socket'; streamId: number; socket: string; openedAtMs: number }
  | { is: 'gap' };

export type Bus = {
  tell(message: BusMessage): void;
  /** Hears what other processes said, and what this one said (`here`), too. */
  hear(listener: (message: BusMessage, from: 'here' | 'elsewhere') => void): () => void;
  /** From when this resolves on, what others say of that stream alone is heard; elsewhere it may not be. */
  follow(streamId: number): Promise<void>;
  unfollow(streamId: number): void;
  /** Whether what is said here arrives: a sentence of its own came back a moment ago. */
  isHeard(): boolean;
  close(): Promise<void>;
};
