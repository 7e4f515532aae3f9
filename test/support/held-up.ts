import { readdirSync, readFileSync } from 'node:fs';

// What takes longer because no processor was free is the machine's doing, not the program's: bounds on its time leave it
// out, and need no patience for a machine that is busy elsewhere. On a quiet one that is nothing, and they hold whole.

/**
 * How long the main thread of a process was ready to run and no processor was free, ms since its start; 0 where the system
 * does not tell, or the process is over.
 */
export function heldUpMs(pid: number | 'self' = 'self'): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * Tells how long this process and all that it started, a browser or a gateway, were held up since the call, ms. Of one that
 * ended meanwhile it knows what it saw when it was asked last.
 */
export function heldUpFromNow(): () => number {
  const before = heldUpOfAll();
  const seen = new Map(before);
  return () => {
    for (const [pid, ms] of heldUpOfAll()) seen.set(pid, ms);
    let ms = 0;
    for (const [pid, now] of seen) ms += now - (before.get(pid) ?? 0);
    return ms;
  };
}

/** Of this process and its descendants, by their ids. */
function heldUpOfAll(): Map<number, number> {
  const children = Map.groupBy(processes(), ({ parent }) => parent);
  const found = new Map<number, number>();
  const waiting = [process.pid];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    found.set(pid, heldUpMs(pid));
    waiting.push(...(children.get(pid) ?? []).map((child) => child.pid));
  }
  return found;
}

function processes(): { pid: number; parent: number }[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // behind its name, which may hold anything: its state, its parent
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return [{ pid: Number(name), parent: Number(parent) }];
    } catch {
      return []; // it ended meanwhile
    }
  });
}
