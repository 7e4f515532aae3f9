import { commandQueries } from '#adapters/sql/queries/control/commands.ts';
import { createMemoryBus } from '#adapters/sync/bus-payloads.ts';
import { createLiveSockets, type LiveSockets } from '#adapters/sync/live-sockets.ts';
import type { HostedFrame } from '#contract/sync/wire.ts';
import type { Committed } from '#core/changes.ts';
import { createHostedCommands } from '#features/control/commands/hosted-commands.ts';
import type { App } from '#test/app.ts';
import type { SimulatedProcess } from './process.ts';

const silent = () => undefined;
const LOG = { debug: silent, info: silent, warn: silent, error: silent };
const EXPIRE_EVERY_MS = 2_000;
const BEAT_MS = 1_000;
/** It stands still in the middle of an answer so often. */
const STALLS = { share: 0.01, mostMs: 60_000 };

/** What the gateway's end of a connection takes. */
export type Downward = { send: (frame: HostedFrame) => void; ping: () => void; closed: () => void };
export type Accepted = ReturnType<LiveSockets['open']>;

/** The hosted instance's side of orders, as the program has it: its commands, and the live sockets of its gateways. */
export function hostedEnd(app: App, process: SimulatedProcess, streamId: number) {
  const { remote } = app;
  if (remote === null) throw new Error('not a hosted instance');
  const caller = { gatewayId: 'the gateway', streamId };
  const own = { sockets: null as LiveSockets | null, follow: silent as (committed: Committed) => void };
  app.database.onCommit((committed) => own.follow(committed));

  function start(): void {
    const bus = createMemoryBus((error) => {
      throw error;
    });
    const commands = createHostedCommands({
      ...app.kernel,
      queries: commandQueries(app.database.read),
      notify: async () => [],
      poke: (to) => bus.tell({ is: 'command', streamId: to }),
    });
    const stall = () => process.mayStandStill(STALLS.share, STALLS.mostMs);
    const sockets = createLiveSockets({
      isOvertaken: async () => false,
      parts: {
        commandsToSend: (stream) =>
          process.doing(async () => {
            const frames = await commands.commandsToSend(stream);
            await stall();
            return frames;
          }),
        still: (stream, id) =>
          process.doing(async () => {
            await stall();
            const left = await commands.still(stream, id);
            await stall();
            return left;
          }),
        commandState: (stream, frame) => process.doing(() => commands.commandState(stream, frame)),
        live: remote?.parts.live ?? silent,
        connected(stream, isConnected) {
          commands.connected(stream, isConnected);
          remote?.parts.connected(stream, isConnected);
        },
      },
      told: async () => undefined,
      headOf: async () => 0,
      bus,
      now: app.clock.now,
      monotonic: app.clock.now,
      log: LOG,
      refused: silent,
    });
    own.sockets = sockets;
    own.follow = commands.follow;
    every(EXPIRE_EVERY_MS, () => void process.doing(commands.expire));
    every(BEAT_MS, () => sockets.beat());
  }

  function every(ms: number, run: () => void): void {
    process.later(ms, () => {
      run();
      every(ms, run);
    });
  }

  return {
    start,
    die(): void {
      process.die();
      own.sockets = null;
      own.follow = silent;
    },
    /** null: nobody is there. */
    accept(down: Downward): Accepted | null {
      let isOpen = true;
      const end = () => {
        if (isOpen) down.closed();
        isOpen = false;
      };
      return (
        own.sockets?.open(caller, {
          get readyState() {
            return (isOpen ? 1 : 3) as 1 | 3;
          },
          bufferedAmount: 0,
          // the program says JSON alone
          send: (text: unknown) => down.send(JSON.parse(String(text)) as HostedFrame),
          ping: () => down.ping(),
          close: end,
          terminate: end,
        }) ?? null
      );
    },
  };
}

export type HostedEnd = ReturnType<typeof hostedEnd>;
