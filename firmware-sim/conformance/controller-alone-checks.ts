import type { DeviceSchedule, HeartbeatFields } from '#contract/mqtt/messages.ts';
import {
  applyLevel,
  type ControllerCheck,
  configure,
  demandApplied,
  heartbeatWhere,
} from './controller-level-checks.ts';
import type { GatewaySide } from './gateway-side.ts';
import { demand } from './report.ts';

// What a controller does when nobody answers it, whichever way it speaks.

const RETURNS_WITHIN_S = 100;
export const LOST_S = 10;
const DAY_S = 86_400;

export const aloneChecks: readonly ControllerCheck[] = [
  {
    id: 'alone.hold',
    clause: '6.6',
    title: 'a short loss of the gateway moves no relay',
    needs: ['level.applied'],
    run: async (side) => {
      await configure(side, { fail_safe: 'OFF', lost_s: 120 });
      await applyLevel(side, 'ON');
      const first = await loseAndReturn(side, 4);
      demand(first.current_status === 'ON', `it returned ${describe(first)}`);
    },
  },
  {
    id: 'alone.fail-safe',
    clause: '6.7',
    title: 'alone for longer than lost_s, without a schedule, it takes its fail-safe state',
    needs: ['level.applied'],
    run: async (side) => {
      await applyLevel(side, 'OFF');
      await configure(side, { fail_safe: 'ON', lost_s: LOST_S });
      demandReturned(await loseAndReturn(side, LOST_S * 2), 'ON fail_safe');
    },
  },
  {
    id: 'alone.return',
    clause: '6.8',
    title: 'when the gateway is back its level rules again',
    needs: ['level.applied'],
    run: async (side) => {
      const since = side.mark();
      side.setLevel(side.level());
      await demandApplied(side, since);
    },
  },
  {
    id: 'alone.locked-out',
    clause: '6.9',
    title: 'alone and locked out, its fail-safe state does not start the motor',
    needs: ['level.applied', 'lock-out'],
    run: async (side) => {
      await applyLevel(side, 'OFF');
      await configure(side, { fail_safe: 'ON', lost_s: LOST_S, locked_out: true });
      const first = await loseAndReturn(side, LOST_S * 2);
      demand(first.current_status === 'OFF', `it returned ${describe(first)}`);
    },
  },
  {
    id: 'alone.schedule',
    clause: '6.7',
    title: 'alone for longer than lost_s, with a schedule and a clock, it runs the schedule',
    needs: ['level.applied'],
    run: async (side) => {
      await applyLevel(side, 'OFF');
      await plan(side, (nowS) => ({
        from: nowS - 3600,
        to: nowS + 7200,
        tr: [[nowS + 1, 1, 'c1']],
        weekly: [],
      }));
      demandReturned(await loseAndReturn(side, LOST_S * 2), 'ON local_schedule');
    },
  },
  {
    id: 'alone.weekly',
    clause: '6.7',
    title: 'alone after the end of the list, it runs the weekly table, by utc_offset_s',
    needs: ['alone.schedule'],
    run: async (side) => {
      await applyLevel(side, 'OFF');
      side.setConfig({ utc_offset_s: UTC_OFFSET_S });
      await plan(side, (nowS) => ({ from: nowS - 7200, to: nowS - 3600, tr: [], weekly: everyDayAt(nowS) }));
      // its event comes while it is alone: later than the level
      const first = await loseAndReturn(side, LOST_S * 2 + SECONDS_TO_EVENT);
      side.setConfig({ utc_offset_s: 0 });
      demandReturned(first, 'ON local_schedule');
    },
  },
  {
    id: 'alone.ordered',
    clause: '6.7',
    title: 'alone, a level that is later than the schedule’s latest event holds until the next one',
    needs: ['alone.schedule'],
    run: async (side) => {
      await plan(side, (nowS) => ({
        from: nowS - 7200,
        to: nowS + 7200,
        tr: [
          [nowS - 3600, 1, 'c1'],
          [nowS + 3600, 0, 'c1'],
        ],
        weekly: [],
      }));
      await applyLevel(side, 'OFF');
      const first = await loseAndReturn(side, LOST_S * 2);
      side.setSchedule({ from: 0, to: 0, tr: [], weekly: [] });
      demandReturned(first, 'OFF local_schedule');
    },
  },
];

const UTC_OFFSET_S = -10_800;
const SECONDS_TO_EVENT = 60;

/** A schedule around now, and a controller that follows it when it is alone. */
async function plan(
  side: GatewaySide,
  make: (nowS: number) => Pick<DeviceSchedule, 'from' | 'to' | 'tr' | 'weekly'>,
): Promise<void> {
  side.publishTime();
  side.setSchedule(make(Math.floor(side.clock.unixMs() / 1000)));
  await configure(side, { fail_safe: 'OFF', lost_s: LOST_S });
}

/** ON at the next full minute of local time, on every day of the week. */
function everyDayAt(nowS: number): DeviceSchedule['weekly'] {
  const localS = nowS + UTC_OFFSET_S + SECONDS_TO_EVENT;
  const minutes = Math.floor((localS % DAY_S) / 60);
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => `${part}`.padStart(2, '0'));
  return [1, 2, 3, 4, 5, 6, 7].map((day) => [day, `${hour}:${minute}`, 1]);
}

function demandReturned(first: HeartbeatFields, wanted: string): void {
  demand(describe(first) === wanted, `it returned ${describe(first)}`);
}

const describe = ({ current_status, source }: HeartbeatFields): string =>
  `${current_status} ${source ?? 'without source'}`;

/** Shuts the gateway for a time and answers the first heartbeat after it opened again, before any level is told. */
export async function loseAndReturn(side: GatewaySide, seconds: number): Promise<HeartbeatFields> {
  side.forgetLevel();
  await side.closeDoors();
  await side.sleep(seconds);
  await side.openDoors();
  return side.until(
    'the controller is back',
    side.mark(),
    RETURNS_WITHIN_S,
    heartbeatWhere(() => true),
  );
}
