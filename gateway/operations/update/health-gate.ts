// When a version that is tried has proven itself. Pure; asked every second.

export type Vital = {
  /** /readyz would answer 200: the database is open and answers. */
  isReady: boolean;
  /** Looks at the schedules since the start; null: this role has none. */
  controlTicks: number;
  /** Messages go through the broker, and that was tried. */
  brokerOk: boolean;
  /** Controllers that were online before the switch, and how many of them came to this version. */
  controllers: { awaited: number; reached: number };
  /** Secured ports that were open before and are not now. */
  closedPorts: readonly string[];
  /** The sync runs, or it is known why not; null: with nobody. */
  isSyncKnown: boolean | null;
};

export type Gate = { steadySince: number | null; lastTicks: number };
export const OPEN_GATE: Gate = { steadySince: null, lastTicks: 0 };

/** So long everything must have been well without a break: two looks at the broker, several at the schedules. */
export const STEADY_MS = 8_000;
/** A tick a second; the loop may be a little late. */
const TICK_PATIENCE_MS = 3_000;

/**
 * Next state of the gate, and what is still missing; null: healthy. `isWell`: what is missing has to come from outside.
 */
export function judge(
  gate: Gate & { tickedAt?: number },
  vital: Vital,
  now: number,
  steadyMs = STEADY_MS,
): { gate: Gate & { tickedAt: number }; missing: string | null; isWell: boolean } {
  const hasTicked = vital.controlTicks > gate.lastTicks;
  const tickedAt = hasTicked ? now : (gate.tickedAt ?? Number.NEGATIVE_INFINITY);
  const missing = !vital.isReady
    ? 'it is not ready to serve'
    : now - tickedAt > TICK_PATIENCE_MS
      ? 'it does not look at the schedules'
      : vital.brokerOk
        ? null
        : 'messages do not get through its broker';
  if (missing !== null)
    return { gate: { steadySince: null, lastTicks: vital.controlTicks, tickedAt }, missing, isWell: false };
  const steadySince = gate.steadySince ?? now;
  const next = { steadySince, lastTicks: vital.controlTicks, tickedAt };
  const isWell = now - steadySince >= steadyMs;
  return { gate: next, missing: isWell ? comingOf(vital) : 'it has not been well for long enough', isWell };
}

/**
 * What comes when it comes, from outside: controllers return one after the other, each in its own time, so it need not
 * have been so for long. Half of them are enough, for one may be broken, or its motor's fuse out, since the same minute.
 */
function comingOf({ controllers: { awaited, reached }, closedPorts, isSyncKnown }: Vital): string | null {
  if (closedPorts.length > 0) return `its port ${closedPorts.join(', ')} is not open`;
  if (2 * reached < awaited) return `${reached} of ${awaited} controllers came back to it`;
  return isSyncKnown === false ? 'it does not say how its sync stands' : null;
}
