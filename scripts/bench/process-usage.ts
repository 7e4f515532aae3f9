import { readdirSync, readFileSync } from 'node:fs';

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

/** By the scheduler's own count, where the kernel keeps one: a short stretch on a busy machine is few ticks. */
function preciseMs(pid: number): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const ns = threads.map((id) =>
      Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
    );
    return ns.reduce((sum, one) => sum + one, 0) / 1_000_000;
  } catch {
    return null;
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
    return { cpuMs: preciseMs(pid) ?? ticks * TICK_MS, rssMb: Number(kb ?? 0) / 1024 };
  } catch {
    return null;
  }
}
