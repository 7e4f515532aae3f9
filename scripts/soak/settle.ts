import { setTimeout as pause } from 'node:timers/promises';
import { type Point, readChangesSince, type Violation } from './history.ts';
import { expectedAt, type Life } from './oracle/expected.ts';
import { type Effect, effectsOf, type Found, find } from './resolve.ts';
import type { World } from './world.ts';

// After a fault is healed: does every controller come to what it should do, in time, and do the alerts end?

export type Settled = { convergedS: number; violations: Violation[] };

/** What the change log was read up to. */
export type Reading = { found: Found; seq: number };

const LOOK_EVERY_MS = 150;
/** A lost line is noticed, the controller calls again, and its level comes. */
const RECONNECT_S = 90;
/** Slots of 5 s, by name at most the twelfth. */
const LAST_SLOT_S = 65;
const FEEDER_SIZE = 4;
/** What takes us a moment is long on the farm: the way of a message on a busy machine, several times. */
const WAY_REAL_S = 3;
const START_STEP_S = 5;
const ALERTS_END_WITHIN_S = 240;

export async function settle(world: World, reading: Reading, healedAt: number): Promise<Settled> {
  const { farm, fleet, now } = world;
  let lives: Life[] = [];
  const arrived = new Set<string>();
  const violations: Violation[] = [];
  const driven = farm.points.filter(({ isProbe }) => !isProbe).length;
  /** This process stood still for so long: the farm's time went on, and nothing in it. */
  let lostMs = 0;
  while (arrived.size < driven) {
    // what the disk did not take at its time is saved a little later
    if (readOn(world, reading) || lives.length === 0) {
      lives = livesOf(farm.points, effectsOf(world.writes, reading.found));
    }
    for (const life of lives) {
      const { point } = life;
      if (arrived.has(point.device_id)) continue;
      const at = now();
      const { target, since } = expectedAt(life, at);
      const view = fleet.state(point.device_id);
      if (view?.is_powered === true && view.current_status === target) arrived.add(point.device_id);
      else if (at - Math.max(since, healedAt) - lostMs > patienceMs(point, world.time.speed)) {
        arrived.add(point.device_id);
        violations.push({
          rule: 'every controller comes to its wanted state',
          what: `${point.device_id} is not ${target}`,
          context: {
            point: { ...point, key: undefined },
            sinceS: Math.round((at - since) / 1000),
            healedS: Math.round((at - healedAt) / 1000),
            view,
            gateway: (await world.call('GET', `/control-points/${point.id}`, { token: world.token() }))?.body,
            lastWrites: life.effects.slice(-6),
          },
        });
      }
    }
    if (arrived.size < driven) lostMs += (await lateness()) * world.time.speed;
  }
  const convergedS = Math.round((now() - healedAt) / 1000);
  return { convergedS, violations: [...violations, ...(await alertsEnd(world))] };
}

/** True when the change log has grown. */
function readOn({ file }: Pick<World, 'file'>, reading: Reading): boolean {
  const changes = readChangesSince(file, reading.seq);
  find(reading.found, changes);
  reading.seq = changes.at(-1)?.seq ?? reading.seq;
  return changes.length > 0;
}

function livesOf(points: readonly Point[], effects: readonly Effect[]): Life[] {
  const byPoint = new Map<string, Effect[]>();
  for (const effect of effects) {
    const { pointId } = effect.write;
    if (pointId === null) continue;
    const own = byPoint.get(pointId) ?? [];
    own.push(effect);
    byPoint.set(pointId, own);
  }
  return points
    .filter(({ isProbe }) => !isProbe)
    .map((point) => ({ point, effects: byPoint.get(point.id) ?? [] }));
}

function patienceMs(point: Point, speed: number): number {
  const restS = Math.max(point.min_off_s, point.min_on_s);
  const queueS = FEEDER_SIZE * START_STEP_S;
  return (RECONNECT_S + LAST_SLOT_S + restS + queueS + WAY_REAL_S * speed) * 1000;
}

async function alertsEnd(world: World): Promise<Violation[]> {
  const probes = new Set(world.farm.points.filter(({ isProbe }) => isProbe).map(({ id }) => id));
  let deadline = world.now() + (ALERTS_END_WITHIN_S + WAY_REAL_S * world.time.speed) * 1000;
  for (;;) {
    const reply = await world.call('GET', '/alerts/?include=all', { token: world.token() });
    if (reply?.status === 401) await world.signIn();
    // a list of alerts when it is a success
    const all = reply?.status === 200 ? (reply.body as { control_point_id: string | null }[]) : null;
    const open = all?.filter(({ control_point_id }) => !probes.has(control_point_id ?? ''));
    if (open?.length === 0) return [];
    if (world.now() > deadline) {
      const what = open === undefined ? 'alerts cannot be read' : `${open.length} alerts stay ACTIVE`;
      return [{ rule: 'alerts end', what, context: open?.slice(0, 5) ?? reply }];
    }
    deadline += (await lateness()) * world.time.speed;
  }
}

/** Rests until the next look; answers by how many real milliseconds that came late. */
async function lateness(): Promise<number> {
  const due = performance.now() + LOOK_EVERY_MS;
  await pause(LOOK_EVERY_MS);
  return Math.max(0, performance.now() - due);
}
