import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPty, type Pty } from '#sim/board/open-pty.ts';
import { createSimulatedModem, type SentSms } from '#sim/modem/modem.ts';
import { startApp } from '#test/app.ts';
import { type App, aStaffedFarm, created, type StaffedFarm } from '#test/staffed-farm.ts';

const MINUTE = 60_000;
type Json = Record<string, unknown>;

describe('SMS from the modem of the box', () => {
  let app: App;
  let pty: Pty;
  let place: StaffedFarm;
  let pondId: string;
  let modem: ReturnType<typeof createSimulatedModem>;
  const sent: SentSms[] = [];

  beforeAll(async () => {
    pty = await openPty();
    modem = createSimulatedModem({
      write: pty.write,
      sent: (sms) => void sent.push(sms),
      pin: null,
      fault: null,
    });
    pty.onData(modem.feed);
    app = await startApp('sqlite', ['--modem', pty.path, '--sms-per-hour', '3']);
    place = await aStaffedFarm(app);
    pondId = await created(ask('POST', '/ponds/', { farm_id: place.farmId, cod: 'V-01' }));
  });
  afterAll(async () => {
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await pty.close();
  });

  const ask = (method: string, path: string, body?: Json, token = place.owner.token) =>
    app.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  const aChannel = (address: string) => ask('POST', '/notification-channels', { kind: 'SMS', address });
  const measure = (dissolved_oxygen: number) =>
    ask('POST', '/water-quality/', { pond_id: pondId, dissolved_oxygen });

  it('go to nobody who has not typed the code that came to his phone', async () => {
    const reply = await aChannel('+55 (85) 91234-5678');
    expect(reply.body).toMatchObject({
      address: '+5585912345678',
      verified_at: null,
      types: ['ALERT'],
      min_severity: 'HIGH',
    });
    await measure(1.9);
    await app.delivery.work();
    expect(sent.map(({ text }) => text)).toEqual([expect.stringMatching(/^\d{4} \d{4} .*confirma/)]);
    const code = sent[0]?.text.slice(0, 9) ?? '';
    const { id } = reply.body as { id: string };
    expect((await ask('POST', `/notification-channels/${id}/confirm`, { code })).status).toBe(200);
  });

  it('go to no account without a farm: the bill is the farm’s', async () => {
    const { token } = await app.signUp();
    const body = { kind: 'SMS', address: '+5585988887777' };
    const refused = await ask('POST', '/notification-channels', body, token);
    expect(refused).toMatchObject({ status: 409, body: { code: 'FARM_REQUIRED' } });
    // nor by the way of a channel that stands, nor to the other end of the world
    const own = (await ask('GET', '/notification-channels')).body as { id: string }[];
    const abroad = { address: '+882161234567' };
    const elsewhere = { status: 422, body: { errors: [{ path: 'address', code: 'SMS_COUNTRY' }] } };
    expect(await aChannel(abroad.address)).toMatchObject(elsewhere);
    const moved = await ask('PATCH', `/notification-channels/${own[0]?.id}`, abroad);
    expect(moved).toMatchObject(elsewhere);
  });

  it('tell of a critical alert in few words, and of nothing less', async () => {
    sent.length = 0;
    app.clock.advance(31 * MINUTE);
    await measure(9);
    app.clock.advance(31 * MINUTE);
    await measure(1.2);
    await app.delivery.work();
    expect(sent.map(({ text }) => text).join(' ')).toMatch(/1,2 mg\/L no viveiro V-01.*O que fazer.*Norte/);
    expect(sent.length).toBeLessThanOrEqual(2);
  });

  it('are no more than the bound within an hour; the rest waits for it', async () => {
    app.clock.advance(90 * MINUTE);
    sent.length = 0;
    const { body } = await ask('GET', '/notification-channels');
    const id = (body as { id: string }[])[0]?.id;
    for (let n = 0; n < 5; n += 1) await ask('POST', `/notification-channels/${id}/test`);
    await app.delivery.work();
    expect(sent).toHaveLength(3);
    app.clock.advance(62 * MINUTE);
    await app.delivery.work();
    expect(sent).toHaveLength(5);
  });

  it('wait while there is no network, and cost no attempt', async () => {
    app.clock.advance(120 * MINUTE);
    sent.length = 0;
    modem.setFault('no-network');
    const { body } = await ask('GET', '/notification-channels');
    const id = (body as { id: string }[])[0]?.id;
    await ask('POST', `/notification-channels/${id}/test`);
    await app.delivery.work();
    const waiting = await ask('GET', `/notification-channels/${id}/deliveries?state=PENDING`);
    expect(waiting.body).toMatchObject([{ attempts: 0, last_error: expect.stringContaining('no network') }]);
    await app.delivery.modem?.look();
    const shown = await ask('GET', '/system/modem', undefined, place.technician.token);
    expect(shown.body).toMatchObject({ state: 'no_network', sms_per_hour: 3, next: expect.any(String) });
    expect((await ask('GET', '/system/modem', undefined, place.viewer.token)).status).toBe(403);
    modem.setFault(null);
    await app.delivery.modem?.look();
    app.clock.advance(MINUTE * 11);
    await app.delivery.work();
    expect(sent).toHaveLength(1);
  });

  it('need a number with its country', async () => {
    for (const address of ['85912345678', '+0123456789', '+55 85 abc', '+551']) {
      expect((await aChannel(address)).status).toBe(422);
    }
  });

  it('are not offered where there is no modem', async () => {
    const bare = await startApp();
    const { token } = await bare.signUp();
    const body = { kind: 'SMS', address: '+5585912345678' };
    const reply = await bare.call('POST', '/notification-channels', { token, body });
    expect([reply.status, (reply.body as Json)['code']]).toEqual([409, 'CHANNEL_KIND_NOT_AVAILABLE']);
    await bare.close();
  });
});
