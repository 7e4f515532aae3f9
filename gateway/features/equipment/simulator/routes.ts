import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import { deviceKey } from '#contract/resources/local-tables.ts';
import {
  simulatorAnswer,
  simulatorConditionsInput,
  simulatorCreate,
  simulatorFarm,
} from '#contract/resources/simulator.ts';
import { audit } from '#core/audit.ts';
import { type Change, purge } from '#core/changes.ts';
import { conflict } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import { type Decision, perform } from '#core/use-case.ts';
import type { ControlPoint, ControlView } from '#features/control/control-view.ts';
import type { SimulatedIdentity } from './ports.ts';
import type { SimulatorDesk } from './simulator-desk.ts';

export type SimulatorRouteDeps = Kernel & {
  desk: SimulatorDesk;
  simulatedOn: (farmId: string) => readonly ControlView[];
  /** False while the broker is not open: there is nobody to come to. */
  isReady: () => boolean;
  isCodeFree: (ownerId: string, cod: string) => Promise<boolean>;
  createPoint: (
    caller: Caller,
    input: { farm_id: string; cod: string; device_id: string },
  ) => Promise<Decision<ControlPoint>>;
  deletePoint: (caller: Caller, view: ControlView) => Promise<Decision<void>>;
  /** A new key, whatever keys there were; not stored yet. */
  issueKey: (row: ControlPoint, by: string) => { key: string; changes: readonly Change[] };
  mqttIdOf: (deviceId: string) => string;
};

const tag = 'Simulator';
const answers = { 200: { schema: simulatorAnswer } };
const inQuery = {
  who: 'farm',
  of: 'farm',
  at: 'query',
  field: 'farm_id',
  right: 'operate',
  others: 404,
} as const;
const inBody = { ...inQuery, at: 'body' } as const;
/** It makes control points with keys: for people only. */
const shared = { tag, token: 'never' } as const;
const POWERS_KW = [0.75, 1.1, 1.5, 2.2] as const;
/** A code that people see is not searched for for ever. */
const MOST_CODES = 999;

