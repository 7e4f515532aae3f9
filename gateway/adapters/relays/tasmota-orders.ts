import type { SwitchState } from '#contract/words.ts';
import type { OrderMore } from '#features/equipment/relays/ports.ts';

// Orders of a Tasmota that end by themselves. TimedPower (from 13.4 on) waits in memory and wears no flash; older ones
// have Backlog with Delay, one queue for the whole relay. PulseTime is no way: it is written to flash, and stays.

type Command = { name: string; payload: string };

const FIRST_TIMED_POWER = [13, 4] as const;
/** Delay counts tenths of a second, this many at most; a Backlog has room for 30 commands. */
const LONGEST_DELAY = 3_600;
const MOST_DELAYS = 28;
const LONGEST_BACKLOG_S = (MOST_DELAYS * LONGEST_DELAY) / 10;

export function orderOf(channel: number, target: SwitchState, more?: OrderMore): Command[] {
  const power = { name: `POWER${channel}`, payload: target };
  if (more === undefined) return [power];
  const way = wayOf(more.firmware);
  const cancel: Command[] =
    way === null || !more.mayHaveTimer
      ? []
      : [{ name: way === 'timed_power' ? `TimedPower${channel}` : 'Backlog', payload: '' }];
  const { endsInS } = more;
  if (endsInS === null || !canEnd(more)) return [...cancel, power];
  if (way === 'timed_power') {
    const timed = `${Math.round(endsInS * 1000)},${target === 'ON' ? 1 : 0}`;
    // a build without it switches all the same
    return [...cancel, power, { name: `TimedPower${channel}`, payload: timed }];
  }
  const then = `POWER${channel} ${target === 'ON' ? 'OFF' : 'ON'}`;
  return [...cancel, power, { name: 'Backlog', payload: [...delays(endsInS), then].join('; ') }];
}

/** True where the relay can end an order by itself. */
export function canEnd({ endsInS, firmware, isAlone }: OrderMore): boolean {
  const way = wayOf(firmware);
  if (way === null || endsInS === null) return false;
  return way === 'timed_power' || (isAlone && endsInS <= LONGEST_BACKLOG_S);
}

export const canCancelTimer = ({ firmware }: OrderMore): boolean => wayOf(firmware) !== null;

/** null: nobody knows which firmware it has. */
function wayOf(firmware: string | null): 'timed_power' | 'backlog' | null {
  const [, major, minor] = /^v?(\d{1,3})\.(\d{1,3})/.exec(firmware ?? '') ?? [];
  if (major === undefined || minor === undefined) return null;
  const isNewer =
    Number(major) > FIRST_TIMED_POWER[0] ||
    (Number(major) === FIRST_TIMED_POWER[0] && Number(minor) >= FIRST_TIMED_POWER[1]);
  return isNewer ? 'timed_power' : 'backlog';
}

function delays(seconds: number): string[] {
  const steps: string[] = [];
  // the shortest it takes is two tenths
  for (let left = Math.round(seconds * 10); left >= 2; left -= LONGEST_DELAY)
    steps.push(`Delay ${Math.min(left, LONGEST_DELAY)}`);
  return steps;
}
