import { createSocket } from 'node:dgram';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isQuestion, type SntpDeps, serveTime } from '#adapters/time/sntp-server.ts';

const NOON = Date.UTC(2026, 2, 2, 12, 0, 0, 250);
const TO_1970_S = 2_208_988_800;
const silent = () => undefined;

async function aTimeServer(options: Partial<SntpDeps> = {}) {
  const said: { fields: Record<string, unknown>; sentence: string }[] = [];
  const clock = { monotonic: 0 };
  const deps: SntpDeps = {
    log: {
      debug: silent,
      info: (fields, sentence) => void said.push({ fields, sentence }),
      warn: silent,
      error: silent,
    },
    now: () => NOON,
    monotonic: () => clock.monotonic,
    stratum: () => 3,
    isPrivateAddress: () => true,
    ...options,
  };
  const server = await serveTime(deps, 0, '127.0.0.1');
  onTestFinished(() => server.close());
  const client = createSocket('udp4');
  await new Promise<void>((resolve) => client.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void client.close());
  const answers: Buffer[] = [];
  client.on('message', (answer) => answers.push(answer));
  return {
    server,
    deps,
    said,
    clock,
    answers,
    send: (packet: Buffer) => client.send(packet, server.port ?? 0, '127.0.0.1'),
    async ask(packet = aQuestion()) {
      client.send(packet, server.port ?? 0, '127.0.0.1');
      return vi.waitFor(
        () => {
          const answer = answers.shift();
          if (answer === undefined) throw new Error('no answer');
          return answer;
        },
        { interval: 2, timeout: 60_000 },
      );
    },
  };
}

/** As a controller sends it: version 4, mode 3, and its own clock in the transmit time. */
function aQuestion(version = 4): Buffer {
  const packet = Buffer.alloc(48);
  packet[0] = (version << 3) | 3;
  packet.writeUInt32BE(0x12345678, 40);
  packet.writeUInt32BE(0x9abcdef0, 44);
  return packet;
}

const secondsAt = (packet: Buffer, offset: number) =>
  packet.readUInt32BE(offset) - TO_1970_S + packet.readUInt32BE(offset + 4) / 2 ** 32;

describe('the time server of the farm network', () => {
  it('tells the time to a controller, in its version, with its question in the answer', async () => {
    const { ask } = await aTimeServer();
    for (const version of [1, 3, 4]) {
      const answer = await ask(aQuestion(version));
      expect(answer.length).toBe(48);
      expect(answer[0]).toBe((version << 3) | 4);
      expect(answer[1]).toBe(3);
      expect(answer.subarray(24, 32).toString('hex')).toBe('123456789abcdef0');
      expect(secondsAt(answer, 40)).toBeCloseTo(NOON / 1000, 6);
      expect(secondsAt(answer, 32)).toBeCloseTo(NOON / 1000, 6);
    }
  });

  it('never serves a time that is not trusted: leap 3, stratum 16 and no time', async () => {
    const { ask } = await aTimeServer({ stratum: () => null });
    const answer = await ask();
    expect([(answer[0] ?? 0) >> 6, answer[1]]).toEqual([3, 16]);
    expect(answer.subarray(32).every((byte) => byte === 0)).toBe(true);
    expect(answer.subarray(16, 24).every((byte) => byte === 0)).toBe(true);
  });

  it('answers thirty questions of one address a minute', async () => {
    const { ask, send, server, clock } = await aTimeServer();
    for (let n = 0; n < 30; n += 1) await ask();
    send(aQuestion());
    clock.monotonic += 60_000;
    // the one too many came before the next minute began, or in it: at most one of them was answered
    await ask();
    expect(server.answers()).toBeLessThanOrEqual(32);
  });

  it('tells the time to all others while one address floods it', async () => {
    const heard: string[] = [];
    const isPrivateAddress = (address: string) => heard.push(address) > 0;
    const { ask, server } = await aTimeServer({ isPrivateAddress });
    const flooder = createSocket('udp4');
    onTestFinished(() => void flooder.close());
    await new Promise<void>((resolve) => flooder.bind(0, '127.0.0.2', resolve));
    for (let sent = 1; sent <= 250; sent += 1) {
      flooder.send(aQuestion(), server.port ?? 0, '127.0.0.1');
      // more at once than a socket holds would get lost
      if (sent % 25 === 0)
        await vi.waitFor(() => expect(heard).toHaveLength(sent), { interval: 1, timeout: 60_000 });
    }
    expect(server.answers()).toBe(30);
    await ask();
    expect(server.answers()).toBe(31);
  });

  it('answers neither strangers nor what is no question', async () => {
    const stranger = await aTimeServer({ isPrivateAddress: () => false });
    stranger.send(aQuestion());
    const { send, ask, server } = await aTimeServer();
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(47, 0x23), Buffer.alloc(48, 0x24), Buffer.alloc(48)])
      send(bytes);
    await ask();
    expect([server.answers(), stranger.server.answers()]).toEqual([1, 0]);
  });

  it('takes no harm from any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 128 }), (bytes) => {
        const packet = Buffer.from(bytes);
        expect(isQuestion(packet)).toBe(
          packet.length >= 48 &&
            ((packet[0] ?? 0) & 7) === 3 &&
            [1, 2, 3, 4].includes(((packet[0] ?? 0) >> 3) & 7),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('says in one plain line that another program has the port, and the gateway goes on', async () => {
    const { server, deps, said } = await aTimeServer();
    const second = await serveTime(deps, server.port ?? 0, '127.0.0.1');
    expect([second.port, second.trouble]).toEqual([null, 'another program serves the time on this port']);
    expect(said.length).toBe(1);
    await second.close();
  });
});
