import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RowOf } from '#contract/resource.ts';
import { survivalChange } from '#contract/resources/batches.ts';
import { biometry } from '#contract/resources/biometries.ts';
import { farmMember } from '#contract/resources/farms.ts';
import { feedingRecord } from '#contract/resources/feeding.ts';
import { expense } from '#contract/resources/finance.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { type Change, insert } from '#core/changes.ts';
import { type App, body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { readStrictCsv } from '#test/read-csv.ts';
import { aStockedFarm, type StockedFarm } from '#test/stocked-farm.ts';

const RECORD = {
  created_by: null,
  clock_quality: 'trusted',
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: null,
} as const;

const weighed = (batch_id: string, fields: Partial<RowOf<typeof biometry>>): Change =>
  insert(biometry, {
    ...RECORD,
    id: randomUUID(),
    batch_id,
    measurement_date: '2026-02-01T12:00:00.000Z',
    sample_size: 100,
    total_weight_g: 500,
    weight_sd_g: null,
    individual_weights_g: null,
    notes: null,
    ...fields,
  });
const fed = (batch_id: string, fields: Partial<RowOf<typeof feedingRecord>>): Change =>
  insert(feedingRecord, {
    ...RECORD,
    id: randomUUID(),
    batch_id,
    pond_id: null,
    feed_type: '35 %',
    quantity_kg: 10,
    cost_per_kg: 6,
    feed_date: '2026-02-01T12:00:00.000Z',
    tray_leftover_percent: null,
    notes: null,
    ...fields,
  });
const measured = (pond_id: string, fields: Partial<RowOf<typeof measurement>>): Change =>
  insert(measurement, {
    ...RECORD,
    id: randomUUID(),
    pond_id,
    measurement_date: '2026-02-01T12:00:00.000Z',
    temperature: null,
    dissolved_oxygen: null,
    ph: null,
    salinity: null,
    alkalinity: null,
    ammonia: null,
    nitrite: null,
    nitrate: null,
    transparency: null,
    notes: null,
    source: 'manual',
    ...fields,
  });
const paid = (batch_id: string, category: 'ENERGY' | 'LABOR', amount: number): Change =>
  insert(expense, {
    ...RECORD,
    id: randomUUID(),
    batch_id,
    category,
    amount,
    description: 'x',
    expense_date: '2026-02-01T12:00:00.000Z',
  });

onBothEngines('exports', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const commit = (changes: Change[]) => app.kernel.commit({ actor: null, changes });
  const pondId = (farm: StockedFarm) => farm.ponds[0]?.id ?? '';
  const get = (farm: Pick<StockedFarm, 'token'>, path: string, headers = {}) =>
    app.call('GET', path, { token: farm.token, headers });

  /** 10,000 stocked at 80 %; half died on 10 February. */
  async function aCourse(fields: Parameters<typeof aStockedFarm>[1] = {}): Promise<StockedFarm> {
    const farm = await aStockedFarm(app, {
      initial_count: 10_000,
      estimated_survival_rate: 80,
      initial_avg_weight: 0.01,
      ...fields,
    });
    const { id } = farm.batch;
    await commit([
      weighed(id, {
        measurement_date: '2026-02-01T02:30:00.000Z',
        total_weight_g: 512.345,
        sample_size: 100,
      }),
      weighed(id, { measurement_date: '2026-02-20T12:00:00.000Z', total_weight_g: 900, sample_size: 90 }),
      insert(survivalChange, {
        id: randomUUID(),
        batch_id: id,
        kind: 'FACTOR',
        value: 0.5,
        pond_id: null,
        animals: null,
        weight_kg: null,
        pond_share: null,
        corrects: null,
        cause: null,
        changed_at: '2026-02-10T12:00:00.000Z',
        description: null,
        created_by: null,
        clock_quality: 'trusted',
        created_at: '2026-02-10T12:00:00.000Z',
      }),
    ]);
    return farm;
  }

  describe('of weighings', () => {
    it('have the header of the interface, and biomass, survival and population as they were that day', async () => {
      const farm = await aCourse();
      const reply = await get(farm, `/exports/biometries/csv?batch_id=${farm.batch.numeric_id}`);
      expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(reply.body).toBe(
        [
          'date,sample_weight,sample_count,average_weight,biomass,survival_rate,population',
          // 02:30 UTC is the evening before on the farm
          '2026-01-31,512.345,100,5.12,40.988,80,8000',
          '2026-02-20,900,90,10,40,40,4000',
          '',
        ].join('\r\n'),
      );
    });

    it('are the same by the path of the release notes and by UUID', async () => {
      const farm = await aCourse();
      const one = await get(farm, `/exports/biometries/csv?batch_id=${farm.batch.numeric_id}`);
      const other = await get(farm, `/exports/biometries?batch_id=${farm.batch.id}`);
      expect(other.body).toBe(one.body);
    });

    it('of a batch that was never weighed are a header alone', async () => {
      const farm = await aStockedFarm(app);
      const reply = await get(farm, `/exports/biometries/csv?batch_id=${farm.batch.id}`);
      expect(readStrictCsv(String(reply.body))).toHaveLength(1);
    });
  });

  describe('of feedings', () => {
    it('count the feedings of each day of the farm, and take formulas out of what people wrote', async () => {
      const farm = await aStockedFarm(app);
      const { id } = farm.batch;
      await commit([
        fed(id, { feed_date: '2026-02-01T10:00:00.000Z', quantity_kg: 12.5, notes: 'sobra, "pouca"' }),
        fed(id, { feed_date: '2026-02-02T02:59:00.000Z', quantity_kg: 7, feed_type: '=cmd|calc' }),
        fed(id, { feed_date: '2026-02-02T03:00:00.000Z', quantity_kg: 8, notes: '-5 °C\r\nfrio' }),
      ]);
      const reply = await get(farm, `/exports/feeding/csv?batch_id=${farm.batch.id}`);
      expect(reply.body).toBe(
        [
          'date,feed_type,quantity_kg,frequency,observations',
          '2026-02-01,35 %,12.5,2,"sobra, ""pouca"""',
          "2026-02-01,'=cmd|calc,7,2,",
          '2026-02-02,35 %,8,1,"\'-5 °C\r\nfrio"',
          '',
        ].join('\r\n'),
      );
    });

    it('have no more digits than a scale', async () => {
      const farm = await aCourse();
      await commit([fed(farm.batch.id, { quantity_kg: 2 + 7 * 0.35 })]);
      const { body: text } = await get(farm, `/exports/feeding/csv?batch_id=${farm.batch.id}`);
      expect(readStrictCsv(String(text)).slice(1)).toMatchObject([['2026-02-01', '35 %', '4.45', '1', '']]);
    });

    it('of some days hold the last day whole', async () => {
      const farm = await aStockedFarm(app);
      const { id } = farm.batch;
      await commit([
        fed(id, { feed_date: '2026-02-01T02:59:59.999Z', quantity_kg: 1 }),
        fed(id, { feed_date: '2026-02-01T03:00:00.000Z', quantity_kg: 2 }),
        fed(id, { feed_date: '2026-02-03T02:59:59.999Z', quantity_kg: 3 }),
        fed(id, { feed_date: '2026-02-03T03:00:00.000Z', quantity_kg: 4 }),
      ]);
      const reply = await get(
        farm,
        `/exports/feeding?batch_id=${id}&start_date=2026-02-01&end_date=2026-02-02`,
      );
      const [, ...rows] = readStrictCsv(String(reply.body));
      expect(rows.map(([date, , kg]) => [date, kg])).toEqual([
        ['2026-02-01', '2'],
        ['2026-02-02', '3'],
      ]);
      expect(reply.headers.get('content-disposition')).toContain(
        `filename="alimentacao_${farm.batch.batch_code}_2026-02-01_2026-02-02.csv"`,
      );
    });

    it('of more lines than fit in one read keep every line and its day whole', async () => {
      const farm = await aStockedFarm(app);
      const start = Date.UTC(2026, 0, 2, 12);
      const records = Array.from({ length: 1_203 }, (_, n) =>
        fed(farm.batch.id, { feed_date: new Date(start + n * 60_000).toISOString(), quantity_kg: n }),
      );
      await commit(records);
      const reply = await get(farm, `/exports/feeding/csv?batch_id=${farm.batch.id}`);
      const [, ...rows] = readStrictCsv(String(reply.body));
      expect(rows.map(([, , kg]) => Number(kg))).toEqual(records.map((_, n) => n));
      // 12:00 UTC is 09:00 on the farm: 900 minutes are left of that day
      expect(new Set(rows.map(([date, , , frequency]) => `${date} ${frequency}`))).toEqual(
        new Set(['2026-01-02 900', '2026-01-03 303']),
      );
    });
  });

  describe('of the water', () => {
    it('have date and time of the farm, and nothing where nothing was measured', async () => {
      const farm = await aStockedFarm(app);
      await commit([
        measured(pondId(farm), { measurement_date: '2026-02-01T02:30:15.000Z', temperature: 28.4, ph: 8 }),
        measured(pondId(farm), {
          measurement_date: '2026-02-01T09:00:00.000Z',
          dissolved_oxygen: 3.9,
          ammonia: 0.05,
          nitrite: 0,
          transparency: 35,
          salinity: 20,
        }),
      ]);
      const number = farm.ponds[0]?.numeric_id;
      const reply = await get(farm, `/exports/water-quality/csv?pond_id=${number}`);
      expect(reply.body).toBe(
        [
          'date,time,temperature,dissolved_oxygen,ph,ammonia,nitrite,transparency',
          '2026-01-31,23:30:15,28.4,,8,,,',
          '2026-02-01,06:00:00,,3.9,,0.05,0,35',
          '',
        ].join('\r\n'),
      );
      expect(reply.headers.get('content-disposition')).toBe(
        `attachment; filename="qualidade-da-agua_V-1.csv"; filename*=UTF-8''qualidade-da-%C3%A1gua_V-1.csv`,
      );
    });

    it('with all columns tell salinity, alkalinity and nitrate, and ammonia on both bases with how sure it is', async () => {
      const farm = await aStockedFarm(app);
      const science = await app.call('PUT', `/farms/${farm.farmId}/science`, {
        token: farm.token,
        body: { water: { ammoniaBasis: 'TAN' } },
      });
      expect(science.status).toBe(200);
      await commit([
        measured(pondId(farm), {
          measurement_date: '2026-02-01T09:00:00.000Z',
          temperature: 28,
          ph: 8,
          salinity: 20,
          alkalinity: 120,
          nitrate: 5,
          ammonia: 0.1 + 0.2,
        }),
        // the salinity of the day before stands in
        measured(pondId(farm), {
          measurement_date: '2026-02-02T09:00:00.000Z',
          temperature: 28,
          ph: 8,
          ammonia: 1,
        }),
        measured(pondId(farm), { measurement_date: '2026-02-03T09:00:00.000Z', temperature: 28, ammonia: 1 }),
      ]);
      const path = `/exports/water-quality/csv?pond_id=${pondId(farm)}`;
      const [head, ...rows] = readStrictCsv(String((await get(farm, `${path}&columns=all`)).body));
      expect(head?.join()).toBe(
        'date,time,temperature,dissolved_oxygen,ph,ammonia,nitrite,transparency,salinity,alkalinity,nitrate,ammonia_basis,ammonia_nh3_n,ammonia_tan,ammonia_certainty',
      );
      expect(rows.map((row) => row.slice(5))).toEqual([
        ['0.3', '', '', '20', '120', '5', 'TAN', '0.0176', '0.3', 'KNOWN'],
        ['1', '', '', '', '', '', 'TAN', '0.0585', '1', 'KNOWN'],
        ['1', '', '', '', '', '', 'TAN', expect.stringMatching(/^0\.[5-9]/), '1', 'WORST_CASE'],
      ]);
      const report = await get(farm, `/exports/batch/${farm.batch.id}/report/csv`);
      const lines = readStrictCsv(String(report.body)).map((row) => row.join());
      expect(lines).toEqual(
        expect.arrayContaining([
          'water_quality,ammonia_max,1,mg/L TAN',
          'water_quality,ammonia_basis,TAN,',
          'water_quality,ammonia_nh3_n_min,0.0176,mg/L NH3-N (worst case)',
          'water_quality,ammonia_tan_min,0.3,mg/L TAN',
        ]),
      );
      const page = String((await get(farm, `/exports/batch/${farm.batch.id}/report`)).body);
      expect(page).toContain('Amônia (mg/L TAN)');
      expect(page).toContain('Amônia (mg/L NH₃-N), calculada, no pior caso onde faltou');
    });

    it('are all there, oldest first, however many they are', async () => {
      const farm = await aStockedFarm(app);
      const start = Date.UTC(2026, 0, 2, 12);
      const readings = Array.from({ length: 1_203 }, (_, n) =>
        measured(pondId(farm), {
          // two in each second, told apart by their ids alone
          measurement_date: new Date(start + Math.floor(n / 2) * 1_000).toISOString(),
          temperature: n / 100,
        }),
      );
      await commit(readings);
      const reply = await get(farm, `/exports/water-quality/csv?pond_id=${pondId(farm)}`);
      const [, ...rows] = readStrictCsv(String(reply.body));
      expect(rows).toHaveLength(1_203);
      const times = rows.map(([date, time]) => `${date} ${time}`);
      expect(times).toEqual(times.toSorted());
      expect(rows.map((row) => Number(row[2])).sort((a, b) => a - b)).toEqual(
        readings.map((_, n) => n / 100),
      );
    });

    it('open in a Brazilian spreadsheet with the mark and the separators it wants', async () => {
      const farm = await aStockedFarm(app);
      await commit([measured(pondId(farm), { measurement_date: '2026-02-01T12:00:00.000Z', ph: 7.5 })]);
      const response = await fetch(
        `${app.base}/api/v1/exports/water-quality/csv?pond_id=${pondId(farm)}&bom=1&separator=semicolon`,
        { headers: { Authorization: `Bearer ${farm.token}` } },
      );
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
      expect(bytes.subarray(3).toString('utf8')).toBe(
        'date;time;temperature;dissolved_oxygen;ph;ammonia;nitrite;transparency\r\n2026-02-01;09:00:00;;;7,5;;;\r\n',
      );
    });

    it('are refused for what is no day, or days in the wrong order', async () => {
      const farm = await aStockedFarm(app);
      const base = `/exports/water-quality/csv?pond_id=${pondId(farm)}`;
      const asked = [
        '&start_date=2026-02-30',
        '&start_date=ontem',
        '&start_date=2026-02-02&end_date=2026-02-01',
        '&separator=tab',
        '&end_date=1999-01-01',
      ];
      const statuses = await Promise.all(asked.map(async (query) => (await get(farm, base + query)).status));
      expect(statuses).toEqual(asked.map(() => 422));
      expect((await get(farm, '/exports/water-quality/csv')).status).toBe(422);
    });

    it('of a pond of somebody else are not found', async () => {
      const farm = await aStockedFarm(app);
      const other = await aStockedFarm(app);
      const reply = await get(farm, `/exports/water-quality/csv?pond_id=${pondId(other)}`);
      expect([reply.status, reply.headers.get('content-type')]).toEqual([
        404,
        'application/json; charset=utf-8',
      ]);
    });
  });

  describe('of a whole batch', () => {
    async function aPaidCourse() {
      const farm = await aCourse();
      const { id } = farm.batch;
      await commit([
        fed(id, { feed_date: '2026-02-01T10:00:00.000Z', quantity_kg: 60, cost_per_kg: 5 }),
        paid(id, 'ENERGY', 60),
        paid(id, 'LABOR', 40),
        measured(pondId(farm), { temperature: 28, dissolved_oxygen: 4 }),
        measured(pondId(farm), {
          measurement_date: '2026-02-02T12:00:00.000Z',
          temperature: 30,
          dissolved_oxygen: 6,
        }),
      ]);
      return farm;
    }

    it('sum it up in integers and rounded figures', async () => {
      const farm = await aPaidCourse();
      const reply = await get(farm, `/exports/batch/${farm.batch.numeric_id}/summary`);
      // 4,000 animals of 10 g; 40 kg grown from 0.1 kg with 60 kg of feed; 400 spent
      expect(reply.body).toEqual({
        batch_id: farm.batch.numeric_id,
        batch_name: farm.batch.batch_code,
        species: 'Litopenaeus vannamei',
        start_date: '2026-01-01',
        end_date: null,
        status: 'ACTIVE',
        initial_population: 10_000,
        current_population: 4_000,
        biomass_of: 'ALIVE',
        final_count: null,
        survival_rate: 40,
        total_feed_kg: 60,
        current_biomass_kg: 40,
        fcr: 1.5,
        average_weight_g: 10,
        days_of_culture: 60,
        cost_per_kg: 10,
        missing_costs: [],
      });
    });

    it('tell every section as metric, value and unit', async () => {
      const farm = await aPaidCourse();
      const reply = await get(farm, `/exports/batch/${farm.batch.id}/report/csv`);
      const [head, ...rows] = readStrictCsv(String(reply.body));
      expect(head).toEqual(['section', 'metric', 'value', 'unit']);
      expect([...new Set(rows.map(([section]) => section))]).toEqual([
        'batch',
        'biometries',
        'feeding',
        'water_quality',
        'financial',
      ]);
      expect(rows).toEqual(
        expect.arrayContaining([
          ['batch', 'current_biomass', '40', 'kg'],
          ['biometries', 'total_biometries', '2', ''],
          ['biometries', 'last_average_weight', '10', 'g'],
          ['feeding', 'total_feed', '60', 'kg'],
          ['feeding', 'fcr', '1.5', ''],
          ['water_quality', 'dissolved_oxygen_avg', '5', 'mg/L'],
          ['water_quality', 'temperature_max', '30', '°C'],
          ['financial', 'total_cost', '400', 'BRL'],
          ['financial', 'cost_per_kg', '10', 'BRL/kg'],
        ]),
      );
      const alias = await get(farm, `/exports/batch-report/${farm.batch.numeric_id}`);
      expect(alias.body).toBe(reply.body);
    });

    it('leave a cost empty that nobody recorded, and name it', async () => {
      const farm = await aStockedFarm(app);
      const linesOf = async () => {
        const { body: csv } = await get(farm, `/exports/batch/${farm.batch.id}/report/csv`);
        return readStrictCsv(String(csv)).flatMap(([section, metric, value]) =>
          section === 'financial' ? [[metric, value]] : [],
        );
      };
      expect(await linesOf()).toEqual([
        ['total_feed_cost', ''],
        ['total_operational_cost', ''],
        ['total_energy_cost', ''],
        ['total_cost', ''],
        ['cost_per_kg', ''],
        ['missing_costs', 'FEED EXPENSES'],
      ]);
      const summary = async () => body(await get(farm, `/exports/batch/${farm.batch.id}/summary`));
      expect(await summary()).toMatchObject({ cost_per_kg: 0, missing_costs: ['FEED', 'EXPENSES'] });
      await app.call('POST', '/financial/expenses', {
        token: farm.token,
        body: {
          batch_id: farm.batch.id,
          category: 'LABOR',
          amount: 50,
          description: 'x',
          expense_date: '2026-02-20',
        },
      });
      expect(await linesOf()).toEqual(
        expect.arrayContaining([
          ['total_feed_cost', ''],
          ['total_cost', '50'],
          ['missing_costs', 'FEED'],
        ]),
      );
      expect(await summary()).toMatchObject({ missing_costs: ['FEED'] });
    });

    it('keep money from a technician', async () => {
      const farm = await aPaidCourse();
      const technician = await app.signUp();
      await commit([
        insert(farmMember, {
          id: randomUUID(),
          farm_id: farm.farmId,
          user_id: technician.user.id,
          role: 'TECHNICIAN',
          created_at: RECORD.created_at,
          updated_at: null,
        }),
      ]);
      const path = `/exports/batch/${farm.batch.id}`;
      const summary = await get(technician, `${path}/summary`);
      expect(body(summary)).toMatchObject({ current_biomass_kg: 40, cost_per_kg: null });
      const report = await get(technician, `${path}/report/csv`);
      expect(String(report.body)).not.toContain('financial');
      const page = await get(technician, `${path}/report`);
      expect(String(page.body)).not.toMatch(/R\$|Custos/);
    });
  });

  describe('as a page to print', () => {
    it('show figures and charts, without a script and with a policy that allows none', async () => {
      const farm = await aCourse();
      await commit([
        fed(farm.batch.id, { feed_date: '2026-01-10T10:00:00.000Z' }),
        measured(pondId(farm), { temperature: 28, dissolved_oxygen: 4.25 }),
      ]);
      const reply = await get(farm, `/exports/batch/${farm.batch.id}/report`);
      const page = String(reply.body);
      expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = reply.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
      expect(policy).not.toContain('unsafe');
      expect(page).toMatch(/<html lang="pt-BR">/);
      expect(page).not.toMatch(/<script|javascript:|\son\w+=|\sstyle=|(src|href)=/i);
      expect(page.match(/<svg /g)).toHaveLength(4);
      expect(page).toContain('@media print');
      // Brazilian figures and days
      expect(page).toContain('01/01/2026');
      expect(page).toContain('4,25');
      expect(page).not.toContain('NaN');
      const english = await get(farm, `/exports/batch/${farm.batch.id}/report`, { 'Accept-Language': 'en' });
      expect(english.body).toContain('Batch report');
      expect(english.body).toContain('4.25');
    });

    it('write money as the reader does, name whole days, and show a day that stands alone', async () => {
      const farm = await aCourse();
      await commit([
        paid(farm.batch.id, 'LABOR', 1_234.5),
        measured(pondId(farm), { dissolved_oxygen: 4.25 }),
        measured(pondId(farm), { measurement_date: '2026-02-01T18:00:00.000Z', dissolved_oxygen: 6 }),
        measured(pondId(farm), { temperature: 28 }),
        measured(pondId(farm), { measurement_date: '2026-02-02T18:00:00.000Z', temperature: 29 }),
      ]);
      const page = String((await get(farm, `/exports/batch/${farm.batch.id}/report`)).body);
      expect(page).toContain('R$ 1.234,50');
      expect(page).not.toContain('BRL');
      // one day of oxygen is a stroke from its lowest to its highest value
      expect(page).toMatch(/<line class="stroke" [^>]*><circle class="dot"/);
      // days 31 and 32 have no tenths between them
      expect(page).toContain('>31</text>');
      expect(page).not.toMatch(/>31,\d<\/text>/);
    });

    it('speak of the end where the batch has ended', async () => {
      const farm = await aCourse({
        status: 'FINISHED',
        actual_harvest_date: '2026-02-25T12:00:00.000Z',
        final_weight_kg: 41.5,
      });
      const page = String((await get(farm, `/exports/batch/${farm.batch.id}/report`)).body);
      expect(page).toContain('Biomassa na despesca');
      expect(page).toContain('41,5 kg');
      // nothing lives in it, so no population stands beside that biomass
      expect(page).not.toContain('População');
      const csv = String((await get(farm, `/exports/batch/${farm.batch.id}/report/csv`)).body);
      expect(csv).toContain('batch,biomass_at_end,41.5,kg');
      expect(csv).not.toMatch(/current_(population|biomass)/);
      const detail = body(await get(farm, `/batches/${farm.batch.id}`));
      expect(detail).toMatchObject({ current_population: 0, biomass_of: 'HARVEST' });
      expect(page).not.toMatch(/atual|até hoje/);
    });

    it('of a batch of which nothing is recorded still show', async () => {
      const farm = await aStockedFarm(app);
      const reply = await get(farm, `/exports/batch/${farm.batch.id}/report`);
      expect(reply.status).toBe(200);
      expect(reply.body).toContain('Nada registrado.');
      expect(reply.body).toContain('Não registrado, e pode piorar o resultado: ração; despesas.');
      expect(reply.body).not.toMatch(/R\$ 0/);
      expect(reply.body).not.toMatch(/NaN|undefined|null|Infinity/);
    });

    it('escape whatever things are called', async () => {
      const hostile = `<script>alert(1)</script>"'&<b onload=x>`;
      const farm = await aStockedFarm(app, {
        batch_code: hostile,
        species: '</title><script>x</script>',
        lineage: hostile,
        larva_origin: hostile,
      });
      const reply = await get(farm, `/exports/batch/${farm.batch.id}/report`);
      expect(reply.body).not.toMatch(/<script|<b /);
      expect(reply.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
      expect(reply.headers.get('content-disposition')).toMatch(
        /^inline; filename="[\w.-]+"; filename\*=UTF-8''[\w.%-]+$/,
      );
      const csv = await get(farm, `/exports/batch/${farm.batch.id}/report/csv`);
      expect(csv.headers.get('content-disposition')).toMatch(
        /^attachment; filename="[\w.-]+"; filename\*=UTF-8''[\w.%-]+$/,
      );
    });
  });
});
