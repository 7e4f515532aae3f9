import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { signatureOf, webhookSender } from '#adapters/delivery/send-webhook.ts';
import { csvRows } from '#contract/csv-cells.ts';
import { plainJson, plainLine, plainNumber } from '#contract/plain-number.ts';
import { storedWords } from '#features/alarms/alerts/stored-words.ts';
import { figure } from '#science/advice/language.ts';
import { apiDocument } from '#test/api-document.ts';
import { body, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aFarm, deviceIdOf } from '#test/farm-rows.ts';
import { measured, weighed } from '#test/recorded-rows.ts';
import { type Names, sampleRequest } from '#test/sample-request.ts';

// Figures as binary fractions leave them, small and large ones, through every way out: no reader is told an exponent, nor
// seventeen digits of what somebody typed as 4.6.

const RESIDUE = [0.1 + 0.2, 4.6000000000000005] as const;

/** Within sentences: more digits behind the point than anybody reads. */
function unroundedIn(text: string): string[] {
  const sentences = text.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  return sentences.flatMap((one) => one.match(/(?<![\w.-])-?\d+[.,]\d{7,}(?![\w-])/g) ?? []);
}

/** Numbers of a text, its words and ids left out, that no person would write; and those within its words. */
const awkwardIn = (text: string): string[] => [...awkwardOutside(text), ...unroundedIn(text)];

function awkwardOutside(text: string): string[] {
  const bare = text
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '');
  // letters beside it make it a name, not a number
  const exponents = bare.match(/(?<![\w.+-])[+-]?\d+([.,]\d+)?[eE][+-]?\d+(?![\w-])/g) ?? [];
  const long = (bare.match(/\d+[.,]\d+/g) ?? []).filter(
    (one) => one.replace(/^0[.,]0*|[.,]/g, '').length > 12,
  );
  return [...exponents, ...long];
}

describe('the writer of numbers', () => {
  it.each([
    [0.1 + 0.2, '0.3'],
    [4.6000000000000005, '4.6'],
    [1e-7, '0.0000001'],
    [1.5e-9, '0.0000000015'],
    [-2.5e-8, '-0.000000025'],
    [1e21, '1000000000000000000000'],
    [1.2345e25, '12345000000000000000000000'],
    [-0, '0'],
    [281_474_976_710_655, '281474976710655'],
    [1_234_567.891, '1234567.891'],
  ])('writes %d as %s: in JSON, in files of both countries', (value, text) => {
    expect(plainNumber(value)).toBe(text);
    expect(plainJson({ of: [value], '1e5': '2e-7' })).toBe(`{"of":[${text}],"1e5":"2e-7"}`);
    expect(Number(plainNumber(value))).toBeCloseTo(value, 12);
    expect(csvRows({ separator: 'comma' })([value])).toBe(`${text}\r\n`);
    expect(csvRows({ separator: 'semicolon' })([value])).toBe(`${text.replace('.', ',')}\r\n`);
  });

  it('leaves all else of JSON as it is', () => {
    const told = { a: 'x:1e-7', b: null, c: [true, 0.1 + 0.2], d: new Date(0), e: undefined, f: Number.NaN };
    expect(JSON.parse(plainJson(told))).toEqual({ ...JSON.parse(JSON.stringify(told)), c: [true, 0.3] });
    expect(plainJson(null)).toBe('null');
    expect(plainJson(1e-7)).toBe('0.0000001');
  });

  it('sentences have the decimals they ask for', () => {
    expect([1e-7, 0.1 + 0.2, 1e21].map((value) => figure(value, 2, 'pt-BR'))).toEqual([
      '0,00',
      '0,30',
      '1.000.000.000.000.000.000.000,00',
    ]);
  });
});

test('a line of the log has them, and stays one line', () => {
  const written = `${JSON.stringify({ level: 30, mgL: 4.6000000000000005, of: { share: 1e-7 }, msg: 'at 1e5: "x"' })}\n`;
  expect(plainLine(written)).toBe(
    '{"level":30,"mgL":4.6,"of":{"share":0.0000001},"msg":"at 1e5: \\"x\\""}\n',
  );
  const plain = '{"level":30,"mgL":4.6,"msg":"x:1e-7"}\n';
  expect(JSON.parse(plainLine(plain))).toEqual(JSON.parse(plain));
  expect(plainLine('{"a":1}\n')).toBe('{"a":1}\n');
});

test('an alert that is told again has them in its sentence', () => {
  const told = { type: 'LOW_OXYGEN', parameter: 'dissolved_oxygen', value: 0.1 + 0.2, threshold: 4 } as const;
  const names = { farmName: 'Sul', controlPoint: null, pond: { id: 'p', cod: 'V-01' } };
  const words = storedWords({ ...told, message: '', severity: 'HIGH' }, names, () => null);
  expect([words('pt-BR'), words('en')]).toEqual([
    'Oxigênio baixo no viveiro V-01: 0,3 mg/L (limite 4 mg/L)',
    'Low oxygen in pond V-01: 0.3 mg/L (limit 4 mg/L)',
  ]);
});

