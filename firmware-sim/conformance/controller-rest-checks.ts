import {
  applyLevel,
  type ControllerCheck,
  changed,
  configure,
  demandApplied,
  demandStays,
  giveLevel,
  HEARTBEAT_S,
} from './controller-level-checks.ts';
import { demand } from './report.ts';

// Minimum times and the lock-out, whichever way a controller speaks.

const MINIMUM_S = 12;
/** The gateway hears of a change a little after it. */
const GRACE_S = 1.5;
/** A controller that polls hears of it with its next heartbeat. */
const STOPS_WITHIN_S = HEARTBEAT_S * 1.1 + 4;
const DONE_WITHIN_S = 45;

export const restChecks: readonly ControllerCheck[] = [
  {
    id: 'rest.off',
    clause: '6.5',
    title: 'a motor that stopped rests for min_off_s, and starts then',
    needs: ['level.applied'],
    run: async (side) => {
      await applyLevel(side, 'ON');
      await configure(side, { min_off_s: MINIMUM_S });
      const ordered = side.mark();
      giveLevel(side, 'OFF');
      const off = await changed(side, 'OFF', ordered, STOPS_WITHIN_S);
      giveLevel(side, 'ON');
      const on = await changed(side, 'ON', off.place, DONE_WITHIN_S);
      const restedS = (on.atMs - off.atMs) / 1000;
      demand(restedS >= MINIMUM_S - GRACE_S, `it rested ${restedS.toFixed(1)} s`);
    },
  },
  {
    id: 'run.on',
    clause: '6.5',
    title: 'a motor that started runs for min_on_s, and stops then',
    needs: ['level.applied'],
    run: async (side) => {
      await applyLevel(side, 'OFF');
      await configure(side, { min_on_s: MINIMUM_S });
      const ordered = side.mark();
      giveLevel(side, 'ON');
      const on = await changed(side, 'ON', ordered, STOPS_WITHIN_S);
      giveLevel(side, 'OFF');
      const off = await changed(side, 'OFF', on.place, DONE_WITHIN_S);
      const ranS = (off.atMs - on.atMs) / 1000;
      demand(ranS >= MINIMUM_S - GRACE_S, `it ran ${ranS.toFixed(1)} s`);
    },
  },
  {
    id: 'lock-out',
    clause: '6.9',
    title: 'locked out, an ON does not start the motor; released, it does',
    needs: ['level.applied'],
    run: async (side) => {
      await applyLevel(side, 'OFF');
      await configure(side, { locked_out: true });
      giveLevel(side, 'ON');
      await demandStays(side, 'OFF', HEARTBEAT_S * 2.5);
      const since = side.mark();
      side.setConfig({ locked_out: false });
      await demandApplied(side, since);
    },
  },
  {
    id: 'lock-out.stop',
    clause: '6.9',
    title: 'locked out, a running motor stops at once, whatever min_on_s says',
    needs: ['level.applied'],
    run: async (side) => {
      await applyLevel(side, 'OFF');
      await configure(side, { min_on_s: 120 });
      await applyLevel(side, 'ON');
      const since = side.mark();
      side.setConfig({ locked_out: true });
      await changed(side, 'OFF', since, STOPS_WITHIN_S);
    },
  },
];
