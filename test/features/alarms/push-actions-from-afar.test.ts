import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pushAction } from '#contract/resources/local-tables.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { insert, put } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBoundFarm } from '../control/commands/a-bound-farm.ts';

const ENDPOINT = 'https://push.example/phone';

onBothEngines(
  'on the hosted instance, a press on the notification of a farm with a gateway',
  (_open, engine) => {
    let app: App;
    beforeAll(async () => {
      app = await startApp(engine, [
        '--role',
        'hosted',
        '--jwt-secret',
        'a secret that has at least 32 letters',
      ]);
    });
    afterAll(() => app.close());

    /** A phone of the farm's owner that was told of low oxygen, and the token of its button. */
    async function aPressedPhone() {
      const farm = await aBoundFarm(app);
      const { token, farmId, ownerId, point } = farm;
      const pond = { farm_id: farmId, cod: 'V-01', control_point_id: point.id };
      const { id: pond_id } = body(await app.call('POST', '/ponds/', { token, body: pond }));
      const measured = await app.call('POST', '/water-quality/', {
        token,
        body: { pond_id, dissolved_oxygen: 2.1 },
      });
      const [alert] = body(measured)['alerts_triggered'] as { id: string }[];
      const at = isoOf(app.clock.now());
      const channelId = randomUUID();
      const secret = randomUUID();
      await app.kernel.commit({
        actor: null,
        changes: [
          insert(notificationChannel, {
            id: channelId,
            user_id: ownerId,
            kind: 'WEB_PUSH',
            address: ENDPOINT,
            keys: { p256dh: '', auth: '', login: randomUUID(), password_version: '1' },
            types: ['ALERT'],
            min_severity: 'LOW',
            quiet_from: null,
            quiet_to: null,
            timezone: 'America/Fortaleza',
            is_active: true,
            verified_at: at,
            created_at: at,
            updated_at: null,
          }),
          put(pushAction, {
            id: randomUUID(),
            token_hash: createHash('sha256').update(secret).digest('hex'),
            action: 'TURN_ON',
            user_id: ownerId,
            channel_id: channelId,
            endpoint: ENDPOINT,
            alert_id: alert?.id ?? '',
            control_point_id: point.id,
            password_version: 1,
            state: 'READY',
            created_at: at,
          }),
        ],
      });
      const press = () => app.call('POST', '/push-actions', { body: { token: secret, endpoint: ENDPOINT } });
      const commands = async () =>
        (await app.call('GET', `/control-points/${point.id}/commands`, { token })).body as unknown[];
      return { ...farm, press, commands };
    }

    it('sends the order of the person on its way, and says that it is no more than that', async () => {
      const { press, commands, point, ownerId } = await aPressedPhone();
      expect(await press()).toMatchObject({
        status: 200,
        body: { action: 'TURN_ON', control_point_id: point.id, is_on_its_way: true },
      });
      expect(await commands()).toMatchObject([{ target_status: 'ON', issued_by: ownerId, state: 'pending' }]);
    });

    it('sends one order, however often it is pressed at the same moment', async () => {
      const { press, commands } = await aPressedPhone();
      const pressed = await Promise.all([press(), press(), press()]);
      expect(pressed.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
      expect(pressed.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(2);
      expect(await commands()).toHaveLength(1);
    });
  },
);
