import type * as z from 'zod';
import {
  commandResult,
  deviceEvent,
  deviceState,
  meterReading,
  mqttHeartbeat,
  revisionReported,
  shadowReported,
} from '#contract/mqtt/messages.ts';
import { otaProgress } from '#contract/mqtt/ota.ts';
import type { DevicePublishes } from '#contract/mqtt/topics.ts';
import type { Controller, DeviceDoor } from '#features/control/device-link.ts';

/**
 * Escapes that make half a character or U+0000, which no database and no canonical text takes; a pair of halves, and any other
 * escape, is matched first and stays.
 */
const ESCAPES =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u(?:[dD][89a-fA-F][\da-fA-F]{2}|0000)|\\[^]/g;
const ESCAPE_LENGTH = '\\ud800'.length;

/**
 * Undefined when it is not JSON. What a controller's memory made of a text is no reason not to hear it: U+FFFD stands for
 * what is no character.
 */
export function parseJson(payload: Buffer | string): unknown {
  try {
    const text = payload.toString();
    if (!text.includes('\\')) return JSON.parse(text);
    return JSON.parse(text.replace(ESCAPES, (found) => (found.length === ESCAPE_LENGTH ? '\\ufffd' : found)));
  } catch {
    return undefined;
  }
}

export const BAD_MESSAGE = Symbol('bad message');

/** Hands a parsed body to the door; a promise when the message may be acknowledged only after it. */
export type Reader = (
  door: DeviceDoor,
  controller: Controller,
  body: unknown,
) => Promise<void> | undefined | typeof BAD_MESSAGE;

function reading<Schema extends z.ZodType>(
  schema: Schema,
  hand: (door: DeviceDoor, controller: Controller, message: z.output<Schema>) => Promise<void> | void,
): Reader {
  return (door, controller, body) => {
    const parsed = schema.safeParse(body);
    if (!parsed.success) return BAD_MESSAGE;
    return hand(door, controller, parsed.data) ?? undefined;
  };
}

/** What becomes of a message by its topic; null: allowed and not evaluated, its payload may be anything. */
export const READERS: Record<DevicePublishes, Reader | null> = {
  hb: reading(mqttHeartbeat, (door, controller, fields) => door.heartbeat(controller, fields)),
  state: reading(deviceState, (door, controller, state) => door.stateChanged(controller, state)),
  event: reading(deviceEvent, (door, controller, event) => door.event(controller, event)),
  meter: reading(meterReading, () => {}),
  'shadow/reported': reading(shadowReported, (door, controller, report) => door.reported(controller, report)),
  'config/reported': reading(revisionReported, (door, controller, { rev }) =>
    door.revisionReported(controller, 'config', rev),
  ),
  'schedule/reported': reading(revisionReported, (door, controller, { rev }) =>
    door.revisionReported(controller, 'schedule', rev),
  ),
  log: null,
  'ota/progress': reading(otaProgress, (door, controller, progress) =>
    door.otaProgress(controller, progress),
  ),
};

export const readResult = (correlation: string): Reader =>
  reading(commandResult, (door, controller, result) => door.commandResult(controller, correlation, result));
