import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ImportRecordAnswer, importRecord } from '#contract/resources/import-records.ts';
import { update } from '#core/changes.ts';
import { type App, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { reportOf, sendFile } from '#test/import-file.ts';
import { readStrictCsv } from '#test/read-csv.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

const DAY_MS = 24 * 3_600_000;

onBothEngines('an import', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const ask = async (farm: StockedFarm, path: string, method: 'GET' | 'POST' = 'GET') =>
    app.call(method, path, { token: farm.token });
  const recordOf = async (farm: StockedFarm, id: string) =>
    body(await ask(farm, `/imports/${id}`)) as unknown as ImportRecordAnswer;
  const listOf = async (farm: StockedFarm) =>
    (await ask(farm, `/imports/?farm_id=${farm.farmId}`)).body as ImportRecordAnswer[];
  /** Until nothing of it is under way any more. */
  async function settled(farm: StockedFarm, id: string): Promise<ImportRecordAnswer> {
    await expect
      .poll(async () => (await recordOf(farm, id)).state, { timeout: 60_000 })
      .not.toMatch(/CHECKING|IMPORTING|UNDOING/);
    return recordOf(farm, id);
  }
  /** Brings a file beside requests, and waits for its end. */
  async function bring(farm: StockedFarm, kind: string, file: string, query = '') {
    const reply = await sendFile(app, farm, kind, {
      file,
      query: `&dry_run=false&background=true&file_name=ano-passado.csv${query}`,
    });
    expect(reply).toMatchObject({ status: 202 });
    return settled(farm, (reply.body as ImportRecordAnswer).id);
  }
  async function undo(farm: StockedFarm, id: string) {
    expect(await ask(farm, `/imports/${id}/undo`, 'POST')).toMatchObject({ status: 202 });
    return settled(farm, id);
  }
  const putOut = async (farm: StockedFarm, { user }: SignedUp) => {
    const path = `/farms/${farm.farmId}/members/${user.id}`;
    expect((await app.call('DELETE', path, { token: farm.token })).status).toBeLessThan(300);
  };
  const waterOf = async (farm: StockedFarm) => {
    const reply = await ask(farm, `/exports/water-quality/csv?pond_id=${farm.ponds[0]?.id}`);
    return readStrictCsv(String(reply.body)).slice(1);
  };
  const logOf = async (farm: StockedFarm) =>
    ((await ask(farm, `/logs/farms/${farm.farmId}`)).body as { action: string }[]).map(
      ({ action }) => action,
    );

  const waterFile = (rows: number) =>
    ['viveiro;data;hora;od']
      .concat(
        Array.from({ length: rows }, (_, n) => {
          const day = String((n % 28) + 1).padStart(2, '0');
          const hour = String(Math.floor(n / 28) % 24).padStart(2, '0');
          const minute = String(Math.floor(n / 672)).padStart(2, '0');
          return `V-1;${day}/02/2025;${hour}:${minute};${4 + (n % 30) / 10}`.replaceAll('.', ',');
        }),
      )
      .join('\n');

  it('goes on beside requests, and is a record of who brought what', async () => {
    const farm = await aStockedFarm(app);
    const done = await bring(farm, 'measurements', waterFile(60));
    expect(done).toMatchObject({
      state: 'DONE',
      kind: 'measurements',
      file_name: 'ano-passado.csv',
      imported: 60,
      rows_done: 60,
      created_by: farm.userId,
      can_undo_until: expect.any(String) as unknown,
    });
    expect(await waterOf(farm)).toHaveLength(60);
    expect((await listOf(farm)).map(({ id }) => id)).toEqual([done.id]);
  });

  it('that cannot come in says why in its record, and brings nothing', async () => {
    const farm = await aStockedFarm(app);
    expect(await bring(farm, 'measurements', 'viveiro;data;od\nV-9;01/02/2025;4,1\n')).toMatchObject({
      state: 'FAILED',
      fault_code: 'IMPORT_NOT_VALID',
      imported: 0,
      can_undo_until: null,
    });
    expect(await bring(farm, 'measurements', 'viveiro;od\nV-1;4,1\n')).toMatchObject({
      state: 'FAILED',
      fault_code: 'NOT_A_TABLE',
      fault: 'COLUMN_MISSING',
    });
  });

  it('is undone whole: its rows are gone, the log says so, and the same file comes in again', async () => {
    const farm = await aStockedFarm(app);
    const done = await bring(farm, 'measurements', waterFile(60));
    const undone = await undo(farm, done.id);
    expect(undone).toMatchObject({ state: 'UNDONE', undone: 60, kept: 0, undone_by: farm.userId });
    expect(await waterOf(farm)).toEqual([]);
    expect(await logOf(farm)).toEqual(expect.arrayContaining(['import', 'undo_import']));
    expect(await ask(farm, `/imports/${done.id}/undo`, 'POST')).toMatchObject({
      status: 409,
      body: { code: 'IMPORT_UNDONE' },
    });
    expect(reportOf(await sendFile(app, farm, 'measurements', { file: waterFile(60) })).to_import).toBe(60);
    expect(await bring(farm, 'measurements', waterFile(60))).toMatchObject({ imported: 60 });
    expect(await waterOf(farm)).toHaveLength(60);
    expect(reportOf(await sendFile(app, farm, 'measurements', { file: waterFile(60) })).to_import).toBe(0);
  });

  it('leaves what somebody changed since, says how much, and does not bring back what somebody deleted', async () => {
    const farm = await aStockedFarm(app);
    const file =
      'lote;data;amostra;peso medio\nL;10/02/2026;100;1,2\nL;17/02/2026;100;2,3\nL;24/02/2026;100;3,4\n'.replaceAll(
        'L;',
        `${farm.batch.batch_code};`,
      );
    const done = await bring(farm, 'biometries', file);
    expect(done).toMatchObject({ imported: 3, batch_codes: [farm.batch.batch_code] });
    const weighings = async () =>
      (
        body(await ask(farm, `/biometries/batch/${farm.batch.id}`)) as {
          biometries: { id: string; sample_size: number }[];
        }
      ).biometries;
    const [newest, second] = await weighings();
    await app.call('PUT', `/biometries/${newest?.id}`, { token: farm.token, body: { sample_size: 90 } });
    await app.call('DELETE', `/biometries/${second?.id}`, { token: farm.token });
    expect(await undo(farm, done.id)).toMatchObject({ state: 'UNDONE', undone: 1, kept: 1 });
    expect(await weighings()).toMatchObject([{ id: newest?.id, sample_size: 90 }]);
    // the changed one stands, the deleted one stays deleted, the undone one may come again
    expect(await bring(farm, 'biometries', file)).toMatchObject({ imported: 1 });
  });

  it('of batches leaves those that have records of their own', async () => {
    const farm = await aStockedFarm(app);
    const sheet = [
      'lote;viveiro;especie;povoamento;quantidade inicial;peso inicial;despesca',
      'A-1;V-2;Litopenaeus vannamei;01/03/2025;60000;0,01;20/06/2025',
      'A-2;V-2;Litopenaeus vannamei;01/07/2025;60000;0,01;20/10/2025',
    ].join('\n');
    const stocked = await bring(farm, 'batches', sheet);
    expect(stocked).toMatchObject({ imported: 2, batch_codes: ['A-1', 'A-2'] });
    await bring(farm, 'biometries', 'lote;data;amostra;peso medio\nA-2;20/07/2025;100;1,2\n');
    expect(await undo(farm, stocked.id)).toMatchObject({ undone: 1, kept: 1 });
    const left = (await ask(farm, `/batches/?farm_id=${farm.farmId}&status=FINISHED`)).body;
    expect(left).toMatchObject([{ batch_code: 'A-2' }]);
    expect(await bring(farm, 'batches', sheet)).toMatchObject({ imported: 1 });
  });

  it('is called off while it is under way, and what came in until then can be undone', async () => {
    const farm = await aStockedFarm(app);
    const reply = await sendFile(app, farm, 'measurements', {
      file: waterFile(4_000),
      query: '&dry_run=false&background=true',
    });
    const { id } = reply.body as ImportRecordAnswer;
    await expect
      .poll(async () => (await recordOf(farm, id)).imported, { timeout: 60_000 })
      .toBeGreaterThan(0);
    expect(await ask(farm, `/imports/${id}/undo`, 'POST')).toMatchObject({ status: 503 });
    expect(await ask(farm, `/imports/${id}/cancel`, 'POST')).toMatchObject({ status: 202 });
    app.clock.advance(2_000);
    const ended = await settled(farm, id);
    expect(ended).toMatchObject({ state: 'CANCELLED' });
    expect(ended.imported).toBeLessThan(4_000);
    expect(await waterOf(farm)).toHaveLength(ended.imported);
    expect(await undo(farm, id)).toMatchObject({ undone: ended.imported });
    expect(await waterOf(farm)).toEqual([]);
  });

  it.each(['put out', 'made a technician'])(
    'ends with its manager, who is %s while it is under way',
    async (how) => {
      const farm = await aStockedFarm(app);
      const manager = await app.signUp();
      await joinFarm(app, farm, manager, 'MANAGER');
      const reply = await sendFile(app, { ...farm, token: manager.token }, 'measurements', {
        file: waterFile(4_000),
        query: '&dry_run=false&background=true',
      });
      const { id } = reply.body as ImportRecordAnswer;
      await expect
        .poll(async () => (await recordOf(farm, id)).imported, { timeout: 60_000 })
        .toBeGreaterThan(0);
      if (how === 'put out') await putOut(farm, manager);
      else await joinFarm(app, farm, manager, 'TECHNICIAN');
      const ended = await settled(farm, id);
      expect(ended).toMatchObject({ state: 'FAILED', fault_code: 'FORBIDDEN' });
      expect(ended.imported).toBeLessThan(4_000);
      expect(await waterOf(farm)).toHaveLength(ended.imported);
      // what came in until then, whoever manages the farm takes away
      expect(await undo(farm, id)).toMatchObject({ state: 'UNDONE', undone: ended.imported });
    },
  );

  it('is undone no further than its manager was let', async () => {
    const farm = await aStockedFarm(app);
    const manager = await app.signUp();
    await joinFarm(app, farm, manager, 'MANAGER');
    const { id } = await bring(farm, 'measurements', waterFile(4_000));
    await app.call('POST', `/imports/${id}/undo`, { token: manager.token });
    await expect.poll(async () => (await recordOf(farm, id)).undone, { timeout: 60_000 }).toBeGreaterThan(0);
    await putOut(farm, manager);
    const ended = await settled(farm, id);
    expect(ended).toMatchObject({ state: 'FAILED', fault_code: 'FORBIDDEN' });
    expect(await waterOf(farm)).toHaveLength(4_000 - ended.undone);
    expect(await undo(farm, id)).toMatchObject({ state: 'UNDONE', undone: 4_000 });
  });

  it('whose process ended is shown as interrupted after a minute, and can be undone', async () => {
    const farm = await aStockedFarm(app);
    const { id } = await bring(farm, 'measurements', waterFile(30));
    await app.kernel.commit({ actor: null, changes: [update(importRecord, id, { state: 'IMPORTING' })] });
    expect(await ask(farm, `/imports/${id}/undo`, 'POST')).toMatchObject({
      status: 409,
      body: { code: 'IMPORT_RUNNING' },
    });
    app.clock.advance(61_000);
    expect(await recordOf(farm, id)).toMatchObject({ state: 'INTERRUPTED' });
    expect(await undo(farm, id)).toMatchObject({ state: 'UNDONE', undone: 30 });
    expect(await waterOf(farm)).toEqual([]);
  });

  it('is undone within a week alone, and forgotten after that', async () => {
    const farm = await aStockedFarm(app);
    const done = await bring(farm, 'measurements', waterFile(3));
    app.clock.advance(7 * DAY_MS + 1);
    expect(await ask(farm, `/imports/${done.id}/undo`, 'POST')).toMatchObject({
      status: 409,
      body: { code: 'IMPORT_TOO_OLD' },
    });
    await app.ticks.find(({ name }) => name === 'old imports')?.run();
    expect(await listOf(farm)).toEqual([]);
    const { read } = app.database;
    expect(
      await read.selectFrom('import_chunks').select('id').where('import_id', '=', done.id).execute(),
    ).toEqual([]);
    expect(await waterOf(farm)).toHaveLength(3);
  });

  it('is for those who manage the farm alone', async () => {
    const farm = await aStockedFarm(app);
    const done = await bring(farm, 'measurements', waterFile(3));
    const technician = await app.signUp();
    await joinFarm(app, farm, technician, 'TECHNICIAN');
    const stranger = await app.signUp();
    for (const [who, status] of [
      [technician, 403],
      [stranger, 404],
    ] as const)
      for (const [method, path] of [
        ['GET', `/imports/?farm_id=${farm.farmId}`],
        ['GET', `/imports/${done.id}`],
        ['POST', `/imports/${done.id}/undo`],
        ['POST', `/imports/${done.id}/cancel`],
      ] as const)
        expect(await app.call(method, path, { token: who.token })).toMatchObject({ status });
    expect(await waterOf(farm)).toHaveLength(3);
  });
});
