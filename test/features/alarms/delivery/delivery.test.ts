import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery } from '#contract/resources/local-tables.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { user } from '#contract/resources/users.ts';
import type { Severity } from '#contract/words.ts';
import { insert, update } from '#core/changes.ts';
import type { News } from '#core/notifying.ts';
import { type App, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aBrowser, isSigned, type Posted, smtpReceiver, webhookBody, webReceiver } from '#test/receivers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type Channel = { id: string; secret?: string; state: string; last_error: string | null; is_active: boolean };

onBothEngines('notifications that go out', (_open, engine) => {
  let app: App;
  let smtp: Awaited<ReturnType<typeof smtpReceiver>>;
  let web: Awaited<ReturnType<typeof webReceiver>>;
  /** What the web server answers, by path. */
  const answers = new Map<string, { status: number; headers?: Record<string, string> }>();
  const mailAnswers = new Map<string, { code: number; text: string }>();

  beforeAll(async () => {
    smtp = await smtpReceiver((address) => mailAnswers.get(address) ?? null);
    web = await webReceiver((posted, response) => {
      const { status, headers = {} } = answers.get(posted.path) ?? { status: 204 };
      response.writeHead(status, headers).end();
    });
    app = await startApp(engine, ['--smtp-url', smtp.url]);
  });
  afterAll(async () => {
    await app.delivery.stop(Promise.resolve());
    await app.close();
    await Promise.all([smtp.close(), web.close()]);
  });

  let made = 0;
  /** A person with one webhook of its own path. */
  async function aWebhook(wishes: Record<string, unknown> = {}) {
    made += 1;
    const path = `/hook-${made}`;
    const person = await app.signUp();
    const reply = await app.call('POST', '/notification-channels', {
      token: person.token,
      body: { kind: 'WEBHOOK', address: `${web.url}${path}`, ...wishes },
    });
    expect(reply.status).toBe(201);
    return { person, path, channel: reply.body as Channel };
  }
  async function anEmail(address: string, wishes: Record<string, unknown> = {}) {
    const person = await app.signUp();
    const reply = await app.call('POST', '/notification-channels', {
      token: person.token,
      body: { kind: 'EMAIL', address, ...wishes },
    });
    expect(reply.status).toBe(201);
    await app.delivery.work();
    const code = /\d{4} \d{4}/.exec(smtp.mails.findLast(({ to }) => to === address)?.subject ?? '')?.[0];
    const channel = reply.body as Channel;
    const confirmed = await app.call('POST', `/notification-channels/${channel.id}/confirm`, {
      token: person.token,
      body: { code },
    });
    expect(confirmed.status).toBe(200);
    return { person, channel, address };
  }
  let told = 0;
  async function tell({ user: { id } }: SignedUp, news: Partial<News> & { severity?: Severity } = {}) {
    told += 1;
    // news come one after the other
    app.clock.advance(1);
    const changes = await app.notify(
      { userIds: [id] },
      {
        type: 'ALERT',
        title: (language) => (language === 'en' ? 'Low oxygen: V-01' : 'Oxigênio baixo: V-01'),
        message: (language) => (language === 'en' ? 'Pond V-01: 2.1 mg/L' : 'Viveiro V-01: 2,1 mg/L'),
        data: { pond_cod: 'V-01', alert_type: 'LOW_OXYGEN' },
        cause: `test:${told}`,
        severity: 'HIGH',
        ...news,
      },
    );
    await app.kernel.commit({ changes, actor: null });
  }
  const postsTo = (path: string): Posted[] => web.posts.filter((posted) => posted.path === path);
  const channelNow = async ({ person, channel }: { person: SignedUp; channel: Channel }) =>
    (await app.call('GET', `/notification-channels/${channel.id}`, { token: person.token })).body as Channel;
  const deliveriesOf = async ({ person, channel }: { person: SignedUp; channel: Channel }) =>
    (await app.call('GET', `/notification-channels/${channel.id}/deliveries`, { token: person.token }))
      .body as { id: string; state: string; attempts: number; last_error: string | null; next_at: string }[];
  const listOf = async ({ token }: SignedUp) =>
    (
      (await app.call('GET', '/notifications/', { token })).body as { notifications: { title: string }[] }
    ).notifications // that the channel was opened
      .filter(({ title }) => title !== 'Novo canal de aviso');

  describe('what arrives', () => {
    it('a webhook gets the news once, signed with the secret of its channel', async () => {
      const { person, path, channel } = await aWebhook();
      await tell(person);
      await app.delivery.work();
      await app.delivery.work();
      const [posted, ...more] = postsTo(path);
      expect(more).toEqual([]);
      if (posted === undefined) throw new Error('nothing arrived');
      expect(isSigned(posted, channel.secret ?? '')).toBe(true);
      expect(isSigned({ ...posted, body: Buffer.from('{}') }, channel.secret ?? '')).toBe(false);
      const body = webhookBody(posted);
      expect(body).toMatchObject({
        event: 'notice',
        critical: true,
        title: 'Oxigênio baixo: V-01',
        notification: { type: 'ALERT', data: { pond_cod: 'V-01', severity: 'HIGH' } },
      });
      const [sent] = await deliveriesOf({ person, channel });
      expect(sent).toMatchObject({ id: body.id, state: 'SENT', attempts: 1, last_error: null });
      expect(posted.headers['webhook-id']).toBe(body.id);
    });

    it('a mail says what, what to do, where and when, in the language of its reader', async () => {
      const farmer = await anEmail('joao@farm.test');
      await tell(farmer.person);
      await app.kernel.commit({
        changes: [update(user, farmer.person.user.id, { language: 'en' })],
        actor: null,
      });
      await tell(farmer.person);
      await app.delivery.work();
      const [portuguese, english] = smtp.mails.filter(({ to }) => to === farmer.address).slice(1);
      expect(portuguese?.subject).toBe('Oxigênio baixo: V-01');
      // the advice follows the language of now, the news were written in that of then
      expect(portuguese?.text).toContain('Viveiro V-01: 2,1 mg/L');
      expect(english?.subject).toBe('Low oxygen: V-01');
      expect(english?.text).toContain('What to do: Switch on every aerator of the pond');
      expect(english?.text).toContain('2026-03-02 09:00');
      const [, sent] = await deliveriesOf(farmer);
      expect(smtp.mails.some(({ messageId }) => messageId === `<${sent?.id}@farm.test>`)).toBe(true);
      expect(english?.headers).toMatch(/Auto-Submitted: auto-generated/i);
    });

    it('what to do goes by the oxygen at which this farm’s shrimp die, not by that of all farms', async () => {
      const { person, path } = await aWebhook();
      await app.kernel.commit({
        changes: [update(user, person.user.id, { language: 'en' })],
        actor: null,
      });
      const farm = await app.call('POST', '/farms/', { token: person.token, body: { name: 'Aurora' } });
      expect(farm.status).toBe(201);
      const { id: farmId } = farm.body as { id: string };
      const news = { farmId, data: { alert_type: 'LOW_OXYGEN', value: 2.4 } };
      await tell(person, news);
      await app.delivery.work();
      const own = { token: person.token, body: { water: { criticalOxygenMgL: 2.5 } } };
      expect((await app.call('PUT', `/farms/${farmId}/science`, own)).status).toBe(200);
      await tell(person, news);
      await app.delivery.work();
      const [byDefault, byFarm] = postsTo(path).map((posted) => posted.body.toString());
      expect(byDefault).not.toContain('call for help');
      expect(byFarm).toContain('call for help');
    });

    it('a browser can read its push, and only it', async () => {
      const person = await app.signUp();
      const browser = aBrowser(`${web.url}/push-1`);
      const reply = await app.call('POST', '/notification-channels', {
        token: person.token,
        body: { kind: 'WEB_PUSH', subscription: browser.subscription },
      });
      expect(reply.status).toBe(201);
      await tell(person);
      await app.delivery.work();
      const [posted] = postsTo('/push-1');
      if (posted === undefined) throw new Error('nothing arrived');
      expect(browser.read(posted)).toMatchObject({ title: 'Oxigênio baixo: V-01', critical: true });
      expect(() => aBrowser(`${web.url}/push-1`).read(posted)).toThrow();
      expect(posted.body.includes('V-01')).toBe(false);
      expect(posted.headers).toMatchObject({
        urgency: 'high',
        ttl: '86400',
        'content-encoding': 'aes128gcm',
      });
      const { body: key } = await app.call('GET', '/notification-channels/vapid-key', {
        token: person.token,
      });
      expect(posted.headers.authorization).toContain(`k=${(key as { public_key: string }).public_key}`);
    });

    it('what a channel does not want stays in the list', async () => {
      const { person, path } = await aWebhook({ types: ['ALERT', 'PAYMENT'], min_severity: 'MEDIUM' });
      await tell(person, { severity: 'LOW' });
      await tell(person, { type: 'SYSTEM' });
      await tell(person, { type: 'PAYMENT' });
      await tell(person, { severity: 'MEDIUM' });
      await app.delivery.work();
      expect(postsTo(path).map((posted) => webhookBody(posted).notification?.type)).toEqual([
        'PAYMENT',
        'ALERT',
      ]);
      expect(await listOf(person)).toHaveLength(4);
    });

    it('nothing but the code goes to an address that is not confirmed', async () => {
      const person = await app.signUp();
      const address = 'stranger@elsewhere.test';
      await app.call('POST', '/notification-channels', {
        token: person.token,
        body: { kind: 'EMAIL', address },
      });
      await tell(person);
      await app.delivery.work();
      expect(smtp.mails.filter(({ to }) => to === address)).toHaveLength(1);
    });

    it('a channel that is switched off or gone gets nothing that was still waiting', async () => {
      const off = await aWebhook();
      const gone = await aWebhook();
      await tell(off.person);
      await tell(gone.person);
      await app.call('PATCH', `/notification-channels/${off.channel.id}`, {
        token: off.person.token,
        body: { is_active: false },
      });
      await app.call('DELETE', `/notification-channels/${gone.channel.id}`, { token: gone.person.token });
      const left = await app.database.read
        .selectFrom('deliveries')
        .select('channel_id')
        .where('channel_id', '=', gone.channel.id)
        .execute();
      expect(left).toEqual([]);
      await app.delivery.work();
      expect([...postsTo(off.path), ...postsTo(gone.path)]).toEqual([]);
      expect(await deliveriesOf(off)).toEqual([]);
    });
  });

  it('who was taken off a farm gets nothing of it that was still waiting, and all of the others', async () => {
    const { person, path } = await aWebhook({ types: ['ALERT'] });
    const owner = await app.signUp();
    const farms = [];
    for (const name of ['Fazenda Norte', 'Fazenda Sul']) {
      const made = await app.call('POST', '/farms/', { token: owner.token, body: { name } });
      const farmId = String(body(made)['id']);
      await joinFarm(app, { token: owner.token, farmId }, person, 'TECHNICIAN');
      farms.push(farmId);
    }
    const [left, kept] = farms as [string, string];
    for (const farmId of [left, kept]) await tell(person, { farmId });
    const removed = await app.call('DELETE', `/farms/${left}/members/${person.user.id}`, {
      token: owner.token,
    });
    expect(removed.status).toBe(204);
    await app.delivery.work();
    expect(postsTo(path).map((posted) => webhookBody(posted))).toEqual([
      expect.objectContaining({ notification: expect.objectContaining({ farm_id: kept }) }),
    ]);
  });

  describe('quiet hours', () => {
    /** Noon UTC is 09:00 in Fortaleza: the clock of the test stands in the quiet time of these. */
    const quiet = { quiet_from: '08:00', quiet_to: '10:00', timezone: 'America/Fortaleza' };

    it('hold back all but what is critical, until they end', async () => {
      const { person, path } = await aWebhook(quiet);
      app.clock.set(Date.UTC(2026, 2, 3, 12));
      await tell(person, { severity: 'MEDIUM' });
      await tell(person, { severity: 'HIGH' });
      await app.delivery.work();
      expect(postsTo(path).map((posted) => webhookBody(posted).critical)).toEqual([true]);
      app.clock.set(Date.UTC(2026, 2, 3, 13) - 1);
      await app.delivery.work();
      expect(postsTo(path)).toHaveLength(1);
      app.clock.advance(1);
      await app.delivery.work();
      expect(postsTo(path)).toHaveLength(2);
    });

    it('hold back also what failed before they began', async () => {
      const { person, path } = await aWebhook({ ...quiet, quiet_from: '09:10' });
      app.clock.set(Date.UTC(2026, 2, 4, 12));
      answers.set(path, { status: 500 });
      await tell(person, { severity: 'MEDIUM' });
      await app.delivery.work();
      answers.delete(path);
      app.clock.advance(30 * MINUTE);
      await app.delivery.work();
      expect(postsTo(path)).toHaveLength(1);
      app.clock.advance(31 * MINUTE);
      await app.delivery.work();
      expect(postsTo(path)).toHaveLength(2);
    });
  });

  describe('what fails', () => {
    it('comes again after a while, with the same id, and what waits behind it waits too', async () => {
      const place = await aWebhook();
      answers.set(place.path, { status: 503 });
      await tell(place.person);
      await tell(place.person);
      await app.delivery.work();
      expect(postsTo(place.path)).toHaveLength(1);
      expect(await channelNow(place)).toMatchObject({
        state: 'WAITING',
        pending: 2,
        last_error: 'answered 503',
      });
      await app.delivery.work();
      expect(postsTo(place.path)).toHaveLength(1);
      answers.delete(place.path);
      app.clock.advance(MINUTE);
      await app.delivery.work();
      const ids = postsTo(place.path).map((posted) => webhookBody(posted).id);
      expect(ids).toHaveLength(3);
      expect(new Set(ids).size).toBe(2);
      expect(await channelNow(place)).toMatchObject({ state: 'OK', pending: 0, last_error: null });
    });

    it('waits as long as the other side asks', async () => {
      const place = await aWebhook();
      answers.set(place.path, { status: 429, headers: { 'Retry-After': '7200' } });
      await tell(place.person);
      await app.delivery.work();
      answers.delete(place.path);
      app.clock.advance(2 * HOUR - 1);
      await app.delivery.work();
      expect(postsTo(place.path)).toHaveLength(1);
      app.clock.advance(1);
      await app.delivery.work();
      expect(postsTo(place.path)).toHaveLength(2);
    });

    it('is given up after twelve attempts, and its owner is told in the list, not through channels', async () => {
      const place = await aWebhook();
      answers.set(place.path, { status: 500 });
      await tell(place.person);
      for (let hour = 0; hour < 30; hour += 1) {
        await app.delivery.work();
        app.clock.advance(HOUR);
      }
      expect(postsTo(place.path)).toHaveLength(12);
      const [dead] = await deliveriesOf(place);
      expect(dead).toMatchObject({ state: 'DEAD', attempts: 12, last_error: 'answered 500', next_at: null });
      expect(await channelNow(place)).toMatchObject({ state: 'FAILING', last_error: 'answered 500' });
      const titles = (await listOf(place.person)).map(({ title }) => title);
      expect(titles).toContain('Os avisos não estão chegando (webhook)');
      answers.delete(place.path);
      await app.delivery.work();
      expect(postsTo(place.path)).toHaveLength(12);
      const metrics = await (await fetch(`${app.base}/metrics`)).text();
      expect(metrics).toMatch(/notification_deliveries_total\{kind="WEBHOOK",outcome="given_up"\} 1/);
      expect(metrics).toMatch(/notification_deliveries_dead 1/);
    });

    it('a mail address that does not exist ends at once in the dead letter; a full one is tried again', async () => {
      const nobody = await anEmail('nobody@farm.test');
      const full = await anEmail('full@farm.test');
      mailAnswers.set('nobody@farm.test', { code: 550, text: '5.1.1 no such user' });
      mailAnswers.set('full@farm.test', { code: 452, text: '4.2.2 mailbox full' });
      await tell(nobody.person);
      await tell(full.person);
      await app.delivery.work();
      const [dead] = await deliveriesOf(nobody);
      expect(dead).toMatchObject({ state: 'DEAD', attempts: 1 });
      expect(dead?.last_error).toMatch(/refused it: 550 .*no such user/);
      expect((await deliveriesOf(full))[0]).toMatchObject({ state: 'PENDING', attempts: 1 });
      mailAnswers.clear();
      app.clock.advance(MINUTE);
      await app.delivery.work();
      expect((await deliveriesOf(full))[0]).toMatchObject({ state: 'SENT', attempts: 2 });
      expect((await deliveriesOf(nobody))[0]).toMatchObject({ state: 'DEAD' });
    });

    it.each([404, 410])(
      'a push endpoint that answers %i leaves the channels, and its owner hears of it',
      async (status) => {
        const person = await app.signUp();
        const path = `/push-gone-${status}`;
        answers.set(path, { status });
        const reply = await app.call('POST', '/notification-channels', {
          token: person.token,
          body: { kind: 'WEB_PUSH', subscription: aBrowser(`${web.url}${path}`).subscription },
        });
        const place = { person, channel: reply.body as Channel };
        await tell(person);
        await tell(person);
        await app.delivery.work();
        await tell(person);
        await app.delivery.work();
        expect(postsTo(path)).toHaveLength(1);
        expect(await channelNow(place)).toMatchObject({ code: 'NOT_FOUND' });
        const titles = (await listOf(person)).map(({ title }) => title);
        expect(titles).toContain('Os avisos não estão chegando (aviso no navegador)');
      },
    );

    it('redirects are not followed', async () => {
      const place = await aWebhook();
      answers.set(place.path, { status: 302, headers: { Location: `${web.url}/elsewhere` } });
      await tell(place.person);
      await app.delivery.work();
      expect(postsTo('/elsewhere')).toEqual([]);
      expect((await deliveriesOf(place))[0]?.last_error).toBe('answered 302; redirects are not followed');
    });

    it('what was deleted under way does no harm', async () => {
      const place = await aWebhook();
      answers.set(place.path, { status: 500 });
      await tell(place.person);
      const working = app.delivery.work();
      await app.database.read.deleteFrom('deliveries').where('channel_id', '=', place.channel.id).execute();
      await working;
      expect(await deliveriesOf(place)).toEqual([]);
    });
  });

  describe('what waits', () => {
    it('is bounded per person: the list has all, and what is critical takes the place of the oldest', async () => {
      const place = await aWebhook();
      const many = async (n: number, severity: Severity) => {
        for (let k = 0; k < n; k += 1) await tell(place.person, { severity });
      };
      await many(205, 'LOW');
      expect(await channelNow(place)).toMatchObject({ pending: 200 });
      await many(202, 'HIGH');
      expect(await channelNow(place)).toMatchObject({ pending: 400 });
      const [newest] = await deliveriesOf(place);
      expect(newest).toMatchObject({ state: 'PENDING' });
      const second = await app.call('POST', '/notification-channels', {
        token: place.person.token,
        body: { kind: 'WEBHOOK', address: `${web.url}${place.path}-too` },
      });
      await many(5, 'HIGH');
      expect(await channelNow(place)).toMatchObject({ pending: 395 });
      expect(await channelNow({ ...place, channel: second.body as Channel })).toMatchObject({ pending: 5 });
      for (const { id } of [place.channel, second.body as Channel])
        await app.call('DELETE', `/notification-channels/${id}`, { token: place.person.token });
      await app.delivery.work();
    });

    it('on webhooks that nothing reaches keeps no mail back', async () => {
      const farmer = await anEmail('maria@farm.test');
      const at = new Date(app.clock.now()).toISOString();
      await app.kernel.commit({
        actor: null,
        changes: Array.from({ length: 200 }, () =>
          insert(delivery, {
            id: app.kernel.newId(),
            notification_id: null,
            channel_id: app.kernel.newId(),
            user_id: farmer.person.user.id,
            kind: 'WEBHOOK',
            purpose: 'NOTICE',
            is_critical: false,
            body: null,
            state: 'PENDING',
            attempts: 0,
            next_at: at,
            last_error: null,
            created_at: at,
            done_at: null,
          }),
        ),
      });
      await tell(farmer.person, { severity: 'LOW' });
      expect(await channelNow(farmer)).toMatchObject({ pending: 1 });
      await app.delivery.work();
    });

    it('what nobody could be told for a day and is over comes as one summary', async () => {
      const place = await aWebhook();
      answers.set(place.path, { status: 503 });
      const farm = await app.call('POST', '/farms/', { token: place.person.token, body: { name: 'Norte' } });
      const pond = await app.call('POST', '/ponds/', {
        token: place.person.token,
        body: { farm_id: (farm.body as { id: string }).id, cod: 'V-09' },
      });
      const measure = (dissolved_oxygen: number) =>
        app.call('POST', '/water-quality/', {
          token: place.person.token,
          body: { pond_id: (pond.body as { id: string }).id, dissolved_oxygen },
        });
      for (let n = 0; n < 3; n += 1) {
        await measure(2);
        await measure(6);
        app.clock.advance(31 * MINUTE);
      }
      await tell(place.person, { type: 'SYSTEM', data: {} });
      expect(await channelNow(place)).toMatchObject({ pending: 4 });
      app.clock.advance(25 * HOUR);
      answers.delete(place.path);
      await app.delivery.work();
      const bodies = postsTo(place.path).map(webhookBody);
      expect(bodies.map(({ event }) => event).sort()).toEqual(['notice', 'summary']);
      const summary = bodies.find(({ event }) => event === 'summary');
      expect(summary?.title).toBe('3 alertas enquanto não era possível avisar');
      expect(summary?.text).toContain('3 × Oxigênio baixo: V-09');
      expect(await channelNow(place)).toMatchObject({ pending: 0, state: 'OK' });
    });
  });

  it('nothing secret is in the log', async () => {
    const place = await aWebhook();
    answers.set(place.path, { status: 500 });
    await tell(place.person);
    await app.delivery.work();
    const log = JSON.stringify(app.sentences);
    const stored = await app.database.read
      .selectFrom('instance_values')
      .select('value')
      .where('id', 'in', ['channel_secret', 'vapid_keys', 'jwt_secret'])
      .execute();
    const secrets = [
      ...stored.map(({ value }) => value),
      ...stored.flatMap(({ value }) => /"privateKey":"([^"]+)"/.exec(value)?.[1] ?? []),
      place.channel.secret ?? 'whsec_',
      'whsec_',
      'mail-password',
      place.path,
      ...smtp.mails.flatMap(({ subject }) => /\d{4} \d{4}/.exec(subject)?.[0] ?? []),
    ];
    expect(secrets.length).toBeGreaterThan(6);
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
  });

  it('a secret is shown when it is made and when it is rotated, and the old one signs no more', async () => {
    const place = await aWebhook();
    expect(place.channel.secret).toMatch(/^whsec_/);
    expect(await channelNow(place)).not.toHaveProperty('secret');
    const rotated = await app.call('POST', `/notification-channels/${place.channel.id}/rotate-secret`, {
      token: place.person.token,
    });
    const { secret = '' } = rotated.body as Channel;
    expect(secret).not.toBe(place.channel.secret);
    await app.call('POST', `/notification-channels/${place.channel.id}/test`, { token: place.person.token });
    await app.delivery.work();
    const [posted] = postsTo(place.path);
    if (posted === undefined) throw new Error('nothing arrived');
    expect([isSigned(posted, secret), isSigned(posted, place.channel.secret ?? '')]).toEqual([true, false]);
    expect(webhookBody(posted)).toMatchObject({ event: 'test', title: 'Mensagem de teste' });
  });

  it('a channel whose row was damaged is tried like one that fails, and harms no other', async () => {
    const broken = await aWebhook();
    const sound = await aWebhook();
    await app.kernel.commit({
      changes: [update(notificationChannel, broken.channel.id, { timezone: 'Mars/Base' })],
      actor: null,
    });
    await tell(broken.person, { severity: 'LOW' });
    await tell(sound.person, { severity: 'LOW' });
    await app.delivery.work();
    expect(postsTo(sound.path)).toHaveLength(1);
    expect((await deliveriesOf(broken))[0]).toMatchObject({ state: 'PENDING', attempts: 1 });
  });
});
