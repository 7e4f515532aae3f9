import { isoOf } from '#core/kernel.ts';
import { localDay, startOfDay } from '#core/zone-clock.ts';
import type { DataToday } from './ports.ts';

/** What went over the link since local midnight; kept in memory, so it begins anew with the program. */
export function countDataToday({ now, zone }: { now: () => number; zone: string }) {
  const own = { day: localDay(isoOf(now()), zone), since: isoOf(now()), sent: 0, received: 0 };

  function turn(): void {
    const day = localDay(isoOf(now()), zone);
    if (day === own.day) return;
    Object.assign(own, { day, since: startOfDay(day, zone), sent: 0, received: 0 });
  }

  return {
    add(bytes: { sent: number; received: number }): void {
      turn();
      own.sent += bytes.sent;
      own.received += bytes.received;
    },
    soFar(): DataToday {
      turn();
      return { sentBytes: own.sent, receivedBytes: own.received, since: own.since };
    },
  };
}
