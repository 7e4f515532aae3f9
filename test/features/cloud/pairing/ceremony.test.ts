import { afterAll, beforeAll, expect, test } from 'vitest';
import { body, type SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { fleetOf, localOf, pair, startBoth } from '#test/paired-apps.ts';

const QUARTER_MS = 15 * 60_000;

onBothEngines('pairing a gateway', (_open, engine) => {
  let apps: Awaited<ReturnType<typeof startBoth>>;
  let owner: SignedUp;
  beforeAll(async () => {
    apps = await startBoth(engine);
    owner = await apps.hosted.signUp();
  });
  afterAll(() => apps.close());

  async function begin() {
    await localOf(apps.gateway).pairing.unpair(null);
    return localOf(apps.gateway).pairing.start({
      hostedUrl: apps.hosted.base,
      name: 'Casa de bombas',
      startedBy: null,
    });
  }

  test('the owner of the farm begins at the gateway, sees what is claimed, claims it, and the gateway knows', async () => {
    const { hosted, gateway } = apps;
    const local = await gateway.signUp();
    await gateway.call('POST', '/farms/', { token: local.token, body: { name: 'Fazenda Norte' } });
    const begun = await gateway.call('POST', '/sync/pairing', {
      token: local.token,
      body: { name: 'Casa de bombas' },
    });
    expect(begun.status).toBe(201);
    expect(body(begun)).toMatchObject({ state: 'waiting', hosted_url: hosted.base });
    const code = String(body(begun)['user_code']);
    expect(body(begun)['verification_uri']).toBe(`${hosted.base}/pair?code=${code}`);
    const seen = await hosted.call('GET', `/sync/claims?user_code=${code}`, { token: owner.token });
    expect(seen.body).toMatchObject({ name: 'Casa de bombas', is_known: false });
    await localOf(gateway).look();
    expect(body(await gateway.call('GET', '/sync/pairing', { token: local.token }))['state']).toBe('waiting');
    // typed as people type
    const typed = ` ${code.toLowerCase().replace('-', ' ')} `;
    const claimed = await hosted.call('POST', '/sync/claims', {
      token: owner.token,
      body: { user_code: typed },
    });
    expect(claimed.status).toBe(201);
    await localOf(gateway).look();
    const shown = await gateway.call('GET', '/sync/pairing', { token: local.token });
    expect(body(shown)).toMatchObject({ state: 'paired', user_code: null, owner_name: owner.user.name });
    const caller = await fleetOf(hosted).gatewayByToken(await localOf(gateway).sessionToken());
    expect(caller).toMatchObject({ gatewayId: localOf(gateway).gatewayId });
    const own = await gateway.database.read.selectFrom('sync_stream').selectAll().executeTakeFirstOrThrow();
    const theirs = await hosted.database.read
      .selectFrom('sync_stream')
      .selectAll()
      .where('stream_id', '=', caller?.streamId ?? 0)
      .executeTakeFirstOrThrow();
    expect([own.epoch, own.resync]).toEqual([theirs.epoch, 'paired']);
  });

  test('what is not a code, was used or has expired is told in plain words, and nothing is claimed', async () => {
    const { hosted } = apps;
    const stranger = await hosted.signUp();
    const claim = (user_code: string) =>
      hosted.call('POST', '/sync/claims', { token: stranger.token, body: { user_code } });
    const wrong = await claim('AAAA-AAAA');
    expect([wrong.status, body(wrong)['detail']]).toEqual([404, 'A gateway with this code was not found']);
    const manager = await hosted.signUp({ role: 'MANAGER' });
    const { user_code } = await begin();
    const small = await hosted.call('POST', '/sync/claims', { token: manager.token, body: { user_code } });
    expect(small.status).toBe(403);
    hosted.clock.advance(QUARTER_MS);
    const late = await claim(user_code);
    expect([late.status, body(late)['code']]).toEqual([409, 'PAIRING_EXPIRED']);
    const list = await hosted.call('GET', '/sync/gateways', { token: stranger.token });
    expect(list.body).toEqual([]);
  });

  test('who guesses codes must wait, and keeps nobody else from pairing', async () => {
    const { hosted } = apps;
    const guesser = await hosted.signUp();
    const guess = (token: string) => hosted.call('GET', '/sync/claims?user_code=CCCC-CCCC', { token });
    const guesses = await Promise.all(Array.from({ length: 12 }, () => guess(guesser.token)));
    expect(guesses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 10 }, () => 404),
      429,
      429,
    ]);
    const bystander = await hosted.signUp();
    expect((await guess(bystander.token)).status).toBe(404);
  });

  test('a gateway that does not hold the key it names starts no ceremony', async () => {
    const reply = await fetch(`${apps.hosted.base}/sync/v1/pair/start`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        gateway_id: '0192b5a0-0000-7000-8000-000000000001',
        public_key: 'A'.repeat(43),
        name: 'x',
        software: '1',
        schema: 1,
        hardware: 'x',
        proof: 'A'.repeat(86),
      }),
    });
    expect(reply.status).toBe(401);
  });

  test('neither instance logs a code, a key, a nonce or a token', async () => {
    const { hosted, gateway } = apps;
    await localOf(gateway).pairing.unpair(null);
    await pair(apps, { token: owner.token });
    const token = await localOf(gateway).sessionToken();
    const begun = await begin();
    const said = JSON.stringify([hosted.sentences, gateway.sentences]);
    for (const secret of [token, begun.device_code, begun.user_code]) expect(said).not.toContain(secret);
    const rows = await hosted.database.read.selectFrom('pairings').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(begun.user_code);
    expect(JSON.stringify(rows)).not.toContain(begun.device_code);
  });
});
