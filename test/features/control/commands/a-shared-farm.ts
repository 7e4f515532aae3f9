import { expect } from 'vitest';
import { farm } from '#contract/resources/farms.ts';
import { type Incoming, tell } from '#core/changes.ts';
import { wireChangeOf } from '#store/merge/canonical-change.ts';
import { type App, aControlPoint, aFarmWith, body } from '#test/app.ts';
import { bindFarm } from './a-bound-farm.ts';

/** The feed of a stream since a number, as the gateway takes it over. */
export async function feedOf(hosted: App, streamId: number, after: number): Promise<Incoming> {
  const rows = await hosted.database.read
    .selectFrom('sync_change')
    .selectAll()
    .where('stream_id', '=', streamId)
    .where('seq', '>', after)
    .orderBy('seq')
    .execute();
  return {
    from: 'hosted',
    streamId: 1,
    lane: 'core',
    changes: rows.map(wireChangeOf),
    told: { atMs: hosted.clock.now(), elapsedMs: () => 0 },
  };
}

/** A control point of a farm that both instances know, and what brings the hosted instance's changes down. */
export async function sharedPoint({ hosted, gateway }: { hosted: App; gateway: App }) {
  const { token, farmId } = await aFarmWith(hosted);
  const me = body(await hosted.call('GET', '/users/me', { token }));
  const { streamId } = await bindFarm(hosted, farmId, String(me['id']));
  await hosted.kernel.commit({ actor: null, changes: [tell(farm, farmId, streamId)] });
  const point = await aControlPoint(hosted, { token, farmId });
  const state = { seq: 0 };
  async function syncDown(commit = gateway.kernel.commit) {
    const incoming = await feedOf(hosted, streamId, state.seq);
    state.seq = incoming.changes.at(-1)?.seq ?? state.seq;
    return commit({ actor: null, changes: [], incoming });
  }
  await syncDown();
  expect(gateway.control.registry.byId(point.id)?.row).toMatchObject({ config_rev: 1, schedule_rev: 1 });
  const path = `/control-points/${point.id}`;
  const schedule = (input: Record<string, unknown>) =>
    hosted.call('POST', `${path}/schedules`, { token, body: input });
  return {
    token,
    farmId,
    point,
    path,
    schedule,
    syncDown,
    streamId,
    /** As the gateway has it. */
    row: () => gateway.control.registry.byId(point.id)?.row,
    async pass(minutes: number) {
      for (const app of [hosted, gateway]) app.clock.advance(minutes * 60_000);
      await gateway.control.executor.tick();
    },
  };
}
