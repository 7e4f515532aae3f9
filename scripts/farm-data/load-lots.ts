import { lotCode } from '#contract/lot-code.ts';
import { harvestLot } from '#contract/resources/harvest-lots.ts';
import type { Deps } from './batch-life.ts';
import { createChance, idNumber } from './chance.ts';
import { iso, UNTOUCHED, written } from './grown.ts';

const TRUCK_KG = 4_000;
const BUYERS = [
  ['Frigorífico Porto Belo', '12.345.678/0001-90'],
  ['Pescados do Litoral', '98.765.432/0001-10'],
  ['Mercado da Praia', '45.678.912/0001-55'],
] as const;

/** What a harvest fills: trucks to a buyer, graded by size; by dice of its own, so that the rest of the farm stays. */
export function loadLots(
  { emit, places }: Pick<Deps, 'emit' | 'places'>,
  of: {
    batch: { id: string; batch_code: string };
    harvestId: string | null;
    pondId: string | null;
    unixMs: number;
    kg: number;
    weightG: number;
  },
): void {
  const { batch, kg, weightG, unixMs } = of;
  const chance = createChance((Math.floor(unixMs / 60_000) % 1_000_003) + idNumber(batch.id));
  const trucks = Math.max(1, Math.ceil(kg / TRUCK_KG));
  const day = iso(unixMs).slice(0, 10);
  for (let nth = 1; nth <= trucks; nth += 1) {
    const at = iso(unixMs + nth * 40 * 60_000);
    const loadKg = written((kg / trucks) * 0.99, 1);
    const pieces = Math.max(20, Math.round(1_000 / weightG / 10) * 10);
    const [buyer, buyer_tax_id] = chance.oneOf(BUYERS);
    const price = chance.between(19, 26);
    const mostKg = written(loadKg * chance.between(0.6, 0.75), 1);
    const classOf = (least: number, weight_kg: number, price_per_kg: number) => ({
      pieces_min: least,
      pieces_max: least + 10,
      weight_kg,
      price_per_kg: written(price_per_kg, 2),
    });
    emit(harvestLot, {
      ...UNTOUCHED,
      id: chance.uuid(unixMs + nth),
      farm_id: places.farmId,
      batch_id: batch.id,
      harvest_id: of.harvestId,
      pond_id: of.pondId,
      lot_code: lotCode(batch.batch_code, day, nth),
      harvested_at: at,
      weight_kg: loadKg,
      count: null,
      average_weight_g: written(weightG, 1),
      classes: [
        classOf(pieces, mostKg, price),
        classOf(pieces + 10, written((loadKg - mostKg) * 0.98, 1), price - 2),
      ],
      buyer,
      buyer_tax_id,
      transport_document: `GTA ${chance.whole(100_000, 999_999)}`,
      vehicle: `RNX${chance.whole(0, 9)}B${chance.whole(10, 99)}`,
      driver: chance.oneOf(['Francisco', 'Antônio', 'Raimundo']),
      loading_temperature_c: written(chance.between(0.5, 3.5), 1),
      notes: null,
      created_by: places.ownerId,
      created_at: at,
    });
  }
}
