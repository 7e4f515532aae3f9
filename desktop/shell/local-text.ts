import type { LocalTold } from '../ipc.ts';
import { words } from './words.ts';

/** How the gateway of this machine is, and what to do when it does not start. */
export function localText({ at, trouble }: LocalTold): string {
  if (at === 'running') return words.runs;
  if (trouble === null) return at === 'late' ? words.late : words.starting;
  if (trouble.port !== null) return words.portTaken(trouble.port);
  return words.fell(trouble.sentence);
}
