import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAdmin } from '#cli/admin/admin.ts';
import { runPair } from '#cli/pair.ts';
import { body, type SignedUp } from '#test/app.ts';
import { localOf, pair, startBoth } from '#test/paired-apps.ts';

let apps: Awaited<ReturnType<typeof startBoth>>;
/** Has an account on both instances, as the sync leaves it. */
let owner: SignedUp & { onGateway: string };
let local: SignedUp;

beforeAll(async () => {
  apps = await startBoth('sqlite');
  const { hosted, gateway } = apps;
  local = await gateway.signUp();
  const fed = await gateway.signUp({ email: 'dona@fazenda.test' });
  await madeOnHosted(fed.user.id);
  const signedUp = await hosted.signUp({ email: 'dona@fazenda.test' });
  owner = { ...signedUp, onGateway: fed.token };
  await gateway.call('POST', '/farms/', { token: fed.token, body: { name: 'Fazenda Norte' } });
  await pair(apps, { token: owner.token });
});
afterAll(() => apps.close());

/** The stamp of an account, as if it had come down from the hosted instance. */
async function madeOnHosted(userId: string): Promise<void> {
  await apps.gateway.database.read
    .updateTable('sync_register')
    .set({ hlc: '019cae6b6600.0000.c0123456', over_json: '{}' })
    .where('entity', '=', 1)
    .where('id', '=', userId)
    .execute();
}

const refused = async (method: string, path: string, token: string, sent: unknown) => {
  const reply = await apps.gateway.call(method, path, { token, body: sent });
  return [reply.status, body(reply)['code']];
};

test('what belongs to the hosted instance is refused on the gateway, with the place where to do it', async () => {
  const { gateway, hosted } = apps;
  const renamed = await gateway.call('PUT', '/users/me', {
    token: owner.onGateway,
    body: { email: 'outra@fazenda.test' },
  });
  expect(renamed.status).toBe(409);
  expect(body(renamed)['detail']).toContain(hosted.base);
  expect(await refused('DELETE', '/users/me', owner.onGateway, { password: 'camarao-123' })).toEqual([
    409,
    'HOSTED_ONLY',
  ]);
  const farms = await gateway.call('GET', '/farms/', { token: owner.onGateway });
  const [farm] = farms.body as { id: string }[];
  const handover = { kind: 'handover', email: 'x@y.test' };
  expect(await refused('POST', `/farms/${farm?.id}/invitations`, owner.onGateway, handover)).toEqual([
    409,
    'HOSTED_ONLY',
  ]);
  expect((await refused('PUT', '/users/me', owner.onGateway, { name: 'Dona Ana' }))[1]).toBe('HOSTED_ONLY');
  // the language is this screen's, and an account of the gateway is the gateway's
  expect((await refused('PUT', '/users/me', owner.onGateway, { language: 'en' }))[0]).toBe(200);
  expect((await refused('PUT', '/users/me', local.token, { email: 'novo@fazenda.test' }))[0]).toBe(200);
});

test('who owned a farm here, or makes one here, goes on as its manager once it is the claimer’s', async () => {
  const { gateway, hosted } = apps;
  const membersOf = async (name: string) => {
    const rows = await gateway.database.read
      .selectFrom('farm_members')
      .innerJoin('farms', 'farms.id', 'farm_members.farm_id')
      .select(['farm_members.user_id', 'farm_members.role'])
      .where('farms.name', '=', name)
      .execute();
    return rows;
  };
  const fed = body(await gateway.call('GET', '/users/me', { token: owner.onGateway }))['id'];
  expect(await membersOf('Fazenda Norte')).toEqual([{ user_id: fed, role: 'MANAGER' }]);
  expect(fed).not.toBe(owner.user.id);
  const made = await gateway.call('POST', '/farms/', { token: local.token, body: { name: 'Fazenda Nova' } });
  expect(made.status).toBe(201);
  expect(await membersOf('Fazenda Nova')).toEqual([{ user_id: local.user.id, role: 'MANAGER' }]);
  expect((await hosted.call('GET', '/users/me', { token: owner.token })).status).toBe(200);
});

