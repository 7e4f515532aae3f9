import { once } from 'node:events';
import net from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { generate } from 'mqtt-packet';
import { expect, test } from 'vitest';
import { connectPacket, eventually, startBroker } from './broker-under-test.ts';

const ROUNDS = 3;

/** Bytes that are really held. */
async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // made by the flag
  for (let pass = 0; pass < 3; pass++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return process.memoryUsage().heapUsed;
}

test.each([
  ['that say nothing', false],
  ['of controllers', true],
])(
  'a thousand connections %s leave no handle and no memory behind',
  async (_what, isController) => {
    const farm = await startBroker();
    const names = Array.from({ length: 1_000 }, (_, n) => `aerator-${1_000 + n}`);
    if (isController) for (const name of names) farm.known.add(name);

    async function comeAndGo(): Promise<void> {
      const sockets = await Promise.all(
        names.map(async (name) => {
          const socket = net.connect(farm.port, '127.0.0.1');
          await once(socket, 'connect');
          if (!isController) return socket;
          // a client of the other tests would be held by the test itself
          socket.write(generate(connectPacket(name)));
          await once(socket, 'data');
          return socket;
        }),
      );
      for (const socket of sockets) socket.destroy();
      await eventually(() => expect(farm.broker.clientCount()).toBe(0));
      await eventually(() => expect(openSockets()).toBeLessThanOrEqual(1));
      farm.calls.length = 0;
      farm.log.length = 0;
    }

    await comeAndGo();
    const base = await heldBytes();
    for (let round = 0; round < ROUNDS; round++) await comeAndGo();
    // a client that is kept takes more than 5 KB
    expect((await heldBytes()) - base).toBeLessThan(ROUNDS * 1_000 * 2_500);
  },
  180_000,
);

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}
