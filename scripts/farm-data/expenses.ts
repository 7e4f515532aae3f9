import { expense } from '#contract/resources/finance.ts';
import type { ExpenseCategory } from '#contract/words.ts';
import type { Deps, LivingBatch } from './batch-life.ts';
import { at, iso, UNTOUCHED, written } from './grown.ts';
import type { PondPlace } from './places.ts';

const TARIFF_PER_KWH = 0.65;
const WEEK_DAYS = 7;

type Cost = { category: ExpenseCategory; amount: number; description: string };

/** What a batch costs besides feed: larvae at the start, energy and labour each week, now and then something more. */
export function spend(deps: Deps, living: LivingBatch, pond: PondPlace): void {
  const { chance, day } = deps;
  const age = day - living.startDay;
  if (age === 0) {
    const amount = (living.row.initial_count / 1_000) * chance.between(11, 17);
    pay(deps, living, { category: 'SUPPLIES', amount, description: 'Pós-larvas' });
    pay(deps, living, {
      category: 'TREATMENT',
      amount: pond.areaM2 * 0.06,
      description: 'Calagem do viveiro',
    });
    return;
  }
  if (age % WEEK_DAYS !== 0) return;
  const hours = WEEK_DAYS * (age < 30 ? 6 : 13);
  pay(deps, living, {
    category: 'ENERGY',
    amount: Math.max(20, pond.powerKw * hours * TARIFF_PER_KWH * chance.between(0.85, 1.1)),
    description: 'Energia da semana',
  });
  pay(deps, living, {
    category: 'LABOR',
    amount: 60 + pond.areaM2 * chance.between(0.025, 0.035),
    description: 'Mão de obra da semana',
  });
  if (!chance.happens(0.3)) return;
  const [category, description, least, most] = chance.oneOf([
    ['TREATMENT', 'Probiótico', 90, 260],
    ['TREATMENT', 'Melaço', 60, 180],
    ['MAINTENANCE', 'Correia e rolamento do aerador', 70, 420],
    ['SUPPLIES', 'Bandejas e telas', 50, 150],
    ['OTHER', 'Análises de laboratório', 80, 200],
  ] as const);
  pay(deps, living, { category, amount: chance.between(least, most), description });
}

/** What the way to the market costs. */
export function payHarvest(deps: Deps, living: LivingBatch): void {
  const amount = 250 + (living.row.final_weight_kg ?? 0) * 0.22;
  pay(deps, living, { category: 'TRANSPORT', amount, description: 'Gelo e frete da despesca' });
}

function pay(
  { chance, emit, places, day }: Deps,
  living: LivingBatch,
  { category, amount, description }: Cost,
): void {
  const unixMs = at(day, 16, chance.whole(0, 59));
  emit(expense, {
    ...UNTOUCHED,
    id: chance.uuid(unixMs),
    batch_id: living.row.id,
    category,
    amount: written(amount, 2),
    description,
    expense_date: iso(unixMs),
    created_by: places.ownerId,
    created_at: iso(unixMs),
  });
}
