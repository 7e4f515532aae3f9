import { createHash } from 'node:crypto';
import type { Change, Committed, Unit } from '#core/changes.ts';
import { newRegister, registerOf } from '#store/register.ts';
import { type Chance, createChance } from './chance.ts';
import { type Deed, type Done, isRefusal, workOnFarm } from './farm-work.ts';
import type { GatewayParts, GatewayRun } from './gateway-box.ts';
import type { HostedParts, HostedRun } from './hosted-box.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { movedHere } from './moves.ts';
import { createNetwork, type Network } from './network.ts';
import { PAIRED_STREAM, settleOwner } from './paired-farm.ts';
import * as today from './program.ts';
import type { Replica } from './replica.ts';
import { keyOf, type ReplicaState, readState, SYNCED } from './replica-state.ts';
import { createSqliteReplica } from './sqlite-replica.ts';
import { LATER_THINGS, type Side, THINGS } from './things.ts';
import { asKnown, asRead, type Program } from './versions.ts';
import { createVirtualTime, settled, type VirtualTime } from './virtual-time.ts';

// A gateway and a hosted instance, each a real program on a real database, and the line between them. Everything that
// happens comes from the seed.

export type Parts = { gateway?: GatewayParts; hosted?: HostedParts };

export type WorldOptions = {
  seed: number;
  /** A migrated database without rows. */
  image: Buffer;
  /** Where the hosted instance lives; by default on such a database, too. */
  hostedReplica?: Replica;
  parts?: Parts;
  /** Of which version each side is; without it both are today's, and are not compared. */
  programs?: Readonly<Record<Side, Program>>;
  /** Compared now and then all the same, as a gateway does. */
  compares?: true;
};

export type World = {
  chance: Chance;
  time: VirtualTime;
  network: Network;
  ledger: Ledger;
  gateway: Box<GatewayRun>;
  hosted: Box<HostedRun>;
  programOf(side: Side): Program;
  /** Starts another version on the same disk. */
  upgrade(side: Side, program: Program): Promise<void>;
  /** Moves every clock of one side; the world's time goes on as before. */
  setClock(side: Side, offsetMs: number): void;
  /** How far the clocks of one side are apart from the world's. */
  clockOffset(side: Side): number;
  /** What a clock of that side shows. */
  wallTime(side: Side): number;
  /** What is on the gateway's card. */
  gatewayBytes(): Buffer;
  /** The hosted database lives on as another one, as after a failover or a restore. */
  nextTimeline(): void;
  /** Somebody writes something on one side. */
  work(side: Side, bias?: Partial<Record<Deed, number>>): Promise<Done>;
  /** Somebody decides this; null: it was refused, or the power went. */
  commit(side: Side, changes: readonly Change[], more?: Partial<Unit>): Promise<Committed | null>;
  /** A number that no other write has. */
  nextWord(): number;
  /** Somebody writes just this. */
  write(side: Side, change: Change): Promise<void>;
  note(side: Side, committed: Committed): Promise<void>;
  /** Lets that much time pass, and everything that is due in it happen. */
  pass(ms: number): Promise<void>;
  settle(): Promise<void>;
  states(): Promise<{ gateway: ReplicaState; hosted: ReplicaState }>;
  /** A disk of that side is gone, and what only it had. Answers how much that was. */
  excuse(side: Side, isAnotherLife?: boolean): Promise<number>;
  trace(line: string): void;
  traceHash(): string;
  lines: readonly string[];
  counts: Record<string, number>;
  close(): Promise<void>;
};

export type Box<Run> = {
  replica: Replica;
  run(): Run;
  /** Begins a run of the program; the one before is dead. */
  start(): Promise<void>;
};

/** Wall time when the world begins. */
const BEGIN = Date.UTC(2026, 2, 1, 12);
const TRACE_KEPT = 4_000;

