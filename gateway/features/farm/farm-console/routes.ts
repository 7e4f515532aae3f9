import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  type FarmConsoleAnswer,
  type FarmConsoleUpdate,
  farmConsole,
  farmConsoleAnswer,
  farmConsoleUpdate,
  type WallPlace,
} from '#contract/resources/farm-console.ts';
import { audit } from '#core/audit.ts';
import { asParent, insert, update } from '#core/changes.ts';
import { invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { FarmConsole, FarmConsoleQueries } from './ports.ts';

const params = z.object({ farm_id: idInput });
const atFarm = { who: 'farm', of: 'farm', at: 'params', field: 'farm_id', others: 404 } as const;
const tag = 'Farms';

const toAnswer = (farm_id: string, { wall, alarm_responses, updated_at }: Arranged): FarmConsoleAnswer => ({
  farm_id,
  wall,
  alarm_responses,
  updated_at,
});

export function farmConsoleRoutes(deps: ChangeConsoleDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/farms/{farm_id}/console',
      tag,
      summary: 'What the people of a farm arranged for their screens: the wall, and what to do about alarms',
      access: { ...atFarm, right: 'read' },
      params,
      answers: { 200: { schema: farmConsoleAnswer } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const arranged = arrangedIn(await deps.queries.farmConsole(farmId));
        return { answer: { status: 200, body: toAnswer(farmId, arranged), rev: arranged.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/farms/{farm_id}/console',
      tag,
      summary: 'Arrange the wall of a farm and what is to be done about its alarms',
      access: { ...atFarm, right: 'manage' },
      params,
      body: farmConsoleUpdate,
      answers: { 200: { schema: farmConsoleAnswer } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const current = await deps.queries.farmConsole(farmId);
        requireMatch(request, { rev: current?.rev ?? 0 });
        const changed = await changeConsole(deps, signedIn(request), farmId, { current, sent: request.body });
        const body = toAnswer(farmId, changed.answer);
        return { ...changed, answer: { status: 200, body, rev: changed.answer.rev } };
      },
    }),
  ];
}

type ChangeConsoleDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: FarmConsoleQueries;
};

/** What a farm has arranged, be it nothing. */
type Arranged = Pick<FarmConsole, 'wall' | 'alarm_responses' | 'updated_at' | 'rev'>;

const arrangedIn = (row: FarmConsole | null): Arranged =>
  row === null
    ? { wall: [], alarm_responses: {}, updated_at: null, rev: 0 }
    : { ...row, updated_at: row.updated_at ?? row.created_at };

/**
 * Decides where ponds stand on the wall and what the farm says is to be done about an alarm; what is left out stays.
 * Throws 422 for a pond of another farm, or two ponds in one place.
 */
async function changeConsole(
  deps: ChangeConsoleDeps,
  caller: Caller,
  farmId: string,
  { current, sent }: { current: FarmConsole | null; sent: FarmConsoleUpdate },
): Promise<Decision<Arranged>> {
  const before = arrangedIn(current);
  if (sent.wall !== undefined) await requirePlaces(deps, farmId, sent.wall);
  const set = {
    wall: sent.wall ?? before.wall,
    alarm_responses: withResponses(before.alarm_responses, sent.alarm_responses ?? {}),
  };
  if (JSON.stringify(set) === JSON.stringify({ wall: before.wall, alarm_responses: before.alarm_responses }))
    return { answer: before };
  const now = isoOf(deps.now());
  const entry = audit(deps, {
    farm_id: farmId,
    entity_type: 'SYSTEM',
    entity_id: farmId,
    entity_name: 'Console',
    action: 'update',
    user_id: caller.userId,
    // where ponds stand on a screen is nobody's secret, and nothing to be read one by one
    details: { record: 'farm_console', alarm_responses: set.alarm_responses, places: set.wall.length },
  });
  const answer = { ...set, updated_at: now };
  if (current !== null) {
    const changes = [update(farmConsole, current, answer), entry];
    return { answer: { ...answer, rev: current.rev + 1 }, changes };
  }
  const guard = asParent(await deps.guard('farm', farmId));
  if (!(await deps.queries.farmExists(farmId))) throw notFound('Farm');
  const row = { ...set, id: deps.idOf(`farm_console:${farmId}`), farm_id: farmId };
  return {
    answer: { ...answer, rev: 1 },
    changes: [insert(farmConsole, { ...row, created_at: now, updated_at: null }), entry],
    guards: [guard],
  };
}

async function requirePlaces(
  { queries }: Pick<ChangeConsoleDeps, 'queries'>,
  farmId: string,
  wall: readonly WallPlace[],
): Promise<void> {
  const ponds = await queries.pondIdsOf(farmId);
  const placed = new Set<string>();
  const taken = new Set<string>();
  for (const [index, { pond_id, column, row }] of wall.entries()) {
    const place = `${column} ${row}`;
    if (!ponds.has(pond_id) || placed.has(pond_id))
      throw invalidField(422, `wall.${index}.pond_id`, 'must be a pond of this farm, each once');
    if (taken.has(place)) throw invalidField(422, `wall.${index}`, 'another pond stands in this place');
    placed.add(pond_id);
    taken.add(place);
  }
}

function withResponses(
  before: Readonly<Record<string, string>>,
  sent: Readonly<Partial<Record<string, string | null>>>,
): Record<string, string> {
  const after: Record<string, string> = { ...before };
  for (const [type, text] of Object.entries(sent)) {
    if (text === null) delete after[type];
    else if (text !== undefined) after[type] = text;
  }
  return after;
}
