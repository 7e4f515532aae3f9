import { AppError } from '#core/errors.ts';

// How much a gateway may have stored here, whatever it says: the disk is every farm's. A gateway loses nothing by waiting,
// and orders to it do not wait.

const MB = 1_000_000;
const DAY_MS = 24 * 3_600_000;
/** As much as the log of a box holds that was alone for months (--sync-quota-mb). */
const AT_ONCE_BYTES = 2_000 * MB;
/** A hundred ponds that record everything tell some 5 MB a day. */
const A_DAY_BYTES = 512 * MB;
const MOST_WAIT_MS = 3_600_000;

type Told = { bytes: number; at: number };

/** Of this process. Throws 429 where a gateway told too much; each day takes A_DAY_BYTES of it away. */
export function toldInADay({ monotonic }: { monotonic: () => number }) {
  const toldBy = new Map<string, Told>();
  const leftOf = ({ bytes, at }: Told, now: number) =>
    Math.max(0, bytes - ((now - at) * A_DAY_BYTES) / DAY_MS);
  const look = { at: 0 };
  /** Gateways that are even again, now and then. */
  function forgetEven(now: number): void {
    if (now - look.at < DAY_MS) return;
    look.at = now;
    for (const [key, told] of toldBy) if (leftOf(told, now) === 0) toldBy.delete(key);
  }
  return (streamId: number, kind: 'push' | 'repair', bytes: number): void => {
    const now = monotonic();
    forgetEven(now);
    const key = `${streamId} ${kind}`;
    const told = toldBy.get(key);
    const before = told === undefined ? 0 : leftOf(told, now);
    const over = before + bytes - AT_ONCE_BYTES;
    if (over > 0) throw tooMuch(Math.min(MOST_WAIT_MS, (over * DAY_MS) / A_DAY_BYTES));
    toldBy.set(key, { bytes: before + bytes, at: now });
  };
}

function tooMuch(waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError(
    429,
    `This gateway told ${AT_ONCE_BYTES / MB} MB more than the ${A_DAY_BYTES / MB} MB a day that a farm has to tell; the rest waits at the farm`,
    { code: 'SYNC_TOO_MUCH', headers: { 'Retry-After': String(seconds) } },
  );
}
