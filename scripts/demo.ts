import { once } from 'node:events';
import { createServer } from 'node:net';
import * as z from 'zod';
import type { Fleet } from '#sim/fleet/fleet.ts';
import { type RunningServer, ServerFailed, startServer } from './bench/start-server.ts';
import { MAIN_FILE } from './built-program.ts';
import { demoFarm, NotADemo } from './demo/demo-farm.ts';
import { type HostedSide, startHostedSide } from './demo/hosted-side.ts';
import { fleetLine, startLiveFleet, startLiveWater } from './demo/live-fleet.ts';
import { type DemoOptions, HELP, readDemoOptions } from './demo/options.ts';
import { linkLine, pullThePlug } from './demo/pull-the-plug.ts';
import { whatToLookAt, whatToLookAtFromAfar } from './demo/what-to-look-at.ts';

// A farm to look at: the gateway in a process of its own, a week behind it, and simulated controllers on real sockets.

const STATUS_EVERY_MS = 30_000;
const EXIT_INTERRUPTED = 130;
const WARN_LEVEL = 40;
const logLine = z.object({ level: z.number(), msg: z.string() });

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = readDemoOptions(args, process.env);
  if (options === null) {
    console.log(HELP);
    return 0;
  }
  if (typeof options === 'string') {
    console.error(options);
    return 2;
  }
  try {
    return await runDemo(options, listenForCtrlC());
  } catch (error) {
    if (!(error instanceof NotADemo) && !(error instanceof ServerFailed)) throw error;
    console.error(error.message);
    return error instanceof NotADemo ? 2 : 1;
  }
}

async function runDemo(options: DemoOptions, interrupted: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  // a port that is taken is told before a farm is made, whose password is shown once
  for (const port of [options.httpPort, options.mqttPort]) await requireFree(options.host, Number(port));
  const farm = await demoFarm(options);
  const { data, host, httpPort, mqttPort } = options;
  const secured = { 'https-port': '0', 'mqtts-port': '0' };
  const flags = { data, host, 'http-port': httpPort, 'mqtt-port': mqttPort, ...secured };
  const cloud =
    options.hosted === null
      ? null
      : await startHostedSide({ data, host, ...options.hosted, onLine: showTrouble('cloud', interrupted) });
  try {
    const gateway = await startServer({
      args: [MAIN_FILE, ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])],
      onLine: showTrouble('gateway', interrupted),
    });
    try {
      await cloud?.pair();
      const fleet = await startLiveFleet(farm, { httpBase: gateway.http, mqttUrl: gateway.mqtt });
      const endRounds = startLiveWater(farm, gateway.http);
      const tookS = ((performance.now() - startedAt) / 1000).toFixed(1);
      const fromAfar = cloud === null ? '' : `\n\n${whatToLookAtFromAfar(farm, cloud, gateway)}`;
      console.log(
        `\n${whatToLookAt(farm, { ...gateway, data }, options.language)}${fromAfar}\n\nready in ${tookS} s; Ctrl-C ends it`,
      );
      return await goOn({ fleet, gateway, cloud, forMs: options.forMs, interrupted }).finally(endRounds);
    } finally {
      await gateway.stop();
    }
  } finally {
    await cloud?.stop();
  }
}

async function requireFree(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  try {
    await once(probe.listen(port, host), 'listening');
  } catch {
    throw new NotADemo(`port ${port} of ${host} is taken; choose another one, or none for a free one`);
  } finally {
    probe.close();
  }
}

type Running = {
  fleet: Fleet;
  gateway: RunningServer;
  cloud: HostedSide | null;
  forMs: number | null;
  interrupted: AbortSignal;
};

async function goOn({ fleet, gateway, cloud, forMs, interrupted }: Running): Promise<number> {
  const stopListening =
    cloud === null ? undefined : pullThePlug(cloud.link, process.stdin, (line) => console.log(line));
  const status = setInterval(
    () => console.log([fleetLine(fleet), ...(cloud === null ? [] : [linkLine(cloud.link)])].join('; ')),
    STATUS_EVERY_MS,
  );
  const isOver = await untilOver({ forMs, interrupted, gateway });
  clearInterval(status);
  stopListening?.();
  await sayGoodbye(fleet, isOver);
  return isOver ? 0 : 1;
}

/** False when the gateway ended by itself. */
function untilOver(until: {
  forMs: number | null;
  interrupted: AbortSignal;
  gateway: RunningServer;
}): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = until.forMs === null ? undefined : setTimeout(() => resolve(true), until.forMs);
    until.interrupted.addEventListener('abort', () => resolve(true));
    if (until.interrupted.aborted) resolve(true);
    void until.gateway.ended.then(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

async function sayGoodbye(fleet: Fleet, isOver: boolean): Promise<void> {
  console.log(isOver ? `${fleetLine(fleet)}; stopping` : 'the gateway has ended');
  await fleet.stop();
}

/** What a server warns of, and whatever it writes that is not its log; while all of it ends that is no news. */
function showTrouble(who: string, interrupted: AbortSignal): (line: string) => void {
  return (line) => {
    if (interrupted.aborted) return;
    const read = logLine.safeParse(parseJson(line));
    if (!read.success) console.error(line);
    else if (read.data.level >= WARN_LEVEL) console.error(`${who}: ${read.data.msg}`);
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // a line for people
    return undefined;
  }
}

/** The first Ctrl-C ends everything in order, the second at once. */
function listenForCtrlC(): AbortSignal {
  const interrupt = new AbortController();
  const onSignal = () => {
    if (interrupt.signal.aborted) process.exit(EXIT_INTERRUPTED);
    interrupt.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return interrupt.signal;
}
