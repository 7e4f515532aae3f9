import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Fleet } from '#sim/fleet/fleet.ts';
import { type RunningServer, ServerFailed, startServer } from './bench/start-server.ts';
import { demoFarm, NotADemo } from './demo/demo-farm.ts';
import { fleetLine, startLiveFleet } from './demo/live-fleet.ts';
import { type DemoOptions, HELP, readDemoOptions } from './demo/options.ts';
import { whatToLookAt } from './demo/what-to-look-at.ts';

// A farm to look at: the gateway in a process of its own, a week behind it, and simulated controllers on real sockets.

const GATEWAY = fileURLToPath(new URL('../gateway/main.ts', import.meta.url));
const STATUS_EVERY_MS = 30_000;
const EXIT_INTERRUPTED = 130;
const WARN_LEVEL = 40;
const logLine = z.object({ level: z.number(), msg: z.string() });

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = readDemoOptions(args);
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
  const farm = await demoFarm(options);
  const { data, host, httpPort, mqttPort } = options;
  const flags = { data, host, 'http-port': httpPort, 'mqtt-port': mqttPort };
  const gateway = await startServer({
    args: [GATEWAY, ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])],
    onLine: showTrouble,
  });
  try {
    const fleet = await startLiveFleet(farm, { httpBase: gateway.http, mqttUrl: gateway.mqtt });
    const tookS = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`\n${whatToLookAt(farm, { ...gateway, data })}\n\nready in ${tookS} s; Ctrl-C ends it`);
    const status = setInterval(() => console.log(fleetLine(fleet)), STATUS_EVERY_MS);
    const isOver = await untilOver({ forMs: options.forMs, interrupted, gateway });
    clearInterval(status);
    await sayGoodbye(fleet, isOver);
    return isOver ? 0 : 1;
  } finally {
    await gateway.stop();
  }
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

/** What the gateway warns of, and whatever it writes that is not its log. */
function showTrouble(line: string): void {
  const read = logLine.safeParse(parseJson(line));
  if (!read.success) console.error(line);
  else if (read.data.level >= WARN_LEVEL) console.error(`gateway: ${read.data.msg}`);
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
