import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { GOOD_TIME } from '#adapters/sql/queries/control/last-run.ts';
import { compose } from '#app/compose.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Commit, put } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { readConfig } from '#runtime/config.ts';
import { createManualClock } from '#sim/sim-clock.ts';
import { createPastFleet, type PastFleet } from './past-fleet.ts';

// The real gateway in this process, with a clock turned by hand: a week of the farm passes in seconds, and every row
// of it was written by the use cases themselves.

export type PastGateway = {
  /** Address of its interface, on this machine only. */
  base: string;
  fleet: PastFleet;
  nowMs: () => number;
  /** For rows of a past that nobody lived through. */
  commit: Commit;
  /** Lets time pass: schedules fire, controllers report, alerts come and go. */
  passUntil: (unixMs: number) => Promise<void>;
  /** Closes the data folder as a stop of the gateway leaves it. */
  close: () => Promise<void>;
};

/** Between two looks while nothing happens: shorter than what makes a controller count as gone. */
const QUIET_STEP_MS = 30_000;
/** While motors start one after the other, and reports come back. */
const BUSY_STEP_MS = 5_000;
const LEVELS_EVERY_MS = 6 * 3_600_000;

export async function openPastGateway(data: string, startMs: number): Promise<PastGateway> {
  const clock = createManualClock({ unixMs: startMs });
  const nothing = () => undefined;
  const complain = (fields: Record<string, unknown>, sentence: string) => {
    throw new Error(sentence, { cause: fields['err'] });
  };
  const instance = await compose(
    readConfig(['--data', data, '--trust-clock', 'yes', '--local-plan', 'ENTERPRISE'], {}),
    {
      wallClock: clock.unixMs,
      monotonic: clock.nowMs,
      random: Math.random,
      pause: async () => undefined,
      clockEvidence: () => ({ isSynchronised: null, hasBatteryClock: null }),
      log: { debug: nothing, info: nothing, warn: nothing, error: complain },
    },
  );
  const { control, kernel, watches, database } = instance;
  const fleet = createPastFleet({ clock, door: control.door, levelsOf: control.levelsOf });
  control.attach(fleet.link);
  const commits = { count: 0 };
  database.onCommit(() => {
    commits.count += 1;
  });
  const server = createServer(instance.app);
  const base = await listen(server);

  async function look(): Promise<void> {
    instance.clock.look();
    await control.executor.tick();
    await watches.tick();
    await fleet.settled();
    await setImmediate();
  }

  async function passUntil(unixMs: number): Promise<void> {
    let seen = -1;
    while (clock.unixMs() < unixMs) {
      const stepMs = commits.count === seen ? QUIET_STEP_MS : BUSY_STEP_MS;
      seen = commits.count;
      const before = clock.unixMs();
      clock.advance(Math.min(stepMs, unixMs - before));
      await fleet.settled();
      await look();
      if (Math.floor(before / LEVELS_EVERY_MS) === Math.floor(clock.unixMs() / LEVELS_EVERY_MS)) continue;
      fleet.tellTime();
      control.refreshLevels();
    }
  }

  return {
    base,
    fleet,
    nowMs: clock.unixMs,
    commit: kernel.commit,
    passUntil,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await control.flushPresence();
      const value = isoOf(kernel.now());
      await kernel.commit({ changes: [put(instanceValue, { id: GOOD_TIME, value })], actor: null });
      await database.close();
    },
  };
}

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`);
    });
  });
}
