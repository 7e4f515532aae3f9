import type { SupervisedBroker } from '#adapters/mqtt/supervise-broker.ts';
import type { Tick } from '#adapters/timers/ticks.ts';
import type { Route } from '#core/route.ts';
import type { Ports } from '#features/system/trust/identity.ts';
import type { RunNote } from '#operations/doctor/run-file.ts';

/** What stands once the ports are open. */
export type Opened = {
  /** Left at the start of this process. */
  note: RunNote;
  /** Of this gateway, to be called from this machine. */
  address: string;
  ports: () => Ports;
  broker: SupervisedBroker | null;
  p99Ms: () => number;
};

/** One part of the program: what it answers, what it does again and again, how it begins and how it ends. */
export type Area = {
  routes?: readonly Route[];
  ticks?: readonly Tick[];
  /** Called once the ports are open, before the first tick. */
  start?: (opened: Opened) => Promise<void> | void;
  stop?: Stop;
};

/** How a part ends, in four steps that all parts take together. */
export type Stop = {
  /** Cuts off what would keep the stop waiting. */
  atOnce?: () => Promise<unknown>;
  /** Nothing ticks any more; whoever is connected still is. */
  whileOpen?: () => Promise<unknown>;
  /** While connections end. `grace` resolves when what is under way has had its time. */
  withPorts?: (grace: () => Promise<unknown>) => Promise<unknown>;
  /** Nobody is connected any more: what only memory holds is stored. Throws what could not be. */
  last?: () => Promise<unknown>;
};

/** Begins all parts, in their order. */
export async function startAll(areas: readonly Area[], opened: Opened): Promise<void> {
  for (const { start } of areas) await start?.(opened);
}

/** One step of the end, in the order of the parts. */
export async function stopInTurn(areas: readonly Area[], step: 'atOnce' | 'whileOpen' | 'last') {
  for (const { stop } of areas) await stop?.[step]?.();
}
