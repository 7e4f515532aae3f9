import { unreachable } from '#contract/words.ts';
import type { Runner } from '../controller-runner.ts';
import { createRandom, seedFor } from '../random.ts';
import type { SimClock } from '../sim-clock.ts';
import { GOOD_LINK } from '../transport/faulty-link.ts';
import type { Fault, FaultTarget } from './faults.ts';

export type Member = { deviceId: string; feeder: string; runner: Runner };

/** Strikes the members a fault names. A fault `for_s` repairs itself. */
export function injectFault(
  deps: { clock: SimClock; seed: number },
  members: readonly Member[],
  fault: Fault,
): void {
  const struck = chooseMembers(deps.seed, members, fault);
  for (const member of struck) strike(member.runner, fault);
  const repair = repairOf(fault);
  if (repair === null) return;
  deps.clock.at(deps.clock.nowMs() + repair.afterS * 1000, () => {
    for (const member of struck) strike(member.runner, repair.fault);
  });
}

function chooseMembers(seed: number, members: readonly Member[], fault: Fault): Member[] {
  const target: FaultTarget = fault.on;
  if (target === 'all') return [...members];
  if (Array.isArray(target)) return members.filter((member) => target.includes(member.deviceId));
  if ('feeder' in target) return members.filter((member) => member.feeder === target.feeder);
  // By name, not by place: the same controllers suffer whatever the size of the fleet.
  return members.filter(
    (member) => createRandom(seedFor(seed, `${fault.kind}:${member.deviceId}`))() < target.share,
  );
}

function repairOf(fault: Fault): { afterS: number; fault: Fault } | null {
  if (!('for_s' in fault) || fault.for_s === undefined) return null;
  switch (fault.kind) {
    case 'power_cut':
      return { afterS: fault.for_s, fault: { kind: 'power_return', on: 'all' } };
    case 'mains_fail':
      return { afterS: fault.for_s, fault: { kind: 'mains_return', on: 'all' } };
    case 'network_down':
      return { afterS: fault.for_s, fault: { kind: 'network_up', on: 'all' } };
    default:
      return null;
  }
}

function strike(runner: Runner, fault: Fault): void {
  switch (fault.kind) {
    case 'power_cut':
      if (fault.silent) runner.link.setHalfOpen(true);
      runner.alterPlant({ isMainsOk: false });
      return runner.dispatch({ kind: 'power_cut' });
    case 'power_return':
      runner.link.setHalfOpen(false);
      runner.alterPlant({ isMainsOk: true });
      return runner.dispatch({ kind: 'power_on' });
    case 'reboot':
      return runner.reboot();
    case 'mains_fail':
      runner.alterPlant({ isMainsOk: false });
      return runner.dispatch({ kind: 'mains', isOk: false });
    case 'mains_return':
      runner.alterPlant({ isMainsOk: true });
      return runner.dispatch({ kind: 'mains', isOk: true });
    case 'relay_stuck':
      return runner.alterPlant({ stuckAt: fault.at });
    case 'breaker_trip':
      return runner.alterPlant({ isBreakerTripped: true });
    case 'hand_switch':
      return runner.dispatch({ kind: 'hand_switch', position: fault.position });
    case 'clock_skew':
      return runner.dispatch({ kind: 'clock_skew', skewMs: fault.skew_s * 1000 });
    case 'loss':
      return runner.link.setFaults({ lossShare: fault.share });
    case 'duplicate':
      return runner.link.setFaults({ duplicateShare: fault.share });
    case 'delay':
      return runner.link.setFaults({ delayMs: [fault.min_ms, Math.max(fault.min_ms, fault.max_ms)] });
    case 'half_open':
      return runner.link.setHalfOpen(true);
    case 'network_down':
      return runner.link.setFaults({ isDown: true });
    case 'network_up':
      return runner.link.setFaults({ isDown: false });
    case 'heal':
      return heal(runner);
    default:
      return unreachable(fault);
  }
}

function heal(runner: Runner): void {
  runner.link.setFaults(GOOD_LINK);
  runner.link.setHalfOpen(false);
  runner.alterPlant({ stuckAt: null, isBreakerTripped: false, isMainsOk: true });
  runner.dispatch({ kind: 'mains', isOk: true });
  runner.dispatch({ kind: 'clock_skew', skewMs: 0 });
  runner.dispatch({ kind: 'hand_switch', position: 'AUTO' });
  runner.dispatch({ kind: 'power_on' });
}