test('nothing that somebody pays for is reached through a box, whoever has it', async () => {
  const { hosted, gateway } = apps;
  const [plan, back] = [
    { plan: 'BASIC', success_url: 'https://a.test', cancel_url: 'https://a.test' },
    { return_url: 'https://a.test' },
  ];
  for (const token of [owner.onGateway, local.token])
    for (const [what, sent] of [
      ['create-checkout-session', plan],
      ['create-billing-portal', back],
      ['create-portal-session', back],
      ['cancel-subscription', { cancel_at_period_end: true }],
    ] as const) {
      const reply = await gateway.call('POST', `/payment/${what}`, { token, body: sent });
      expect(reply).toMatchObject({ status: 409, body: { code: 'HOSTED_ONLY' } });
      expect(body(reply)['detail']).toContain(hosted.base);
    }
  const { sessionToken } = localOf(gateway);
  const asked = await fetch(`${hosted.base}/sync/v1/payment`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${await sessionToken()}` },
    body: JSON.stringify({
      user_id: owner.user.id,
      language: 'en',
      ask: { is: 'portal', return_url: 'https://a.test' },
    }),
  });
  expect(asked.status).toBe(404);
});

test('the fleet is seen on the command line and in the metrics', async () => {
  const { hosted } = apps;
  const lines: string[] = [];
  const ask = (...args: string[]) =>
    runAdmin(['fleet', '--role', 'hosted', '--data', hosted.config.data, ...args], {}, (line) =>
      lines.push(line),
    );
  expect(await ask('--json')).toBe(0);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject([
    {
      id: localOf(apps.gateway).gatewayId,
      status: 'active',
      owner_email: 'dona@fazenda.test',
      conflicts: 0,
      parked: 0,
    },
  ]);
  expect(await ask()).toBe(0);
  expect(lines[1]).toContain('dona@fazenda.test');
  const admin = await hosted.signUp({ role: 'ADMIN' });
  const metrics = await fetch(`${hosted.base}/metrics`, {
    headers: { Authorization: `Bearer ${admin.token}` },
  });
  expect(await metrics.text()).toMatch(/fleet_gateways 1\b/);
});

test('unpaired from the other side, the farm keeps its own accounts and nobody of the hosted instance gets in', async () => {
  const { hosted, gateway } = apps;
  const logIn = (email: string) =>
    gateway.call('POST', '/auth/login', { body: { email, password: 'camarao-123' } });
  expect((await logIn('dona@fazenda.test')).status).toBe(200);
  await hosted.call('DELETE', `/sync/gateways/${localOf(gateway).gatewayId}`, { token: owner.token });
  localOf(gateway).forgetToken();
  await expect(localOf(gateway).sessionToken()).rejects.toThrow('unpaired');
  expect((await logIn('dona@fazenda.test')).status).toBe(401);
  expect((await gateway.call('GET', '/users/me', { token: owner.onGateway })).status).toBe(401);
  expect((await gateway.call('GET', '/users/me', { token: local.token })).status).toBe(200);
  const shown = await gateway.call('GET', '/sync/pairing', { token: local.token });
  expect(body(shown)).toMatchObject({ state: 'revoked' });
});

test('without an account of its own the farm keeps the owner, so that nobody stands before dead switches', async () => {
  const both = await startBoth('sqlite');
  try {
    const { hosted, gateway } = both;
    const claimer = await hosted.signUp();
    await pair(both, { token: claimer.token });
    const worker = await gateway.signUp({ email: 'so@fazenda.test', role: 'TECHNICIAN' });
    const fed = await gateway.signUp({ email: 'dono@fazenda.test' });
    await gateway.database.read
      .updateTable('sync_register')
      .set({ hlc: '019cae6b6600.0000.c0123456', over_json: '{}' })
      .where('entity', '=', 1)
      .where('id', '=', fed.user.id)
      .execute();
    // the account of the owner has one id on both instances
    const paired = await localOf(gateway).paired();
    await gateway.database.read
      .updateTable('instance_values')
      .set({ value: JSON.stringify({ ...paired, owner_id: fed.user.id }) })
      .where('id', '=', 'pairing')
      .execute();
    await localOf(gateway).pairing.unpair(null);
    const reply = await gateway.call('POST', '/auth/login', {
      body: { email: 'dono@fazenda.test', password: 'camarao-123' },
    });
    expect(reply.status).toBe(200);
    expect((await gateway.call('GET', '/users/me', { token: worker.token })).status).toBe(200);
  } finally {
    await both.close();
  }
});

test('at the box a command shows the code and waits until somebody entered it', async () => {
  const both = await startBoth('sqlite');
  try {
    const { hosted, gateway } = both;
    const claimer = await hosted.signUp();
    const lines: string[] = [];
    const run = (...args: string[]) =>
      runPair(['--data', gateway.config.data, ...args], {
        environment: {},
        print: (line) => lines.push(line),
        monotonic: gateway.clock.now,
        async pause() {
          const code = /Code: (\S+)/.exec(lines.join('\n'))?.[1];
          gateway.clock.advance(31_000);
          if (lines.some((line) => line.startsWith('Waiting')))
            await hosted.call('POST', '/sync/claims', { token: claimer.token, body: { user_code: code } });
        },
      });
    expect(await run()).toBe(2);
    expect(await run('--hosted-url', hosted.base)).toBe(0);
    expect(lines.at(-1)).toContain('Paired with');
    // the running gateway uses what the command left
    expect(await localOf(gateway).sessionToken()).toBeTruthy();
    expect(await run('--status')).toBe(0);
    expect(lines.at(-1)).toContain('This gateway is paired with');
    expect(await run('--hosted-url', hosted.base)).toBe(1);
    expect(lines.at(-1)).toContain('paired with hosted instance already');
    expect(await run('--unpair')).toBe(0);
    await expect(localOf(gateway).sessionToken()).rejects.toThrow('not paired');
  } finally {
    await both.close();
  }
});

test('a stranger on the farm network pairs nothing, and sees no code', async () => {
  const both = await startBoth('sqlite');
  try {
    const { hosted, gateway } = both;
    const first = await gateway.signUp();
    await gateway.call('POST', '/farms/', { token: first.token, body: { name: 'Fazenda Norte' } });
    const stranger = await gateway.signUp();
    const begin = (token: string, hosted_url: string) =>
      gateway.call('POST', '/sync/pairing', { token, body: { hosted_url } });
    expect((await begin(stranger.token, hosted.base)).status).toBe(403);
    expect((await begin(first.token, 'http://127.0.0.1:9')).status).toBe(503);
    expect((await begin(first.token, hosted.base)).status).toBe(201);
    const seen = await gateway.call('GET', '/sync/pairing', { token: stranger.token });
    expect(body(seen)).toMatchObject({ state: 'waiting', user_code: null, qr_text: null });
    expect((await gateway.call('DELETE', '/sync/pairing', { token: stranger.token })).status).toBe(403);
    expect((await gateway.call('DELETE', '/sync/pairing', { token: first.token })).status).toBe(204);
  } finally {
    await both.close();
  }
});
