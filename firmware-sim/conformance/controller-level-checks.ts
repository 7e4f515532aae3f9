import type { HeartbeatFields } from '#contract/mqtt/messages.ts';
import type { SwitchState } from '#contract/words.ts';
import type { GatewaySide } from './gateway-side.ts';
import type { Observed } from './observed.ts';
import type { Check } from './report.ts';
import { demand } from './report.ts';

export type ControllerCheck = Check<GatewaySide>;

// What holds whichever way a controller speaks: levels, versions, and what it does when it is alone.

const HEARTBEAT_S = 4;
const SETTLES_WITHIN_S = 20;
const RETURNS_WITHIN_S = 100;
const LOST_S = 10;

/** Any heartbeat that passes the test. */
export function heartbeatWhere(
  test: (body: HeartbeatFields) => boolean,
): (seen: Observed) => HeartbeatFields | null {
  return (seen) => (seen.kind === 'heartbeat' && test(seen.body) ? seen.body : null);
}

/** Gives the next level of the epoch and waits until a heartbeat tells that it is applied. */
export async function applyLevel(side: GatewaySide, target: SwitchState): Promise<void> {
  const version = side.level().version + 1;
  const sinceMs = side.clock.nowMs();
  side.setLevel({ ...side.level(), version, target });
  await demandApplied(side, sinceMs);
}

async function demandApplied(side: GatewaySide, sinceMs: number): Promise<void> {
  const { version, epoch, target } = side.level();
  await side.until(
    `a heartbeat with ${target} and version ${epoch}/${version}`,
    sinceMs,
    SETTLES_WITHIN_S,
    heartbeatWhere(
      (body) => body.current_status === target && body.version === version && body.epoch === epoch,
    ),
  );
}

/** Watches heartbeats for a while: none may say anything else. */
async function demandStays(side: GatewaySide, target: SwitchState, seconds: number): Promise<void> {
  const from = side.observed.length;
  await side.sleep(seconds);
  const other = side.observed
    .slice(from)
    .find((seen) => seen.kind === 'heartbeat' && seen.body.current_status !== target);
  demand(other === undefined, `the relay left ${target}`);
}

export const rhythmChecks: readonly ControllerCheck[] = [
  {
    id: 'heartbeat.rhythm',
    clause: '6.1',
    title: 'heartbeats follow heartbeat_s within a tenth (and half a second)',
    run: async (side) => {
      side.setConfig({ heartbeat_s: HEARTBEAT_S });
      // The first beat after the change may still belong to the old rhythm.
      await side.until(
        'a heartbeat',
        side.clock.nowMs(),
        70,
        heartbeatWhere(() => true),
      );
      await side.sleep(HEARTBEAT_S * 1.5);
      const fromMs = side.clock.nowMs();
      await side.sleep(HEARTBEAT_S * 5);
      const beats = side.observed.filter((seen) => seen.atMs >= fromMs && seen.kind === 'heartbeat');
      demand(beats.length >= 3, `${beats.length} heartbeats in ${HEARTBEAT_S * 5} s`);
      for (const [index, beat] of beats.slice(1).entries()) {
        const gapS = (beat.atMs - (beats[index]?.atMs ?? 0)) / 1000;
        demand(gapS <= HEARTBEAT_S * 1.1 + 0.5, `a gap of ${gapS.toFixed(1)} s`);
        demand(gapS >= HEARTBEAT_S * 0.9 - 0.5, `a gap of ${gapS.toFixed(1)} s`);
      }
    },
  },
];

export const levelChecks: readonly ControllerCheck[] = [
  {
    id: 'level.applied',
    clause: '5.3',
    title: 'a level is applied, and the heartbeat tells its epoch and version',
    run: async (side) => {
      await applyLevel(side, 'ON');
      await applyLevel(side, 'OFF');
      await applyLevel(side, 'ON');
    },
  },
  {
    id: 'level.equal',
    clause: '5.2',
    title: 'an equal version again leaves the relay where it is',
    run: async (side) => {
      side.setLevel(side.level());
      await demandStays(side, side.level().target, HEARTBEAT_S * 1.5);
    },
  },
  {
    id: 'level.lower',
    clause: '5.1',
    title: 'a lower version of the same epoch is ignored',
    run: async (side) => {
      const { epoch, version } = side.level();
      side.sendStrayLevel({ epoch, version: version - 1, target: 'OFF' });
      await demandStays(side, 'ON', HEARTBEAT_S * 2.5);
    },
  },
  {
    id: 'level.epoch',
    clause: '5.4',
    title: 'a new epoch is accepted whatever its version',
    run: async (side) => {
      const sinceMs = side.clock.nowMs();
      side.setLevel({ epoch: 'restored', version: 1, target: 'OFF' });
      await demandApplied(side, sinceMs);
    },
  },
  {
    id: 'lock-out',
    clause: '6.9',
    title: 'locked out, an ON does not start the motor; released, it does',
    run: async (side) => {
      side.setConfig({ locked_out: true });
      await side.sleep(HEARTBEAT_S * 2.5);
      side.setLevel({ ...side.level(), version: side.level().version + 1, target: 'ON' });
      await demandStays(side, 'OFF', HEARTBEAT_S * 2.5);
      const sinceMs = side.clock.nowMs();
      side.setConfig({ locked_out: false });
      await demandApplied(side, sinceMs);
    },
  },
];

