import type { SimClock } from '../sim-clock.ts';
import type { Incoming, Outgoing, Transport } from './http-transport.ts';

// A bad radio between a controller and its network: messages vanish, come late, come twice.

export type LinkFaults = {
  lossShare: number;
  duplicateShare: number;
  delayMs: readonly [number, number];
  /** true: no Wi-Fi; nothing connects. */
  isDown: boolean;
};

export const GOOD_LINK: LinkFaults = { lossShare: 0, duplicateShare: 0, delayMs: [0, 0], isDown: false };

const HTTP_GIVES_UP_MS = 10_000;
const UNREACHABLE_AFTER_MS = 1_000;

export type FaultyLink = Transport & { setFaults(faults: Partial<LinkFaults>): void };

type Deps = {
  clock: SimClock;
  random: () => number;
  hear: (message: Incoming) => void;
  inner: (hear: (message: Incoming) => void) => Transport;
};

/** Wraps a transport; messages suffer, the coming and going of the session does not. */
export function createFaultyLink(deps: Deps): FaultyLink {
  let faults = GOOD_LINK;
  // Counts sessions, so that a message delayed over a power cut does not arrive in the next life.
  let life = 0;

  /** Said, and still on its way out. */
  const leaving = new Set<() => void>();

  const suffer = (deliver: () => void, way: Set<() => void> | null = null): boolean => {
    if (deps.random() < faults.lossShare) return false;
    later(deliver, way);
    if (deps.random() < faults.duplicateShare) later(deliver, way);
    return true;
  };
  const later = (deliver: () => void, way: Set<() => void> | null) => {
    const [low, high] = faults.delayMs;
    if (high <= 0) return deliver();
    const sentIn = life;
    const atMs = deps.clock.nowMs() + low + (high - low) * deps.random();
    const once = () => deliver();
    way?.add(once);
    deps.clock.at(atMs, () => {
      if (sentIn !== life) return;
      way?.delete(once);
      once();
    });
  };
  const soon = (afterMs: number, message: Incoming) => {
    const sentIn = life;
    deps.clock.at(deps.clock.nowMs() + afterMs, () => {
      if (sentIn === life) deps.hear(message);
    });
  };
  const inner = deps.inner((message) => {
    if (isAboutTheSession(message)) deps.hear(message);
    else if (message.kind === 'http_answer') {
      if (!suffer(() => deps.hear(message))) soon(HTTP_GIVES_UP_MS, { kind: 'http_failed', reason: 'lost' });
    } else suffer(() => deps.hear(message));
  });

  return {
    connect: (session) => {
      if (faults.isDown) soon(UNREACHABLE_AFTER_MS, { kind: 'disconnected', reason: 'no network' });
      else inner.connect(session);
    },
    send: (message: Outgoing) => {
      if (faults.isDown) {
        if (message.kind === 'post')
          soon(UNREACHABLE_AFTER_MS, { kind: 'http_failed', reason: 'no network' });
        return;
      }
      const arrived = suffer(() => inner.send(message), leaving);
      if (!arrived && message.kind === 'post')
        soon(HTTP_GIVES_UP_MS, { kind: 'http_failed', reason: 'lost' });
    },
    close: (how) => {
      // What was said before a goodbye arrives before it; a power cut takes it along.
      if (how === 'bye') for (const deliver of leaving) deliver();
      leaving.clear();
      life += 1;
      inner.close(how);
    },
    rekey: inner.rekey,
    setHalfOpen: inner.setHalfOpen,
    setFaults: (change) => {
      const wasDown = faults.isDown;
      faults = { ...faults, ...change };
      if (faults.isDown && !wasDown) {
        inner.close('abrupt');
        deps.hear({ kind: 'disconnected', reason: 'no network' });
      }
    },
  };
}

function isAboutTheSession(message: Incoming): boolean {
  return message.kind === 'connected' || message.kind === 'disconnected' || message.kind === 'http_failed';
}
