import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres, freshDatabase, type TestDatabase } from '#test/postgres.ts';
import { type LinkProxy, openLinkProxy } from '../../scripts/hosted/link-proxy.ts';
import { pairGateway } from '../../scripts/hosted/pair-gateway.ts';
import type { Json, Point } from './a-farm.ts';
import { type Motor, startMotor } from './mqtt-motor.ts';
import { type Answer, type StartedGateway, startGateway, until } from './started-gateway.ts';

// The box of a farm is away, with edits and an order that nobody had heard of there. The farm goes to a second box, to a
// third, and back to the first. One box steers it at any time; what each kept is on all sides in the end, and once.

/** Readings go once a minute. */
const A_MINUTE_MS = 120_000;
const REFUSED = { status: 409, body: { code: 'FARM_MOVED' } };
const LOGIN = { email: 'dona@nuvem.example', password: 'lagoa-da-dona-7', remember_me: true };
type Ask = (method: string, path: string) => Promise<Answer>;
type Box = { gateway: StartedGateway; id: string; token: string };

describeOnPostgres('a farm that moves from box to box', { timeout: 300_000 }, () => {
  let database: TestDatabase;
  let hosted: StartedGateway;
  let link: LinkProxy;
  let token: string;
  let [farmId, pointId, pondId] = ['', '', ''];
  const boxes: Box[] = [];
  const motors: Motor[] = [];
  const [a, b, c] = [0, 1, 2].map((n) => () => boxes[n] as Box) as [() => Box, () => Box, () => Box];
  beforeAll(async () => {
    database = await freshDatabase();
    hosted = await startGateway({
      args: ['--role', 'hosted', '--database-url', database.url, '--rate-limits', 'no'],
    });
    link = await openLinkProxy({ port: Number(new URL(hosted.http).port) });
    await hosted.call('POST', '/auth/register', { body: { ...LOGIN, name: 'Dona', role: 'OWNER' } });
    token = await signedIn(hosted);
    for (const over of [`http://127.0.0.1:${link.port}`, hosted.http, hosted.http]) {
      const gateway = await startGateway();
      boxes.push({ gateway, id: '', token: '' });
      const ceremony = { data: gateway.data, link: over, hosted: hosted.http, ownerToken: token };
      Object.assign(boxes.at(-1) ?? {}, { id: await pairGateway(ceremony) });
    }
    farmId = textIn(await afar('POST', '/farms/', { name: 'Norte' }), 'id');
  });
  afterAll(async () => {
    for (const motor of motors) await motor.stop();
    for (const { gateway } of boxes) await gateway.close();
    await link?.close();
    await hosted?.close();
    await database?.drop();
  });

  async function signedIn(at: StartedGateway): Promise<string> {
    const answer = await until(
      () => at.call('POST', '/auth/login', { body: LOGIN }),
      ({ status }) => status === 200,
    );
    return textIn(answer, 'access_token');
  }
  const given = (body: unknown) => (body === undefined ? {} : { body });
  const afar = (method: string, path: string, body?: unknown) =>
    hosted.call(method, path, { token, ...given(body) });
  const at = (box: Box, method: string, path: string, body?: unknown) =>
    box.gateway.call(method, path, { token: box.token, ...given(body) });
  const ofBox =
    (box: Box): Ask =>
    (method, path) =>
      at(box, method, path);
  function textIn({ status, body }: Answer, name: string): string {
    expect(status).toBeLessThan(300);
    return String((body as Json)[name]);
  }

  const status = async (box: Box) => (await at(box, 'GET', '/sync/status')).body as Json;
  const becomes = (box: Box, state: string) =>
    until(
      () => status(box),
      (now) => now['state'] === state,
    );
  async function bind(box: Box): Promise<void> {
    await afar('POST', `/sync/gateways/${box.id}/farms`, { farm_id: farmId });
    if (box.token === '') box.token = await signedIn(box.gateway);
    await becomes(box, 'connected');
  }
  const takeOff = async (box: Box) =>
    expect((await afar('DELETE', `/sync/gateways/${box.id}/farms/${farmId}?force=true`)).status).toBe(204);

  const sizeOf = async (ask: Ask) => ((await ask('GET', `/ponds/${pondId}`)).body as Json)['size_m2'];
  async function notesOf(ask: Ask): Promise<string[]> {
    const { body } = await ask('GET', `/water-quality/pond/${pondId}`);
    return (body as { measurements: Json[] }).measurements.map((row) => String(row['notes'])).toSorted();
  }
  const measures = async (box: Box, notes: string) =>
    textIn(await at(box, 'POST', '/water-quality/', { pond_id: pondId, temperature: 28, notes }), 'id');
  const says = async (ask: Ask, notes: string[]) => {
    await until(
      () => notesOf(ask),
      (known) => known.length >= notes.length,
      A_MINUTE_MS,
    );
    expect(await notesOf(ask)).toEqual(notes);
  };

  async function motorAt(box: Box): Promise<Motor> {
    const key = textIn(await at(box, 'POST', `/control-points/${pointId}/device-key`, {}), 'key');
    const point = (await at(box, 'GET', `/control-points/${pointId}`)).body as Point;
    const motor = await startMotor(box.gateway, point, key);
    motors.push(motor);
    return motor;
  }
  /** By its owner in the cloud: that motor alone follows. */
  async function obeys(motor: Motor): Promise<void> {
    await until(
      () => motor.client.connected,
      (isConnected) => isConnected,
    );
    for (const to of ['on', 'off']) {
      textIn(await afar('POST', `/control-points/${pointId}/turn-${to}`, {}), 'id');
      await until(motor.isOn, (isOn) => isOn === (to === 'on'));
      expect(motors.filter((one) => one !== motor && one.isOn())).toEqual([]);
    }
  }
  const refuses = async (box: Box) => {
    expect(await at(box, 'POST', `/control-points/${pointId}/turn-on`)).toMatchObject(REFUSED);
    expect(await at(box, 'PUT', `/ponds/${pondId}`, { size_m2: 1 })).toMatchObject(REFUSED);
  };

  it('goes to the second box while the first is away, and takes no order with it', async () => {
    await bind(a());
    const made = { farm_id: farmId, cod: 'CP-1', device_id: 'aer-100', target_status: 'OFF' };
    pointId = textIn(await at(a(), 'POST', '/control-points/', made), 'id');
    const pond = { farm_id: farmId, cod: 'V-1', size_m2: 1_000 };
    pondId = textIn(await at(a(), 'POST', '/ponds/', pond), 'id');
    await at(a(), 'PUT', `/control-points/${pointId}/settings`, { min_on_s: 0, min_off_s: 0 });
    await until(
      () => afar('GET', `/ponds/${pondId}`),
      (answer) => answer.status === 200,
    );
    await obeys(await motorAt(a()));

    link.cut();
    textIn(await at(a(), 'PUT', `/ponds/${pondId}`, { size_m2: 1_111 }), 'id');
    await measures(a(), 'only A saw it');
    const ordered = await afar('POST', `/control-points/${pointId}/turn-on`, { expires_in_s: 900 });
    expect(ordered.body).toMatchObject({ pending: { target_status: 'ON' } });
    await a().gateway.kill();
    await takeOff(a());
    await bind(b());
    expect((await afar('GET', `/control-points/${pointId}`)).body).not.toHaveProperty('pending');
    await obeys(await motorAt(b()));
    textIn(await at(b(), 'PUT', `/ponds/${pondId}`, { size_m2: 1_222 }), 'id');
    await measures(b(), 'only B saw it');
  });

  it('is run no longer by the first box once that hears of it, which says so and offers what it kept', async () => {
    await a().gateway.start();
    link.restore();
    expect((await becomes(a(), 'farm_moved'))['summary']).toContain('retirada dela na nuvem');
    await refuses(a());
    expect(await sizeOf(ofBox(a()))).toBe(1_111);
    expect(await notesOf(ofBox(a()))).toEqual(['only A saw it']);
    const kept = async () =>
      ((await at(a(), 'GET', '/sync/parked')).body as Json[]).map((row) => row['table']);
    await until(kept, (tables) => tables.includes('ponds') && tables.includes('measurements'), A_MINUTE_MS);
    await obeys(motors[1] as Motor);
    await says(afar, ['only B saw it']);
  });

  it('goes on to a third box with what the second one did', async () => {
    await takeOff(b());
    await becomes(b(), 'farm_moved');
    await bind(c());
    await obeys(await motorAt(c()));
    await refuses(b());
    await measures(c(), 'only C saw it');
    for (const ask of [ofBox(c()), afar]) await says(ask, ['only B saw it', 'only C saw it']);
    expect(await status(a())).toMatchObject({ state: 'farm_moved' });
  });

  it('comes home with what all of them wrote, once, and tells of the edit that lost', async () => {
    await takeOff(c());
    await becomes(c(), 'farm_moved');
    await bind(a());
    for (const ask of [ofBox(a()), afar]) {
      await says(ask, ['only A saw it', 'only B saw it', 'only C saw it']);
      await until(
        () => sizeOf(ask),
        (size) => size === 1_222,
      );
    }
    const atRest = await until(
      () => status(a()),
      (now) => now['state'] === 'connected' && (now['parked'] as Json)['there'] === 0,
    );
    expect(atRest).toMatchObject({ moved_farms: [], parked: { here: 0, there: 0 } });
    expect((await afar('GET', '/sync/conflicts')).body).toContainEqual(
      expect.objectContaining({
        table: 'ponds',
        state: 'open',
        dropped: expect.objectContaining({ values: expect.objectContaining({ size_m2: 1_111 }) }),
      }),
    );
    await obeys(motors[0] as Motor);
    for (const box of [b(), c()]) await refuses(box);
  });
});
