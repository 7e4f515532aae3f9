import { randomUUID } from 'node:crypto';
import type { RowOf } from '#contract/resource.ts';
import { batch } from '#contract/resources/batches.ts';
import { numericId } from '#contract/resources/local-tables.ts';
import { insert } from '#core/changes.ts';
import { numberOf } from '#core/numeric-id.ts';
import type { App } from './app.ts';
import { batchRow } from './farm-rows.ts';

export type PondMade = { id: string; numeric_id: number; cod: string };
export type StockedFarm = {
  token: string;
  userId: string;
  farmId: string;
  ponds: readonly PondMade[];
  batch: { id: string; numeric_id: number; batch_code: string };
};

/** An owner's farm with ponds, and a batch in the first of them, straight into the database. */
export async function aStockedFarm(
  app: App,
  { ponds = 2, ...fields }: { ponds?: number } & Partial<RowOf<typeof batch>> = {},
): Promise<StockedFarm> {
  const { token, user } = await app.signUp();
  const farm = await app.call('POST', '/farms/', {
    token,
    body: { name: 'Fazenda Sul', timezone: 'America/Fortaleza' },
  });
  const farmId = idIn(farm.body);
  const made: PondMade[] = [];
  for (let n = 1; n <= ponds; n += 1) {
    const reply = await app.call('POST', '/ponds/', {
      token,
      body: { farm_id: farmId, cod: `V-${n}`, size_m2: 3_000 },
    });
    made.push(reply.body as PondMade);
  }
  return {
    token,
    userId: user.id,
    farmId,
    ponds: made,
    batch: await aBatchIn(app, { farmId, ownerId: user.id, pondId: made[0]?.id ?? '' }, fields),
  };
}

/** A batch with its number, as the interface would have made it. */
export async function aBatchIn(
  app: App,
  at: { farmId: string; ownerId: string; pondId: string },
  fields: Partial<RowOf<typeof batch>> = {},
): Promise<StockedFarm['batch']> {
  const id = randomUUID();
  const row = {
    ...batchRow({ batch: id, farm: at.farmId, pond: at.pondId }, at.ownerId),
    numeric_id: numberOf(id, 0),
    ...fields,
  };
  await app.kernel.commit({
    actor: null,
    changes: [
      insert(batch, row),
      insert(numericId, { id: String(row.numeric_id), entity: 'batch', uuid: id }),
    ],
  });
  return { id, numeric_id: row.numeric_id, batch_code: row.batch_code };
}

function idIn(body: unknown): string {
  return String((body as { id: string }).id);
}
