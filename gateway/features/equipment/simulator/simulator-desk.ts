import { MOST_SIMULATED, type SimulatorAnswer } from '#contract/resources/simulator.ts';
import { conflict } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { ControlView } from '#features/control/control-view.ts';
import type {
  Conditions,
  Fault,
  SimulatedFleet,
  SimulatedIdentity,
  SimulatedNow,
  StartFleet,
} from './ports.ts';

/** Nothing is wrong. */
export const WELL: Conditions = {
  power: 'on',
  network: 'up',
  delay_ms: 0,
  loss: 0,
  clock_skew_s: 0,
  stuck_at: null,
  breaker: 'closed',
  hand_switch: 'AUTO',
};

/**
 * What must happen to a controller so that it stands under `after`. A relay is freed and a breaker closed only by healing
 * everything, so the rest is struck again.
 */
export function faultsBetween(before: Conditions, after: Conditions): Fault[] {
  const isFreed = before.stuck_at !== null && after.stuck_at === null;
  const isClosed = before.breaker === 'tripped' && after.breaker === 'closed';
  if (isFreed || isClosed) return [{ kind: 'heal' }, ...struck(WELL, after)];
  return struck(before, after);
}

function struck(before: Conditions, after: Conditions): Fault[] {
  const faults: Fault[] = [];
  if (after.network !== before.network)
    faults.push({ kind: after.network === 'down' ? 'network_down' : 'network_up' });
  if (after.delay_ms !== before.delay_ms)
    faults.push({ kind: 'delay', min_ms: after.delay_ms, max_ms: after.delay_ms });
  if (after.loss !== before.loss) faults.push({ kind: 'loss', share: after.loss });
  if (after.clock_skew_s !== before.clock_skew_s)
    faults.push({ kind: 'clock_skew', skew_s: after.clock_skew_s });
  if (after.stuck_at !== null && after.stuck_at !== before.stuck_at)
    faults.push({ kind: 'relay_stuck', at: after.stuck_at });
  if (after.breaker === 'tripped' && before.breaker === 'closed') faults.push({ kind: 'breaker_trip' });
  if (after.hand_switch !== before.hand_switch)
    faults.push({ kind: 'hand_switch', position: after.hand_switch });
  // last: what has no power takes nothing more
  if (after.power !== before.power)
    faults.push({ kind: after.power === 'off' ? 'power_cut' : 'power_return' });
  return faults;
}

/** Each is a process of its own beside control. */
const MOST_FARMS = 3;
/** Farms whose failure is shown; of one that fell out its simulator just stands still. */
const MOST_FAILED = 1_000;

type SimulatorDeskDeps = Pick<Kernel, 'now' | 'log'> & {
  startFleet: StartFleet;
  /** Control points of the simulator, of all farms. */
  simulated: () => readonly ControlView[];
  /** What the simulator of a farm answers is another than before. */
  changed: (farmId: string) => void;
};

type Running = {
  fleet: SimulatedFleet;
  startedAt: number;
  /** Of those that are still there. */
  deviceIds: Set<string>;
  nowByDevice: ReadonlyMap<string, SimulatedNow>;
};

export type SimulatorDesk = ReturnType<typeof createSimulatorDesk>;

