import type { Page, Worker } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PushMessage } from '#contract/resources/notification-channels.ts';
import type { SignedUp } from '#test/app.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';
import { aBrowser, type Posted, webReceiver } from '#test/receivers.ts';

const LAN_NAME = 'fazenda.lan';
const PUBLIC_URL = 'https://farm.example';
const ON = 'Ligar avisos neste aparelho';
const OFF = 'Desligar neste aparelho';
const TEST = 'Enviar teste para cá';

type Channel = { id: string; kind: string; address: string; is_active: boolean };
type Shown = {
  title: string;
  body: string;
  lang: string;
  requireInteraction: boolean;
  renotify: boolean;
  place: string;
  actions: string[];
};

/**
 * A browser that reaches a push service: its subscriptions lead to `service`, one after the other. All else is the
 * browser's own.
 */
const withPushService = (service: string, keys: { p256dh: string; auth: string }) => `{
  const kept = (name) => JSON.parse(localStorage.getItem('browser:' + name) ?? 'null');
  const keep = (name, value) => localStorage.setItem('browser:' + name, JSON.stringify(value));
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
  const standing = () => {
    const found = kept('subscription');
    return found === null ? null : {
      endpoint: found.endpoint,
      options: { userVisibleOnly: true, applicationServerKey: bytes(found.key).buffer },
      toJSON: () => ({ endpoint: found.endpoint, expirationTime: null, keys: ${JSON.stringify(keys)} }),
      unsubscribe: async () => (keep('subscription', null), true),
    };
  };
  PushManager.prototype.getSubscription = async () => standing();
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    const count = (kept('count') ?? 0) + 1;
    keep('count', count);
    keep('subscription', { endpoint: ${JSON.stringify(service)} + count, key: applicationServerKey });
    return standing();
  };
  Object.defineProperty(Notification, 'permission', { get: () => kept('permission') ?? 'default' });
  Notification.requestPermission = async () => {
    if (kept('permission') === null) keep('permission', 'granted');
    return kept('permission');
  };
}`;

/**
 * A browser without a window may have no place for notifications: then what is shown is written down instead. They are
 * counted, because a real place forgets what is asked for before it is on the screen.
 */
const SHOWS = `{
  let show = registration.showNotification.bind(registration);
  if (Notification.permission !== 'granted') {
    const shown = [];
    show = async (title, options) => {
      const older = shown.findIndex(({ tag }) => tag === options.tag);
      if (older >= 0) shown.splice(older, 1);
      shown.push({ title, ...options });
    };
    registration.getNotifications = async () => shown;
  }
  self.shows = 0;
  registration.showNotification = async (title, options) => {
    await show(title, options);
    self.shows += 1;
  };
}`;

/** Whom a push service is told to write to: the subject of the signed token (RFC 8292). */
function senderOf({ headers }: Posted): unknown {
  const [, claims = ''] = /t=[\w-]+\.([\w-]+)\./.exec(headers.authorization ?? '') ?? [];
  return (JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { sub: unknown }).sub;
}

const LIST = `registration.getNotifications().then((all) => all.map(
  ({ title, body, lang, requireInteraction, renotify, data, actions = [] }) =>
    ({ title, body, lang, requireInteraction, renotify, place: data.place, actions: actions.map(({ title }) => title) })))`;

const WINDOWS = `clients.matchAll({ type: 'window', includeUncontrolled: true }).then((all) =>
  all.filter(({ url }) => url.startsWith('http')).length)`;

