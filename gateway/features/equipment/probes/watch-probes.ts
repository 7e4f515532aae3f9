import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { probe, probeBus, probeProfile } from '#contract/resources/probes.ts';
import { onTables, type RowListener } from '#core/changes.ts';
import { isoOf, type Log } from '#core/kernel.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { type BusLine, createLine, type LineDeps } from './bus-line.ts';
import { type JudgedValue, profileOf, type WaterValues } from './decode-registers.ts';
import { type PolledProbe, polled, pollTurn } from './poll-bus.ts';
import { hearSample, newPondWater, noteTold, type PondWater, windowDue } from './pond-water.ts';
import type { BusRow, ProbeInPond, ProbeQueries, RecordWater } from './ports.ts';
import { isStale } from './probe-answers.ts';

export type ProbeWatchDeps = LineDeps & {
  log: Log;
  queries: Pick<ProbeQueries, 'buses' | 'probes' | 'profiles'>;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
  recordWater: RecordWater;
  /** Calls `turn` for ever, each time after the ms it answered, until stopped. */
  keepTurning: (turn: () => Promise<number>) => { stop: () => Promise<void> };
  /** What the probes of a farm say, or what that is worth, is another than before. */
  changed: (farmId: string) => void;
};

export type ProbeWatch = {
  /** Reads which probes there are and begins to poll them. */
  start: () => Promise<void>;
  /** Follows every committed unit: what is set up anew is polled within a second. */
  follow: RowListener;
  /** Reads every probe that is due, once; the pollers do so by themselves once they are started. */
  pollDue: () => Promise<void>;
  /** Stores the windows that are over; every few seconds. */
  look: () => Promise<void>;
  /** The line of a bus, for who wants to read it by hand. */
  lineOf: (bus: BusRow) => BusLine;
  /** The line as it stands; null: it was not needed yet. */
  knownLine: (busId: string) => BusLine | null;
  probe: (id: string) => PolledProbe | null;
  probes: () => readonly PolledProbe[];
  stop: () => Promise<void>;
};

type Bus = {
  row: BusRow;
  line: BusLine;
  /** null while it has no probe to read. */
  turning: { stop: () => Promise<void> } | null;
};

const BROKEN_TURN_MS = 5_000;
/** A port without probes is left to others: a board may be flashed at it. */
const IDLE_MS = 30_000;
/** Tables whose changes mean that something else is to be polled. */
const FOLLOWED = [probe, probeBus, probeProfile, pond, farm];

