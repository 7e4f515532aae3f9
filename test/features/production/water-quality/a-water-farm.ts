import type { NotificationAnswer } from '#contract/resources/notifications.ts';
import type { LatestWater, MeasurementAnswer, WaterAlerts } from '#contract/resources/water-quality.ts';
import type { TriggeredAlert } from '#features/production/water-quality/record-measurement.ts';
import { startApp } from '#test/app.ts';
import type { Engine } from '#test/databases.ts';
import { aStaffedFarm, created } from '#test/staffed-farm.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export type Recorded = MeasurementAnswer & {
  alerts_triggered: TriggeredAlert[];
  warnings: { code: string; message: string }[];
};

/** The program with one farm, and ponds as the tests want them. */
export async function startWaterFarm(engine: Engine, args: readonly string[] = []) {
  const app = await startApp(engine, args);
  const farm = await aStaffedFarm(app);
  const { token } = farm.owner;
  let made = 0;
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.call(method, path, { token, headers, ...(body === undefined ? {} : { body }) });

  async function get<Body>(path: string, headers?: Record<string, string>): Promise<Body> {
    const reply = await call('GET', path, undefined, headers);
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    // the answer of a read, checked by the test that asks
    return reply.body as Body;
  }

  return {
    ...app,
    ...farm,
    alerting: app.alerts.alerting,
    token,
    get,
    ask: call,
    now: (shiftMs = 0) => new Date(app.clock.now() + shiftMs).toISOString(),
    /** A pond of its own for each test. */
    async pond(fields: object = {}): Promise<string> {
      made += 1;
      return created(call('POST', '/ponds/', { farm_id: farm.farmId, cod: `V-${made}`, ...fields }));
    },
    async controlPoint(): Promise<string> {
      made += 1;
      return created(
        call('POST', '/control-points/', {
          farm_id: farm.farmId,
          cod: `CP-${made}`,
          device_id: `device-${made}`,
          target_status: 'OFF',
        }),
      );
    },
    async measure(pond_id: string, values: object, headers?: Record<string, string>): Promise<Recorded> {
      const reply = await call('POST', '/water-quality/', { pond_id, ...values }, headers);
      if (reply.status !== 201) throw new Error(`not recorded: ${JSON.stringify(reply.body)}`);
      return reply.body as Recorded;
    },
    alertsOf: (pondId: string, query = '') =>
      get<WaterAlerts>(`/water-quality/pond/${pondId}/alerts${query}`),
    latest: (pondId: string, headers?: Record<string, string>) =>
      get<LatestWater>(`/water-quality/pond/${pondId}/latest`, headers),
    /** What the owner was told about a pond, oldest first. */
    async told(pondId: string): Promise<NotificationAnswer[]> {
      const { notifications } = await get<{ notifications: NotificationAnswer[] }>(
        '/notifications/?page_size=100',
      );
      return notifications.filter(({ data }) => data['pond_id'] === pondId).toReversed();
    },
    async logged(entityId: string) {
      const all = await get<{ entity_id: string; action: string; details: Record<string, unknown> }[]>(
        `/logs/farm/${farm.farmId}/control-points?include=all`,
      );
      return all.filter(({ entity_id }) => entity_id === entityId).map(({ action }) => action);
    },
  };
}

export type WaterFarm = Awaited<ReturnType<typeof startWaterFarm>>;
