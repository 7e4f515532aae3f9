import {
  MAY_LEAVE_RESIDUES,
  type ProductKind,
  type WithdrawalAnswer,
} from '#contract/resources/farm-records.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { DAY_MS, dayAfter, localDay, startOfDay } from '#core/zone-clock.ts';
import { calendarDay, type Language } from '#science/advice/language.ts';
import { wasIn } from './batch-in-pond.ts';
import type { BatchState } from './batch-state.ts';

// How long treatments keep a batch from being harvested. Animals take what they were given along: every treatment in a pond
// where animals of the batch were on that day counts for all of the batch, wherever they are taken out.

export type Treatment = {
  id: string;
  pond_id: string;
  product: string;
  product_kind: ProductKind;
  happened_at: string;
  withdrawal_days: number | null;
};

export type WithdrawalQueries = {
  /** Treatments in these ponds since an instant that may still keep somebody from harvesting, oldest first. */
  treatmentsIn: (pondIds: readonly string[], since: string) => Promise<Treatment[]>;
};

/**
 * The first day on the farm on which a harvest is free at any hour; null: the period is not known. A day of the period is a whole
 * one, counted from the dose, so the day on which the last of them ends is not free yet; nor need anybody have noted the hour
 * of the dose. Fimea (Finnish Medicines Agency): kept for 6 days, it is delivered on the 7th day after the last dose.
 */
export function harvestFrom(
  { happened_at, withdrawal_days }: Pick<Treatment, 'happened_at' | 'withdrawal_days'>,
  timezone: string,
): string | null {
  if (withdrawal_days === null) return null;
  if (withdrawal_days === 0) return localDay(happened_at, timezone);
  const day = dayAfter(localDay(happened_at, timezone), withdrawal_days + 1);
  // a night of 23 hours, when summer time begins, makes none of them shorter
  const keptMs = Date.parse(startOfDay(day, timezone)) - Date.parse(happened_at);
  return keptMs < withdrawal_days * DAY_MS ? dayAfter(day, 1) : day;
}

export type Withdrawals = {
  /** By batch id, for a harvest today; a batch that has ended and one that nothing keeps are left out. */
  ofBatches: (states: readonly BatchState[]) => Promise<Map<string, NonNullable<WithdrawalAnswer>>>;
  /** For a harvest on that day of the farm. */
  on: (state: BatchState, day: string) => Promise<WithdrawalAnswer>;
};

export function withdrawals(deps: Pick<Kernel, 'now'> & { queries: WithdrawalQueries }): Withdrawals {
  async function treatmentsOf(states: readonly BatchState[]): Promise<Treatment[]> {
    const pondIds = [...new Set(states.flatMap(({ stays }) => [...stays.keys()]))];
    const since = states.map(({ batch }) => batch.start_date).toSorted()[0];
    // the day of the farm begins within a day of that of UTC
    return since === undefined
      ? []
      : deps.queries.treatmentsIn(pondIds, `${dayAfter(since, -1)}T00:00:00.000Z`);
  }
  return {
    async ofBatches(states) {
      const alive = states.filter(({ batch }) => batch.status === 'ACTIVE');
      const treatments = await treatmentsOf(alive);
      return new Map(
        alive.flatMap((state) => {
          const kept = withdrawalOf(state, treatments, localDay(isoOf(deps.now()), state.timezone));
          return kept === null ? [] : [[state.batch.id, kept] as const];
        }),
      );
    },
    on: async (state, day) => withdrawalOf(state, await treatmentsOf([state]), day),
  };
}

/** What keeps a batch from being harvested on a day; null: nothing that is on record. */
function withdrawalOf(state: BatchState, treatments: readonly Treatment[], day: string): WithdrawalAnswer {
  const keeping = treatments
    .filter((each) => {
      const given = localDay(each.happened_at, state.timezone);
      return given <= day && wasIn(state, each.pond_id, given);
    })
    .map((each) => ({ ...each, harvest_from: harvestFrom(each, state.timezone) }))
    .filter(({ harvest_from: from, product_kind: kind }) =>
      from === null ? MAY_LEAVE_RESIDUES.includes(kind) : day < from,
    );
  if (keeping.length === 0) return null;
  return {
    harvest_from:
      keeping
        .flatMap(({ harvest_from }) => harvest_from ?? [])
        .toSorted()
        .at(-1) ?? null,
    is_unknown: keeping.some(({ harvest_from }) => harvest_from === null),
    treatments: keeping.map(({ id, product_kind: _kind, ...each }) => ({ record_id: id, ...each })),
  };
}

type Kept = NonNullable<WithdrawalAnswer>['treatments'][number];

/** A warning for each treatment: whoever harvests all the same shall know of every one. */
export function withdrawalWarnings(
  withdrawal: WithdrawalAnswer,
  language: Language,
): { code: string; message: string }[] {
  return (withdrawal?.treatments ?? []).map((each) => ({
    code: each.harvest_from === null ? 'WITHDRAWAL_UNKNOWN' : 'WITHDRAWAL_PERIOD',
    message: SENTENCES[language](each),
  }));
}

/** One sentence for advice; null: nothing keeps the batch. */
export function withdrawalSentence(withdrawal: WithdrawalAnswer, language: Language): string | null {
  const warnings = withdrawalWarnings(withdrawal, language);
  return warnings.length === 0 ? null : warnings.map(({ message }) => message).join(' ');
}

const SENTENCES: Readonly<Record<Language, (kept: Kept) => string>> = {
  'pt-BR': ({ product, harvest_from: from, withdrawal_days: days }) =>
    from === null
      ? `Carência desconhecida de ${product}: confira o rótulo antes de despescar.`
      : `Carência de ${product} (${days} dias): despesca só a partir de ${calendarDay(from, 'pt-BR')}.`,
  en: ({ product, harvest_from: from, withdrawal_days: days }) =>
    from === null
      ? `Withdrawal period of ${product} unknown: check its label before harvesting.`
      : `Withdrawal period of ${product} (${days} days): harvest from ${calendarDay(from, 'en')} on only.`,
  es: ({ product, harvest_from: from, withdrawal_days: days }) =>
    from === null
      ? `Período de retiro de ${product} desconocido: revise la etiqueta antes de cosechar.`
      : `Período de retiro de ${product} (${days} días): cosecha solo a partir del ${calendarDay(from, 'es')}.`,
};
