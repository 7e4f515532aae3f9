import { loseAndReturn } from './controller-alone-checks.ts';
import {
  applyLevel,
  type ControllerCheck,
  changed,
  configure,
  demandApplied,
  demandStays,
  HEARTBEAT_S,
} from './controller-level-checks.ts';
import { returned } from './controller-seen.ts';
import { reboot } from './controller-start-checks.ts';
import type { GatewaySide } from './gateway-side.ts';
import { demand, type Observed } from './report.ts';

// Levels that end by themselves: a pause while one feeds must end though gateway, cable or time are gone.

const FOR_S = 16;
/** Its start slot, a heartbeat that polls, and the way. */
const ENDS_WITHIN_S = HEARTBEAT_S * 1.1 + 6;
const RETURNS_WITHIN_S = 100;

export const endChecks: readonly ControllerCheck[] = [
  {
    id: 'level.ends',
    clause: '6.11',
    title: 'a level with an end is followed until then, and what follows is taken without being told',
    needs: ['level.applied'],
    run: async (side) => {
      await applyLevel(side, 'ON');
      const { atMs, place } = await pause(side, FOR_S);
      const on = await changed(side, 'ON', place, FOR_S + ENDS_WITHIN_S);
      const lastedS = (on.atMs - atMs) / 1000;
      demand(lastedS >= FOR_S - 1, `it ended after ${lastedS.toFixed(1)} of ${FOR_S} s`);
      // until another level rules
      await side.until('a heartbeat that says "ended"', on.place, HEARTBEAT_S * 2, endedIn);
    },
  },
  {
    id: 'level.ended',
    clause: '6.11.1',
    title: 'a level that has ended does not come back with the same version; a new version rules',
    needs: ['level.ends'],
    run: async (side) => {
      side.setEnd({ untilS: 600, then: 'ON' });
      await demandStays(side, 'ON', HEARTBEAT_S * 2.5);
      await applyLevel(side, 'OFF');
    },
  },
  {
    id: 'level.ends.alone',
    clause: '6.11',
    title: 'with the gateway gone a level with an end ends just as well',
    needs: ['level.ends', 'alone.hold'],
    run: async (side) => {
      await configure(side, { fail_safe: 'OFF', lost_s: 120 });
      await applyLevel(side, 'ON');
      await pause(side, FOR_S);
      const first = await loseAndReturn(side, FOR_S + 6);
      demand(first.current_status === 'ON', `it returned ${first.current_status}`);
    },
  },
];

/** Over MQTT, where it can be told to restart. */
export const endOverStartChecks: readonly ControllerCheck[] = [
  {
    id: 'level.ends.start',
    clause: '6.11.2',
    title: 'over a start no more is left of a level with an end than before, and it ends without the gateway',
    needs: ['level.ends', 'start.remembers'],
    run: async (side) => {
      await configure(side, { fail_safe: 'HOLD', lost_s: 120 });
      await applyLevel(side, 'ON');
      await pause(side, FOR_S);
      // it comes back to a gateway that tells it no level
      side.forgetLevel();
      const told = await reboot(side, 'conformance-reboot-4');
      await returned(side, told.place);
      const on = await changed(side, 'ON', told.place, RETURNS_WITHIN_S);
      const heldS = (on.atMs - told.atMs) / 1000;
      demand(heldS <= FOR_S * 2 + ENDS_WITHIN_S, `it ended ${heldS.toFixed(1)} s after the restart`);
    },
  },
];

/** An OFF that ends by itself, and the heartbeat that tells that it is applied. */
async function pause(side: GatewaySide, seconds: number): Promise<{ atMs: number; place: number }> {
  const { epoch, version } = side.level();
  const since = side.mark();
  const atMs = side.clock.nowMs();
  side.setLevel({ epoch, version: version + 1, target: 'OFF' }, { untilS: seconds, then: 'ON' });
  await demandApplied(side, since);
  return { atMs, place: side.mark() };
}

/** Read off the words themselves: a report that carries more than the contract knows is in order. */
function endedIn(seen: Observed): true | null {
  const isReport =
    (seen.kind === 'message' && seen.path === 'hb') || (seen.kind === 'request' && seen.method === 'POST');
  if (!isReport || typeof seen.body !== 'object' || seen.body === null) return null;
  return 'ended' in seen.body && seen.body.ended === true ? true : null;
}
