// Hybrid logical clock: 12 hex digits of milliseconds, 4 of a counter, 8 of the node. Text order is time order.

export type Hlc = string;

const MS_DIGITS = 12;
const COUNTER_DIGITS = 4;
const COUNTER_LIMIT = 0x1_0000;

export function formatHlc(ms: number, counter: number, node: string): Hlc {
  // clocks count parts of milliseconds, too; in hexadecimal they would sort anywhere
  return `${Math.floor(ms).toString(16).padStart(MS_DIGITS, '0')}.${counter.toString(16).padStart(COUNTER_DIGITS, '0')}.${node}`;
}

export function readHlc(hlc: Hlc): { ms: number; counter: number; node: string } {
  const [ms = '0', counter = '0', node = ''] = hlc.split('.');
  return { ms: Number.parseInt(ms, 16), counter: Number.parseInt(counter, 16), node };
}

/**
 * The stamp after `last` at wall time `nowMs`. A clock that stands or runs backward only counts up; a full counter
 * carries into the milliseconds. Never throws: time must not stop a farm from writing.
 */
export function nextHlc(last: Hlc | null, nowMs: number, node: string): Hlc {
  const now = Math.max(0, Math.floor(nowMs));
  if (last === null) return formatHlc(now, 0, node);
  const { ms, counter } = readHlc(last);
  if (now > ms) return formatHlc(now, 0, node);
  return counter + 1 < COUNTER_LIMIT ? formatHlc(ms, counter + 1, node) : formatHlc(ms + 1, 0, node);
}
