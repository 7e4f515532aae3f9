import { expect } from 'vitest';
import type { RowOf } from '#contract/resource.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farmMember } from '#contract/resources/farms.ts';
import { insert } from '#core/changes.ts';
import type { Reply, SignedUp, startApp } from './app.ts';

export type App = Awaited<ReturnType<typeof startApp>>;

export type StaffedFarm = {
  farmId: string;
  owner: SignedUp;
  manager: SignedUp;
  technician: SignedUp;
  viewer: SignedUp;
  /** Owns a farm of his own, and is nobody here. */
  stranger: SignedUp;
  strangersFarmId: string;
};

/** A farm with an owner, one member of each role, and a stranger with another farm. */
export async function aStaffedFarm(app: App): Promise<StaffedFarm> {
  const [owner, manager, technician, viewer, stranger] = await Promise.all([
    app.signUp(),
    app.signUp(),
    app.signUp(),
    app.signUp(),
    app.signUp(),
  ]);
  const farmId = await created(app.call('POST', '/farms/', { token: owner.token, body: { name: 'Norte' } }));
  const strangersFarmId = await created(
    app.call('POST', '/farms/', { token: stranger.token, body: { name: 'Sul' } }),
  );
  const members = [
    [manager, 'MANAGER'],
    [technician, 'TECHNICIAN'],
    [viewer, 'VIEWER'],
  ] as const;
  await app.kernel.commit({
    actor: null,
    changes: members.map(([{ user }, role]) =>
      insert(farmMember, {
        id: app.kernel.newId(),
        farm_id: farmId,
        user_id: user.id,
        role,
        created_at: '2026-03-01T12:00:00.000Z',
        updated_at: null,
      }),
    ),
  });
  return { farmId, owner, manager, technician, viewer, stranger, strangersFarmId };
}

/** Id of what a create made; throws when it was refused. */
export async function created(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply;
  if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`);
  return (body as { id: string }).id;
}

/** A control point straight in the database, with only what matters given. */
export async function aControlPoint(
  app: App,
  fields: Pick<RowOf<typeof controlPoint>, 'farm_id' | 'owner_id' | 'cod' | 'device_id'>,
): Promise<RowOf<typeof controlPoint>> {
  const row: RowOf<typeof controlPoint> = {
    id: app.kernel.newId(),
    target_status: 'OFF',
    version: 1,
    epoch: 'e1',
    target_origin: 'REMOTE',
    current_status: null,
    current_since: null,
    last_command_at: null,
    base_target: 'OFF',
    base_at: '2026-03-01T12:00:00.000Z',
    fail_safe: 'HOLD',
    min_on_s: 60,
    min_off_s: 60,
    start_group: null,
    start_order: null,
    do_on: null,
    do_off: null,
    do_emergency: null,
    locked_out: false,
    lock_out_reason: null,
    lock_out_by: null,
    lock_out_at: null,
    config_rev: 1,
    schedule_rev: 1,
    is_siren: false,
    is_simulated: false,
    allow_unkeyed: null,
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: null,
    ...fields,
  };
  await app.kernel.commit({ changes: [insert(controlPoint, row)], actor: null });
  return row;
}

/** How many changes were ever written: a refused request leaves it as it was. */
export async function writesOf(app: App): Promise<number> {
  const { read } = app.database;
  const row = await read
    .selectFrom('sync_change')
    .select((count) => count.fn.countAll<number>().as('n'))
    .executeTakeFirst();
  const answers = await read
    .selectFrom('idempotent_answers')
    .select((count) => count.fn.countAll<number>().as('n'))
    .executeTakeFirst();
  return Number(row?.n ?? 0) + Number(answers?.n ?? 0);
}

export type Outcome = { status: number; detail: unknown; fields: string[]; writes: number };

/** How a request ended, which fields it was told to be wrong, and how many changes it wrote. */
export async function outcomeOf(app: App, ask: () => Promise<Reply>): Promise<Outcome> {
  const before = await writesOf(app);
  const { status, body } = await ask();
  const { detail, errors = [] } = body as { detail?: unknown; errors?: { path: string }[] };
  return { status, detail, fields: errors.map(({ path }) => path), writes: (await writesOf(app)) - before };
}

/** The outcome of a request that was refused: a sentence, the field if one was wrong, and nothing written. */
export const refused = (status: number, field?: string) => ({
  status,
  detail: expect.stringMatching(/\w/) as unknown,
  fields: (field === undefined ? [] : expect.arrayContaining([field])) as unknown,
  writes: 0,
});
