import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeviceLink } from '#features/control/device-link.ts';
import { type App, aControlPoint, aFarmWith, type MadeControlPoint, startApp } from '#test/app.ts';

describe('a controller that missed a level', () => {
  let app: App;
  let point: MadeControlPoint;
  let sent: string[];
  beforeEach(async () => {
    app = await startApp('sqlite');
    const farm = await aFarmWith(app);
    point = await aControlPoint(app, farm);
    sent = [];
    const link: DeviceLink = {
      publishShadow: (_id, level) => void sent.push(`shadow ${level.version} ${level.target_status}`),
      publishConfig: () => void sent.push('config'),
      publishSchedule: () => void sent.push('schedule'),
      publishOta: () => void sent.push('ota'),
      forget: () => undefined,
      isConnected: () => true,
    };
    app.control.attach(link);
    await app.call('POST', `/control-points/${point.id}/turn-on`, { token: farm.token });
    sent.length = 0;
  });
  afterEach(() => app.close());

  const controller = () => ({
    controlPointId: point.id,
    deviceId: point.device_id,
    mqttId: point.mqtt_id,
    keyId: '',
  });
  const version = () => app.control.registry.byId(point.id)?.row.version ?? 0;
  const hear = (fields: { version?: number; epoch?: string }) =>
    app.control.door.heartbeat(controller(), { current_status: 'OFF', ...fields });

  it('is told it again when its heartbeat shows an older version', async () => {
    await hear({ version: version() - 1, epoch: point.epoch });
    expect(sent).toEqual([`shadow ${version()} ON`]);
  });

  it('is told it again when its heartbeat shows another epoch', async () => {
    await hear({ version: 900, epoch: 'before-the-restore' });
    expect(sent).toEqual([`shadow ${version()} ON`]);
  });

  it('is left in peace when it has it, and when it tells no version', async () => {
    await hear({ version: version(), epoch: point.epoch });
    await hear({});
    expect(sent).toEqual([]);
  });

  it('is told its configuration and its schedule again when it confirmed older ones', async () => {
    const { door } = app.control;
    door.revisionReported(controller(), 'config', 1);
    door.revisionReported(controller(), 'schedule', 1);
    await hear({ version: version(), epoch: point.epoch });
    expect(sent).toEqual(['config', 'schedule']);
  });

  it('that comes back while its last report is being stored is shown as it said last', async () => {
    const { door } = app.control;
    const shown = () => app.control.registry.byId(point.id)?.row.current_status;
    await hear({});
    const before = door.heartbeat(controller(), { current_status: 'ON' });
    const after = door.heartbeat(controller(), { current_status: 'OFF' });
    await Promise.all([before, after]);
    expect(shown()).toBe('OFF');
  });
});
