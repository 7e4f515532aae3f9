import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aStaffedFarm } from '#test/staffed-farm.ts';

type Told = { notifications: { title: string; message: string }[] };

onBothEngines('a person of Ecuador', (_open, engine) => {
  let app: App;
  let place: Awaited<ReturnType<typeof aStaffedFarm>>;
  beforeAll(async () => {
    app = await startApp(engine);
    place = await aStaffedFarm(app);
  });
  afterAll(() => app.close());

  const speak = (token: string, language: string) =>
    app.call('PUT', '/users/me', { token, body: { language } });
  const toldTo = async (token: string) =>
    ((await app.call('GET', '/notifications/', { token })).body as Told).notifications;

  test('chooses Spanish and is told of alarms in it, while the others read theirs', async () => {
    const { owner, manager, technician } = place;
    expect(await speak(manager.token, 'es')).toMatchObject({ status: 200, body: { language: 'es' } });
    await speak(technician.token, 'en');
    const made = await app.call('POST', '/ponds/', {
      token: owner.token,
      body: { farm_id: place.farmId, cod: 'P-01' },
    });
    const pond_id = (made.body as { id: string }).id;
    const measured = await app.call('POST', '/water-quality/', {
      token: owner.token,
      body: {
        pond_id,
        measurement_date: new Date(app.clock.now()).toISOString(),
        dissolved_oxygen: 1.2,
      },
      headers: { 'Accept-Language': 'es-EC,es;q=0.9,en;q=0.5' },
    });
    expect(measured).toMatchObject({
      status: 201,
      body: {
        alerts_triggered: [
          {
            message: expect.stringMatching(/^Oxígeno 1,2 mg\/L en la piscina P-01, por debajo de 4,0 mg\/L/),
            advice: expect.stringContaining('Pare el balanceado hasta pasar de 3 mg/L'),
          },
        ],
      },
    });
    expect((await toldTo(manager.token))[0]).toMatchObject({
      title: 'Oxígeno bajo: P-01',
      message: expect.stringContaining('en la piscina P-01'),
    });
    expect((await toldTo(technician.token))[0]?.title).toBe('Low oxygen: P-01');
    expect((await toldTo(owner.token))[0]?.title).toBe('Oxigênio baixo: P-01');
  });

  test('is answered as the browser asks, and in Portuguese where it asks for what is not spoken', async () => {
    const { token } = place.owner;
    const firstPlan = async (language: string) => {
      const { body } = await app.call('GET', '/subscriptions/plans', {
        token,
        headers: { 'Accept-Language': language },
      });
      return (body as { plans: { description: string }[] }).plans[0]?.description;
    };
    expect(await firstPlan('es-EC')).toMatch(/^Para comenzar: una camaronera/);
    expect(await firstPlan('es')).toMatch(/^Para comenzar: una camaronera/);
    expect(await firstPlan('en-US,es;q=0.5')).toMatch(/^\w+.*farm/);
    expect(await firstPlan('fr')).toMatch(/^Para começar: uma fazenda/);
  });

  test('cannot choose a language that is not spoken', async () => {
    expect((await speak(place.owner.token, 'fr')).status).toBe(422);
  });
});
