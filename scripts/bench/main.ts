import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { cloudAlarm } from './cloud-alarm.ts';
import { coldStart } from './cold-start.ts';
import { connectedControllers } from './connected-controllers.ts';
import { consoleChart } from './console-chart.ts';
import { consoleInput } from './console-input.ts';
import { consolePaint } from './console-paint.ts';
import { consoleSize } from './console-size.ts';
import { farmReads } from './farm-reads.ts';
import type { BenchOptions, Finding } from './finding.ts';
import { flash } from './flash.ts';
import { gatewayStorm } from './gateway-storm.ts';
import { hostileCrowd } from './hostile-crowd.ts';
import { httpHeartbeats } from './http-heartbeats.ts';
import { idleLink } from './idle-link.ts';
import { idlePulse } from './idle-pulse.ts';
import { lighthouseMarks } from './lighthouse.ts';
import { limits } from './limits.ts';
import { logins } from './logins.ts';
import { mqttHeartbeats } from './mqtt-heartbeats.ts';
import { notifications } from './notifications.ts';
import { orderLatency } from './order-latency.ts';
import { quietDay } from './quiet-day.ts';
import { editPropagation, remoteOrder } from './remote-order.ts';
import { restore } from './restore.ts';
import { storm } from './storm.ts';
import { streamingLogs } from './streaming-logs.ts';
import { syncApply } from './sync-apply.ts';
import { syncBacklog } from './sync-backlog.ts';
import { tableOf } from './table.ts';
import { tlsReconnect } from './tls-reconnect.ts';
import { unknownDevices } from './unknown-devices.ts';

// How fast the gateway is, always against a named baseline in the same run: ratios hold on other machines, rates do not.

const MEASURES: Readonly<Record<string, (options: BenchOptions) => Promise<Finding[]>>> = {
  'mqtt-heartbeats': mqttHeartbeats,
  'http-heartbeats': httpHeartbeats,
  'order-latency': orderLatency,
  'cold-start': coldStart,
  'quiet-day': quietDay,
  'connected-controllers': connectedControllers,
  'streaming-logs': streamingLogs,
  storm,
  'tls-reconnect': tlsReconnect,
  'farm-reads': farmReads,
  logins,
  notifications,
  limits,
  'sync-backlog': syncBacklog,
  'sync-apply': syncApply,
  'remote-order': remoteOrder,
  'edit-propagation': editPropagation,
  'console-size': consoleSize,
  'console-paint': consolePaint,
  'console-input': consoleInput,
  'console-chart': consoleChart,
  'cloud-alarm': cloudAlarm,
  lighthouse: lighthouseMarks,
  'idle-link': idleLink,
  'idle-pulse': idlePulse,
  'gateway-storm': gatewayStorm,
  'unknown-devices': unknownDevices,
  'hostile-crowd': hostileCrowd,
  restore,
  flash,
};

const HELP = `npm run bench -- [options]

  --only NAME   one measure: ${Object.keys(MEASURES).join(', ')}; may be given more than once
  --json FILE   where the findings go [bench-results/<time>.json]
  --quick       a short run that only shows that everything works; its figures mean nothing
`;

// without this, Ctrl-C would leave the servers behind: they end with us, and only an exit tells them
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === 'string') {
    console.error(options);
    return 2;
  }
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const findings: Finding[] = [];
  const tell = (line: string) => console.error(`… ${line}`);
  for (const name of options.only) {
    findings.push(...((await MEASURES[name]?.({ isQuick: options.quick, tell })) ?? []));
  }
  const at = new Date().toISOString();
  const file = options.json ?? `bench-results/${at.replaceAll(':', '-')}.json`;
  await mkdir(dirname(file), { recursive: true });
  const machine = { node: process.version, cores: availableParallelism(), cpu: cpus()[0]?.model ?? null };
  await writeFile(file, `${JSON.stringify({ at, isQuick: options.quick, machine, findings }, null, 2)}\n`);
  console.log(`${tableOf(findings)}\n\nwritten to ${file}`);
  return findings.every(({ isMet }) => isMet) || options.quick ? 0 : 1;
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only ?? Object.keys(MEASURES);
  const unknown = only.find((name) => !(name in MEASURES));
  if (unknown !== undefined) {
    return `--only must be one of ${Object.keys(MEASURES).join(', ')}, not ${JSON.stringify(unknown)}`;
  }
  return { ...values, only };
}
