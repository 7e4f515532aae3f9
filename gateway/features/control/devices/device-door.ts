import type { DeviceEvent, DeviceState, HeartbeatFields } from '#contract/mqtt/messages.ts';
import type { OtaProgress } from '#contract/mqtt/ota.ts';
import { audit } from '#core/audit.ts';
import { afterBoot, afterLoss } from '#core/device-activity.ts';
import { perform } from '#core/use-case.ts';
import type { ControlView } from '../control-view.ts';
import type { Controller, DeviceDoor } from '../device-link.ts';
import type { SeenDevices } from './device-caller.ts';
import { activateKey, type KeyDeps, matchingKey } from './device-keys.ts';
import { onShadowReported, type ReportDeps, takeHeartbeat } from './on-report.ts';
import type { KeyRotation } from './rotate-key.ts';

/** Over MQTT every controller has proved who it is. */
const BY_MQTT = { via: 'mqtt', authenticated: true } as const;

export type DoorDeps = ReportDeps &
  KeyDeps & {
    seen: SeenDevices;
    rotation: Pick<KeyRotation, 'connected' | 'heard' | 'result'>;
    /** Two boards use one identity. */
    tellContested: (view: ControlView, takeovers: number) => Promise<void>;
    /** This process stood still a moment ago: a connection that breaks now broke of that. */
    isSettling: () => boolean;
    /** Tells a controller again what its heartbeat shows it has not got. */
    repeatLevels: (view: ControlView, fields: HeartbeatFields) => void;
    /** How far a controller is with new firmware. */
    takeOtaProgress: (controlPointId: string, progress: OtaProgress) => Promise<void> | undefined;
  };

/** What the broker asks and tells, answered by the use cases. */
export function createDeviceDoor(deps: DoorDeps): DeviceDoor {
  const viewOf = ({ controlPointId }: Controller) => deps.views.byId(controlPointId);

  /** Work nobody waits for: a failure is told in the log and repeated by the next report. */
  function inBackground(what: string, controller: Controller, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      deps.log.warn({ err: error, deviceId: controller.deviceId }, what);
    });
  }

  function activateOnUse(view: ControlView, keyId: string): Promise<unknown> {
    return perform(deps, null, async () => {
      const fresh = deps.views.byId(view.row.id);
      const used = fresh?.keys.find((known) => known.id === keyId);
      return { answer: undefined, changes: fresh && used ? activateKey(deps, fresh, used) : [] };
    });
  }

  return {
    identify(mqttId, key) {
      const view = deps.views.byMqttId(mqttId);
      const used = view === null ? null : matchingKey(deps, view, key);
      if (view === null || used === null) return null;
      return { controlPointId: view.row.id, deviceId: view.row.device_id, mqttId, keyId: used.id };
    },
    isKnown: (mqttId) => deps.views.byMqttId(mqttId) !== null,
    connected(controller) {
      const view = viewOf(controller);
      if (view === null) return;
      view.presence.isConnected = true;
      deps.rotation.connected(controller);
      if (view.keys.some((known) => known.id === controller.keyId && known.state === 'pending')) {
        inBackground(
          'a device key could not be activated',
          controller,
          activateOnUse(view, controller.keyId),
        );
      }
      deps.presenceChanged(controller.controlPointId);
    },
    disconnected(controller, { clean, takenOver }) {
      const view = viewOf(controller);
      if (view === null || takenOver) return;
      view.presence.isConnected = false;
      if (!deps.isSettling()) takeLoss(view, { clean, at: deps.monotonic() });
      deps.presenceChanged(controller.controlPointId);
    },
    stateChanged(controller, state) {
      const view = viewOf(controller);
      if (view === null) return;
      takeState(view, state, deps.monotonic());
      deps.presenceChanged(controller.controlPointId);
    },
    heartbeat(controller, fields) {
      const taken = takeHeartbeat(deps, controller.controlPointId, fields, BY_MQTT);
      const view = viewOf(controller);
      if (view !== null) deps.repeatLevels(view, fields);
      deps.rotation.heard(controller);
      return taken;
    },
    reported: (controller, report) => onShadowReported(deps, controller.controlPointId, report),
    event: (controller, event) => onEvent(deps, controller, event),
    revisionReported(controller, which, rev) {
      const presence = viewOf(controller)?.presence;
      if (!presence) return;
      if (which === 'config') presence.configRev = rev;
      else presence.scheduleRev = rev;
    },
    otaProgress: ({ controlPointId }, progress) => deps.takeOtaProgress(controlPointId, progress),
    commandResult(controller, correlation, result) {
      deps.log.info(
        { deviceId: controller.deviceId, correlation, ok: result.ok },
        'controller answered a command',
      );
      deps.rotation.result(controller, correlation, result);
    },
    seenUnknown: ({ name, source, via, reason }) => deps.seen.note({ deviceId: name, source, via, reason }),
    identityContested(controller, takeovers) {
      deps.log.warn({ deviceId: controller.deviceId, takeovers }, 'two controllers share one identity');
      const view = viewOf(controller);
      if (view === null) return;
      inBackground(
        'that two controllers share one identity was not told',
        controller,
        deps.tellContested(view, takeovers),
      );
    },
  };
}

function takeLoss({ presence }: ControlView, { clean, at }: { clean: boolean; at: number }): void {
  presence.isLost = true;
  if (!clean) presence.activity = afterLoss(presence.activity, at);
}

function takeState({ presence }: ControlView, state: DeviceState, at: number): void {
  presence.activity = afterBoot(presence.activity, { at, bootId: state.boot_id, uptimeS: undefined });
  presence.bootId = state.boot_id ?? presence.bootId;
  presence.firmwareVersion = state.firmware_version ?? presence.firmwareVersion;
}

/** Events a controller tells are kept in the audit, each once, whatever the network repeats. */
async function onEvent(deps: DoorDeps, controller: Controller, event: DeviceEvent): Promise<void> {
  const view = deps.views.byId(controller.controlPointId);
  if (view === null) return;
  if (event.k === 'power_fail') view.presence.powerOk = false;
  if (event.k === 'power_ok') view.presence.powerOk = true;
  if (!deps.folding.mayStore(view, 'event')) {
    deps.folding.addEvent(view, event);
    deps.presenceChanged(controller.controlPointId);
    return;
  }
  const entry = audit(deps, {
    farm_id: view.row.farm_id,
    entity_type: 'CONTROL_POINT',
    entity_id: view.row.id,
    entity_name: view.row.cod,
    action: `device_${event.k}`,
    user_id: null,
    origin: 'DEVICE',
    details: {
      event_id: event.id,
      ...(event.d === undefined ? {} : { data: JSON.stringify(event.d).slice(0, 500) }),
    },
    cause: `device_event:${view.row.id}:${view.presence.bootId ?? ''}:${event.id}`,
  });
  await perform(deps, null, async () => ({ answer: undefined, changes: [entry] }));
  deps.folding.charge(view.row.id, 'event');
  deps.presenceChanged(controller.controlPointId);
}
