import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { body } from '#test/app.ts';
import { aFarmWithBroker, eventually, type Farm, MAC } from './adoption-on-the-farm.ts';

describe('the provisioning window', () => {
  let farm: Farm;
  beforeAll(async () => {
    farm = await aFarmWithBroker();
  });
  afterAll(() => farm.close());
  beforeEach(() => farm.call('DELETE', '/adoption/window'));
  const shown = async () => body(await farm.call('GET', '/adoption/window'));

  it('is closed until a technician opens it, and tells how long it stays open', async () => {
    expect(await shown()).toMatchObject({ is_open: false, seconds_left: 0, closes_at: null });
    expect((await farm.openWindow(10)).status).toBe(200);
    farm.app.clock.advance(60_000);
    expect(await shown()).toMatchObject({ is_open: true, seconds_left: 540 });
  });

  it('lasts 1 to 60 minutes', async () => {
    for (const minutes of [0, 61, 1.5]) expect((await farm.openWindow(minutes)).status).toBe(422);
    expect(await shown()).toMatchObject({ is_open: false });
  });

  it('is nobody’s who operates no farm here', async () => {
    const { token } = await farm.app.signUp();
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(
        (
          await farm.app.call(method, '/adoption/window', {
            token,
            ...(method === 'POST' ? { body: {} } : {}),
          })
        ).status,
      ).toBe(403);
    expect(await shown()).toMatchObject({ is_open: false });
  });

  it('keeps boards without a key out while it is closed, and tells the technician that one came', async () => {
    const { unplug } = farm.aBoard();
    await eventually(async () =>
      expect(await farm.queue()).toMatchObject([
        { id: `mac:${MAC}`, reason: 'window_closed', how: 'window', is_waiting: false },
      ]),
    );
    unplug();
  });

  it('closes itself, and boards that wait are sent away', async () => {
    await farm.openWindow(5);
    const { unplug } = farm.aBoard();
    await eventually(async () => expect(await shown()).toMatchObject({ boards_waiting: 1 }));
    farm.app.clock.advance(5 * 60_000);
    farm.app.technicians?.adoption.look();
    expect(await shown()).toMatchObject({ is_open: false, boards_waiting: 0 });
    await eventually(async () => expect((await farm.queue())[0]).toMatchObject({ is_waiting: false }));
    unplug();
  });

  it('is written into the audit with who opened it', async () => {
    await farm.openWindow(7);
    const rows = await farm.app.database.read
      .selectFrom('logs')
      .select(['action', 'user_id', 'details'])
      .where('action', 'like', 'provisioning_window_%')
      .execute();
    expect(rows.at(-1)).toMatchObject({ action: 'provisioning_window_opened' });
    expect(rows.every(({ user_id }) => user_id !== null)).toBe(true);
  });
});
