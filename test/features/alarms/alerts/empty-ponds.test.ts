import { afterAll, beforeAll, expect, test } from 'vitest';
import { isoOf } from '#core/kernel.ts';
import { stocking } from '#test/a-batch.ts';
import { type App, aFarmWith, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

onBothEngines('water alerts of a pond whose animals have left it', (_open, engine) => {
  let app: App;
  let token: string;
  let farmId: string;
  beforeAll(async () => {
    app = await startApp(engine);
    ({ token, farmId } = await aFarmWith(app, { timezone: 'America/Fortaleza' }));
  });
  afterAll(() => app.close());

  async function call(method: string, path: string, fields?: unknown): Promise<Record<string, unknown>> {
    const reply = await app.call(method, path, { token, ...(fields === undefined ? {} : { body: fields }) });
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return body(reply);
  }
  const aPond = async (cod: string) =>
    String((await call('POST', '/ponds/', { farm_id: farmId, cod }))['id']);
  const stock = async (pondId: string) =>
    String(
      (
        await call(
          'POST',
          '/batches/',
          stocking(pondId, { start_date: isoOf(app.clock.now() - 30 * DAY).slice(0, 10) }),
        )
      )['id'],
    );
  const measure = (pond_id: string, fields = { dissolved_oxygen: 2.1, nitrite: 0.4 }) =>
    call('POST', '/water-quality/', { pond_id, measurement_date: isoOf(app.clock.now()), ...fields });
  async function unresolved(pondId: string): Promise<number> {
    const { summary } = await call('GET', `/water-quality/pond/${pondId}/alerts`);
    return (summary as { unresolved: number }).unresolved;
  }
  async function pass(ms = MINUTE): Promise<void> {
    app.clock.advance(ms);
    await app.watches.tick();
  }

  test('end with the last harvest, whatever was measured before it', async () => {
    const pond = await aPond('V-01');
    const batch = await stock(pond);
    await measure(pond);
    await pass();
    const before = await unresolved(pond);
    app.clock.advance(5 * MINUTE);
    await call('POST', `/batches/${batch}/finish`, {});
    await pass();
    const { alerts } = await call('GET', `/water-quality/pond/${pond}/alerts`);
    expect([before, await unresolved(pond), alerts]).toMatchObject([
      2,
      0,
      [{ resolved_at: isoOf(app.clock.now()) }, { resolved_at: isoOf(app.clock.now()) }],
    ]);
  });

  test('end where the animals were moved on, and stand where they went', async () => {
    const [from, to] = [await aPond('V-02'), await aPond('V-03')];
    const batch = await stock(from);
    await measure(from);
    await measure(to);
    app.clock.advance(5 * MINUTE);
    const { current_population } = await call('GET', `/batches/${batch}`);
    await call('POST', '/transfers/', {
      batch_id: batch,
      source_pond_id: from,
      destination_pond_id: to,
      quantity: current_population,
    });
    await pass();
    expect([await unresolved(from), await unresolved(to)]).toEqual([0, 2]);
  });

  test('stand as long as animals live there', async () => {
    const pond = await aPond('V-04');
    await stock(pond);
    await measure(pond);
    await pass();
    expect(await unresolved(pond)).toBe(2);
  });

  test('stand when they are of the empty pond: it never held any, or was measured after them', async () => {
    const [never, later] = [await aPond('V-05'), await aPond('V-06')];
    await measure(never);
    const batch = await stock(later);
    await call('POST', `/batches/${batch}/finish`, {});
    app.clock.advance(5 * MINUTE);
    await measure(later);
    await pass();
    expect([await unresolved(never), await unresolved(later)]).toEqual([2, 2]);
  });
});
