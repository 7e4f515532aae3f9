import type { DeviceMessage, DeviceMessageKind } from '#contract/resources/shadow.ts';
import { isoOf } from '#core/kernel.ts';
import type { ControlViews } from '../control-view.ts';
import type { DeviceDoor, DeviceLink, DeviceTalk } from '../device-link.ts';

/** Of the whole box: twenty minutes of a farm of a hundred controllers, some 2 MB. */
const MOST_KEPT = 4_000;
const LONGEST_EVENT = 500;

export type ConversationDeps = {
  now: () => number;
  views: Pick<ControlViews, 'byMqttId'>;
  /** Something but a heartbeat was said: those are told as presence. */
  changed: (controlPointId: string) => void;
};

type Said = { controlPointId: string; at: number } & Omit<DeviceMessage, 'at'>;

export type Conversation = ReturnType<typeof createConversation>;

/** What controllers and gateway said to each other lately, in memory, without keys. */
export function createConversation(deps: ConversationDeps) {
  const ring: Said[] = [];
  let next = 0;

  function note(
    controlPointId: string,
    direction: DeviceMessage['direction'],
    kind: DeviceMessageKind,
    body: Record<string, unknown>,
  ): void {
    ring[next] = { controlPointId, at: deps.now(), direction, kind, body };
    next = (next + 1) % MOST_KEPT;
    if (kind !== 'heartbeat') deps.changed(controlPointId);
  }
  const out = (mqttId: string, kind: DeviceMessageKind, body: Record<string, unknown>) => {
    const view = deps.views.byMqttId(mqttId);
    if (view !== null) note(view.row.id, 'out', kind, body);
  };

  return {
    /** A report that came another way than through the broker. */
    heard: (controlPointId: string, fields: Record<string, unknown>) =>
      note(controlPointId, 'in', 'heartbeat', fields),
    /** The last ones of a control point, newest first. */
    of(controlPointId: string, most: number): DeviceMessage[] {
      const found: DeviceMessage[] = [];
      for (let back = 1; back <= ring.length && found.length < most; back += 1) {
        const said = ring[(next - back + ring.length) % ring.length];
        if (said?.controlPointId !== controlPointId) continue;
        const { at, direction, kind, body } = said;
        found.push({ at: isoOf(at), direction, kind, body });
      }
      return found;
    },
    /** The same door; what comes in is noted on the way. */
    watching(door: DeviceDoor): DeviceDoor {
      return {
        ...door,
        connected(controller, connection) {
          note(controller.controlPointId, 'in', 'connected', { source: connection.source });
          door.connected(controller, connection);
        },
        disconnected(controller, end) {
          note(controller.controlPointId, 'in', 'disconnected', end);
          door.disconnected(controller, end);
        },
        stateChanged(controller, state) {
          note(controller.controlPointId, 'in', 'state', state);
          door.stateChanged(controller, state);
        },
        heartbeat(controller, fields) {
          note(controller.controlPointId, 'in', 'heartbeat', fields);
          return door.heartbeat(controller, fields);
        },
        reported(controller, report) {
          note(controller.controlPointId, 'in', 'reported', report);
          return door.reported(controller, report);
        },
        event(controller, event) {
          const { id, k, t, d } = event;
          const data = d === undefined ? {} : { d: JSON.stringify(d).slice(0, LONGEST_EVENT) };
          note(controller.controlPointId, 'in', 'event', { id, k, t, ...data });
          return door.event(controller, event);
        },
        revisionReported(controller, which, rev) {
          note(controller.controlPointId, 'in', which, { rev });
          door.revisionReported(controller, which, rev);
        },
        otaProgress(controller, progress) {
          note(controller.controlPointId, 'in', 'firmware', progress);
          return door.otaProgress(controller, progress);
        },
        commandResult(controller, correlation, result) {
          note(controller.controlPointId, 'in', 'result', { correlation, ...result });
          door.commandResult(controller, correlation, result);
        },
      };
    },
    /** The same link; what goes out is noted on the way. */
    following(link: DeviceLink): DeviceLink {
      return {
        ...link,
        publishShadow(mqttId, level) {
          out(mqttId, 'desired', level);
          link.publishShadow(mqttId, level);
        },
        publishConfig(mqttId, config) {
          out(mqttId, 'config', config);
          link.publishConfig(mqttId, config);
        },
        publishSchedule(mqttId, schedule) {
          const { rev, hash, tr, weekly } = schedule;
          out(mqttId, 'schedule', { rev, hash, entries: tr.length, weekly: weekly.length });
          link.publishSchedule(mqttId, schedule);
        },
        publishOta(mqttId, level) {
          out(mqttId, 'firmware', { job: level.job });
          link.publishOta(mqttId, level);
        },
        forget(mqttId) {
          out(mqttId, 'forget', {});
          link.forget(mqttId);
        },
      };
    },
    /** The same; a command is named by what it asks, for some carry keys. */
    overhearing(talk: DeviceTalk): DeviceTalk {
      return {
        ...talk,
        sendCommand(mqttId, correlation, command) {
          const wasSent = talk.sendCommand(mqttId, correlation, command);
          out(mqttId, 'command', { op: command.op, correlation, was_sent: wasSent });
          return wasSent;
        },
      };
    },
  };
}
