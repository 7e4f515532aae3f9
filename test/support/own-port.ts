import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports that systems give away by themselves begin at 32,768: nobody is given one of these while a box is away. */
const FROM = 20_000;
const COUNT = 12_000;

/**
 * A port of this machine at which nobody answers, and that is given to nobody else: where a box may come back later. `but`: not that one.
 */
export async function anOwnPort(but = 0): Promise<number> {
  for (;;) {
    const port = FROM + randomInt(COUNT);
    if (port === but) continue;
    const holder = createServer().listen(port, '127.0.0.1');
    const isFree = await once(holder, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    holder.close();
    await once(holder, 'close');
    return port;
  }
}
