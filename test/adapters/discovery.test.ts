import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announce } from '#adapters/discovery/announce.ts';
import { isPrivateAddress } from '#adapters/http/private-address.ts';
import { type Beacon, DISCOVERY_QUESTION } from '#contract/discovery.ts';
import { findGateways } from '../../desktop/main/find-gateways.ts';

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
const norte: Beacon = {
  id: 'g-1',
  name: 'Norte',
  software: '0.1.0',
  http_port: 8080,
  https_port: 8443,
  pin: 'cGlu',
};

/** What comes back for a datagram, or null within half a second. */
function ask(port: number, question: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const end = (answer: string | null) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(() => end(null), 500);
    socket.on('message', (message) => end(message.toString()));
    socket.send(question, port, '127.0.0.1');
  });
}

describe('a gateway on the farm’s network', () => {
  let announcer: Awaited<ReturnType<typeof announce>>;
  let port = 0;
  beforeAll(async () => {
    announcer = await announce({ log, beacon: () => norte, port: 0, isPrivateAddress });
    port = announcer?.port ?? 0;
  });
  afterAll(() => announcer?.close());

  it('is found by the operator’s PC, with the address it was reached at and the key to pin', async () => {
    const found = await findGateways(port);
    expect(found).toContainEqual({
      id: 'g-1',
      name: 'Norte',
      software: '0.1.0',
      pin: 'cGlu',
      url: expect.stringMatching(/^https:\/\/[\d.]+:8443\/$/) as string,
    });
  });

  it('answers the question alone, whatever else is sent', async () => {
    expect(await ask(port, DISCOVERY_QUESTION)).toContain('Norte');
    expect(await ask(port, `${DISCOVERY_QUESTION} and more`)).toBeNull();
    expect(await ask(port, 'x'.repeat(2_000))).toBeNull();
  });

  it('answers at most fifty times a second', async () => {
    const answers = await Promise.all(Array.from({ length: 120 }, () => ask(port, DISCOVERY_QUESTION)));
    const answered = answers.filter((answer) => answer !== null).length;
    expect(answered).toBeGreaterThan(0);
    // the burst may fall into two seconds
    expect(answered).toBeLessThanOrEqual(100);
  });
});
