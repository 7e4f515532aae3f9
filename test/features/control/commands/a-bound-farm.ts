import { randomUUID } from 'node:crypto';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { pairedGateway, syncFarm } from '#contract/resources/sync-tables.ts';
import type { GatewayFrame } from '#contract/sync/wire.ts';
import { insert, put, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { type App, aControlPoint, aFarmWith } from '#test/app.ts';

let streams = 100;

/** The hosted instance's parts that know farms with a gateway. */
export function remoteOf(app: App) {
  if (app.remote === null || app.hostedWork === null) throw new Error('not a hosted instance');
  return { ...app.remote, work: app.hostedWork };
}

/** From now on a gateway runs the farm. */
export async function bindFarm(app: App, farmId: string, ownerId: string) {
  streams += 1;
  const streamId = streams;
  const gatewayId = randomUUID();
  const at = isoOf(app.clock.now());
  await app.database.read
    .insertInto('sync_stream')
    .values({
      stream_id: streamId,
      gateway_id: gatewayId,
      epoch: 1,
      hlc: null,
      tx: 0,
      core_seq: 0,
      core_chain: '',
      history_seq: 0,
      history_chain: '',
      in_core_seq: 0,
      in_core_chain: '',
      in_history_seq: 0,
      in_history_chain: '',
      acked_core_seq: 0,
      acked_core_chain: '',
      acked_history_seq: 0,
      acked_history_chain: '',
      floor_seq: 0,
      timeline: '',
    })
    .execute();
  const guard = await app.kernel.guard('farm', farmId);
  await app.kernel.commit({
    actor: null,
    guards: [guard],
    stream: { id: streamId, expect: { epoch: 1 }, set: { resync: 'farm bound' } },
    changes: [
      put(pairedGateway, {
        id: gatewayId,
        stream_id: streamId,
        owner_id: ownerId,
        name: 'Casa de bombas',
        public_key: '',
        next_public_key: null,
        key_retires_at: null,
        status: 'active',
        software: '1',
        schema_version: 1,
        hardware: '',
        paired_at: at,
        revoked_at: null,
        last_seen_at: at,
        last_report_json: null,
        outage_until: null,
        outage_reason: null,
        silent_since: null,
        runs_json: '[]',
      }),
      put(syncFarm, { id: farmId, stream_id: streamId, bound_at: at }),
    ],
  });
  return { streamId, gatewayId };
}

/** A farm with a gateway, its control point, and its owner. */
export async function aBoundFarm(app: App) {
  const { token, farmId } = await aFarmWith(app);
  const me = (await app.call('GET', '/users/me', { token })).body as { id: string };
  const bound = await bindFarm(app, farmId, me.id);
  const point = await aControlPoint(app, { token, farmId });
  return { token, farmId, ownerId: me.id, point, ...bound };
}

export const stateFrame = (
  id: string,
  state: Extract<GatewayFrame, { is: 'command_state' }>['state'],
  result: string | null = null,
) => ({ is: 'command_state', id, state, result }) as const;

/** The gateway's own order of a command, and the shadow it made, as they come by the sync. */
export async function orderArrives(app: App, commandId: string, pointId: string, state: 'SENT' | 'APPLIED') {
  const view = await app.control.registry.refresh(pointId);
  if (view === null) throw new Error('no control point');
  const at = isoOf(app.clock.now());
  const version = view.row.version + 1;
  await app.kernel.commit({
    actor: null,
    changes: [
      update(controlPoint, pointId, {
        target_status: 'ON',
        target_origin: 'REMOTE',
        version,
        last_command_at: at,
      }),
      insert(order, {
        id: commandId,
        control_point_id: pointId,
        target_status: 'ON',
        origin: 'REMOTE',
        issued_by: null,
        reason: null,
        version,
        epoch: view.row.epoch,
        issued_at: at,
        hold_until: null,
        state,
        state_at: at,
        clock_quality: 'trusted',
      }),
    ],
  });
}