describe('notifications on a phone with its console closed', () => {
  let farm: Console;
  let service: Awaited<ReturnType<typeof webReceiver>>;
  /** Endpoints that their browser gave up. */
  const dead = new Set<string>();
  let phones = 0;

  beforeAll(async () => {
    service = await webReceiver((posted, response) => {
      response.writeHead(dead.has(posted.path) ? 410 : 201).end();
    });
    farm = await startConsole({
      flags: [`--host-resolver-rules=MAP ${LAN_NAME} 127.0.0.1`],
      args: ['--public-url', PUBLIC_URL],
    });
  });
  afterEach(() => farm.closePages());
  afterAll(async () => {
    await farm.close();
    await service.close();
  });

  /** A phone at the channels, in the hands of the owner or of somebody else. */
  async function aPhone({ as: person = farm.owner }: { as?: SignedUp } = {}) {
    phones += 1;
    const path = `/push/${phones}-`;
    const browser = aBrowser(`${service.url}${path}1`);
    const page = await farm.open('/', { width: 360, height: 740, as: person });
    const context = page.context();
    await context.grantPermissions(['notifications'], { origin: farm.app.base });
    await context.addInitScript({
      content: withPushService(`${service.url}${path}`, browser.subscription.keys),
    });
    await page.goto(`${farm.app.base}/sistema/canais`);
    return { page, browser, path, person };
  }
  const stands = (page: Page, standing: string) => page.waitForSelector(`[data-push="${standing}"]`);
  const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
  async function aPhoneThatReceives(given: { as?: SignedUp } = {}) {
    const phone = await aPhone(given);
    await press(phone.page, ON);
    await stands(phone.page, 'on');
    return phone;
  }
  const endpointOf = (page: Page) =>
    page.evaluate<string | null>(
      `JSON.parse(localStorage.getItem('browser:subscription') ?? 'null')?.endpoint ?? null`,
    );
  const channelsOf = async ({ token }: SignedUp) =>
    (await farm.app.call('GET', '/notification-channels/', { token })).body as Channel[];
  const postsTo = (path: string): Posted[] => service.posts.filter((posted) => posted.path === path);
  const lowOxygenAt = async (pond: number, dissolved_oxygen: number) => {
    farm.app.clock.advance(60_000);
    await farm.app.call('POST', '/water-quality/', {
      token: farm.owner.token,
      body: { pond_id: farm.farm.pondIds[pond], dissolved_oxygen },
    });
    await farm.app.delivery.work();
  };

  async function workerOf(page: Page): Promise<Worker> {
    const context = page.context();
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
    await worker.evaluate(SHOWS);
    return worker;
  }
  /** What a push service does when a message comes for this browser: it wakes the worker with it. */
  async function pushTo(page: Page) {
    const cdp = await page.context().newCDPSession(page);
    const { promise: registered, resolve } = Promise.withResolvers<string>();
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first !== undefined) resolve(first.registrationId);
    });
    await cdp.send('ServiceWorker.enable');
    const registrationId = await registered;
    return (data: string) =>
      cdp.send('ServiceWorker.deliverPushMessage', { origin: farm.app.base, registrationId, data });
  }
  /** What stands on the screen after so many pushes. */
  async function shownBy(worker: Worker, pushes: number): Promise<Shown[]> {
    await expect.poll(() => worker.evaluate('self.shows')).toBe(pushes);
    return worker.evaluate<Shown[]>(LIST);
  }
  const aMessage = (fields: Partial<PushMessage> = {}): string =>
    JSON.stringify({
      id: 'd-1',
      title: 'Oxigênio baixo: V-01',
      body: 'Viveiro V-01: 2,1 mg/L',
      lang: 'pt-BR',
      critical: true,
      tag: 'episode-1',
      type: 'ALERT',
      notification_id: 'n-1',
      farm_id: farm.farm.id,
      alert_id: 'a-1',
      actions: [],
      ...fields,
    } satisfies PushMessage);
  /** A finger on the first notification there is, or on a button of it. */
  const pressNotification = (worker: Worker, action = '') =>
    worker.evaluate(`(async () => {
      const [notification] = await registration.getNotifications();
      const event = new ExtendableEvent('notificationclick');
      let work;
      Object.defineProperty(event, 'action', { value: ${JSON.stringify(action)} });
      Object.defineProperty(event, 'notification', { value: { data: notification.data, close() {} } });
      Object.defineProperty(event, 'waitUntil', { value: (promise) => { work = promise; } });
      dispatchEvent(event);
      await work.catch(() => undefined);
    })()`);

  it('are turned on by one press: an alarm comes sealed, only that browser reads it, and it is shown', async () => {
    const { page, browser, path, person } = await aPhone();
    await stands(page, 'off');
    expect(await violationsOn(page)).toEqual([]);
    await press(page, ON);
    await stands(page, 'on');
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.getByText('Celular no silencioso fica em silêncio').count()).toBe(1);
    const [channel] = await channelsOf(person);
    expect(channel).toMatchObject({ kind: 'WEB_PUSH', address: `${service.url}${path}1`, is_active: true });
    const { body: key } = await farm.app.call('GET', '/notification-channels/vapid-key', {
      token: person.token,
    });
    expect(await page.evaluate(`JSON.parse(localStorage.getItem('browser:subscription')).key`)).toBe(
      (key as { public_key: string }).public_key,
    );

    await press(page, TEST);
    await expect
      .poll(async () => {
        await farm.app.delivery.work();
        return postsTo(`${path}1`).length;
      })
      .toBeGreaterThan(0);
    const [test] = postsTo(`${path}1`);
    if (test === undefined) throw new Error('no test came');
    // some push services, the iPhone's among them, refuse a sender they could not write to
    expect(senderOf(test)).toBe(PUBLIC_URL);
    expect(browser.read(test)).toMatchObject({ title: 'Mensagem de teste', critical: false, tag: 'TEST' });

    await lowOxygenAt(1, 2.4);
    const [, alarm] = postsTo(`${path}1`);
    if (alarm === undefined) throw new Error('no alarm came');
    expect(alarm.body.includes('V-02')).toBe(false);
    const message = browser.read(alarm);
    expect(message).toMatchObject({ critical: true, lang: 'pt-BR', type: 'ALERT', farm_id: farm.farm.id });

    const worker = await workerOf(page);
    await (await pushTo(page))(JSON.stringify(message));
    expect(await shownBy(worker, 1)).toEqual([
      {
        title: message['title'],
        body: message['body'],
        lang: 'pt-BR',
        requireInteraction: true,
        renotify: true,
        place: `/alarmes/${String(message['tag'])}?farm=${farm.farm.id}`,
        actions: ['Reconhecer', 'Ligar CP-01'],
      },
    ]);
    expect(message['title']).toContain('V-02');

    await press(page, OFF);
    await stands(page, 'off');
    expect(await channelsOf(person)).toEqual([]);
    await expect.poll(() => endpointOf(page)).toBe(null);
    await lowOxygenAt(2, 2.2);
    expect(postsTo(`${path}1`)).toHaveLength(2);
  });

  it('take the place of older ones of the same trouble; only what is critical stays and sounds again', async () => {
    const { page } = await aPhoneThatReceives({ as: await farm.app.signUp() });
    const worker = await workerOf(page);
    const push = await pushTo(page);
    await push(aMessage());
    await push(aMessage({ id: 'd-2', body: 'Viveiro V-01: 1,8 mg/L' }));
    await push(
      aMessage({
        id: 'd-3',
        tag: 'n-3',
        critical: false,
        type: 'SYSTEM',
        alert_id: null,
        title: 'Versão nova',
      }),
    );
    await push('not what a gateway says');
    const shown = await shownBy(worker, 4);
    expect(shown.map(({ title }) => title).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'Aviso da fazenda',
      'Oxigênio baixo: V-01',
      'Versão nova',
    ]);
    expect(shown.find(({ title }) => title === 'Oxigênio baixo: V-01')).toMatchObject({
      body: 'Viveiro V-01: 1,8 mg/L',
      requireInteraction: true,
      renotify: true,
    });
    expect(shown.find(({ title }) => title === 'Versão nova')).toMatchObject({
      requireInteraction: false,
      renotify: false,
      place: '/notificacoes',
    });
  });

  it('are acted on with the console closed: the answer says what was done, or that nothing was and why', async () => {
    const { page, browser, path } = await aPhoneThatReceives();
    const worker = await workerOf(page);
    const push = await pushTo(page);
    await lowOxygenAt(0, 1.7);
    const alarm = postsTo(`${path}1`).at(-1);
    if (alarm === undefined) throw new Error('no alarm came');
    const message = browser.read(alarm);
    // the browser's own subscription, which this one keeps where only pages can look
    const endpoint = `${service.url}${path}1`;
    await worker.evaluate(
      `registration.pushManager.getSubscription = async () => ({ endpoint: '${endpoint}' })`,
    );
    await page.goto('about:blank');
    await expect.poll(() => worker.evaluate(WINDOWS)).toBe(0);
    await push(JSON.stringify(message));
    const [shown] = await shownBy(worker, 1);
    expect(shown?.actions).toEqual(['Reconhecer', 'Ligar CP-01']);

    const comeBack = farm.app.goAway();
    await pressNotification(worker, 'TURN_ON');
    comeBack();
    const [offline] = await shownBy(worker, 2);
    expect(offline).toMatchObject({ title: 'NÃO FEITO: Ligar CP-01', requireInteraction: true });
    expect(offline?.body).toContain('Sem contato com a fazenda: nada foi feito');
    expect(offline?.body).toContain('V-01');
    // what failed can be pressed again
    expect(offline?.actions).toEqual(['Reconhecer', 'Ligar CP-01']);
    const target = async () => {
      const { body } = await farm.app.call('GET', `/control-points/${farm.farm.pointId}`, {
        token: farm.owner.token,
      });
      return (body as { target_status: string }).target_status;
    };
    expect(await target()).toBe('OFF');

    await pressNotification(worker, 'TURN_ON');
    const [done] = await shownBy(worker, 3);
    expect(done).toMatchObject({
      title: 'Feito: ordem de ligar CP-01',
      place: `/alarmes/${String(message['tag'])}?farm=${farm.farm.id}`,
      actions: ['Reconhecer'],
    });
    expect(await target()).toBe('ON');

    // somebody takes the phone over: what still stands on its screen opens nothing
    await worker.evaluate(
      `registration.pushManager.getSubscription = async () => ({ endpoint: 'https://other.example/' })`,
    );
    await pressNotification(worker, 'ACKNOWLEDGE');
    const [refused] = await shownBy(worker, 4);
    expect(refused?.title).toBe('NÃO FEITO: Reconhecer');
    expect(refused?.body).toContain('não vale neste aparelho. Nada foi feito');
  });

  it('lead to their alarm in the console that is open, without loading it anew, or open one', async () => {
    const { page } = await aPhoneThatReceives({ as: await farm.app.signUp() });
    const worker = await workerOf(page);
    await (await pushTo(page))(aMessage());
    expect(await shownBy(worker, 1)).toHaveLength(1);
    await page.evaluate('window.isTheSamePage = true');
    await pressNotification(worker);
    await page.waitForURL(`${farm.app.base}/alarmes`);
    expect(await page.evaluate(`[window.isTheSamePage, localStorage.getItem('farm')]`)).toEqual([
      true,
      farm.farm.id,
    ]);

    await page.goto('about:blank');
    // the worker hears of the page that was left in its own time
    await expect.poll(() => worker.evaluate(WINDOWS)).toBe(0);
    // a new window is the browser's to give, after a real press
    await worker.evaluate('clients.openWindow = async (place) => { self.opened = place; }');
    await pressNotification(worker);
    await expect.poll(() => worker.evaluate('self.opened')).toBe(`/alarmes?farm=${farm.farm.id}`);
    await page.goto(`${farm.app.base}/alarmes?farm=${farm.farm.id}`);
    await page.waitForURL(`${farm.app.base}/alarmes`);
  });

  it('follow the browser when it changes its address, and a gateway that has another key', async () => {
    const { page, path, person } = await aPhoneThatReceives({ as: await farm.app.signUp() });
    const worker = await workerOf(page);
    await page.evaluate(`{
      const now = JSON.parse(localStorage.getItem('browser:subscription'));
      localStorage.setItem('browser:subscription', JSON.stringify({ ...now, endpoint: '${service.url}${path}moved' }));
    }`);
    await worker
      .evaluate(`dispatchEvent(new PushSubscriptionChangeEvent('pushsubscriptionchange', {}))`)
      .catch(() => undefined);
    await expect
      .poll(async () => (await channelsOf(person)).map(({ address }) => address))
      .toEqual([`${service.url}${path}moved`]);

    await page.evaluate(`{
      const now = JSON.parse(localStorage.getItem('browser:subscription'));
      localStorage.setItem('browser:subscription', JSON.stringify({ ...now, key: 'B' + now.key.slice(1, -4) + 'AAAA' }));
    }`);
    await page.goto(`${farm.app.base}/`);
    await expect
      .poll(async () => (await channelsOf(person)).map(({ address }) => address))
      .toEqual([`${service.url}${path}2`]);
  });

  it('end when the push service knows the browser no more: it leaves the channels, and the phone says so at its next start', async () => {
    const { page, path, person } = await aPhoneThatReceives({ as: await farm.app.signUp() });
    dead.add(`${path}1`);
    await press(page, TEST);
    // what the press sent may be on its way already: then nothing is left to be worked at
    await expect
      .poll(async () => {
        await farm.app.delivery.work();
        return channelsOf(person);
      })
      .toEqual([]);
    await page.goto(`${farm.app.base}/`);
    await page.getByText('Este aparelho deixou de receber avisos').waitFor();
    await expect.poll(() => endpointOf(page)).toBe(null);
    await page.goto(`${farm.app.base}/sistema/canais`);
    await press(page, ON);
    await stands(page, 'on');
    expect((await channelsOf(person)).map(({ address }) => address)).toEqual([`${service.url}${path}2`]);
  });

  it('are those of who is signed in: another is told whose the phone receives, takes it over, or stops it', async () => {
    const { page, path } = await aPhoneThatReceives({ as: await farm.app.signUp() });
    const signIn = async () => {
      const person = await farm.app.signUp();
      await page.evaluate(`{
        const now = JSON.parse(localStorage.getItem('session'));
        localStorage.setItem('session', JSON.stringify({ ...now, token: ${JSON.stringify(person.token)} }));
      }`);
      await page.reload();
      await stands(page, 'others');
      return person;
    };
    const second = await signIn();
    expect(await violationsOn(page)).toEqual([]);
    await press(page, 'Receber os meus aqui');
    await stands(page, 'on');
    expect(await endpointOf(page)).toBe(`${service.url}${path}2`);
    expect((await channelsOf(second)).map(({ address }) => address)).toEqual([`${service.url}${path}2`]);

    await signIn();
    await press(page, 'Parar os avisos dela aqui');
    await stands(page, 'off');
    await expect.poll(() => endpointOf(page)).toBe(null);
  });

  it('are refused to the twenty-first place, and nothing stays behind in the browser', async () => {
    const person = await farm.app.signUp();
    for (let n = 1; n <= 20; n += 1) {
      const { status } = await farm.app.call('POST', '/notification-channels/', {
        token: person.token,
        body: { kind: 'WEB_PUSH', subscription: aBrowser(`${service.url}/other/${n}`).subscription },
      });
      expect(status).toBe(201);
    }
    const { page } = await aPhone({ as: person });
    await press(page, ON);
    await page.getByText('Há canais demais').waitFor();
    await stands(page, 'off');
    await expect.poll(() => endpointOf(page)).toBe(null);
    expect(await channelsOf(person)).toHaveLength(20);
  });

  it('say why they cannot be: the browser refused them, or its page came over plain http', async () => {
    const { page } = await aPhone();
    await page.evaluate(`localStorage.setItem('browser:permission', '"denied"')`);
    await page.reload();
    await stands(page, 'denied');
    expect(await violationsOn(page)).toEqual([]);

    const plain = await farm.open('/', { width: 360, height: 740 });
    const faults: string[] = [];
    plain.on('pageerror', (error) => faults.push(error.message));
    await plain.goto(`${farm.app.base.replace('127.0.0.1', LAN_NAME)}/sistema/canais`);
    expect(await plain.evaluate('window.isSecureContext')).toBe(false);
    await stands(plain, 'insecure');
    expect(await plain.getByText('este endereço é http').count()).toBe(1);
    expect(await plain.getByRole('button', { name: ON }).count()).toBe(0);
    expect(await plain.getByRole('link', { name: 'Abrir por https' }).getAttribute('href')).toMatch(
      new RegExp(`^https://${LAN_NAME}:\\d+/sistema/canais$`),
    );
    expect(await plain.getByRole('link', { name: 'Baixar o certificado' }).getAttribute('href')).toBe(
      '/ca.crt',
    );
    expect(await violationsOn(plain)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('come by a worker that hears nothing but pushes, asked for anew each time, and may ask its own gateway alone', async () => {
    const answer = await fetch(`${farm.app.base}/push-worker.js`);
    expect({
      status: answer.status,
      type: answer.headers.get('content-type'),
      kept: answer.headers.get('cache-control'),
      policy: answer.headers.get('content-security-policy'),
      sniff: answer.headers.get('x-content-type-options'),
    }).toEqual({
      status: 200,
      type: 'text/javascript; charset=utf-8',
      kept: 'no-cache',
      policy: "default-src 'none'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      sniff: 'nosniff',
    });
    const heard = [...(await answer.text()).matchAll(/addEventListener\([`'"](\w+)/g)].map(
      ([, name]) => name,
    );
    expect(new Set(heard)).toEqual(
      new Set(['install', 'notificationclick', 'push', 'pushsubscriptionchange']),
    );
  });
});
