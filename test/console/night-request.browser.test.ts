import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

const MINUTE = 60_000;

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
  const { app } = farm;
  // eight in the evening on a farm three hours behind UTC
  app.clock.set(Date.UTC(2026, 2, 3, 23));
  for (const dissolved_oxygen of [6.2, 5.6]) {
    const { status } = await app.call('POST', '/water-quality/', {
      token: farm.owner.token,
      body: { pond_id: farm.farm.pondIds[0], dissolved_oxygen },
    });
    if (status !== 201) throw new Error(`not measured: ${status}`);
    if (dissolved_oxygen === 6.2) app.clock.advance(180 * MINUTE);
  }
  await app.forecast.watch.look();
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

it.each([
  [
    'pt-BR',
    'As leituras são poucas para descartar um amanhecer abaixo de 4,0 mg/L: meça de novo às 01:15.',
    'Meça o oxigênio às 01:15',
    'OD baixo previsto',
  ],
  [
    'en',
    'The readings are too few to rule out a dawn below 4.0 mg/L: measure again at 01:15.',
    'Measure the oxygen at 01:15',
    'Low oxygen ahead',
  ],
] as const)(
  '%s: a pond measured too little is asked about with the hour, on its page and in the list, and no alarm is told',
  async (language, sentence, request, alarm) => {
    const pond = await farm.open('/viveiros/V-01', { language });
    await pond.getByText(sentence).waitFor();
    // what is expected stands beside its error
    await expect
      .poll(() => pond.locator('section.card p.value').allInnerTexts())
      .toContainEqual(expect.stringMatching(/4[.,]2\smg\/L ± 0[.,]9\smg\/L/));
    const list = await farm.open('/alarmes', { language });
    await list.getByText(request).first().waitFor();
    expect(await list.getByText(alarm).count()).toBe(0);
  },
);