/** Polls the probes of this box, one poller per bus, and makes measurements of what they say. */
export function createProbeWatch(deps: ProbeWatchDeps): ProbeWatch {
  const buses = new Map<string, Bus>();
  const probes = new Map<string, PolledProbe>();
  const ponds = new Map<string, PondWater>();
  const silent = new Set<string>();
  const run = { isStarted: false, isStale: false, reading: Promise.resolve() };

  const waterOf = async (farmId: string) => (await deps.scienceOf(farmId)).water;

  async function hear(row: ProbeInPond, values: readonly JudgedValue[]): Promise<boolean> {
    // it may have gone while it was read
    if (!probes.has(row.id)) return false;
    const pond = ponds.get(row.pond_id) ?? newPondWater();
    ponds.set(row.pond_id, pond);
    const facts = { water: await waterOf(row.farm_id), monotonic: deps.monotonic() };
    const { record, again } = hearSample(pond, facts, row.id, values);
    if (record !== null) await store(row, pond, { values: record, isWindow: false });
    return again;
  }

  async function store(
    { pond_id, farm_id }: Pick<ProbeInPond, 'pond_id' | 'farm_id'>,
    pond: PondWater,
    { values, isWindow }: { values: WaterValues; isWindow: boolean },
  ): Promise<void> {
    const facts = { water: await waterOf(farm_id), monotonic: deps.monotonic() };
    // noted first: what cannot be stored is not tried with every sample
    noteTold(pond, facts, values, isWindow);
    try {
      // of the last value in it: a probe that fell silent since says nothing about now
      const measurement_date = isoOf(deps.now() - (facts.monotonic - pond.heardAt));
      await deps.recordWater({ pond_id, measurement_date, source: 'probe', ...values });
    } catch (error) {
      deps.log.warn({ err: error, pondId: pond_id }, 'what a probe measured was not stored');
    }
  }

  function lineOf(row: BusRow): BusLine {
    const known = buses.get(row.id);
    if (known !== undefined && isSameLine(known.row, row)) return known.line;
    if (known !== undefined) drop(row.id);
    const line = createLine(deps, row);
    buses.set(row.id, { row, line, turning: null });
    return line;
  }

  function drop(busId: string): void {
    const bus = buses.get(busId);
    if (bus === undefined) return;
    buses.delete(busId);
    deps.changed(bus.row.farm_id);
    void end(bus).catch((error: unknown) => deps.log.warn({ err: error, busId }, 'a bus did not close'));
  }

  async function end({ turning, line }: Bus): Promise<void> {
    // closing first lets a read that waits come back
    await line.close();
    await turning?.stop();
  }

  async function turn(busId: string): Promise<number> {
    try {
      if (run.isStale) await read();
      const bus = buses.get(busId);
      if (bus === undefined) return BROKEN_TURN_MS;
      const waitMs = await pollTurn({ ...deps, waterOf, hear }, bus.line, probesOn(busId));
      // nothing to wait for: one was read
      if (waitMs === 0 || hasNewlySilent(busId)) deps.changed(bus.row.farm_id);
      return waitMs;
    } catch (error) {
      deps.log.error({ err: error, busId }, 'probes could not be read; tried again in a few seconds');
      return BROKEN_TURN_MS;
    }
  }

  /** One that does not answer speaks of the past after a while, without another word. */
  function hasNewlySilent(busId: string): boolean {
    const newly = probesOn(busId).filter(
      (probe) => isStale(probe, deps.monotonic()) !== silent.has(probe.row.id),
    );
    for (const { row } of newly) if (!silent.delete(row.id)) silent.add(row.id);
    return newly.length > 0;
  }

  const probesOn = (busId: string) => [...probes.values()].filter(({ row }) => row.probe_bus_id === busId);

  async function readNow(): Promise<void> {
    run.isStale = false;
    const [busRows, probeRows, profiles] = await Promise.all([
      deps.queries.buses(),
      deps.queries.probes(),
      deps.queries.profiles(),
    ]);
    const enabled = new Map(busRows.filter(({ is_enabled }) => is_enabled).map((row) => [row.id, row]));
    for (const id of buses.keys()) if (!enabled.has(id)) drop(id);
    const wanted = probeRows.filter((row) => row.is_enabled && enabled.has(row.probe_bus_id));
    for (const id of probes.keys()) if (!wanted.some((row) => row.id === id)) probes.delete(id);
    for (const id of silent) if (!probes.has(id)) silent.delete(id);
    for (const row of wanted) {
      const profile = profileOf(row.probe_profile_id, profiles);
      if (profile !== null) probes.set(row.id, asPolled(row, profile));
    }
    for (const id of ponds.keys()) if (!wanted.some(({ pond_id }) => pond_id === id)) ponds.delete(id);
    for (const row of enabled.values()) if (wanted.some((one) => one.probe_bus_id === row.id)) begin(row);
  }

  function asPolled(row: ProbeInPond, profile: PolledProbe['profile']): PolledProbe {
    const known = probes.get(row.id);
    const isSame =
      known !== undefined &&
      known.row.unit_id === row.unit_id &&
      known.row.pond_id === row.pond_id &&
      known.row.probe_bus_id === row.probe_bus_id &&
      JSON.stringify(known.profile) === JSON.stringify(profile);
    return isSame ? Object.assign(known, { row, profile }) : polled(row, profile, deps.monotonic());
  }

  function begin(row: BusRow): void {
    lineOf(row);
    const bus = buses.get(row.id);
    if (bus === undefined || !run.isStarted) return;
    bus.turning ??= deps.keepTurning(() => turn(row.id));
  }

  /** One at a time, so that an older look never undoes a newer one. */
  function read(): Promise<void> {
    run.reading = run.reading.catch(() => undefined).then(readNow);
    return run.reading;
  }

  return {
    async start() {
      run.isStarted = true;
      await read();
    },
    follow: onTables(FOLLOWED, () => {
      if (!run.isStarted) return;
      run.isStale = true;
      void read().catch((error: unknown) => {
        run.isStale = true;
        deps.log.warn({ err: error }, 'which probes there are could not be read; tried again');
      });
    }),
    async pollDue() {
      await read();
      for (const id of buses.keys()) {
        const own = probesOn(id).length;
        for (let turns = 0; turns < own; turns += 1) if ((await turn(id)) > 0) break;
      }
    },
    async look() {
      if (run.isStarted && run.isStale) await read();
      for (const [id, { line }] of buses) if (probesOn(id).length === 0 && line.idleMs() > IDLE_MS) drop(id);
      for (const [pondId, pond] of ponds) {
        const values = windowDue(pond, deps.monotonic());
        const row = [...probes.values()].find((one) => one.row.pond_id === pondId)?.row;
        if (values !== null && row !== undefined) await store(row, pond, { values, isWindow: true });
      }
    },
    lineOf,
    knownLine: (busId) => buses.get(busId)?.line ?? null,
    probe: (id) => probes.get(id) ?? null,
    probes: () => [...probes.values()],
    async stop() {
      run.isStarted = false;
      await run.reading.catch(() => undefined);
      const all = [...buses.values()];
      buses.clear();
      await Promise.all(all.map(end));
    },
  };
}

function isSameLine(a: BusRow, b: BusRow): boolean {
  return (
    a.kind === b.kind &&
    a.device === b.device &&
    a.baud === b.baud &&
    a.parity === b.parity &&
    a.stop_bits === b.stop_bits &&
    a.host === b.host &&
    a.port === b.port
  );
}
