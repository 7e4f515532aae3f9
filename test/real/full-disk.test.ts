import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aBrowser, smtpReceiver, webhookBody, webReceiver } from '#test/receivers.ts';
import { type Json, type Point, type RealFarm, startFarm } from './a-farm.ts';
import { type Motor, startMotor } from './mqtt-motor.ts';
import { mountSmallDisk } from './small-disk.ts';
import { until } from './started-gateway.ts';

// The started program on a disk that somebody else fills: control, what is answered, and who hears of it.

const DISK_MB = 192;
const SHOWN_WITHIN_MS = 2_000;
const TOLD_WITHIN_MS = 90_000;

const disk = mountSmallDisk(DISK_MB);

describe.skipIf(disk === null)('the started gateway on a full disk', () => {
  let farm: RealFarm;
  let mail: Awaited<ReturnType<typeof smtpReceiver>>;
  let web: Awaited<ReturnType<typeof webReceiver>>;
  let point: Point;
  let siren: Point;
  let motor: Motor;
  let horn: Motor;
  const browser = { read: aBrowser('').read };
  beforeAll(async () => {
    [mail, web] = await Promise.all([smtpReceiver(), webReceiver()]);
    farm = await startFarm({
      ...(disk === null ? {} : { data: disk.data }),
      args: ['--smtp-url', mail.url, '--outbound-networks', '127.0.0.1'],
    });
    [point, siren] = [await farm.point(), await farm.point()];
    await farm.put(`/ponds/${siren.pond_id}`, { control_point_id: null });
    await farm.put(`/control-points/${siren.id}/settings`, { is_siren: true });
    motor = await startMotor(farm, point, await farm.key(point));
    horn = await startMotor(farm, siren, await farm.key(siren));
    const subscribed = aBrowser(`${web.url}/push`);
    browser.read = subscribed.read;
    const channel = { types: ['ALERT', 'SYSTEM'] };
    await farm.post('/notification-channels', { ...channel, kind: 'WEBHOOK', address: `${web.url}/hook` });
    await farm.post('/notification-channels', {
      ...channel,
      kind: 'WEB_PUSH',
      subscription: subscribed.subscription,
    });
    const byMail = await farm.post('/notification-channels', {
      ...channel,
      kind: 'EMAIL',
      address: 'ana@fazenda.example',
    });
    const subject = await until(
      () => mail.mails[0]?.subject ?? '',
      (text) => /\d{4} \d{4}/.test(text),
    );
    await farm.post(`/notification-channels/${String(byMail['id'])}/confirm`, {
      code: /\d{4} \d{4}/.exec(subject)?.[0],
    });
    mail.mails.length = 0;
    await until(
      () => shown(),
      (all) => new Set(all).size === 1,
    );
  });
  afterAll(async () => {
    await Promise.all([motor?.stop(), horn?.stop()]);
    await farm?.close();
    await Promise.all([mail?.close(), web?.close()]);
    disk?.unmount();
  });

  /** What the motor does, by every answer that says so. */
  async function shown(): Promise<unknown[]> {
    const [status, one, list, shadow, snapshot] = await Promise.all([
      farm.get(`/devices/status/${point.device_id}`),
      farm.get(`/control-points/${point.id}`),
      farm.list(`/control-points/?farm_id=${farm.farmId}`),
      farm.get(`/control-points/${point.id}/shadow`),
      firstEvent(),
    ]);
    const ofPoint = (rows: unknown, field: string) =>
      (rows as Json[]).find((row) => row[field] === point.id)?.['current_status'];
    return [
      status['current_status'],
      one['current_status'],
      ofPoint(list, 'id'),
      (shadow['reported'] as Json)['current_status'],
      ofPoint(snapshot['presence'], 'control_point_id'),
      ofPoint(snapshot['control_points'], 'id'),
    ];
  }

  /** The snapshot with which the event stream begins. */
  async function firstEvent(): Promise<Json> {
    const ended = new AbortController();
    const answer = await fetch(`${farm.http}/api/v1/events`, {
      headers: { Authorization: `Bearer ${farm.token}` },
      signal: ended.signal,
    });
    let text = '';
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const data = /^data: (.*)$/m.exec(text)?.[1];
      if (data === undefined || !text.includes('\n\n')) continue;
      ended.abort();
      return JSON.parse(data) as Json;
    }
    throw new Error('the stream ended without a snapshot');
  }

  const diskAlerts = () => farm.alerts('DISK_FULL');
  const notices = async () =>
    ((await farm.get('/notifications/?page_size=100'))['notifications'] as Json[]).filter(
      (one) => (one['data'] as Json)['alert_type'] === 'DISK_FULL',
    );
  /** Who was told of the full disk by each channel, of one telling or another. */
  const told = () => ({
    mail: mail.mails.filter(({ subject }) => subject.includes('Disco')).length,
    hook: web.posts.filter((post) => post.path === '/hook' && webhookBody(post).title.includes('Disco'))
      .length,
    push: web.posts.filter(
      (post) => post.path === '/push' && JSON.stringify(browser.read(post)).includes('Disco'),
    ).length,
  });

  it('turns motors, shows the truth everywhere, tells people once, and stores it all when there is room', {
    timeout: 240_000,
  }, async () => {
    disk?.fill();
    const full = performance.now();
    // what is on its way into the database takes the rest of its room
    const ordered = await until(
      () => farm.post(`/control-points/${point.id}/turn-on`, { for_s: 7_200 }),
      (answer) => answer['warnings'] !== undefined,
    );
    expect(ordered).toMatchObject({ target_status: 'ON', warnings: [{ code: 'NOT_SAVED' }] });
    await until(
      () => motor.isOn(),
      (isOn) => isOn,
      5_000,
    );
    await until(shown, (all) => all.every((status) => status === 'ON'), SHOWN_WITHIN_MS);
    motor.byHand(false);
    await until(shown, (all) => all.every((status) => status === 'OFF'), SHOWN_WITHIN_MS);
    expect(await farm.list(`/control-points/${point.id}/orders`)).toContainEqual(
      expect.objectContaining({ target_status: 'ON', is_saved: false }),
    );

    const [alert] = await until(diskAlerts, ({ length }) => length > 0, TOLD_WITHIN_MS);
    await until(told, (by) => by.mail > 0 && by.hook > 0 && by.push > 0, TOLD_WITHIN_MS);
    await until(
      () => horn.isOn(),
      (isOn) => isOn,
      10_000,
    );
    expect(performance.now() - full).toBeLessThan(TOLD_WITHIN_MS);
    expect(await notices()).toHaveLength(1);
    expect((await firstEvent())['disk']).toBe('full');
    // looked at, tried and sent again many times by then
    await new Promise((resolve) => setTimeout(resolve, 30_000));
    expect(await diskAlerts()).toMatchObject([{ id: alert?.['id'], status: 'ACTIVE' }]);
    expect(told()).toEqual({ mail: 1, hook: 1, push: 1 });

    // a motor that does not do what it is told is an alarm, too; answered, they are quiet, though nothing is stored
    const unconfirmed = await farm.alerts('COMMAND_NOT_CONFIRMED');
    expect(unconfirmed).toMatchObject([{ control_point_id: point.id, status: 'ACTIVE' }]);
    for (const { id } of await farm.alerts()) await farm.post(`/alerts/${String(id)}/acknowledge`);
    await until(
      () => horn.isOn(),
      (isOn) => !isOn,
      10_000,
    );

    disk?.free();
    await until(
      () => farm.list(`/control-points/${point.id}/orders`),
      (orders) => orders.every((order) => order['is_saved'] === undefined) && orders.length > 0,
      60_000,
    );
    await until(diskAlerts, ({ length }) => length === 0, 60_000);
    // the next heartbeat is stored; who comes again after the restart would do as its level says
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await motor.stop();
    await farm.stop();
    await farm.start();
    expect(await notices()).toMatchObject([{ data: { alert_id: alert?.['id'] } }]);
    const ended = await farm.list('/alerts/?include=all&status=RESOLVED');
    expect(ended.find(({ type }) => type === 'DISK_FULL')).toMatchObject({ id: alert?.['id'] });
    expect((await farm.get(`/control-points/${point.id}`))['current_status']).toBe('OFF');
    expect(told()).toEqual({ mail: 1, hook: 1, push: 1 });
  });
});
