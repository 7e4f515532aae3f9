import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBrowser, smtpReceiver } from '#test/receivers.ts';
import { type App, outcomeOf, refused } from '#test/staffed-farm.ts';

const HOOK = 'https://hooks.farm.test/abc';

onBothEngines('notification channels', (_open, engine) => {
  let app: App;
  let smtp: Awaited<ReturnType<typeof smtpReceiver>>;
  let person: SignedUp;
  beforeAll(async () => {
    smtp = await smtpReceiver();
    app = await startApp(engine, ['--smtp-url', smtp.url]);
  });
  afterAll(async () => {
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await smtp.close();
  });
  beforeEach(async () => {
    person = await app.signUp();
  });

  const call = (method: string, path: string, body?: unknown, token = person.token) =>
    app.call(method, `/notification-channels${path}`, { token, ...(body === undefined ? {} : { body }) });
  const add = (body: unknown) => call('POST', '', body);
  const added = async (body: unknown) => {
    const { status, body: made } = await add(body);
    expect(status).toBe(201);
    return made as { id: string; secret?: string };
  };
  const hook = (fields: Record<string, unknown> = {}) => ({ kind: 'WEBHOOK', address: HOOK, ...fields });

  it('begin with sensible wishes, in the zone of the first farm', async () => {
    await app.call('POST', '/farms/', {
      token: person.token,
      body: { name: 'Norte', timezone: 'America/Manaus' },
    });
    const made = await added(hook());
    expect(made).toEqual({
      id: expect.any(String),
      kind: 'WEBHOOK',
      address: HOOK,
      types: ['ALERT', 'SYSTEM'],
      min_severity: 'LOW',
      quiet_from: null,
      quiet_to: null,
      timezone: 'America/Manaus',
      is_active: true,
      verified_at: '2026-03-02T12:00:00.000Z',
      state: 'OK',
      pending: 0,
      last_sent_at: null,
      last_error: null,
      created_at: '2026-03-02T12:00:00.000Z',
      updated_at: null,
      secret: expect.stringMatching(/^whsec_[\w-]{43}$/),
    });
    const { secret: _secret, ...shown } = made;
    expect((await call('GET', `/${made.id}`)).body).toEqual(shown);
    expect((await call('GET', '')).body).toEqual([shown]);
  });

  it('are seen and touched by their owner alone', async () => {
    const { id } = await added(hook());
    const stranger = await app.signUp();
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
      ['POST', '/send-code'],
      ['GET', '/deliveries'],
    ] as const) {
      const body = method === 'PATCH' ? { is_active: false } : undefined;
      expect((await call(method, `/${id}${path}`, body, stranger.token)).status).toBe(404);
    }
    expect((await call('POST', `/${id}/confirm`, { code: '1' }, stranger.token)).status).toBe(404);
    expect((await call('GET', '', undefined, stranger.token)).body).toEqual([]);
    expect((await call('GET', `/${id}`)).body).toMatchObject({ is_active: true });
  });

  it('are told to the person when they are opened or led elsewhere, without what opens them to others', async () => {
    const told = async () => {
      const { body } = await app.call('GET', '/notifications/?type=SYSTEM', { token: person.token });
      return (body as { notifications: { message: string }[] }).notifications.map(({ message }) => message);
    };
    const { id } = await added(hook());
    expect(await told()).toEqual([expect.stringContaining(': webhook hooks.farm.test.')]);
    await call('PATCH', `/${id}`, { min_severity: 'HIGH' });
    expect(await told()).toHaveLength(1);
    app.clock.advance(1000);
    await call('PATCH', `/${id}`, { address: 'https://thief.test/secret' });
    expect(await told()).toEqual([
      expect.stringContaining(': webhook thief.test.'),
      expect.stringContaining(': webhook hooks.farm.test.'),
    ]);
    // nobody gets anything there before the code is back
    await added({ kind: 'EMAIL', address: `${randomUUID()}@farm.test` });
    expect(await told()).toHaveLength(2);
  });

  it('change as wished; an empty change changes nothing', async () => {
    const { id } = await added(hook({ quiet_from: '22:00', quiet_to: '06:00' }));
    const changed = await call('PATCH', `/${id}`, {
      types: ['PAYMENT', 'PAYMENT', 'ALERT'],
      min_severity: 'HIGH',
      quiet_from: null,
      quiet_to: null,
      timezone: 'America/Recife',
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        types: ['PAYMENT', 'ALERT'],
        min_severity: 'HIGH',
        quiet_from: null,
        quiet_to: null,
        timezone: 'America/Recife',
      },
    });
    const { body } = await call('PATCH', `/${id}`, {});
    expect(body).toEqual(changed.body);
    const outdated = await app.call('PATCH', `/notification-channels/${id}`, {
      token: person.token,
      body: { is_active: false },
      headers: { 'If-Match': '"1"' },
    });
    expect(outdated.status).toBe(412);
    expect((await call('DELETE', `/${id}`)).status).toBe(204);
    expect((await call('GET', `/${id}`)).status).toBe(404);
  });

  it.each<[string, unknown, number, string]>([
    ['an unknown kind', { kind: 'PIGEON', address: 'x' }, 422, 'kind'],
    ['no kind', {}, 422, 'kind'],
    ['no address', { kind: 'WEBHOOK' }, 422, 'address'],
    ['no URL', hook({ address: 'hello' }), 422, 'address'],
    ['a URL in the clear', hook({ address: 'http://93.184.216.34/x' }), 422, 'address'],
    ['a URL with a password', hook({ address: 'https://a:b@hooks.test/' }), 422, 'address'],
    ['no email', { kind: 'EMAIL', address: 'maria' }, 422, 'address'],
    ['two emails', { kind: 'EMAIL', address: 'a@farm.test,b@farm.test' }, 422, 'address'],
    ['no types', hook({ types: [] }), 422, 'types'],
    ['an unknown type', hook({ types: ['RAIN'] }), 422, 'types.0'],
    ['an unknown severity', hook({ min_severity: 'URGENT' }), 422, 'min_severity'],
    ['half a quiet time', hook({ quiet_from: '22:00' }), 422, 'quiet_to'],
    ['the other half', hook({ quiet_to: '06:00' }), 422, 'quiet_from'],
    ['a quiet time of nothing', hook({ quiet_from: '22:00', quiet_to: '22:00' }), 422, 'quiet_to'],
    ['a time that is none', hook({ quiet_from: '24:00', quiet_to: '06:00' }), 422, 'quiet_from'],
    ['a zone that is none', hook({ timezone: 'Mars/Base' }), 422, 'timezone'],
    [
      'a push without keys',
      { kind: 'WEB_PUSH', subscription: { endpoint: 'https://push.test/1' } },
      422,
      'subscription.keys',
    ],
    [
      'a push with wrong keys',
      {
        kind: 'WEB_PUSH',
        subscription: { endpoint: 'https://push.test/1', keys: { p256dh: 'x', auth: 'y' } },
      },
      422,
      'subscription.keys.p256dh',
    ],
  ])('%s is refused, and nothing is stored', async (_what, body, status, field) => {
    expect(await outcomeOf(app, () => add(body))).toEqual(refused(status, field));
  });

  it('lead each to a place of its own, and are at most twenty', async () => {
    const { id } = await added(hook());
    expect(await outcomeOf(app, () => add(hook()))).toEqual(refused(400, 'address'));
    const second = await added(hook({ address: `${HOOK}2` }));
    expect(await outcomeOf(app, () => call('PATCH', `/${second.id}`, { address: HOOK }))).toEqual(
      refused(400, 'address'),
    );
    expect(await outcomeOf(app, () => add(hook({ id, address: `${HOOK}3` })))).toEqual(refused(409));
    for (let n = 3; n <= 20; n += 1) await added(hook({ address: `${HOOK}${n}` }));
    const { status, body } = await add(hook({ address: `${HOOK}21` }));
    expect([status, (body as { code: string }).code]).toEqual([409, 'TOO_MANY_CHANNELS']);
    await call('DELETE', `/${id}`);
    const both = await Promise.all([add(hook({ address: `${HOOK}a` })), add(hook({ address: `${HOOK}b` }))]);
    expect(both.map((reply) => reply.status).sort((a, b) => a - b)).toEqual([201, 409]);
  });

  describe('an e-mail channel', () => {
    const codeTo = async (address: string) => {
      await app.delivery.work();
      const mail = smtp.mails.findLast(({ to }) => to === address);
      return /\d{4} \d{4}/.exec(mail?.text ?? '')?.[0] ?? '';
    };
    const email = (address: string) => added({ kind: 'EMAIL', address });
    const stateOf = async (id: string) => ((await call('GET', `/${id}`)).body as { state: string }).state;

    it('is open once the code that was sent there comes back', async () => {
      const address = `${randomUUID()}@farm.test`;
      const { id } = await email(address);
      expect(await stateOf(id)).toBe('UNCONFIRMED');
      expect((await call('POST', `/${id}/test`)).body).toMatchObject({ code: 'CHANNEL_UNCONFIRMED' });
      const code = await codeTo(address);
      expect(await outcomeOf(app, () => call('POST', `/${id}/confirm`, { code: '00000000' }))).toEqual(
        refused(422, 'code'),
      );
      const confirmed = await call('POST', `/${id}/confirm`, { code });
      expect(confirmed).toMatchObject({
        status: 200,
        body: { state: 'OK', verified_at: expect.any(String) },
      });
      const { body: told } = await app.call('GET', '/notifications/', { token: person.token });
      expect(told).toMatchObject({ notifications: [{ message: expect.stringContaining(address) }] });
      const again = await call('POST', `/${id}/confirm`, { code: 'whatever' });
      expect(again).toMatchObject({ status: 200, body: { state: 'OK' } });
      expect((await call('POST', `/${id}/send-code`)).status).toBe(409);
    });

    it('takes the last code only, for a day', async () => {
      const address = `${randomUUID()}@farm.test`;
      const { id } = await email(address);
      const first = await codeTo(address);
      app.clock.advance(1000);
      const sent = await call('POST', `/${id}/send-code`);
      expect(sent).toMatchObject({ status: 201, body: { purpose: 'CONFIRMATION', state: 'PENDING' } });
      const second = await codeTo(address);
      expect((await call('POST', `/${id}/confirm`, { code: first })).status).toBe(422);
      app.clock.advance(24 * 3_600_000 + 1);
      expect((await call('POST', `/${id}/confirm`, { code: second })).status).toBe(422);
      await call('POST', `/${id}/send-code`);
      const third = await codeTo(address);
      expect((await call('POST', `/${id}/confirm`, { code: third.replace(' ', '') })).status).toBe(200);
    });

    it('has to be confirmed again when it leads elsewhere, and an old code does not open the new address', async () => {
      const before = `${randomUUID()}@farm.test`;
      const after = `${randomUUID()}@farm.test`;
      const { id } = await email(before);
      const old = await codeTo(before);
      await call('POST', `/${id}/confirm`, { code: old });
      const moved = await call('PATCH', `/${id}`, { address: after });
      expect(moved.body).toMatchObject({ address: after, verified_at: null, state: 'UNCONFIRMED' });
      expect((await call('POST', `/${id}/confirm`, { code: old })).status).toBe(422);
      expect((await call('POST', `/${id}/confirm`, { code: await codeTo(after) })).status).toBe(200);
      expect((await call('PATCH', `/${id}`, { address: 'nobody' })).status).toBe(422);
    });

    it('does not let codes be guessed, nor mailboxes be filled', async () => {
      const { id } = await email(`${randomUUID()}@farm.test`);
      const tries = [];
      for (let n = 0; n < 12; n += 1) {
        const { status } = await call('POST', `/${id}/confirm`, { code: String(10_000_000 + n) });
        tries.push(status);
      }
      expect(tries).toEqual([...Array<number>(10).fill(422), 429, 429]);
      const codes = [];
      for (let n = 0; n < 12; n += 1) codes.push((await call('POST', `/${id}/send-code`)).status);
      expect(codes).toEqual([...Array<number>(9).fill(201), 429, 429, 429]);
    });
  });

  it('many accounts of one network send no more messages to strangers than people may register there', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 31; n += 1) {
      person = await app.signUp();
      for (let code = 0; code < 10; code += 1)
        statuses.push((await add({ kind: 'EMAIL', address: `${randomUUID()}@farm.test` })).status);
    }
    const sent = statuses.filter((status) => status === 201).length;
    expect(sent).toBeLessThanOrEqual(300);
    expect(sent).toBeGreaterThan(250);
    expect(statuses.slice(sent).every((status) => status === 429)).toBe(true);
    const body = { email: `${randomUUID()}@farm.test`, role: 'VIEWER' };
    const farm = await app.call('POST', '/farms/', { token: person.token, body: { name: 'Norte' } });
    const { id } = farm.body as { id: string };
    expect(await app.call('POST', `/farms/${id}/invitations`, { token: person.token, body })).toMatchObject({
      status: 429,
      body: { code: 'TOO_MANY_ATTEMPTS' },
    });
  });

  it('of a browser move by their subscription', async () => {
    const { id } = await added({
      kind: 'WEB_PUSH',
      subscription: aBrowser(`https://push.test/${randomUUID()}`).subscription,
    });
    const next = aBrowser(`https://push.test/${randomUUID()}`).subscription;
    expect((await call('PATCH', `/${id}`, { address: HOOK })).status).toBe(422);
    expect((await call('PATCH', `/${id}`, { subscription: next })).body).toMatchObject({
      address: next.endpoint,
    });
    expect((await call('POST', `/${id}/rotate-secret`)).status).toBe(409);
  });

  it('answer no secret and no key that was given', async () => {
    const { subscription } = aBrowser(`https://push.test/${randomUUID()}`);
    const made = await added({ kind: 'WEB_PUSH', subscription });
    expect(JSON.stringify([made, (await call('GET', '')).body])).not.toContain(subscription.keys.auth);
  });

  it('test messages are bounded, and go to no channel that is off', async () => {
    const { id } = await added(hook());
    await call('PATCH', `/${id}`, { is_active: false });
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({ code: 'CHANNEL_OFF' });
    await call('PATCH', `/${id}`, { is_active: true });
    const tests = [];
    for (let n = 0; n < 22; n += 1) tests.push((await call('POST', `/${id}/test`)).status);
    expect(tests).toEqual([...Array<number>(20).fill(201), 429, 429]);
    const listed = await call('GET', `/${id}/deliveries?limit=5`);
    expect(listed.body).toHaveLength(5);
    expect((await call('GET', `/${id}/deliveries?state=DEAD`)).body).toEqual([]);
    expect((await call('GET', `/${id}/deliveries`)).headers.get('x-total-count')).toBe('20');
  });

  it('the key of this instance for browsers stays the same', async () => {
    const { body } = await call('GET', '/vapid-key');
    expect(body).toEqual({ public_key: expect.stringMatching(/^[\w-]{87}$/) });
    const stored = await app.database.read
      .selectFrom('instance_values')
      .select('value')
      .where('id', '=', 'vapid_keys')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(stored.value)).toMatchObject({
      publicKey: (body as { public_key: string }).public_key,
    });
  });
});

