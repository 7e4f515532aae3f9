import { afterAll, beforeAll, expect, it } from 'vitest';
import { farmClock, startGatewayProcess, until } from '#test/gateway-process.ts';
import { webhookBody, webReceiver } from '#test/receivers.ts';

// The real program, killed while it sends.

let gateway: Awaited<ReturnType<typeof startGatewayProcess>>;
let web: Awaited<ReturnType<typeof webReceiver>>;
const state = { answers: 0, isHanging: false };

beforeAll(async () => {
  web = await webReceiver((_posted, response) => {
    if (state.isHanging) return;
    state.answers += 1;
    response.writeHead(204).end();
  });
  gateway = await startGatewayProcess(farmClock(Date.now(), 1), ['--outbound-networks', '127.0.0.1']);
});
afterAll(async () => {
  await gateway.close();
  await web.close();
});

it('what was on its way when the power went arrives after it, marked so that repeats can be dropped', async () => {
  const account = { email: 'ana@farm.test', name: 'Ana', password: 'camarao-123', role: 'OWNER' };
  await gateway.call('POST', '/auth/register', { body: account });
  const login = await gateway.call('POST', '/auth/login', { body: account });
  const { access_token: token } = login.body as { access_token: string };
  const farm = await gateway.call('POST', '/farms/', { token, body: { name: 'Norte' } });
  const farmId = (farm.body as { id: string }).id;
  const ponds = await Promise.all(
    Array.from({ length: 3 }, (_, n) =>
      gateway.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod: `V-${n}` } }),
    ),
  );
  const channel = await gateway.call('POST', '/notification-channels', {
    token,
    body: { kind: 'WEBHOOK', address: `${web.url}/hook` },
  });
  expect(channel.status).toBe(201);

  state.isHanging = true;
  for (const { body } of ponds) {
    const measured = await gateway.call('POST', '/water-quality/', {
      token,
      body: { pond_id: (body as { id: string }).id, dissolved_oxygen: 1.5 },
    });
    expect(measured.status).toBe(201);
  }
  // the first one hangs at the other side, the others wait behind it
  await until(
    () => web.posts.length,
    (posts) => posts >= 1,
  );
  await gateway.kill();
  const before = web.posts.length;
  state.isHanging = false;
  await gateway.start();

  const ids = await until(
    () => new Set(web.posts.map((posted) => webhookBody(posted).id)),
    (seen) => seen.size === 3 && state.answers === 3,
  );
  expect(ids.size).toBe(3);
  // each once after the start: only what the power cut in half came twice
  expect(web.posts).toHaveLength(before + 3);
  const { id } = channel.body as { id: string };
  const sent = await until(
    () => gateway.call('GET', `/notification-channels/${id}/deliveries`, { token }),
    ({ body }) => (body as { state: string }[]).every((one) => one.state === 'SENT'),
  );
  expect(sent.body).toHaveLength(3);
  expect(await gateway.stop()).toBe(0);
});