/** Virtual controllers of a farm: made, started, given trouble, stopped and taken away. */
export function simulatorRoutes(deps: SimulatorRouteDeps): Route[] {
  const { desk } = deps;
  const entry = (farmId: string, userId: string, action: string, details: Record<string, unknown>): Change =>
    audit(deps, {
      farm_id: farmId,
      entity_type: 'SYSTEM',
      entity_id: farmId,
      entity_name: 'simulator',
      action,
      user_id: userId,
      details,
    });
  const shown = (farmId: string, status = 200) => ({ answer: { status, body: desk.answer(farmId) } });
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/simulator',
      summary: 'The virtual controllers of a farm and how each stands',
      access: inQuery,
      query: z.object({ farm_id: idInput }),
      answers,
      async handle(request) {
        return shown(onFarm(request).farmId);
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/simulator/controllers',
      idempotent: true,
      summary: 'Make virtual controllers: control points of their own that are marked as simulated for ever',
      access: inBody,
      body: simulatorCreate,
      answers: { 201: { schema: simulatorAnswer } },
      async handle(request) {
        const { farmId, ownerId } = onFarm(request);
        const caller = signedIn(request);
        const { count } = request.body;
        await desk.inTurn(() =>
          perform(deps, caller.userId, async () => {
            desk.requireRoom(count);
            // a fleet that runs would not have them
            desk.requireIdle(farmId);
            const cods = await freeCodes(deps, ownerId, count);
            const made = [];
            for (const cod of cods)
              made.push(
                await deps.createPoint(caller, { farm_id: farmId, cod, device_id: deviceIdFor(deps) }),
              );
            return {
              answer: undefined,
              changes: [
                ...made.flatMap(({ changes = [] }) => changes),
                entry(farmId, caller.userId, 'simulator_made', { count }),
              ],
              guards: (made[0]?.guards ?? []).slice(),
            };
          }),
        );
        return shown(farmId, 201);
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/simulator/controllers',
      summary: 'Stop the simulator of a farm and delete its virtual controllers',
      access: inQuery,
      query: z.object({ farm_id: idInput }),
      answers: { 204: null },
      async handle(request) {
        const { farmId } = onFarm(request);
        const caller = signedIn(request);
        await desk.stop(farmId);
        const gone = [];
        for (const view of deps.simulatedOn(farmId)) gone.push(await deps.deletePoint(caller, view));
        const changes = gone.flatMap(({ changes: own = [] }) => own);
        if (changes.length > 0)
          changes.push(entry(farmId, caller.userId, 'simulator_removed', { count: gone.length }));
        return {
          answer: { status: 204 },
          changes,
          guards: unique(gone.flatMap(({ guards = [] }) => guards)),
        };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/simulator/start',
      summary: 'Let the virtual controllers of a farm live: each comes in with a key of its own',
      access: inBody,
      body: simulatorFarm,
      answers,
      async handle(request) {
        const { farmId } = onFarm(request);
        const { userId } = signedIn(request);
        if (!deps.isReady())
          throw conflict(
            'Virtual controllers come in over plain MQTT, and this gateway does not listen there: right after a start try again in a moment',
            'SIMULATOR_UNAVAILABLE',
          );
        await desk.inTurn(async () => {
          const { answer: controllers } = await perform(deps, userId, async () => {
            desk.requireIdle(farmId);
            const views = deps.simulatedOn(farmId);
            if (views.length === 0)
              throw conflict('This farm has no virtual controllers yet: make some first', 'SIMULATOR_EMPTY');
            const keyed = views.map((view, place) => withKey(deps, view, { place, userId }));
            return {
              answer: keyed.map(({ identity }) => identity),
              changes: [
                ...keyed.flatMap(({ changes }) => changes),
                entry(farmId, userId, 'simulator_started', { count: keyed.length }),
              ],
            };
          });
          desk.start(farmId, controllers);
        });
        return shown(farmId);
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/simulator/stop',
      summary: 'Stop the simulator of a farm; its control points stay, and raise nothing',
      access: inBody,
      body: simulatorFarm,
      answers,
      async handle(request) {
        const { farmId } = onFarm(request);
        await desk.stop(farmId);
        return {
          ...shown(farmId),
          changes: [entry(farmId, signedIn(request).userId, 'simulator_stopped', {})],
        };
      },
    }),
    route({
      ...shared,
      method: 'PUT',
      path: '/simulator/conditions',
      hasNoTag: true,
      summary: 'Let something go wrong with virtual controllers, or be well again',
      access: inBody,
      body: simulatorConditionsInput,
      answers,
      async handle(request) {
        const { farm_id: _farm, control_point_ids: ids, ...given } = request.body;
        const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        const { farmId } = onFarm(request);
        desk.setConditions(farmId, ids ?? null, change);
        return shown(farmId);
      },
    }),
  ];
}

/** `SIM-01`, and on to what is free. */
async function freeCodes(deps: SimulatorRouteDeps, ownerId: string, count: number): Promise<string[]> {
  const free: string[] = [];
  for (let n = 1; n <= MOST_CODES && free.length < count; n += 1) {
    const cod = `SIM-${String(n).padStart(2, '0')}`;
    if (await deps.isCodeFree(ownerId, cod)) free.push(cod);
  }
  if (free.length < count) throw conflict('There is no code left from SIM-01 to SIM-999', 'SIMULATOR_FULL');
  return free;
}

/** The end of a new id is random; the name says what it is in every log and list. */
const deviceIdFor = ({ newId }: Pick<SimulatorRouteDeps, 'newId'>): string =>
  `simulated-${newId().replaceAll('-', '').slice(-12)}`;

function withKey(
  deps: SimulatorRouteDeps,
  { row, keys }: ControlView,
  { place, userId }: { place: number; userId: string },
): { identity: SimulatedIdentity; changes: Change[] } {
  const { key, changes } = deps.issueKey(row, userId);
  return {
    identity: {
      device_id: row.device_id,
      mqtt_id: deps.mqttIdOf(row.device_id),
      key,
      power_kw: POWERS_KW[place % POWERS_KW.length] ?? 1.5,
    },
    // those of an earlier run are known to nobody any more
    changes: [...keys.map(({ id }) => purge(deviceKey, id)), ...changes],
  };
}

function unique<Guard extends { entity: string; id: string }>(guards: readonly Guard[]): Guard[] {
  return [...new Map(guards.map((guard) => [`${guard.entity} ${guard.id}`, guard])).values()];
}
