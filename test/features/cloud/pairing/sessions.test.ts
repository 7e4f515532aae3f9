import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askHosted } from '#adapters/sync/ask-hosted.ts';
import { isSignedBy } from '#adapters/sync/ed25519.ts';
import { sessionAnswer, timeAnswer } from '#contract/sync/wire.ts';
import { openLocalPairing } from '#operations/pairing/local-pairing.ts';
import { type App, body, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { fleetOf, localOf, pair, startBoth } from '#test/paired-apps.ts';

const WEEK_MS = 7 * 24 * 3600 * 1000;

onBothEngines('a paired gateway at the door of its hosted instance', (_open, engine) => {
  let apps: Awaited<ReturnType<typeof startBoth>>;
  let owner: SignedUp;
  beforeAll(async () => {
    apps = await startBoth(engine);
    owner = await apps.hosted.signUp();
    await pair(apps, { token: owner.token });
  });
  afterAll(() => apps.close());

  const codeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'let in',
      (error: Error & { refused?: { code: string } }) => error.refused?.code ?? error.message,
    );

  /** The same gateway after a start: the key is on disk, the run is another one. */
  const startedAgain = ({ config, kernel, clock, database }: App) =>
    openLocalPairing({ config, kernel, monotonic: clock.now, database, tellChanged: () => undefined });

  test('the token counts for a quarter of an hour, and is asked for once', async () => {
    const { hosted, gateway } = apps;
    const tokens = await Promise.all([1, 2, 3].map(() => localOf(gateway).sessionToken()));
    expect(new Set(tokens).size).toBe(1);
    const [token = ''] = tokens;
    expect(await fleetOf(hosted).gatewayByToken(token)).not.toBeNull();
    const forged = `${token.slice(0, -2)}${token.at(-2) === 'A' ? 'B' : 'A'}${token.at(-1)}`;
    expect(await fleetOf(hosted).gatewayByToken(forged)).toBeNull();
    hosted.clock.advance(15 * 60_000);
    expect(await fleetOf(hosted).gatewayByToken(token)).toBeNull();
    gateway.clock.advance(15 * 60_000);
    const next = await localOf(gateway).sessionToken();
    expect(await fleetOf(hosted).gatewayByToken(next)).not.toBeNull();
  });

  test('a gateway whose clock says 1970 is let in, and gets the time under a signature', async () => {
    const { hosted, gateway } = apps;
    const now = gateway.clock.now();
    gateway.clock.set(0);
    localOf(gateway).forgetToken();
    expect(await codeOf(localOf(gateway).sessionToken())).toBe('let in');
    gateway.clock.set(now);
    const nonce = 'of-this-moment';
    const told = await askHosted(
      { url: hosted.base, path: `/sync/v1/time?nonce=${nonce}`, method: 'GET' },
      timeAnswer,
    );
    const paired = await localOf(gateway).paired();
    expect(told.server_now_ms).toBe(hosted.clock.now());
    expect(isSignedBy(paired?.hosted_key ?? '', `time:${nonce}:${told.server_now_ms}`, told.signature)).toBe(
      true,
    );
  });

  test('a nonce opens once, and only for a while', async () => {
    const { hosted, gateway } = apps;
    const sent: unknown[] = [];
    const { config, kernel, clock, database } = gateway;
    const listening = await openLocalPairing({
      config,
      kernel,
      monotonic: clock.now,
      database,
      tellChanged: () => undefined,
      ask(question, answer) {
        if (question.path === '/sync/v1/session') sent.push(question.body);
        return askHosted(question, answer);
      },
    });
    await listening.sessionToken();
    const again = () =>
      askHosted({ url: hosted.base, path: '/sync/v1/session', body: sent[0] }, sessionAnswer);
    expect(await codeOf(again())).toBe('SYNC_TOKEN');
  });

  test('a new key opens at once, the old one for a week more', async () => {
    const { hosted, gateway } = apps;
    const before = join(gateway.config.data, 'gateway-key.json');
    const kept = join(gateway.config.data, 'kept-key.json');
    copyFileSync(before, kept);
    const { oldKeyUntil } = await localOf(gateway).rotate();
    expect(Date.parse(oldKeyUntil)).toBe(hosted.clock.now() + WEEK_MS);
    expect(await codeOf(localOf(gateway).sessionToken())).toBe('let in');
    const rotated = join(gateway.config.data, 'rotated-key.json');
    copyFileSync(before, rotated);
    // the power went before the new key was on disk: the old one opens
    copyFileSync(kept, before);
    expect(await codeOf((await startedAgain(gateway)).sessionToken())).toBe('let in');
    hosted.clock.advance(WEEK_MS);
    expect(await codeOf((await startedAgain(gateway)).sessionToken())).toBe('SYNC_TOKEN');
    copyFileSync(rotated, before);
    expect(await codeOf((await startedAgain(gateway)).sessionToken())).toBe('let in');
  });

  test('a restored backup on other hardware is not let in until it is paired again, and then the old box is not', async () => {
    const { gateway } = apps;
    const file = join(gateway.config.data, 'gateway-key.json');
    const old = join(gateway.config.data, 'old-box.json');
    copyFileSync(file, old);
    await localOf(gateway).pairing.show();
    const { rmSync } = await import('node:fs');
    rmSync(file);
    const restored = await startedAgain(gateway);
    expect(await codeOf(restored.sessionToken())).toBe('SYNC_KEY_MISSING');
    expect((await restored.pairing.show()).detail).toContain('pair it again');
    const again = await pair(apps, { token: owner.token });
    expect(again['id']).toBe(restored.gatewayId);
    expect(await codeOf((await startedAgain(gateway)).sessionToken())).toBe('let in');
    const now = join(gateway.config.data, 'new-box.json');
    copyFileSync(file, now);
    copyFileSync(old, file);
    expect(await codeOf((await startedAgain(gateway)).sessionToken())).toBe('SYNC_TOKEN');
    copyFileSync(now, file);
  });

  test('what a killed gateway had asked, and a busy instance takes up after the next start, makes no copy of it', async () => {
    const { hosted, gateway } = apps;
    const { config, kernel, clock, database } = gateway;
    type Question = Parameters<typeof askHosted>[0];
    const asked = (how: 'killed' | 'alive') => {
      const sent: Question[] = [];
      const opened = openLocalPairing({
        config,
        kernel,
        monotonic: clock.now,
        database,
        tellChanged: () => undefined,
        ask(question, answer) {
          if (question.path !== '/sync/v1/session' || how === 'alive') return askHosted(question, answer);
          sent.push(question);
          return Promise.reject(new Error('killed'));
        },
      });
      return { sent, opened };
    };
    const counts = async (token: string) => (await fleetOf(hosted).gatewayByToken(token)) !== null;
    const late = ({ url, path, method, body: said }: Question) =>
      askHosted({ url, path, ...(method && { method }), body: said }, sessionAnswer);

    const killed = asked('killed');
    await expect((await killed.opened).sessionToken()).rejects.toThrow('killed');
    const before = await startedAgain(gateway);
    hosted.clock.advance(2_000);
    expect(await counts(await before.sessionToken())).toBe(true);
    hosted.clock.advance(1_000);
    // its request was on the way while it was killed, and is answered now, to nobody
    const [request] = killed.sent;
    if (request === undefined) throw new Error('nothing was asked');
    await late(request);
    hosted.clock.advance(1_000);
    expect(await counts(await before.sessionToken())).toBe(true);
    hosted.clock.advance(15 * 60_000);
    clock.advance(15 * 60_000);
    expect(await counts(await before.sessionToken())).toBe(true);

    // signed in and killed before it said a word; what it would have said comes after the next start
    const short = await (await startedAgain(gateway)).sessionToken();
    hosted.clock.advance(2_000);
    const next = await startedAgain(gateway);
    expect(await counts(await next.sessionToken())).toBe(true);
    hosted.clock.advance(1_000);
    expect(await counts(short)).toBe(false);
    next.forgetToken();
    expect(await codeOf(next.sessionToken())).toBe('let in');
    expect(await counts(await next.sessionToken())).toBe(true);
  });

  test('restarts are no copies; a copied card that lives beside its original is fenced and the owner is told', async () => {
    const { hosted, gateway } = apps;
    for (let start = 0; start < 3; start += 1) {
      hosted.clock.advance(1_000);
      expect(await codeOf((await startedAgain(gateway)).sessionToken())).toBe('let in');
    }
    const original = await startedAgain(gateway);
    const copy = await startedAgain(gateway);
    hosted.clock.advance(1_000);
    const token = await original.sessionToken();
    expect(await fleetOf(hosted).gatewayByToken(token)).not.toBeNull();
    hosted.clock.advance(1_000);
    const other = await copy.sessionToken();
    expect(await fleetOf(hosted).gatewayByToken(other)).not.toBeNull();
    // at once, not when its token ends: the older one has to sign in anew, and shows itself by that
    expect(await fleetOf(hosted).gatewayByToken(token)).toBeNull();
    hosted.clock.advance(1_000);
    original.forgetToken();
    expect(await codeOf(original.sessionToken())).toBe('SYNC_REVOKED');
    expect(
      await codeOf(
        copy
          .sessionToken()
          .then(() => copy.forgetToken())
          .then(copy.sessionToken),
      ),
    ).toBe('SYNC_REVOKED');
    const list = await hosted.call('GET', '/sync/gateways', { token: owner.token });
    expect(list.body).toMatchObject([{ status: 'fenced' }]);
    const told = await hosted.call('GET', '/notifications/', { token: owner.token });
    expect(JSON.stringify(told.body)).toContain('sudo shrimp-farm-gateway pair');
    expect((await copy.pairing.show()).detail).toContain('Switch the copy off');
    // paired again, the one that was chosen has a key of its own
    const copied = join(gateway.config.data, 'gateway-key.json');
    const aside = join(gateway.config.data, 'copied-key.json');
    copyFileSync(copied, aside);
    await pair(apps, { token: owner.token });
    expect(await codeOf((await startedAgain(gateway)).sessionToken())).toBe('let in');
  });

  test('an unpaired gateway is refused at once and for good, and the farm keeps its binding', async () => {
    const { hosted, gateway } = apps;
    const token = await (await startedAgain(gateway)).sessionToken();
    const id = localOf(gateway).gatewayId;
    const stranger = await hosted.signUp();
    expect((await hosted.call('DELETE', `/sync/gateways/${id}`, { token: stranger.token })).status).toBe(404);
    const epoch = async () =>
      (
        await hosted.database.read
          .selectFrom('sync_stream')
          .select('epoch')
          .where('gateway_id', '=', id)
          .executeTakeFirst()
      )?.epoch ?? 0;
    const before = await epoch();
    expect((await hosted.call('DELETE', `/sync/gateways/${id}`, { token: owner.token })).status).toBe(204);
    expect(await epoch()).toBe(before + 1);
    await expect(fleetOf(hosted).gatewayByToken(token)).rejects.toMatchObject({ status: 403 });
    expect(await codeOf((await startedAgain(gateway)).sessionToken())).toBe('SYNC_REVOKED');
    expect(await localOf(gateway).paired()).toMatchObject({ state: 'revoked' });
    expect(body(await hosted.call('GET', `/sync/gateways/${id}`, { token: owner.token }))['status']).toBe(
      'revoked',
    );
  });

  test('another account takes over a gateway only when it was given up', async () => {
    const { hosted, gateway } = apps;
    await pair(apps, { token: owner.token });
    const other = await hosted.signUp();
    await localOf(gateway).pairing.unpair(null);
    await expect(pair(apps, { token: other.token })).rejects.toThrow('GATEWAY_OF_ANOTHER');
    const id = localOf(gateway).gatewayId;
    await hosted.call('DELETE', `/sync/gateways/${id}`, { token: owner.token });
    await localOf(gateway).pairing.unpair(null);
    expect(await pair(apps, { token: other.token })).toMatchObject({ id, status: 'active' });
  });

  test('a gateway that is started without a pairing asks nobody for a token', async () => {
    const lonely = await startApp();
    expect(await codeOf(localOf(lonely).sessionToken())).toBe('SYNC_NOT_PAIRED');
    await lonely.close();
  });
});
