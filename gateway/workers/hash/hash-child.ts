import { spawnSync } from 'node:child_process';
import { hashed, verified } from '#adapters/passwords/argon2-passwords.ts';
import { standBack } from '#adapters/system/process-pauses.ts';
import type { HashOrder, HashWord } from './hash-process.ts';

// Hashes what hash-process.ts asks for, and ends with it.

standBack();
// before there are threads that hash: they are of the class of the one that makes them. Where there is no such program
// or no such class, the priority alone counts
spawnSync('chrt', ['--idle', '--pid', '0', String(process.pid)], { stdio: 'ignore' });

process.once('disconnect', () => process.exit(0));
process.on('message', (order: HashOrder) => {
  const tell = (answer: HashWord['answer']) =>
    process.send?.({ id: order.id, answer } satisfies HashWord, () => undefined);
  const done: Promise<string | boolean> = 'verify' in order ? verified(order.verify) : hashed(order.hash);
  done.then(tell, () => tell(null));
});
