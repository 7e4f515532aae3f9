import { type App, aFarmWith, body, type Reply } from './app.ts';

export type StockedPond = { token: string; farmId: string; pondId: string };

let made = 0;

/** A farm near Fortaleza (three hours behind UTC) with one pond of 3,000 m². */
export async function aPondToStock(app: App): Promise<StockedPond> {
  const { token, farmId } = await aFarmWith(app, { timezone: 'America/Fortaleza' });
  const pond = await app.call('POST', '/ponds/', {
    token,
    body: { farm_id: farmId, cod: 'V-01', size_m2: 3_000 },
  });
  return { token, farmId, pondId: String(body(pond)['id']) };
}

/** Fields of a new batch: 100,000 postlarvae of 10 mg, thirty days old at the start of the test's clock. */
export function stocking(pondId: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  made += 1;
  return {
    pond_id: pondId,
    batch_code: `L-${made}`,
    species: 'Litopenaeus vannamei',
    lineage: 'SPF',
    larva_origin: 'Aracati',
    start_date: '2026-01-31',
    initial_count: 100_000,
    initial_avg_weight: 0.01,
    initial_density: 33.3,
    ...fields,
  };
}

/** A batch over the interface; throws when it is refused. */
export async function aBatch(
  app: App,
  { token, pondId }: Pick<StockedPond, 'token' | 'pondId'>,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const reply = await app.call('POST', '/batches/', { token, body: stocking(pondId, fields) });
  if (reply.status !== 201) throw new Error(`not stocked: ${JSON.stringify(reply.body)}`);
  return String(body(reply)['id']);
}

/** Codes of the warnings of an answer. */
export function warned(reply: Reply): string[] {
  const { warnings } = reply.body as { warnings?: { code: string }[] };
  return (warnings ?? []).map(({ code }) => code);
}
