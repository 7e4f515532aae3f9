import { takenQueries } from '#adapters/sql/queries/control/commands.ts';
import { watchPauses } from '#adapters/system/process-pauses.ts';
import { hostedFrame } from '#contract/sync/wire.ts';
import type { Commit } from '#core/changes.ts';
import { createGatewayCommands } from '#features/control/commands/gateway-commands.ts';
import type { App } from '#test/app.ts';
import { liveTalk } from '../../../../gateway/sync/gateway/live-talk.ts';
import type { LiveHandlers } from '../../../../gateway/sync/gateway/ports.ts';
import type { Chance } from '../chance.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Accepted, HostedEnd } from './hosted-end.ts';
import type { Connection, Line } from './line.ts';
import type { SimulatedProcess } from './process.ts';

const silent = () => undefined;
const LOG = { debug: silent, info: silent, warn: silent, error: silent };
const PING_EVERY_MS = 25_000;
const MISSES = 2;
/** It stands still in the middle of an order so often. */
const STALLS = { share: 0.04, mostMs: 120_000 };

type Deps = {
  app: App;
  time: VirtualTime;
  chance: Chance;
  line: Line;
  process: SimulatedProcess;
  hosted: { end: HostedEnd; process: SimulatedProcess };
  /** What is about to be written: from here on nothing asks whether it is too late. */
  decided: (unit: Parameters<Commit>[0]) => void;
};

/** The gateway's side of orders, as the program has it: what it says on the live socket, and how it takes an order. */
export function gatewayEnd(deps: Deps) {
  const { app, time, chance, line, process, hosted } = deps;
  const own = {
    connection: null as Connection | null,
    heard: null as LiveHandlers | null,
    up: null as Accepted | null,
  };
  const state = { missed: 0, isOpen: false };

  async function start(): Promise<void> {
    const pauses = watchPauses({
      monotonic: process.monotonic,
      uptimeMs: time.now,
      uptimeGrainMs: 20,
      log: LOG,
    });
    // looked at by whoever asks
    pauses.stop();
    const monotonic = () => {
      pauses.all();
      return pauses.monotonic();
    };
    const stall = () => process.mayStandStill(STALLS.share, STALLS.mostMs);
    const commands = createGatewayCommands({
      ...app.kernel,
      async commit(unit) {
        deps.decided(unit);
        await stall();
        return app.kernel.commit(unit);
      },
      monotonic,
      queries: takenQueries(app.database.read),
      memory: {
        byId: app.control.registry.byId,
        async refresh(id) {
          await stall();
          return app.control.registry.refresh(id);
        },
      },
      giveOrder: app.control.giveOrder,
      emergencyOf: app.control.orderDeps.emergencyOf,
      localHold: app.control.localHold,
      allViews: app.control.registry.all,
      onlineAfterMs: 60_000,
    });
    const { life } = process;
    const bornIn = life();
    app.database.onCommit((committed) => {
      if (bornIn === life()) commands.follow(committed);
    });
    await commands.resume();
    const talk = liveTalk({
      line: {
        open: silent,
        close: silent,
        send(frame) {
          if (bornIn !== life() || own.connection === null || !state.isOpen) return false;
          const { connection } = own;
          const text = JSON.stringify(frame);
          connection.send('up', () =>
            hosted.process.arrive(() => own.connection === connection && own.up?.message(text)),
          );
          return true;
        },
      },
      live: {
        ...commands,
        takeCommand: (frame, lateAtMs) => process.doing(() => commands.takeCommand(frame, lateAtMs)),
      },
      later: process.later,
      monotonic,
      log: LOG,
    });
    own.heard = talk.handlers(silent);
    connectLater();
  }

  function connectLater(): void {
    process.later(chance.between(500, 8_000), connect);
  }

  function connect(): void {
    const connection = line.open();
    own.connection = connection;
    own.up = null;
    state.isOpen = false;
    state.missed = 0;
    const { life } = process;
    const bornIn = life();
    const down = (run: () => void) =>
      connection.send('down', () =>
        process.arrive(() => {
          if (own.connection !== connection || bornIn !== life()) return;
          state.missed = 0;
          run();
        }),
      );
    connection.send('up', () =>
      hosted.process.arrive(() => {
        if (own.connection !== connection) return;
        down(() => {
          state.isOpen = true;
          own.heard?.opened();
        });
        own.up = hosted.end.accept({
          send: (frame) => {
            const parsed = hostedFrame.parse(frame);
            down(() => {
              if (parsed.is === 'command') own.heard?.command(parsed);
              if (parsed.is === 'still') own.heard?.still(parsed);
            });
          },
          ping: () =>
            down(() =>
              connection.send('up', () =>
                hosted.process.arrive(() => own.connection === connection && own.up?.pong()),
              ),
            ),
          closed: () => down(() => lost(connection)),
        });
        if (own.up === null) connection.isDead = true;
      }),
    );
    ping(connection);
  }

  /** As the program's socket does: a line that answers nothing is dead. */
  function ping(connection: Connection): void {
    process.later(PING_EVERY_MS, () => {
      if (own.connection !== connection) return;
      if (state.missed >= MISSES) return lost(connection);
      state.missed += 1;
      connection.send('up', () =>
        hosted.process.arrive(() => {
          if (own.up !== null) connection.send('down', () => process.arrive(() => void (state.missed = 0)));
        }),
      );
      ping(connection);
    });
  }

  function lost(connection: Connection): void {
    if (own.connection !== connection) return;
    connection.isDead = true;
    own.connection = null;
    const { up } = own;
    // the other end hears of it, or finds out by itself
    if (chance.of(0.5)) hosted.process.arrive(() => up?.closed());
    if (state.isOpen) own.heard?.closed();
    state.isOpen = false;
    connectLater();
  }

  return {
    start,
    /** Frames on their way are gone; either end hears of it at once, or nobody does. */
    cut(): void {
      const { connection } = own;
      if (connection === null) return;
      connection.isDead = true;
      if (chance.of(0.5)) process.arrive(() => lost(connection));
    },
    die(): void {
      const { up, connection } = own;
      if (connection !== null) connection.isDead = true;
      own.connection = null;
      state.isOpen = false;
      process.die();
      if (chance.of(0.7)) hosted.process.arrive(() => up?.closed());
    },
  };
}
