import { feedKey } from '#contract/feed-key.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { figure, type Language } from '#science/advice/language.ts';
import type { FeedStockDeps, StockFarm } from './ports.ts';
import { stockAnswer } from './read-stock.ts';

type WarnDeps = FeedStockDeps & Kernel & { notify: Notify };

/** Tells who runs a farm that a feed runs out: once after each delivery and count of it, on whichever instance. */
export async function warnOfStock(deps: WarnDeps): Promise<void> {
  for (const farm of await deps.queries.farmsWithStock()) {
    const { products } = await stockAnswer(deps, farm);
    for (const product of products) if (product.is_low) await tell(deps, farm, product);
    await deps.pause(1);
  }
}

type Low = Awaited<ReturnType<typeof stockAnswer>>['products'][number];

async function tell(deps: WarnDeps, farm: StockFarm, low: Low): Promise<void> {
  await perform(deps, null, async () => {
    const guard = await deps.guard('farm', farm.id);
    const changes = await deps.notify(
      { farmId: farm.id, who: 'operators' },
      {
        type: 'SYSTEM',
        severity: 'MEDIUM',
        title: (language) => titleOf(low)[language],
        message: (language) => messageOf(farm, low, language)[language],
        data: {
          event: 'feed_low',
          farm_id: farm.id,
          product: low.product,
          left_kg: low.left_kg,
          days_left: low.days_left,
        },
        cause: `feed_low:${farm.id}:${feedKey(low.product)}:${low.newest_entry_id}`,
      },
    );
    return { answer: undefined, changes, guards: [guard], isBackground: true as const };
  });
}

const titleOf = ({ product, left_kg: kg }: Low): InEach =>
  kg > 0
    ? inEach(
        `A ração ${product} está acabando`,
        `${product} is running out`,
        `El balanceado ${product} se acaba`,
      )
    : inEach(`A ração ${product} acabou`, `${product} has run out`, `El balanceado ${product} se acabó`);

function messageOf({ name }: StockFarm, low: Low, language: Language): InEach {
  const kg = figure(Math.max(0, low.left_kg), 0, language);
  const days = figure(low.days_left ?? 0, 0, language);
  return inEach(
    `Na ${name} restam ${kg} kg, para cerca de ${days} dias. Peça ração, ou corrija o estoque com uma contagem.`,
    `On ${name} ${kg} kg are left, for about ${days} days. Order feed, or put the stock right by a count.`,
    `En ${name} quedan ${kg} kg, para unos ${days} días. Pida balanceado, o corrija las existencias con un conteo.`,
  );
}