/** The simulators of the farms of this box, in memory: after a restart none runs until somebody starts it. */
export function createSimulatorDesk(deps: SimulatorDeskDeps) {
  const runningByFarm = new Map<string, Running>();
  const failedFarms = new NewestMap<string, true>(MOST_FAILED);
  const conditionsByPoint = new Map<string, Conditions>();
  let turn: Promise<unknown> = Promise.resolve();
  const conditionsOf = (controlPointId: string) => conditionsByPoint.get(controlPointId) ?? WELL;
  const onFarm = (farmId: string) => deps.simulated().filter(({ row }) => row.farm_id === farmId);

  function strike(view: ControlView, before: Conditions, after: Conditions): void {
    const running = runningByFarm.get(view.row.farm_id);
    if (running?.deviceIds.has(view.row.device_id) !== true) return;
    for (const fault of faultsBetween(before, after)) running.fleet.strike(view.row.device_id, fault);
  }

  const desk = {
    /** One after the other: whoever makes or starts some sees what the one before left. */
    inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
      const mine = turn.then(work);
      turn = mine.catch(() => undefined);
      return mine;
    },
    /** Throws 409 where there is no room for so many more. */
    requireRoom(count: number): void {
      const free = MOST_SIMULATED - deps.simulated().length;
      if (count > free)
        throw conflict(
          `This gateway takes ${MOST_SIMULATED} virtual controllers, and ${free} more now`,
          'SIMULATOR_FULL',
        );
    },
    /** Throws 409 while it runs on this farm, or on too many. */
    requireIdle(farmId: string): void {
      if (runningByFarm.has(farmId))
        throw conflict('The simulator of this farm runs already; stop it first', 'SIMULATOR_RUNS');
      if (runningByFarm.size >= MOST_FARMS)
        throw conflict(
          `The simulator runs on ${MOST_FARMS} farms of this gateway already; stop one of them`,
          'SIMULATOR_FULL',
        );
    },
    start(farmId: string, controllers: readonly SimulatedIdentity[]): void {
      desk.requireIdle(farmId);
      failedFarms.delete(farmId);
      const running: Running = {
        fleet: deps.startFleet(controllers, {
          told(states) {
            running.nowByDevice = new Map(states.map(({ device_id, ...now }) => [device_id, now]));
            deps.changed(farmId);
          },
          ended(why) {
            if (runningByFarm.get(farmId) !== running) return;
            runningByFarm.delete(farmId);
            failedFarms.set(farmId, true);
            deps.log.error({ err: why, farmId }, 'the simulator ended by itself');
            deps.changed(farmId);
          },
        }),
        startedAt: deps.now(),
        deviceIds: new Set(controllers.map(({ device_id }) => device_id)),
        nowByDevice: new Map(),
      };
      runningByFarm.set(farmId, running);
      for (const view of onFarm(farmId)) strike(view, WELL, conditionsOf(view.row.id));
      deps.log.info({ farmId, controllers: controllers.length }, 'the simulator runs');
      deps.changed(farmId);
    },
    async stop(farmId: string): Promise<void> {
      const running = runningByFarm.get(farmId);
      failedFarms.delete(farmId);
      if (running === undefined) return;
      runningByFarm.delete(farmId);
      deps.changed(farmId);
      await running.fleet.stop();
      deps.log.info({ farmId }, 'the simulator was stopped');
    },
    async stopAll(): Promise<void> {
      await Promise.all([...runningByFarm.keys()].map((farmId) => desk.stop(farmId)));
    },
    /** Of those control points of the farm, or of all of them; what is left out stays. */
    setConditions(farmId: string, ids: readonly string[] | null, change: Partial<Conditions>): void {
      for (const view of onFarm(farmId)) {
        if (ids !== null && !ids.includes(view.row.id)) continue;
        const before = conditionsOf(view.row.id);
        const after = { ...before, ...change };
        conditionsByPoint.set(view.row.id, after);
        strike(view, before, after);
      }
      deps.changed(farmId);
    },
    /** Its control point was deleted: it knocks at no door any more, where somebody might take it for a real one. */
    forget({ id, farm_id, device_id }: Pick<ControlView['row'], 'id' | 'farm_id' | 'device_id'>): void {
      conditionsByPoint.delete(id);
      const running = runningByFarm.get(farm_id);
      if (running?.deviceIds.delete(device_id) !== true) return;
      if (running.deviceIds.size > 0) running.fleet.strike(device_id, { kind: 'power_cut' });
      else void desk.stop(farm_id);
    },
    plays: ({ farm_id, device_id }: Pick<ControlView['row'], 'farm_id' | 'device_id'>): boolean =>
      runningByFarm.get(farm_id)?.deviceIds.has(device_id) === true,
    answer(farmId: string): SimulatorAnswer {
      const running = runningByFarm.get(farmId);
      const controllers = onFarm(farmId).toSorted((a, b) => (a.row.cod < b.row.cod ? -1 : 1));
      return {
        farm_id: farmId,
        state: stateOf(running, { isFailed: failedFarms.has(farmId), isEmpty: controllers.length === 0 }),
        started_at: running === undefined ? null : isoOf(running.startedAt),
        free: Math.max(0, MOST_SIMULATED - deps.simulated().length),
        controllers: controllers.map(({ row }) => ({
          control_point_id: row.id,
          cod: row.cod,
          device_id: row.device_id,
          conditions: conditionsOf(row.id),
          now: running?.nowByDevice.get(row.device_id) ?? null,
        })),
      };
    },
  };
  return desk;
}

function stateOf(
  running: Running | undefined,
  { isFailed, isEmpty }: { isFailed: boolean; isEmpty: boolean },
): SimulatorAnswer['state'] {
  if (running !== undefined) return running.nowByDevice.size === 0 ? 'starting' : 'running';
  if (isEmpty) return 'none';
  return isFailed ? 'failed' : 'stopped';
}
