import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startGatewaySide } from '#sim/conformance/gateway-side.ts';
import type { Observed } from '#sim/conformance/report.ts';
import { newKeyIn, startFleet } from '#sim/fleet/fleet.ts';
import { createRealClock } from '#sim/sim-clock.ts';

const IDENTITY = { device_id: 'aer-1', mqtt_id: 'aer-1', key: 'the-key-it-came-with' };
const NEW_KEY = 'the-key-it-is-given';

/** A line that may hold back what a controller has said, as after a lost packet; a new connection is none the slower. */
async function aLine(
  to: number,
): Promise<{ port: number; hold: (forMs: number) => void; close: () => void }> {
  const sockets = new Set<Socket>();
  let heldUntilMs = 0;
  const server = createServer((near) => {
    const far = connect({ port: to, host: '127.0.0.1' });
    const isFirst = sockets.size === 0;
    for (const socket of [near, far]) sockets.add(socket.setNoDelay(true).on('error', () => undefined));
    far.pipe(near);
    const pass = (act: () => void) => {
      const leftMs = isFirst ? heldUntilMs - performance.now() : 0;
      if (leftMs > 0) setTimeout(act, leftMs);
      else act();
    };
    near.on('data', (chunk) => pass(() => far.write(chunk)));
    near.on('end', () => pass(() => far.end()));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    // listening on a port
    port: (server.address() as AddressInfo).port,
    hold: (forMs) => {
      heldUntilMs = performance.now() + forMs;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A controller on such a line, and the gateway side it calls. */
async function aController() {
  const clock = createRealClock();
  const side = await startGatewaySide({ clock, identity: IDENTITY });
  const line = await aLine(Number(new URL(side.mqttUrl).port));
  const fleet = startFleet({
    controllers: [{ ...IDENTITY, transport: 'mqtt', profile: { firstTryWithinS: 0 } }],
    httpBase: side.httpBase,
    mqttUrl: `mqtt://127.0.0.1:${line.port}`,
    seed: 3,
    clock,
  });
  const keys: string[] = [];
  fleet.listen((event) => {
    const key = newKeyIn(event);
    if (key !== null) keys.push(key);
  });
  onTestFinished(async () => {
    await fleet.stop();
    line.close();
    await side.stop();
    clock.stop();
  });
  await side.until('it listens', 0, 30, isListening);
  await side.sleep(1);
  return { side, line, keys };
}

const isSession = (seen: Observed) => (seen.kind === 'session' ? seen : null);
const isListening = (seen: Observed) => (seen.kind === 'subscribed' ? seen : null);

/** What it told of its key and its sessions, in order. */
function told(seen: readonly Observed[]): string[] {
  return seen.flatMap((each) => {
    if (each.kind === 'session') return each.isNewKey ? ['comes with the new key'] : ['comes'];
    if (each.kind === 'session_end') return ['is gone'];
    if (each.kind !== 'message') return [];
    if (each.path === 'res') return ['answers'];
    const state = each.path === 'state' ? (each.body as { s: string }).s : null; // of our own controller
    return state === 'bye' || state === 'lost' ? [`says ${state}`] : [];
  });
}

const withNewKey = (seen: Observed) => (seen.kind === 'session' && seen.isNewKey ? seen : null);

test.each([0, 1_500])(
  'given a new key while its line is held up for %i ms, it answers and says bye before it comes with it',
  async (heldMs) => {
    const { side, line } = await aController();
    const since = side.mark();
    line.hold(heldMs);
    side.rotateKey('new-key', NEW_KEY, 'taken');
    const back = await side.until('it comes with the new key', since, 30, withNewKey);
    const order = told(side.observed.slice(since, back.place + 1));
    expect(order).toEqual(['answers', 'says bye', 'is gone', 'comes with the new key']);
  },
);

test('a line that carries no goodbye is left after two seconds all the same', async () => {
  const { side, line } = await aController();
  const since = side.mark();
  line.hold(20_000);
  const startMs = side.clock.nowMs();
  side.rotateKey('new-key', NEW_KEY, 'taken');
  const back = await side.until('it comes with the new key', since, 30, withNewKey);
  expect(back.atMs - startMs).toBeGreaterThan(1_900);
  expect(back.atMs - startMs).toBeLessThan(10_000);
});

test('a new key that is refused never becomes its own; one that opens does', async () => {
  const { side, keys } = await aController();
  side.rotateKey('refused', 'a-key-nobody-knows', 'refused');
  const refused = await side.until('it is turned away', 0, 30, (seen) =>
    seen.kind === 'turned_away' ? seen : null,
  );
  const back = await side.until('it is back', refused.place, 30, isSession);
  await side.until('it listens', back.place, 10, isListening);
  await side.sleep(1);
  expect(keys).toEqual([]);
  side.rotateKey('taken', NEW_KEY, 'taken');
  await side.until('it comes with the new key', back.place + 1, 30, withNewKey);
  await side.sleep(1);
  expect(keys).toEqual([NEW_KEY]);
});

test('a session is told of when it can be ended, not before', async () => {
  const { side } = await aController();
  const first = side.mark();
  side.kick();
  await side.until('it comes back', first, 30, isSession);
  // at the very moment that it is told
  const kicked = side.mark();
  side.kick();
  await side.until('it is gone', kicked, 5, (seen) => (seen.kind === 'session_end' ? seen : null));
});
