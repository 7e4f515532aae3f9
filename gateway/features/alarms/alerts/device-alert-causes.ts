import type { Severity } from '#contract/words.ts';
import type { AlertCause } from '#core/alerting.ts';
import { isoOf } from '#core/kernel.ts';
import type { Words } from '#core/notifying.ts';
import { SEVERITY_BY_TYPE, simulatedWords } from './alert-words.ts';
import { confirmWithinMs, longestDeferralMs, troubleSince, whyUnconfirmed } from './confirm-rules.ts';
import { type DeviceMemory, IDLE_CURRENT_MA, OFFLINE_AFTER_MS, type Unsteady } from './device-alert-rules.ts';
import {
  noCurrentWords,
  offlineWords,
  powerFailureWords,
  unconfirmedWords,
  unstableWords,
} from './device-alert-words.ts';
import type { DeviceFacts } from './ports.ts';
import type { PowerFailure, Watched } from './power-failure-rules.ts';

// The causes name their event by facts that outlive a restart, so that it is raised once.

const OFFLINE_MINUTES = OFFLINE_AFTER_MS / 60_000;

export function offlineCause(device: DeviceFacts, silentForMs: number): AlertCause {
  const lastReport = isoOf(device.lastReportAt ?? 0);
  return {
    ...about(device, 'DEVICE_OFFLINE', offlineWords(device, OFFLINE_MINUTES)),
    parameter: 'silent_minutes',
    value: Math.floor(silentForMs / 6000) / 10,
    threshold: OFFLINE_MINUTES,
    cause: `device_offline:${device.controlPointId}:${lastReport}`,
  };
}

export function unconfirmedCause(device: DeviceFacts, { confirmation }: DeviceMemory): AlertCause {
  const { controlPointId, target, epoch, version, activity, trouble } = device;
  const why = whyUnconfirmed(confirmation, device);
  const seconds = (why === 'deferred' ? longestDeferralMs(device) : confirmWithinMs(device)) / 1000;
  const reason = why === 'refused' ? (activity.refusal?.reason ?? null) : null;
  // the same level may be lost again later (a hand switch, a reboot): then the state has changed since
  const changedAt = troubleSince(confirmation);
  const since = changedAt === null ? 'never' : isoOf(changedAt);
  return {
    ...about(
      device,
      'COMMAND_NOT_CONFIRMED',
      unconfirmedWords(device, { why, target, seconds, reason, trouble }),
    ),
    severity: severityOf(device, unconfirmedSeverity(device)),
    parameter: 'confirm_seconds',
    threshold: seconds,
    cause: `command_not_confirmed:${controlPointId}:${epoch}:${version}:${since}`,
  };
}

/** A motor that runs on costs money; one that stands still costs shrimp, where there are any or somebody wants it. */
function unconfirmedSeverity({ target, current, orderedBy, isStocked }: DeviceFacts): Severity {
  if (target === 'OFF') return 'MEDIUM';
  return current === null && orderedBy === 'SCHEDULE' && !isStocked ? 'MEDIUM' : 'HIGH';
}

export function unstableCause(device: DeviceFacts, causes: readonly Unsteady[], sinceAt: number): AlertCause {
  const kinds = causes.map(({ kind }) => kind);
  return {
    ...about(device, 'UNSTABLE', unstableWords(device, causes)),
    // what two boards say in turn tells nothing of the motor
    severity: severityOf(device, kinds.includes('two_boards') ? 'HIGH' : SEVERITY_BY_TYPE.UNSTABLE),
    cause: `unstable:${device.controlPointId}:${isoOf(sinceAt)}`,
  };
}

export function noCurrentCause(device: DeviceFacts, memory: DeviceMemory): AlertCause {
  const currentMa = device.motorCurrentMa ?? 0;
  return {
    ...about(device, 'NO_CURRENT', noCurrentWords(device, currentMa)),
    parameter: 'motor_current_ma',
    value: currentMa,
    threshold: IDLE_CURRENT_MA,
    cause: `no_current:${device.controlPointId}:${isoOf(memory.idle?.sinceAt ?? 0)}`,
  };
}

/** One alert for the farm. It hangs on the first of its control points, because the contract's alerts have one. */
export function powerFailureCause(
  farmId: string,
  failure: PowerFailure,
  devices: readonly Watched[],
): AlertCause | null {
  const members = membersOf(failure, devices);
  const [first] = members;
  if (first === undefined) return null;
  return {
    ...about(first, 'POWER_FAILURE', powerFailureWords(members, failure.online, tellersOf(members))),
    farm_id: farmId,
    controlPoints: members.map(({ controlPointId: id, cod, ponds }) => ({ id, cod, ponds })),
    parameter: 'controllers',
    value: members.length,
    cause: `power_failure:${farmId}:${isoOf(failure.startedAt)}`,
  };
}

/** Those that reported it; one that only fell silent said nothing. */
const tellersOf = (members: readonly DeviceFacts[]): DeviceFacts[] =>
  members.filter(({ powerOk }) => powerOk === false);

function membersOf(failure: PowerFailure, devices: readonly Watched[]): DeviceFacts[] {
  return devices
    .map(({ facts }) => facts)
    .filter(({ controlPointId }) => failure.members.has(controlPointId))
    .sort((a, b) => (a.cod < b.cod ? -1 : 1));
}

function about(
  device: DeviceFacts,
  type: 'DEVICE_OFFLINE' | 'COMMAND_NOT_CONFIRMED' | 'UNSTABLE' | 'NO_CURRENT' | 'POWER_FAILURE',
  words: Words,
) {
  const said = device.simulator === null ? words : simulatedWords(words);
  return {
    farm_id: device.farmId,
    control_point_id: device.controlPointId,
    pond_id: null,
    type,
    severity: severityOf(device, SEVERITY_BY_TYPE[type]),
    message: said('pt-BR'),
    words: said,
  };
}

/** What no motor depends on sounds no siren, breaks no night and is not made louder. */
const severityOf = ({ simulator }: DeviceFacts, real: Severity): Severity =>
  simulator !== null && real === 'HIGH' ? 'MEDIUM' : real;
