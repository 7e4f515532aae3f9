import { readFileSync } from 'node:fs';

export type Usage = { cpuMs: number; rssMb: number };

/** The kernel counts CPU time for other processes in ticks of this length, on every Linux. */
const TICK_MS = 10;

/** Memory of a process and of those it started, MB. */
export function familyRssMb(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + (usageOf(one)?.rssMb ?? 0), 0);
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** What another process has used so far; null where there is no /proc. */
export function usageOf(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name of the program stands in parentheses and may hold spaces
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return { cpuMs: ticks * TICK_MS, rssMb: Number(kb ?? 0) / 1024 };
  } catch {
    return null;
  }
}
