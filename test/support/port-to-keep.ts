import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that the system hands to whoever asks for any: what is let go of for a moment is nobody's meanwhile. */
const LEAST = 20_000;
const MOST = 32_000;

/** A free loopback port for a program that ends and comes back at the same address. */
export async function portToKeep(): Promise<number> {
  for (;;) {
    const port = randomInt(LEAST, MOST);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
