import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type {
  Fault,
  SimulatedIdentity,
  SimulatedNow,
  StartFleet,
} from '#features/equipment/simulator/ports.ts';

/** Where they come in; `speed`: how many times faster than real time they live. */
export type FleetAt = { httpBase: string; mqttUrl: string; speed?: number };

/** What is said to the process, and by it. */
export type FleetOrder =
  | { start: FleetAt & { controllers: readonly SimulatedIdentity[]; seed: number } }
  | { strike: { deviceId: string; fault: Fault } }
  | 'stop';
export type FleetWord = { states: readonly ({ device_id: string } & SimulatedNow)[] };

const FILE = fileURLToPath(new URL('./fleet-child.ts', import.meta.url));
const FLAGS = [
  '--max-semi-space-size=2',
  '--max-old-space-size=96',
  '--import',
  new URL('../../../scripts/require-node.mjs', import.meta.url).href,
];
/** Farewells are on their way by then. */
const STOP_WITHIN_MS = 3_000;

/**
 * Virtual controllers in a process of their own, below the priority of control: they speak to the broker over its port,
 * as everybody does, and take nothing from the gateway but what controllers take.
 */
export const fleetBeside =
  (at: () => FleetAt): StartFleet =>
  (controllers, on) => {
    const child = fork(FILE, [], { execArgv: FLAGS, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const say = (order: FleetOrder) => {
      if (child.connected) child.send(order, () => undefined);
    };
    const state = { isStopping: false };
    const gone = new Promise<void>((resolve) => {
      child.once('exit', (code, killedBy) => {
        resolve();
        if (!state.isStopping) on.ended(new Error(`the process ended (${killedBy ?? `exit code ${code}`})`));
      });
      child.once('error', (error) => {
        // one that could not be started never exits
        if (child.pid !== undefined) return;
        resolve();
        on.ended(error);
      });
    });
    child.on('message', ({ states }: FleetWord) => on.told(states));
    say({ start: { controllers, ...at(), seed: 1 } });
    return {
      strike: (deviceId, fault) => say({ strike: { deviceId, fault } }),
      async stop() {
        state.isStopping = true;
        say('stop');
        const killing = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
        await gone;
        clearTimeout(killing);
      },
    };
  };
