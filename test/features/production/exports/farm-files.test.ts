import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allResources } from '#contract/resources/all.ts';
import { farmMember } from '#contract/resources/farms.ts';
import { insert } from '#core/changes.ts';
import { FARM_REGISTERS } from '#features/production/exports/farm-registers.ts';
import { HEADINGS } from '#features/production/exports/sheet-words.ts';
import { aPicture, told } from '#test/a-picture.ts';
import { type App, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { readStrictCsv } from '#test/read-csv.ts';
import { asCsvCell, fetchFile, sheetsIn } from '#test/read-export.ts';
import { filesInZip } from '#test/read-zip.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

type Told = Record<string, unknown>;
type Schema = {
  farm: Told;
  files: {
    file: string;
    rows: number;
    columns: { name: string; type: string; unit: string | null; refers_to: string | null }[];
  }[];
};

/** What the interface answers otherwise: an instant, and the survival of now. */
const OTHERWISE = new Set(['start_date', 'estimated_survival_rate']);

onBothEngines('files of a whole farm', (_open, engine) => {
  let app: App;
  let farm: StockedFarm;
  let pondIds: string[];
  beforeAll(async () => {
    app = await startApp(engine);
    farm = await aStockedFarm(app);
    pondIds = farm.ponds.map(({ id }) => id);
    const batch_id = farm.batch.id;
    const [one = '', two = ''] = pondIds;
    const post = async (path: string, body: Told) => {
      const reply = await app.call('POST', path, { token: farm.token, body });
      if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    };
    for (const [n, pond_id] of [one, one, two].entries()) {
      const measurement_date = `2026-02-0${n + 1}T09:15:30.000Z`;
      await post('/water-quality/', {
        pond_id,
        measurement_date,
        dissolved_oxygen: 4 + n,
        salinity: 20.5,
        notes: '=2+2',
      });
    }
    const feed = { batch_id, pond_id: one, feed_type: '35 %', quantity_kg: 12.5, cost_per_kg: 6.2 };
    await post('/feeding/', { ...feed, feed_date: '2026-02-01T09:00:00.000Z' });
    await post('/biometries/', {
      batch_id,
      measurement_date: '2026-02-05T09:00:00.000Z',
      sample_size: 50,
      total_weight_g: 200,
    });
    await post('/financial/expenses', {
      batch_id,
      category: 'LABOR',
      amount: 120.5,
      description: 'a; "b"',
      expense_date: '2026-02-06',
    });
    await post('/transfers/', {
      batch_id,
      source_pond_id: one,
      destination_pond_id: two,
      quantity: 1_000,
      transfer_date: '2026-02-07T09:00:00.000Z',
    });
    await post(`/batches/${batch_id}/adjust-survival`, { dead_count: 40, event_description: 'x' });
    await post(`/batches/${batch_id}/harvests`, {
      pond_id: one,
      quantity: 100,
      weight_kg: 1,
      price_per_kg: 30,
    });
    await post(`/ponds/${one}/records`, { kind: 'NOTE', text: 'clear water' });
    await post(`/ponds/${one}/photos`, { ...told(aPicture()), note: '=foam' });
    await post(`/farms/${farm.farmId}/feed-stock/entries`, {
      kind: 'DELIVERY',
      product: '35 %',
      quantity_kg: 100,
      price_per_kg: 6.2,
    });
  });
  afterAll(() => app.close());

  const path = (file: 'xlsx' | 'archive') => `/exports/farm/${farm.farmId}/${file}`;
  async function aMember(role: 'MANAGER' | 'TECHNICIAN') {
    const member = await app.signUp();
    const fields = { id: randomUUID(), farm_id: farm.farmId, user_id: member.user.id, role };
    const created_at = '2026-02-01T00:00:00.000Z';
    await app.kernel.commit({
      actor: null,
      changes: [insert(farmMember, { ...fields, created_at, updated_at: null })],
    });
    return member;
  }

  it('an archive holds each row of the interface, and says what its columns mean', async () => {
    const file = await fetchFile(app, farm, path('archive'));
    expect([file.status, file.type]).toEqual([200, 'application/zip']);
    expect(file.name).toMatch(/^attachment; filename="farm_Fazenda-Sul_2026-03-0\d\.zip"/);
    const files = filesInZip(file.bytes);
    const schema = JSON.parse(files.get('schema.json') ?? '') as Schema;
    expect([...files.keys()]).toEqual([
      'README.txt',
      ...schema.files.map((each) => each.file),
      'schema.json',
    ]);
    expect(schema.farm).toEqual({ id: farm.farmId, name: 'Fazenda Sul', timezone: 'America/Fortaleza' });

    const rowsOf = (name: string): Told[] => {
      const told = schema.files.find((each) => each.file === name);
      const [head = [], ...lines] = readStrictCsv(files.get(name) ?? '');
      expect([name, head, lines.length]).toEqual([
        name,
        told?.columns.map((column) => column.name),
        told?.rows,
      ]);
      return lines.map((line) =>
        Object.fromEntries(
          line.map((cell, at) => {
            const { name: column = '', type = '' } = told?.columns[at] ?? {};
            if (cell === '') return [column, null];
            return [column, /number/.test(type) ? Number(cell) : cell.replace(/^'(?=[=+\-@])/, '')];
          }),
        ),
      );
    };
    const lists: [string, readonly string[]][] = [
      ['water_quality.csv', pondIds.map((id) => `/water-quality/pond/${id}`)],
      ['feeding.csv', [`/feeding/batch/${farm.batch.id}`]],
      ['biometries.csv', [`/biometries/batch/${farm.batch.id}`]],
      ['transfers.csv', [`/transfers/batch/${farm.batch.id}`]],
      ['expenses.csv', [`/financial/expenses?batch_id=${farm.batch.id}`]],
      ['harvests.csv', [`/batches/${farm.batch.id}/harvests`]],
      ['records.csv', [`/farms/${farm.farmId}/records`]],
      ['feed_stock.csv', [`/farms/${farm.farmId}/feed-stock/entries`]],
      ['photos.csv', [`/ponds/${pondIds[0]}/photos`]],
      ['ponds.csv', [`/ponds/?farm_id=${farm.farmId}`]],
      ['batches.csv', ['/batches/']],
    ];
    for (const [name, paths] of lists) {
      const answers: Told[] = [];
      for (const each of paths) {
        const { status, body } = await app.call('GET', each, { token: farm.token });
        expect([each, status]).toEqual([each, 200]);
        const list = Array.isArray(body) ? body : Object.values(body as Told).find(Array.isArray);
        answers.push(...((list ?? []) as Told[]));
      }
      const rows = rowsOf(name);
      expect([name, rows.length > 0, rows.length]).toEqual([name, true, answers.length]);
      // transfers are addressed by number in the interface
      if (name === 'transfers.csv') continue;
      const byId = new Map(answers.map((answer) => [answer['id'], answer]));
      for (const row of rows) {
        const answer = byId.get(row['id']) ?? {};
        const shared = Object.keys(row).filter((column) => column in answer && !OTHERWISE.has(column));
        expect(shared.length).toBeGreaterThan(3);
        for (const column of shared)
          expect([name, column, row[column]]).toEqual([name, column, answer[column] ?? null]);
      }
    }
    expect(rowsOf('losses.csv')).toMatchObject([{ kind: 'FACTOR', animals: 40 }]);
  });

  it('nobody is named in an archive, and no column of it is one that the tables do not have', async () => {
    for (const { table, columns, column, order } of FARM_REGISTERS) {
      const shape = Object.keys(allResources.find(({ name }) => name === table)?.row.shape ?? {});
      expect(shape).toEqual(expect.arrayContaining([column, order, ...columns.map(({ name }) => name)]));
      expect(
        columns.map(({ name }) => name).filter((name) => /_by$|user|owner|email|key/.test(name)),
      ).toEqual([]);
    }
    const files = filesInZip((await fetchFile(app, farm, path('archive'))).bytes);
    expect([...files.values()].join('')).not.toContain(farm.userId);
  });

  it('an archive is for owner and managers, and the log tells who took one', async () => {
    const manager = await aMember('MANAGER');
    const technician = await aMember('TECHNICIAN');
    const stranger = await app.signUp();
    const status = async (who: { token: string }) => (await fetchFile(app, who, path('archive'))).status;
    expect([await status(technician), await status(stranger), await status(manager)]).toEqual([
      403, 404, 200,
    ]);
    const log = (await app.call('GET', `/logs/farms/${farm.farmId}`, { token: farm.token })).body as Told[];
    expect(log.find(({ action }) => action === 'export')).toMatchObject({
      user_id: manager.user.id,
      details: { file: 'archive' },
    });
  });

  it('a workbook has a sheet for each register, by codes and by the clock of the farm', async () => {
    const { bytes, status } = await fetchFile(app, farm, path('xlsx'));
    expect(status).toBe(200);
    const sheets = new Map(sheetsIn(bytes).map((sheet) => [sheet.name, sheet]));
    expect([...sheets.keys()]).toEqual([
      'Ponds',
      'Batches',
      'Mortality',
      'Partial harvests',
      'Harvest lots',
      'Biometries',
      'Feeding',
      'Water quality',
      'Transfers',
      'Expenses',
      'Records',
      'Feed stock',
    ]);
    const water = sheets.get('Water quality');
    expect(water?.head.slice(0, 4)).toEqual([
      'Pond',
      'Date and time',
      'Temperature (°C)',
      'Dissolved oxygen (mg/L)',
    ]);
    // 09:15 UTC is 06:15 on the farm
    expect(water?.rows.map((row) => row.slice(0, 4).map(asCsvCell))).toEqual([
      ['V-1', '2026-02-01 06:15:30', '', '4'],
      ['V-1', '2026-02-02 06:15:30', '', '5'],
      ['V-2', '2026-02-03 06:15:30', '', '6'],
    ]);
    expect(sheets.get('Transfers')?.rows[0]?.map(asCsvCell).slice(0, 5)).toEqual([
      farm.batch.batch_code,
      '2026-02-07 06:00:00',
      'V-1',
      'V-2',
      '1000',
    ]);
    expect(sheets.get('Mortality')?.rows[0]?.[5]).toMatchObject({ t: 'n', v: 40 });
    const days = await fetchFile(app, farm, `${path('xlsx')}?start_date=2026-02-02&end_date=2026-02-02`);
    const some = sheetsIn(days.bytes);
    expect(some.map(({ rows }) => rows.length)).toEqual([2, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  });

  it('a workbook keeps money from a technician', async () => {
    const { bytes } = await fetchFile(app, await aMember('TECHNICIAN'), path('xlsx'));
    const sheets = sheetsIn(bytes);
    expect(sheets.map(({ name }) => name)).not.toContain('Expenses');
    expect(sheets.flatMap(({ head }) => head).filter((name) => /price|cost|amount/i.test(name))).toEqual([
      'Amount',
    ]);
    expect(sheets.find(({ name }) => name === 'Records')?.head).toContain('Amount');
  });

  it('every column of a workbook has a heading', () => {
    const shown = FARM_REGISTERS.filter(({ isSheet, name }) => isSheet === true && name !== 'losses').flatMap(
      ({ columns }) =>
        columns
          .filter(({ is, of }) => is !== 'id' || (of !== undefined && of !== 'farm'))
          .map(({ name, heading }) => heading ?? name),
    );
    expect(shown.filter((name) => !Object.hasOwn(HEADINGS, name))).toEqual([]);
  });
});