test('a webhook has them in the body that it signs', async () => {
  const posted: { body: Buffer; signature: string }[] = [];
  const send = webhookSender({
    secretOf: () => 'secret',
    post: async ({ headers, body: sent }) => {
      posted.push({ body: sent, signature: String(headers['Webhook-Signature']) });
      return { answer: { status: 200, retryAfter: null, body: '' } } as never;
    },
  });
  await send({
    id: 'one',
    purpose: 'NOTICE',
    address: 'https://farm.test/hook',
    keys: null,
    channelId: 'channel',
    title: 'Oxigênio baixo',
    text: ['Oxigênio 0,30 mg/L'],
    language: 'pt-BR',
    isCritical: true,
    at: 1_000,
    notification: {
      id: 'n',
      type: 'ALERT',
      title: '',
      message: '',
      data: { value: 0.1 + 0.2, threshold: 1e-7 },
      farm_id: null,
      created_at: '2026-03-02T12:00:00.000Z',
    },
  });
  const [one] = posted;
  expect(String(one?.body)).toContain('"data":{"value":0.3,"threshold":0.0000001}');
  expect(one?.signature).toBe(`t=1,v1=${signatureOf('secret', 1, one?.body ?? Buffer.alloc(0))}`);
});

onBothEngines('a farm with such figures', (_open, engine) => {
  let app: Awaited<ReturnType<typeof startApp>>;
  beforeAll(async () => {
    app = await startApp(engine, ['--local-plan', 'ENTERPRISE', '--allow-unkeyed-devices', '1']);
  });
  afterAll(() => app.close());

  it('is read in plain ones by every route, as JSON, file, page and stream', async () => {
    const { token, user } = await app.signUp();
    const ids = await aFarm(app.kernel, user.id);
    const at = new Date(app.clock.now()).toISOString();
    const post = async (path: string, sent: object) => {
      const reply = await app.call('POST', path, { token, body: sent });
      expect(reply.status, `${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
      expect(unroundedIn(JSON.stringify(reply.body)), path).toEqual([]);
      return reply;
    };
    for (const [n, residue] of RESIDUE.entries()) {
      await post('/feeding/', {
        batch_id: ids.batch,
        feed_type: '35 %',
        quantity_kg: residue,
        cost_per_kg: RESIDUE[1 - n],
        feed_date: at,
        tray_leftover_percent: residue,
      });
      await post('/biometries/', {
        batch_id: ids.batch,
        measurement_date: at,
        sample_size: 3,
        total_weight_g: residue * 9,
        weight_sd_g: 1e-7,
      });
      await post('/water-quality/', {
        pond_id: ids.pond,
        measurement_date: at,
        dissolved_oxygen: residue,
        temperature: residue * 7,
        salinity: residue,
        ammonia: 1e-7,
        nitrite: residue,
      });
      await post('/financial/expenses', {
        batch_id: ids.batch,
        category: 'ENERGY',
        amount: residue,
        description: 'x',
        expense_date: at,
      });
      await post(`/batches/${ids.batch}/harvests`, {
        quantity: 3,
        weight_kg: residue,
        price: 1e-7,
        date: at,
      });
      await post(`/batches/${ids.batch}/adjust-survival`, {
        event_description: 'x',
        dead_weight_kg: residue,
      });
      await post('/aerators/', { pond_id: ids.pond, name: 'A', device_id: `a-${n}`, power_kw: residue });
    }
    // as another instance, or a program before this one, may have stored them
    await measured(app, ids.pond, {
      dissolved_oxygen: 4.6000000000000005,
      ph: 7.000000000000001,
      nitrate: 1e-7,
    });
    await weighed(app, ids.batch, 4.6000000000000005, { weight_sd_g: 1e-7 });
    for (const amount of [1e21, -1e21])
      expect(
        (
          await app.call('POST', '/financial/expenses', {
            token,
            body: { batch_id: ids.batch, category: 'FEED', amount, description: 'x', expense_date: at },
          })
        ).status,
      ).toBe(422);
    await app.call('POST', '/devices/heartbeat', {
      body: { device_id: deviceIdOf(ids.control_point), current_status: 'ON', consumption: 0.1 + 0.2 },
    });

    const document = apiDocument(app.routes);
    const names: Names = { ...ids, user: user.id, device: deviceIdOf(ids.control_point) };
    const wrong: string[] = [];
    let read = 0;
    for (const route of app.routes.filter(({ method }) => method === 'GET')) {
      const { path } = sampleRequest(document, route, names);
      const paths = path.startsWith('/exports/')
        ? ['comma', 'semicolon'].map(
            (separator) => `${path}${path.includes('?') ? '&' : '?'}separator=${separator}&columns=all`,
          )
        : [path.replace('{parameter}', 'dissolved_oxygen')];
      for (const one of paths) {
        const response = await fetch(`${app.base}/api/v1${one}`, {
          headers: { Authorization: `Bearer ${token}` },
        });
        const text = await response.text();
        if (response.status !== 200) continue;
        read += 1;
        // packed: their numbers are those of the same rows as text
        if (/zip|spreadsheetml/.test(response.headers.get('content-type') ?? '')) continue;
        // settings of science and the document of the interface have constants as they were written
        const type = response.headers.get('content-type') ?? '';
        const found = /json|csv/.test(type)
          ? awkwardIn(text)
          : (text.match(/>[^<]*\d[.,]\d{9,}[^<]*</g) ?? []);
        if (found.length > 0) wrong.push(`${one}: ${found.slice(0, 5).join(' ')}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(read).toBeGreaterThan(50);

    const stop = new AbortController();
    const stream = await fetch(`${app.base}/api/v1/events`, {
      headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' },
      signal: stop.signal,
    });
    let heard = '';
    for await (const piece of stream.body ?? []) {
      heard += Buffer.from(piece).toString();
      if (heard.includes('event: ready') || heard.includes('\n\n')) break;
    }
    stop.abort();
    expect(heard).toContain('data: ');
    expect(awkwardIn(heard.replaceAll(/^id: .*$/gm, ''))).toEqual([]);
    expect(body(await app.call('GET', `/feeding/batch/${ids.batch}/summary`, { token }))).toBeDefined();
  });
});
