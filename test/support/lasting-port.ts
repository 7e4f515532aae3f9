import { createServer } from 'node:net';

// A port that is closed for a while and opened again must not be taken meanwhile. The system gives out those from some
// 32,000 on to whoever asks for any; here each worker has a thousand of its own below.

const FIRST = 11_000;
const EACH = 1_000;
const WORKERS = 20;

/** Another run on this machine begins elsewhere. */
let next = Math.floor(Math.random() * EACH);

/** A port of this machine that is free, that this worker has not given for long, and that who takes just any will not get. */
export async function lastingPort(): Promise<number> {
  const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS;
  for (;;) {
    next = (next + 1) % EACH;
    const port = FIRST + worker * EACH + next;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
