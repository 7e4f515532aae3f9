import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { askSignedTime } from '#adapters/sync/hosted-time.ts';

const FINE = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** Whatever stands between a box and its hosted instance answers so to everything; where it is asked for the time. */
async function whoAnswers(text: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['nothing', ''],
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nabc'],
  ['that it goes on', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['half a body', `${FINE}Content-Length: 100\r\n\r\n{`],
  ['a broken chunk', `${FINE}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ['no end', `${FINE}Transfer-Encoding: chunked\r\n\r\n2000\r\n${'1'.repeat(8_192)}\r\n`],
])('who asks for the time and is answered %s is told so at once, and can ask again', async (_what, text) => {
  const url = await whoAnswers(text);
  const asked = askSignedTime({ url, key: 'of nobody' }, { monotonic: () => performance.now() });
  await expect(asked).rejects.toThrow();
});