describe('an instance without a mail server', () => {
  it('says so when somebody wants mail', async () => {
    const app = await startApp('sqlite');
    const { token } = await app.signUp();
    const reply = await app.call('POST', '/notification-channels', {
      token,
      body: { kind: 'EMAIL', address: 'maria@farm.test' },
    });
    expect(reply).toMatchObject({ status: 409, body: { code: 'CHANNEL_KIND_NOT_AVAILABLE' } });
    await app.close();
  });
});

describe('a hosted instance', () => {
  it('takes no webhook that leads into its own network', async () => {
    const app = await startApp('sqlite', ['--role', 'hosted']);
    const { token } = await app.signUp();
    for (const address of ['http://hooks.test/', 'https://127.0.0.1/', 'https://169.254.169.254/']) {
      const reply = await app.call('POST', '/notification-channels', {
        token,
        body: { kind: 'WEBHOOK', address },
      });
      expect(reply.status).toBe(422);
    }
    const made = await app.call('POST', '/notification-channels', {
      token,
      body: { kind: 'WEBHOOK', address: 'https://localhost/hook' },
    });
    const { id } = made.body as { id: string };
    await app.call('POST', `/notification-channels/${id}/test`, { token });
    await app.delivery.work();
    const { body } = await app.call('GET', `/notification-channels/${id}/deliveries`, { token });
    expect(body).toMatchObject([
      { state: 'DEAD', last_error: expect.stringMatching(/private or reserved network/) as unknown },
    ]);
    await app.delivery.stop(Promise.resolve());
    await app.close();
  });
});
