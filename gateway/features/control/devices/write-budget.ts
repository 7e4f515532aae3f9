import { NewestMap } from '#core/newest-map.ts';

// What a controller says is bounded by what it makes the disk write, not by how often it says it: a card dies of bytes.

const DAY_MS = 86_400_000;

/** Controllers that write; whose account fell out may write as much once more. */
const MOST_ACCOUNTS = 50_000;

/** Of one control point in a day. Three hundred changes of status are stored as they come; nobody switches more often. */
export const DAILY_BYTES = 20_000_000;

/** What one of each makes the disk write, with indexes, change log and file system: measured, rounded up. */
export const WRITE_BYTES = { status: 64_000, event: 44_000, version: 32_000 } as const;
export type Write = keyof typeof WRITE_BYTES;

type Account = { bytes: number; at: number };

export type WriteBudget = ReturnType<typeof createWriteBudget>;

/** A bucket of bytes per control point: a day's worth at once, and as much again every day. */
export function createWriteBudget(deps: { monotonic: () => number }) {
  const accounts = new NewestMap<string, Account>(MOST_ACCOUNTS);

  function accountOf(id: string): Account {
    const now = deps.monotonic();
    const known = accounts.get(id) ?? { bytes: DAILY_BYTES, at: now };
    const earned = (Math.max(0, now - known.at) / DAY_MS) * DAILY_BYTES;
    const account = { bytes: Math.min(DAILY_BYTES, known.bytes + earned), at: now };
    accounts.set(id, account);
    return account;
  }

  return {
    has: (id: string, what: Write): boolean => accountOf(id).bytes >= WRITE_BYTES[what],
    /** Also of what is stored in any case; it may leave a debt. */
    charge(id: string, what: Write): void {
      accountOf(id).bytes -= WRITE_BYTES[what];
    },
    forget: (id: string): void => void accounts.delete(id),
  };
}
