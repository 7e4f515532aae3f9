import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, body, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

const FLAGS = {
  advanced_analytics: false,
  api_access: false,
  export_data: false,
  priority_support: false,
  custom_reports: false,
  ai_predictions: false,
  white_label: false,
};
const NOBODY = '00000000-0000-4000-8000-000000000000';

onBothEngines('subscriptions', (_open, engine) => {
  let app: App;
  let admin: SignedUp;
  beforeAll(async () => {
    app = await startApp(engine);
    admin = await app.signUp({ role: 'ADMIN' });
  });
  afterAll(() => app.close());

  const set = (userId: string, fields: Record<string, unknown>, token = admin.token) => {
    app.clock.advance(1_000);
    return app.call('PUT', `/subscriptions/${userId}`, { token, body: fields });
  };
  const mine = (token: string) => app.call('GET', '/subscriptions/me', { token });
  const limitsOf = async (token: string) =>
    body(await app.call('GET', '/subscriptions/me/limits', { token }));
  const farm = (token: string, name = 'Norte') => app.call('POST', '/farms/', { token, body: { name } });

  async function tidings({ token }: SignedUp) {
    const reply = await app.call('GET', '/notifications/?type=SUBSCRIPTION', { token });
    const { notifications } = reply.body as { notifications: { title: string; data: unknown }[] };
    return notifications.reverse();
  }

  test('a new account has the free plan, with everything the contract names', async () => {
    const { token, user } = await app.signUp({ plan: null });
    expect(body(await mine(token))).toEqual({
      id: expect.any(String),
      user_id: user.id,
      plan: 'FREE',
      status: 'ACTIVE',
      payment_customer_id: null,
      payment_subscription_id: null,
      current_period_start: null,
      current_period_end: null,
      max_farms: 1,
      max_ponds_per_farm: 3,
      max_batches_per_pond: 1,
      current_farms: 0,
      features: FLAGS,
      currency: 'BRL',
      created_at: expect.any(String),
      updated_at: null,
      cancel_at_period_end: false,
      grace_ends_at: null,
    });
    await farm(token);
    expect(body(await mine(token))).toMatchObject({ current_farms: 1 });
  });

  test.each([
    [undefined, 'Assinatura criada', 'Sua assinatura do plano FREE está ativa.'],
    ['en', 'Subscription created', 'Your subscription to the FREE plan is active.'],
  ])('a new account (language %s) is told of its subscription', async (language, title, message) => {
    const account = { email: `new-${language}@farm.test`, name: 'Ana', password: 'camarao-123', language };
    expect((await app.call('POST', '/auth/register', { body: account })).status).toBe(201);
    const login = await app.call('POST', '/auth/login', { body: account });
    const { notifications } = body(
      await app.call('GET', '/notifications/', { token: String(body(login)['access_token']) }),
    );
    expect(notifications).toMatchObject([
      {
        type: 'SUBSCRIPTION',
        title,
        message,
        data: { event: 'created', plan: 'FREE', previous_plan: null, status: 'ACTIVE' },
      },
    ]);
  });

  test('the plans are shown to anyone, with prices, limits and features', async () => {
    const reply = await app.call('GET', '/subscriptions/plans');
    expect(reply.status).toBe(200);
    const { plans } = reply.body as { plans: Record<string, unknown>[] };
    expect(plans.map(({ name: _name, description: _words, features: _flags, ...rest }) => rest)).toEqual([
      {
        id: 'FREE',
        price: { usd: 0, brl: 0 },
        billing_period: 'monthly',
        limits: { max_farms: 1, max_ponds_per_farm: 3, max_batches_per_pond: 1 },
        popular: false,
        contact_sales: false,
      },
      {
        id: 'BASIC',
        price: { usd: 29, brl: 149 },
        billing_period: 'monthly',
        limits: { max_farms: 3, max_ponds_per_farm: 10, max_batches_per_pond: 2 },
        popular: false,
        contact_sales: false,
      },
      {
        id: 'PROFESSIONAL',
        price: { usd: 99, brl: 499 },
        billing_period: 'monthly',
        limits: { max_farms: 10, max_ponds_per_farm: 50, max_batches_per_pond: 5 },
        popular: true,
        contact_sales: false,
      },
      {
        id: 'ENTERPRISE',
        price: null,
        billing_period: null,
        limits: { max_farms: -1, max_ponds_per_farm: -1, max_batches_per_pond: -1 },
        popular: false,
        contact_sales: true,
      },
    ]);
    const held = plans.map(({ features }) =>
      Object.entries(features as Record<string, boolean>).flatMap(([name, has]) => (has ? [name] : [])),
    );
    const professional = Object.keys(FLAGS).filter((name) => name !== 'white_label');
    expect(held).toEqual([[], ['api_access', 'export_data'], professional, Object.keys(FLAGS)]);
  });

  test('the plans are told in the language of the reader', async () => {
    const words = async (language: string) => {
      const reply = await app.call('GET', '/subscriptions/plans', {
        headers: { 'Accept-Language': language },
      });
      return (reply.body as { plans: { description: string }[] }).plans[0]?.description;
    };
    expect([await words('en'), await words('pt-BR')]).toEqual([
      expect.stringContaining('small farm'),
      expect.stringContaining('fazenda pequena'),
    ]);
  });

  test('usage is counted over all farms, and warned of above 80 %', async () => {
    const owner = await app.signUp({ plan: null });
    await set(owner.user.id, { plan: 'BASIC', max_ponds_per_farm: 2 });
    expect(await limitsOf(owner.token)).toEqual({
      plan: 'BASIC',
      limits: { max_farms: 3, max_ponds_per_farm: 2, max_batches_per_pond: 2 },
      usage: {
        farms: { current: 0, max: 3, percentage: 0 },
        ponds: { current: 0, max: 6, percentage: 0 },
        active_batches: { current: 0, max: 12, percentage: 0 },
      },
      warnings: [],
      can_create: { farm: true, pond: true, batch: true },
    });
    for (const name of ['A', 'B', 'C']) {
      const { id } = body(await farm(owner.token, name));
      for (const cod of name === 'C' ? ['1'] : ['1', '2'])
        await app.call('POST', '/ponds/', { token: owner.token, body: { farm_id: id, cod } });
    }
    expect(await limitsOf(owner.token)).toMatchObject({
      usage: {
        farms: { current: 3, max: 3, percentage: 100 },
        ponds: { current: 5, max: 6, percentage: 83.33 },
        active_batches: { current: 0, max: 12, percentage: 0 },
      },
      warnings: [
        { resource: 'farms', message: expect.stringContaining('3 de 3'), current: 3, max: 3 },
        { resource: 'ponds', message: expect.stringContaining('5 de 6'), current: 5, max: 6 },
        ...['A', 'B'].map((name) => ({
          resource: 'ponds',
          message: expect.stringContaining(`A fazenda ${name} tem 2 de 2`),
          current: 2,
          max: 2,
          farm_id: expect.any(String),
        })),
      ],
      can_create: { farm: false, pond: true, batch: true },
    });
  });

  test('what is unlimited is -1, never full and never warned of', async () => {
    const { token } = await app.signUp();
    await farm(token);
    expect(await limitsOf(token)).toMatchObject({
      limits: { max_farms: -1, max_ponds_per_farm: -1, max_batches_per_pond: -1 },
      usage: {
        farms: { current: 1, max: -1, percentage: 0 },
        ponds: { current: 0, max: -1, percentage: 0 },
        active_batches: { current: 0, max: -1, percentage: 0 },
      },
      warnings: [],
      can_create: { farm: true, pond: true, batch: true },
    });
  });

  test('an administrator sees and sets what others have; nobody else does', async () => {
    const owner = await app.signUp({ plan: null });
    const path = `/subscriptions/${owner.user.id}`;
    const seen = await app.call('GET', `${path}/limits`, { token: admin.token });
    expect([seen.status, seen.body]).toEqual([200, await limitsOf(owner.token)]);
    expect(await app.call('GET', `${path}/limits`, { token: owner.token })).toMatchObject({ status: 403 });
    expect(await set(owner.user.id, { plan: 'BASIC' }, owner.token)).toMatchObject({ status: 403 });
    expect(await app.call('PUT', path, { body: { plan: 'BASIC' } })).toMatchObject({ status: 401 });
    expect(body(await mine(owner.token))).toMatchObject({ plan: 'FREE' });
    expect(await app.call('GET', `/subscriptions/${NOBODY}/limits`, { token: admin.token })).toMatchObject({
      status: 404,
    });
    expect(await set(NOBODY, { plan: 'BASIC' })).toMatchObject({ status: 404 });
  });

  test('fields left out stay; a new plan brings its own limits and features', async () => {
    const owner = await app.signUp({ plan: null });
    const first = await set(owner.user.id, {
      max_farms: 7,
      features: { export_data: true },
      currency: 'USD',
    });
    expect(first).toMatchObject({
      status: 200,
      body: {
        plan: 'FREE',
        max_farms: 7,
        max_ponds_per_farm: 3,
        features: { ...FLAGS, export_data: true },
        currency: 'USD',
      },
    });
    expect(await set(owner.user.id, { features: { api_access: true }, max_farms: null })).toMatchObject({
      body: { max_farms: 1, features: { ...FLAGS, export_data: true, api_access: true } },
    });
    expect(await set(owner.user.id, { plan: 'PROFESSIONAL', max_batches_per_pond: -1 })).toMatchObject({
      body: {
        plan: 'PROFESSIONAL',
        max_farms: 10,
        max_batches_per_pond: -1,
        features: { advanced_analytics: true, white_label: false },
        currency: 'USD',
      },
    });
    expect(await set(owner.user.id, {})).toMatchObject({ body: { plan: 'PROFESSIONAL' } });
    expect(await tidings(owner)).toHaveLength(3);
  });

  test.each([
    ['an unknown plan', { plan: 'GOLD' }, 'plan'],
    ['an unknown status', { status: 'PAUSED' }, 'status'],
    ['a limit below -1', { max_farms: -2 }, 'max_farms'],
    ['half a farm', { max_farms: 1.5 }, 'max_farms'],
    ['a flag that is a word', { features: { export_data: 'yes' } }, 'features.export_data'],
    ['a currency of elsewhere', { currency: 'EUR' }, 'currency'],
  ])('%s is refused, and nothing changes', async (_what, fields, path) => {
    const owner = await app.signUp({ plan: null });
    expect(await set(owner.user.id, fields)).toMatchObject({ status: 422, body: { errors: [{ path }] } });
    expect(body(await mine(owner.token))).toMatchObject({ plan: 'FREE', updated_at: null });
    expect(await tidings(owner)).toEqual([]);
  });

  test('an outdated version is not set over a newer one', async () => {
    const owner = await app.signUp({ plan: null });
    const etag = (await mine(owner.token)).headers.get('etag') ?? '';
    const put = (plan: string) =>
      app.call('PUT', `/subscriptions/${owner.user.id}`, {
        token: admin.token,
        body: { plan },
        headers: { 'If-Match': etag },
      });
    expect([(await put('BASIC')).status, (await put('PROFESSIONAL')).status]).toEqual([200, 412]);
    expect(body(await mine(owner.token))).toMatchObject({ plan: 'BASIC' });
  });

  test('the user is told of a new plan, a missing payment and the end', async () => {
    const owner = await app.signUp({ plan: null });
    await set(owner.user.id, { plan: 'BASIC' });
    await set(owner.user.id, { plan: 'BASIC' });
    await set(owner.user.id, { status: 'PAST_DUE' });
    await set(owner.user.id, { status: 'CANCELED' });
    expect(await tidings(owner)).toMatchObject([
      { title: 'Plano alterado', data: { event: 'updated', plan: 'BASIC', previous_plan: 'FREE' } },
      { title: 'Pagamento pendente', data: { status: 'PAST_DUE', previous_status: 'ACTIVE' } },
      { title: 'Assinatura cancelada', data: { event: 'cancelled', status: 'CANCELED' } },
    ]);
  });

  test('the user is told of what changes for a subscription that was cancelled, too', async () => {
    const owner = await app.signUp({ plan: null });
    await set(owner.user.id, { plan: 'BASIC', status: 'CANCELED' });
    await set(owner.user.id, { plan: 'PROFESSIONAL' });
    await set(owner.user.id, { max_farms: 20 });
    await set(owner.user.id, { max_farms: 20 });
    const told = await tidings(owner);
    expect(told.slice(-3).map(({ title }) => title)).toEqual([
      'Assinatura cancelada',
      'Plano alterado',
      'Assinatura atualizada',
    ]);
  });

  test('a payment that is missing starts the grace once, and a payment ends it', async () => {
    const owner = await app.signUp({ plan: null });
    await set(owner.user.id, { status: 'PAST_DUE' });
    const begun = app.clock.now();
    app.clock.advance(5 * 86_400_000);
    await set(owner.user.id, { status: 'PAST_DUE', currency: 'USD' });
    const graceEnds = new Date(begun + 14 * 86_400_000).toISOString();
    expect(body(await mine(owner.token))).toMatchObject({ status: 'PAST_DUE', grace_ends_at: graceEnds });
    await set(owner.user.id, { status: 'ACTIVE' });
    expect(body(await mine(owner.token))).toMatchObject({ status: 'ACTIVE', grace_ends_at: null });
  });
});