export async function createWorld(options: WorldOptions): Promise<World> {
  const { seed, image, parts = {} } = options;
  const chance = createChance(seed, 'world');
  const time = createVirtualTime();
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const hash = createHash('sha256');
  const lines: string[] = [];
  const trace = (line: string) => {
    hash.update(`${line}\n`);
    lines.push(line);
    if (lines.length > TRACE_KEPT) lines.shift();
  };
  const offsets = { gateway: 0, hosted: 0 };
  const life = { timeline: 1, words: 100 };
  const clock = (side: Side) => () => BEGIN + time.now() + offsets[side];
  const network = createNetwork({ chance: createChance(seed, 'network'), time, trace });
  const isMixed = options.programs !== undefined;
  const programs = { gateway: today, hosted: today, ...options.programs };
  const resources = new Map(SYNCED.map((resource) => [resource.name, resource]));
  const ledger = createLedger(resources, isMixed);

  const hosted = await createBox<HostedRun>(
    options.hostedReplica ?? createSqliteReplica(image),
    async (replica) =>
      programs.hosted.startHosted({
        replica,
        chance,
        now: clock('hosted'),
        monotonic: time.now,
        later: time.after,
        timeline: () => `life-${life.timeline}`,
        refused: (_, code) => count(code),
        ...(parts.hosted === undefined ? {} : { parts: parts.hosted }),
      }),
  );
  const card = createSqliteReplica(image);
  const gateway = await createBox<GatewayRun>(card, async (replica) => {
    const run = await programs.gateway.startGateway({
      replica,
      chance,
      now: clock('gateway'),
      time,
      network,
      hosted: () => hosted.run(),
      count,
      trace,
      compares: isMixed || options.compares === true,
      ...(parts.gateway === undefined ? {} : { parts: parts.gateway }),
    });
    return run;
  });

  const activity = () =>
    gateway.run().breakable.statements() + hosted.run().breakable.statements() + network.counts.asked;
  const settle = () => settled(activity);

  async function note(side: Side, committed: Committed): Promise<void> {
    const { replica } = side === 'gateway' ? gateway : hosted;
    const registers = await replica.read('select entity, id, cl, hlc, over_json from sync_register');
    const registerIn = (table: string, id: string) => {
      const entity = SYNCED.find(({ name }) => name === table)?.entity;
      const stored = registers.find((row) => row['entity'] === entity && row['id'] === id);
      return stored === undefined ? newRegister() : registerOf(stored);
    };
    const rows = committed.rows.map((row) => {
      const resource = resources.get(row.table);
      if (!isMixed || resource === undefined) return row;
      return {
        ...row,
        before: row.before && asRead(resource, row.before),
        after: asRead(resource, row.after),
      };
    });
    ledger.note(side, { ...committed, rows } as Committed, registerIn);
  }

  return {
    chance,
    time,
    network,
    ledger,
    gateway,
    hosted,
    settle,
    note,
    trace,
    lines,
    counts,
    traceHash: () => hash.copy().digest('hex'),
    setClock(side, offsetMs) {
      offsets[side] = offsetMs;
    },
    programOf: (side) => programs[side],
    async upgrade(side, program) {
      programs[side] = program;
      await (side === 'gateway' ? gateway : hosted).start();
    },
    clockOffset: (side) => offsets[side],
    wallTime: (side) => clock(side)(),
    gatewayBytes: card.bytes,
    nextTimeline() {
      life.timeline += 1;
    },
    async work(side, bias) {
      const box = side === 'gateway' ? gateway : hosted;
      life.words += 1;
      const done = await workOnFarm({
        side,
        chance,
        now: clock(side),
        read: box.replica.read,
        commit: box.run().database.commit,
        nextWord: () => life.words,
        things: isMixed ? LATER_THINGS : THINGS,
        known: (change) => asKnown(programs[side], change),
        ...(side === 'gateway' ? { moved: await movedHere(box.replica.read) } : {}),
        ...(bias === undefined ? {} : { bias }),
      });
      trace(`${time.now()} ${side} ${done?.deed ?? 'nothing'} ${done?.committed.rows[0]?.id ?? ''}`);
      if (done !== null) {
        count(done.deed);
        await note(side, done.committed);
      }
      return done;
    },
    nextWord() {
      life.words += 1;
      return life.words;
    },
    async commit(side, changes, more = {}) {
      const { database, breakable } = (side === 'gateway' ? gateway : hosted).run();
      try {
        const known = changes.flatMap((change) => asKnown(programs[side], change) ?? []);
        const committed = await database.commit({ actor: null, ...more, changes: known });
        await note(side, committed);
        return committed;
      } catch (error) {
        if (!isRefusal(error) && !breakable.isDead()) throw error;
        return null;
      }
    },
    async write(side, change) {
      const box = side === 'gateway' ? gateway : hosted;
      await note(side, await box.run().database.commit({ changes: [change], actor: null }));
    },
    async pass(ms) {
      const until = time.now() + ms;
      await settle();
      while (await time.step(until)) await settle();
    },
    async states() {
      return {
        gateway: await readState(gateway.replica.read),
        hosted: await readState(hosted.replica.read),
      };
    },
    async excuse(side, isAnotherLife = false) {
      const logged = await gateway.replica.read('select distinct entity, id from sync_change');
      const keys = new Set(
        logged.map(({ entity, id }) =>
          keyOf(SYNCED.find((resource) => resource.entity === entity)?.name ?? '', String(id)),
        ),
      );
      const states = {
        gateway: await readState(gateway.replica.read),
        hosted: await readState(hosted.replica.read),
      };
      return ledger.excuse(side, states, { isLogged: (key) => keys.has(key), isAnotherLife });
    },
    async close() {
      await gateway.replica.close();
      await hosted.replica.close();
    },
  };
}

/** Begins with the owner's account and farm on the hosted instance, and a gateway that was just paired. */
export async function createPairedWorld(options: WorldOptions): Promise<World> {
  const world = await createWorld(options);
  await world.hosted.replica.execute(PAIRED_STREAM);
  for (const committed of await settleOwner(world.hosted.run().database)) {
    await world.note('hosted', committed);
  }
  await world.gateway.run().paired();
  return world;
}

async function createBox<Run>(
  replica: Replica,
  start: (replica: Replica) => Promise<Run>,
): Promise<Box<Run>> {
  const state = { run: await start(replica) };
  return {
    replica,
    run: () => state.run,
    async start() {
      state.run = await start(replica);
    },
  };
}
