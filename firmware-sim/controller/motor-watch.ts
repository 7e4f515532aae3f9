import { publishEvent } from './reports.ts';
import type { ControllerState } from './state.ts';
import type { Turn } from './turn.ts';
import { isDue } from './turn.ts';

const SUSPECT_AFTER_MS = 3_000;
const NO_CURRENT_BELOW_MA = 100;

/** Tells of a contact that does not follow, and of a motor that draws nothing. */
export function watchMotor(turn: Turn): void {
  const { state, nowMs } = turn;
  const { watch } = state;
  const fault = motorFault(state);
  if (fault === null || fault === watch.told) {
    watch.suspectAtMs = null;
    if (fault === null) watch.told = null;
    return;
  }
  if (!isDue(watch.suspectAtMs, nowMs)) {
    watch.suspectAtMs ??= nowMs + SUSPECT_AFTER_MS;
    return;
  }
  watch.suspectAtMs = null;
  watch.told = fault;
  publishEvent(turn, fault, { current_ma: state.sensed.currentMa });
  state.control.isReportDue = true;
}

function motorFault(state: ControllerState): 'relay_stuck' | 'no_current' | null {
  if (!state.isMainsOk) return null;
  if (state.profile.hasContactFeedback && state.sensed.contact !== state.relay.coil) return 'relay_stuck';
  return state.relay.coil === 'ON' && state.sensed.currentMa < NO_CURRENT_BELOW_MA ? 'no_current' : null;
}
