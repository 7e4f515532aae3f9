import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { bootCredentials, bootHello, bootIdentity, bootResult } from '#contract/mqtt/boot.ts';
import {
  commandResult,
  deviceCommand,
  deviceConfig,
  deviceEvent,
  deviceSchedule,
  deviceState,
  heartbeatAnswer,
  httpHeartbeat,
  meterReading,
  mqttHeartbeat,
  revisionReported,
  shadowDesired,
  shadowReported,
  timeMessage,
} from '#contract/mqtt/messages.ts';
import { otaDesired, otaProgress } from '#contract/mqtt/ota.ts';

// Writes the JSON schemas of docs/device-protocol.md from the contract. Run it after a change of the contract:
//   node scripts/generate-protocol-schemas.ts

const TITLE_BY_FILE: Readonly<Record<string, { title: string; schema: z.ZodType }>> = {
  'boot-credentials': { title: 'boot/<mac>/credentials: what a board gets, sealed', schema: bootCredentials },
  'boot-hello': { title: 'boot/<mac>/hello: a board without a key', schema: bootHello },
  'boot-identity': { title: 'What is sealed: who a board is from now on', schema: bootIdentity },
  'boot-result': { title: 'boot/<mac>/result: what became of its credentials', schema: bootResult },
  'command-result': { title: 'res/<correlation>: what became of a command', schema: commandResult },
  'device-command': { title: 'cmd/<correlation>: something to be done once', schema: deviceCommand },
  'device-config': { title: 'config/desired: how the controller is to behave', schema: deviceConfig },
  'device-event': { title: 'event: what cannot wait for a heartbeat', schema: deviceEvent },
  'device-schedule': { title: 'schedule/desired: what to do when alone', schema: deviceSchedule },
  'device-state': { title: 'state: birth, farewell and last will', schema: deviceState },
  'heartbeat-answer': { title: 'Answer to POST /api/v1/devices/heartbeat', schema: heartbeatAnswer },
  'http-heartbeat': { title: 'Body of POST /api/v1/devices/heartbeat', schema: httpHeartbeat },
  'meter-reading': { title: 'meter: power and energy', schema: meterReading },
  'mqtt-heartbeat': { title: 'hb: the controller is alive, and how it stands', schema: mqttHeartbeat },
  'ota-desired': { title: 'ota/desired: the firmware a controller is to run', schema: otaDesired },
  'ota-progress': { title: 'ota/progress: how far the controller is with it', schema: otaProgress },
  'revision-reported': {
    title: 'config/reported, schedule/reported: the revision taken',
    schema: revisionReported,
  },
  'shadow-desired': { title: 'shadow/desired: the level the relay is to have', schema: shadowDesired },
  'shadow-reported': { title: 'shadow/reported: the answer to a level', schema: shadowReported },
  'time-message': { title: 'sf/v1/time: the time at the gateway', schema: timeMessage },
};

/** The text of every schema file by its name. */
export function protocolSchemaFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const [name, { title, schema }] of Object.entries(TITLE_BY_FILE)) {
    // What a sender writes (`input`), not what a reader makes of it.
    const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
    files.set(`${name}.schema.json`, `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`);
  }
  return files;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = new URL('../docs/device-protocol/', import.meta.url);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of protocolSchemaFiles()) await writeFile(new URL(name, folder), text);
}
