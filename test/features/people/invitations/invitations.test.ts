import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { invitationCodes } from '#adapters/tokens/invitation-code.ts';
import { farm } from '#contract/resources/farms.ts';
import { update } from '#core/changes.ts';
import { type App, aFarmWith, body, joinFarm, type Reply, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { smtpReceiver } from '#test/receivers.ts';

const DAY_MS = 24 * 3600 * 1000;
const SOON = { timeout: 60_000 };

describe('the code of an invitation', () => {
  test('has twelve letters that are not mixed up, in groups of four', () => {
    const made = Array.from({ length: 500 }, () => invitationCodes.make());
    expect(new Set(made).size).toBe(500);
    for (const code of made) {
      expect(code).toMatch(/^[ACDEFHJKMPRTWXY34679]{12}$/);
      const shown = invitationCodes.shown(code);
      expect(shown).toMatch(/^\w{4}-\w{4}-\w{4}$/);
      expect(invitationCodes.normal(shown.toLowerCase().replaceAll('-', ' '))).toBe(code);
    }
  });

  test('what cannot be a code is told apart', () => {
    for (const typed of ['', 'ACDE', 'ACDE-FHJK-MPR0', 'ACDE-FHJK-MPRTW', '💧'.repeat(12)]) {
      expect(invitationCodes.normal(typed)).toBeNull();
    }
  });
});

onBothEngines('invitations', (_open, engine) => {
  let app: App;
  let owner: SignedUp;
  let farmId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    owner = await app.signUp();
    const made = await app.call('POST', '/farms/', { token: owner.token, body: { name: 'Norte' } });
    farmId = String(body(made)['id']);
  });
  afterAll(() => app.close());

  const invite = (fields: Record<string, unknown> = {}, at = { token: owner.token, farmId }) =>
    app.call('POST', `/farms/${at.farmId}/invitations`, {
      token: at.token,
      body: { role: 'TECHNICIAN', ...fields },
    });
  const accept = (who: Pick<SignedUp, 'token'>, code: unknown) =>
    app.call('POST', '/invitations/accept', { token: who.token, body: { code } });
  const codeOf = (reply: Reply) => String(body(reply)['code']);
  const stateOf = async (id: unknown) => {
    const listed = await app.call('GET', `/farms/${farmId}/invitations`, { token: owner.token });
    return (listed.body as { id: string; state: string }[]).find((one) => one.id === id)?.state;
  };

  test('the code is shown once and kept as a hash', async () => {
    const made = await invite({ email: 'Ze@Farm.test' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        kind: 'MEMBER',
        role: 'TECHNICIAN',
        email: 'ze@farm.test',
        state: 'OPEN',
        code: expect.stringMatching(/^\w{4}-\w{4}-\w{4}$/),
        emailed: false,
        expires_at: new Date(app.clock.now() + 7 * DAY_MS).toISOString(),
      },
    });
    const listed = await app.call('GET', `/farms/${farmId}/invitations`, { token: owner.token });
    const { code, emailed: _, ...shown } = body(made);
    expect(listed.body).toContainEqual(shown);
    expect(JSON.stringify(listed.body)).not.toContain(code);
    const rows = await app.database.read.selectFrom('invitations').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(String(code).replaceAll('-', ''));
    expect(JSON.stringify(app.sentences)).not.toContain(code);
  });

  test('who has the code becomes a member, once', async () => {
    const worker = await app.signUp({ role: 'TECHNICIAN' });
    const made = await invite();
    const spoken = codeOf(made).toLowerCase().replaceAll('-', ' ');
    expect(await accept(worker, spoken)).toEqual(
      expect.objectContaining({
        status: 200,
        body: { farm_id: farmId, farm_name: 'Norte', role: 'TECHNICIAN' },
      }),
    );
    expect((await app.call('GET', `/farms/${farmId}`, { token: worker.token })).status).toBe(200);
    const another = await app.signUp();
    expect(await accept(another, codeOf(made))).toMatchObject({
      status: 409,
      body: { code: 'INVITATION_ACCEPTED', detail: 'This invitation was used already; ask for a new one' },
    });
    expect((await app.call('GET', `/farms/${farmId}`, { token: another.token })).status).toBe(404);
    expect(await stateOf(body(made)['id'])).toBe('ACCEPTED');
    const told = await app.call('GET', '/notifications/', { token: owner.token });
    expect(JSON.stringify(told.body)).toContain('técnico da fazenda Norte');
  });

  test('who was taken off a farm, or left it, comes back by a new invitation alone', async () => {
    const worker = await app.signUp({ role: 'TECHNICIAN' });
    for (const by of [owner, worker]) {
      const [used, kept] = [await invite(), await invite()];
      const toWorker = await invite({ email: worker.user.email });
      expect((await accept(worker, codeOf(used))).status).toBe(200);
      app.clock.advance(60_000);
      const left = await app.call('DELETE', `/farms/${farmId}/members/${worker.user.id}`, {
        token: by.token,
      });
      expect(left.status).toBe(204);
      for (const old of [kept, toWorker])
        expect(await accept(worker, codeOf(old))).toMatchObject({
          status: 409,
          body: { code: 'INVITATION_REVOKED', detail: expect.stringContaining('ask for a new one') },
        });
      expect((await app.call('GET', `/farms/${farmId}`, { token: worker.token })).status).toBe(404);
      // it was for whoever has the code, and so it still is for everybody else
      expect((await accept(await app.signUp(), codeOf(kept))).status).toBe(200);
    }
    app.clock.advance(60_000);
    expect((await accept(worker, codeOf(await invite()))).status).toBe(200);
  });

  test('of two who accept at the same moment exactly one wins', async () => {
    const made = await invite();
    const people = await Promise.all(Array.from({ length: 5 }, () => app.signUp()));
    const answers = await Promise.all(people.map((who) => accept(who, codeOf(made))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
    const members = await app.call('GET', `/farms/${farmId}/members`, { token: owner.token });
    const ids = people.map(({ user }) => user.id);
    expect(
      (members.body as { user_id: string }[]).filter(({ user_id }) => ids.includes(user_id)),
    ).toHaveLength(1);
  });

  test('an invitation to an address is for its account alone, and shown to it', async () => {
    const guest = await app.signUp();
    const made = await invite({ email: guest.user.email.toUpperCase(), role: 'VIEWER' });
    expect((await app.call('GET', '/invitations', { token: guest.token })).body).toEqual([
      {
        id: body(made)['id'],
        farm_id: farmId,
        farm_name: 'Norte',
        kind: 'MEMBER',
        role: 'VIEWER',
        needs_code: true,
        expires_at: expect.any(String),
        created_at: expect.any(String),
      },
    ]);
    const told = await app.call('GET', '/notifications/', { token: guest.token });
    expect(JSON.stringify(told.body)).toContain('Peça o código a quem convida');
    expect(JSON.stringify(told.body)).not.toContain(codeOf(made));
    const stranger = await app.signUp();
    expect(await accept(stranger, codeOf(made))).toMatchObject({ status: 403 });
    expect((await accept(guest, codeOf(made))).status).toBe(200);
    expect((await app.call('GET', '/invitations', { token: guest.token })).body).toEqual([]);
  });

  test('one that is declined, revoked or too old opens nothing', async () => {
    const guest = await app.signUp();
    const declined = await invite();
    const decline = await app.call('POST', '/invitations/decline', {
      token: guest.token,
      body: { code: codeOf(declined) },
    });
    expect(decline.status).toBe(204);
    expect(await accept(guest, codeOf(declined))).toMatchObject({ body: { code: 'INVITATION_DECLINED' } });
    const revoked = await invite();
    const path = `/farms/${farmId}/invitations/${body(revoked)['id']}`;
    expect((await app.call('DELETE', path, { token: owner.token })).status).toBe(204);
    expect(await accept(guest, codeOf(revoked))).toMatchObject({ body: { code: 'INVITATION_REVOKED' } });
    const old = await invite({ expires_in_days: 1 });
    app.clock.advance(DAY_MS);
    expect(await accept(guest, codeOf(old))).toMatchObject({
      status: 409,
      body: { code: 'INVITATION_EXPIRED' },
    });
    expect(await stateOf(body(old)['id'])).toBe('EXPIRED');
  });

  test('after ten wrong codes an account waits, and nobody else does', async () => {
    const guesser = await app.signUp();
    const guest = await app.signUp();
    const made = await invite();
    const guesses = await Promise.all(
      Array.from({ length: 30 }, () => accept(guesser, invitationCodes.make())),
    );
    const counts = Map.groupBy(guesses, ({ status }) => status);
    expect([counts.get(404)?.length, counts.get(429)?.length]).toEqual([10, 20]);
    expect(await accept(guesser, codeOf(made))).toMatchObject({
      status: 429,
      body: { code: 'TOO_MANY_ATTEMPTS' },
    });
    expect((await accept(guest, codeOf(made))).status).toBe(200);
  });

  test.each([
    [{ role: 'OWNER' }, 'role'],
    [{ role: undefined }, 'role'],
    [{ email: 'nobody' }, 'email'],
    [{ expires_in_days: 31 }, 'expires_in_days'],
    [{ kind: 'GIFT' }, 'kind'],
  ])('%o is refused', async (sent, path) => {
    expect(await invite(sent)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
  });

  test('only the owner invites, sees and revokes', async () => {
    const manager = await app.signUp();
    await joinFarm(app, { token: owner.token, farmId }, manager, 'MANAGER');
    const made = await invite();
    const path = `/farms/${farmId}/invitations`;
    expect((await invite({}, { token: manager.token, farmId })).status).toBe(403);
    expect((await app.call('GET', path, { token: manager.token })).status).toBe(403);
    expect((await app.call('DELETE', `${path}/${body(made)['id']}`, { token: manager.token })).status).toBe(
      403,
    );
    const other = await aFarmWith(app);
    const wrongFarm = `/farms/${other.farmId}/invitations/${body(made)['id']}`;
    expect((await app.call('DELETE', wrongFarm, { token: other.token })).status).toBe(404);
  });

  test('a farm has at most fifty open invitations', async () => {
    const crowded = await aFarmWith(app);
    for (let n = 0; n < 50; n += 1) await invite({}, crowded);
    expect(await invite({}, crowded)).toMatchObject({
      status: 409,
      body: { code: 'TOO_MANY_INVITATIONS' },
    });
    app.clock.advance(7 * DAY_MS);
    expect((await invite({}, crowded)).status).toBe(201);
  });
});

describe('an instance with a mail server', () => {
  test('sends the code to the address, as plain text in the language of the owner', async () => {
    const post = await smtpReceiver();
    const app = await startApp('sqlite', ['--smtp-url', post.url]);
    const { token, farmId } = await aFarmWith(app);
    // as an earlier version took it
    const changes = [update(farm, farmId, { name: 'Norte\r\nBcc: x@y.zz' })];
    await app.kernel.commit({ actor: null, changes });
    const made = await app.call('POST', `/farms/${farmId}/invitations`, {
      token,
      body: { role: 'MANAGER', email: 'ze@farm.test' },
    });
    expect(made).toMatchObject({ status: 201, body: { emailed: true } });
    await vi.waitFor(() => expect(post.mails).toHaveLength(1), SOON);
    const [mail] = post.mails;
    expect(mail).toMatchObject({ to: 'ze@farm.test', subject: 'Convite para a fazenda Norte Bcc: x@y.zz' });
    expect(mail?.text).toContain(`Seu código: ${body(made)['code']}`);
    expect(JSON.stringify(app.sentences)).not.toContain(String(body(made)['code']));
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await post.close();
  });

  test('a letter that cannot leave now outlives a kill, sealed, and leaves when the mail server answers', async () => {
    const data = mkdtempSync(join(tmpdir(), 'letters-'));
    const before = await startApp('sqlite', ['--data', data, '--smtp-url', 'smtp://127.0.0.1:1']);
    const { token, farmId } = await aFarmWith(before);
    const invite = async (email: string) =>
      body(
        await before.call('POST', `/farms/${farmId}/invitations`, { token, body: { role: 'VIEWER', email } }),
      );
    const made = await invite('ze@farm.test');
    const revoked = await invite('old@farm.test');
    const kept = (app: App) => app.database.read.selectFrom('invitation_letters').selectAll().execute();
    await vi.waitFor(
      async () => expect((await kept(before)).map(({ attempts }) => attempts)).toEqual([1, 1]),
      SOON,
    );
    await before.call('DELETE', `/farms/${farmId}/invitations/${String(revoked['id'])}`, { token });
    const text = JSON.stringify(await kept(before));
    expect([text.includes('ze@farm.test'), text.includes(String(made['code']))]).toEqual([false, false]);
    await before.delivery.stop(Promise.resolve());
    await before.close();
    const post = await smtpReceiver();
    const after = await startApp('sqlite', ['--data', data, '--smtp-url', post.url]);
    after.clock.advance(5 * 60_000);
    await after.people.sendLetters();
    expect(post.mails.map(({ to }) => to)).toEqual(['ze@farm.test']);
    expect(post.mails[0]?.text).toContain(String(made['code']));
    expect(await kept(after)).toEqual([]);
    await after.delivery.stop(Promise.resolve());
    await after.close();
    await post.close();
    rmSync(data, { recursive: true, force: true });
  });

  test('one that refuses the address does not hinder the invitation', async () => {
    const post = await smtpReceiver(() => ({ code: 550, text: 'no such user' }));
    const app = await startApp('sqlite', ['--smtp-url', post.url]);
    const { token, farmId } = await aFarmWith(app);
    const made = await app.call('POST', `/farms/${farmId}/invitations`, {
      token,
      body: { role: 'MANAGER', email: 'ze@farm.test' },
    });
    expect(made.status).toBe(201);
    await vi.waitFor(
      () =>
        expect(app.sentences.map(({ sentence }) => sentence)).toContain(
          'an invitation was not sent by e-mail',
        ),
      SOON,
    );
    await vi.waitFor(async () => {
      const list = await app.call('GET', '/notifications/', { token });
      expect(body(list)['notifications']).toContainEqual(
        expect.objectContaining({
          type: 'SYSTEM',
          title: 'Convite não enviado',
          message: expect.stringContaining(' z…@farm.test.'),
        }),
      );
    }, SOON);
    expect(JSON.stringify(app.sentences)).not.toContain(String(body(made)['code']));
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await post.close();
  });

  test('nobody’s farm is a mail cannon', async () => {
    const post = await smtpReceiver();
    const app = await startApp('sqlite', ['--smtp-url', post.url]);
    const { token, farmId } = await aFarmWith(app);
    const invite = (n: number) =>
      app.call('POST', `/farms/${farmId}/invitations`, {
        token,
        body: { role: 'VIEWER', email: `guest-${n}@farm.test` },
      });
    for (let n = 0; n < 30; n += 1) expect((await invite(n)).status).toBe(201);
    expect(await invite(31)).toMatchObject({ status: 429, body: { code: 'TOO_MANY_ATTEMPTS' } });
    await vi.waitFor(async () => {
      // as the program looks every few seconds: twenty letters leave at a time
      await app.people.sendLetters();
      expect(post.mails).toHaveLength(30);
    }, SOON);
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await post.close();
  });
});