const ENDS_S = 15;

/** An OFF that ends by itself; answers when it was told. */
async function pauseFor(side: GatewaySide, seconds: number): Promise<number> {
  const sinceMs = side.clock.nowMs();
  const version = side.level().version + 1;
  side.setLevel({ ...side.level(), version, target: 'OFF', ends: { untilS: seconds, then: 'ON' } });
  await demandApplied(side, sinceMs);
  return sinceMs;
}

const hasEnded = (body: HeartbeatFields) => body.current_status === 'ON' && body.ended === true;

export const endChecks: readonly ControllerCheck[] = [
  {
    id: 'level.ends',
    clause: '6.11',
    title: 'a level with an end is followed until then, and what follows it is taken without being told',
    run: async (side) => {
      await applyLevel(side, 'ON');
      const sinceMs = await pauseFor(side, ENDS_S);
      const gone = (side.clock.nowMs() - sinceMs) / 1000;
      await demandStays(side, 'OFF', Math.max(0, ENDS_S - gone - 2));
      await side.until('ON, and that it ended', sinceMs, SETTLES_WITHIN_S, heartbeatWhere(hasEnded));
    },
  },
  {
    id: 'level.ended',
    clause: '6.11',
    title: 'what has ended does not come back with the same version; a new version rules',
    run: async (side) => {
      side.setLevel({ ...side.level(), ends: { untilS: 600, then: 'ON' } });
      await demandStays(side, 'ON', HEARTBEAT_S * 2.5);
      await applyLevel(side, 'OFF');
    },
  },
  {
    id: 'level.ends.alone',
    clause: '6.11',
    title: 'alone it ends just as well',
    run: async (side) => {
      side.setConfig({ fail_safe: 'OFF', lost_s: 120 });
      await side.sleep(HEARTBEAT_S * 2.5);
      await applyLevel(side, 'ON');
      await pauseFor(side, ENDS_S);
      const first = await loseAndReturn(side, ENDS_S * 1.5);
      const said = `${first.current_status}${first.ended === true ? ', ended' : ''}`;
      demand(said === 'ON, ended', `it returned ${said}`);
      await applyLevel(side, 'ON');
    },
  },
];

export const aloneChecks: readonly ControllerCheck[] = [
  {
    id: 'alone.hold',
    clause: '6.6',
    title: 'a short loss of the gateway moves no relay',
    run: async (side) => {
      side.setConfig({ fail_safe: 'OFF', lost_s: 120 });
      await side.sleep(HEARTBEAT_S * 2.5);
      await applyLevel(side, 'ON');
      const first = await loseAndReturn(side, 4);
      demand(first.current_status === 'ON', `it returned ${first.current_status}`);
      side.setLevel(side.level());
    },
  },
  {
    id: 'alone.fail-safe',
    clause: '6.7',
    title: 'alone for longer than lost_s, without a schedule, it takes its fail-safe state',
    run: async (side) => {
      await applyLevel(side, 'OFF');
      side.setConfig({ fail_safe: 'ON', lost_s: LOST_S });
      await side.sleep(HEARTBEAT_S * 2.5);
      const first = await loseAndReturn(side, LOST_S * 2);
      const said = `${first.current_status} ${first.source ?? 'without source'}`;
      demand(said === 'ON fail_safe', `it returned ${said}`);
    },
  },
  {
    id: 'alone.return',
    clause: '6.8',
    title: 'when the gateway is back its level rules again',
    run: async (side) => {
      const sinceMs = side.clock.nowMs();
      side.setLevel(side.level());
      await demandApplied(side, sinceMs);
    },
  },
  {
    id: 'alone.schedule',
    clause: '6.7',
    title: 'alone for longer than lost_s, with a schedule and a clock, it runs the schedule',
    run: async (side) => {
      await applyLevel(side, 'OFF');
      const nowS = Math.floor(side.clock.unixMs() / 1000);
      side.publishTime();
      side.setSchedule({ from: nowS - 3600, to: nowS + 7200, tr: [[nowS + 1, 1, 'c1']], weekly: [] });
      side.setConfig({ fail_safe: 'OFF', lost_s: LOST_S });
      await side.sleep(HEARTBEAT_S * 2.5);
      const first = await loseAndReturn(side, LOST_S * 2);
      const said = `${first.current_status} ${first.source ?? 'without source'}`;
      demand(said === 'ON local_schedule', `it returned ${said}`);
      side.setLevel(side.level());
    },
  },
];

/** Shuts the gateway for a time and answers the first heartbeat after it opened again, before any level is told. */
async function loseAndReturn(side: GatewaySide, seconds: number): Promise<HeartbeatFields> {
  side.forgetLevel();
  await side.closeDoors();
  await side.sleep(seconds);
  await side.openDoors();
  return side.until(
    'the controller is back',
    side.clock.nowMs(),
    RETURNS_WITHIN_S,
    heartbeatWhere(() => true),
  );
}
