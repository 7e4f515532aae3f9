// Farm time runs faster than ours and goes on while the gateway is dead. The clock of the machine stands beside it: it
// may be wrong, the monotonic one never is.

export type FarmTime = { realStart: number; farmStart: number; speed: number };

export function farmNow({ realStart, farmStart, speed }: FarmTime): number {
  return farmStart + (Date.now() - realStart) * speed;
}

/** What the machine under the gateway believes: its wall clock, this far beside farm time, and what speaks for it. */
export type MachineClock = { aheadMs: number; isSynchronised: boolean | null };

export const RIGHT_CLOCK: MachineClock = { aheadMs: 0, isSynchronised: null };
