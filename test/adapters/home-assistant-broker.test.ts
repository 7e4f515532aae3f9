import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { connectHomeAssistant } from '#adapters/home-assistant/connect.ts';
import { createJsonLog } from '#adapters/log/json-log.ts';

// Whoever may write to the broker of Home Assistant may write to the topics of our orders, and a header of MQTT may announce
// 256 MiB. The gateway has less than that to spare, and motors to run.

const MIB = 1024 * 1024;

test('a message of the broker of Home Assistant is not taken into memory before it is known to be short', async () => {
  const told = { bytes: 0, ended: 0 };
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      told.ended += 1;
    });
    socket.once('data', () => {
      socket.write(Buffer.from([0x20, 2, 0, 0]));
      // PUBLISH at QoS 0 of the longest packet there is, to the topic `a`
      socket.write(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f, 0, 1, 0x61]));
      const piece = Buffer.alloc(MIB);
      const more = () => {
        if (socket.destroyed || told.bytes > 100 * MIB) return;
        told.bytes += piece.length;
        socket.write(piece, more);
      };
      more();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const lost: string[] = [];
  const connection = await connectHomeAssistant({
    url: `mqtt://127.0.0.1:${address.port}`,
    user: null,
    password: null,
    clientId: 'farm',
    statusTopic: 'farm/status',
    filters: ['farm/+/set'],
    log: createJsonLog('error'),
    connected: () => undefined,
    disconnected: (why) => void lost.push(why),
    hear: () => undefined,
  });
  onTestFinished(async () => {
    await connection.stop();
    server.close();
  });
  await expect.poll(() => told.ended, { timeout: 5_000 }).toBe(1);
  expect(told.bytes).toBeLessThan(30 * MIB);
  expect(lost).toEqual(['a message of the broker is longer than any for us']);
});
