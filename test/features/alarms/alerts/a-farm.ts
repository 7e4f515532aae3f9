import type { AlertAnswer } from '#contract/resources/alerts.ts';
import type { NotificationAnswer } from '#contract/resources/notifications.ts';
import type { Change } from '#core/changes.ts';
import { perform } from '#core/use-case.ts';
import { startApp } from '#test/app.ts';
import type { Engine } from '#test/databases.ts';

type Named = { id: string };

/** The program with one owner, and whatever the test puts on the farm. */
export async function startFarm(engine: Engine) {
  const app = await startApp(engine);
  const owner = await app.signUp();
  const { token } = owner;
  let made = 0;
  const post = async <Row extends Named>(path: string, body: object): Promise<Row> => {
    const reply = await app.call('POST', path, { token, body });
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    // the answer of a create, checked by its own tests
    return reply.body as Row;
  };
  const farm = await post<Named>('/farms/', { name: 'Fazenda Sul' });
  return {
    ...app,
    owner,
    farm,
    /** A control point with one pond, both new. */
    async controlPoint(on: Named = farm) {
      made += 1;
      const device_id = `device-${made}`;
      const cod = `CP-${made}`;
      const point = await post<Named>('/control-points/', {
        farm_id: on.id,
        cod,
        device_id,
        target_status: 'OFF',
      });
      const pond = await post<Named>('/ponds/', {
        farm_id: on.id,
        cod: `V-${made}`,
        control_point_id: point.id,
      });
      const heartbeat = (body: object = {}) =>
        app.call('POST', '/devices/heartbeat', {
          token,
          body: { device_id, current_status: 'OFF', ...body },
        });
      return { id: point.id, cod, pond, heartbeat };
    },
    newFarm: (name: string) => post<Named>('/farms/', { name }),
    async listed(query = '', as = token) {
      const reply = await app.call('GET', `/alerts/${query}`, { token: as });
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
      return reply.body as AlertAnswer[];
    },
    async notifications(as = token) {
      const reply = await app.call('GET', '/notifications/?page_size=100', { token: as });
      return (reply.body as { notifications: NotificationAnswer[] }).notifications;
    },
    async logs(controlPointId: string) {
      const reply = await app.call('GET', `/logs/control-points/${controlPointId}`, { token });
      return reply.body as {
        action: string;
        user_id: string | null;
        entity_type: string;
        details: Record<string, unknown>;
      }[];
    },
    act: (decide: () => Promise<Change[]>) =>
      perform(app.kernel, null, async () => ({ answer: null, changes: await decide() })),
    /** Lets time pass, with the looks a timer would take. */
    async pass(ms: number, everyMs = 5000) {
      for (let passed = 0; passed < ms; passed += everyMs) {
        app.clock.advance(everyMs);
        await app.watches.tick();
      }
    },
  };
}
