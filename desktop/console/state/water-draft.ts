import type { WaterField } from '#contract/resources/water-quality.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import { violationsOf, WATER_PARAMETERS, type Water, type WaterSample } from '#science/water-limits.ts';

// A round that is typed and not sent yet, pond by pond. It outlives the page: a phone that is turned, a session that
// ends, a power cut in the pump house take nothing of it. Pure.

export type Typed = Partial<Record<WaterField, string>>;
export type PondDraft = {
  /** Of the entry that it becomes; another one with every key, so that the same figures are never sent twice. */
  id: string;
  typed: Typed;
  /** What was said to be right though it is unlikely, as it was typed. */
  sure: Typed;
  /** When the last key was pressed, by the server's time: that is when it was measured. */
  at: number;
};
export type Draft = ReadonlyMap<string, PondDraft>;

/** What lies longer than a shift belongs to another round. */
const KEPT_MS = 12 * 3_600_000;

export const draftText = (draft: Draft): string => JSON.stringify([...draft]);

/** The draft that a text holds, without what is too old; empty for anything that is none. */
export function draftFrom(text: string | null, now: number): Draft {
  try {
    const found = JSON.parse(text ?? '[]') as readonly (readonly [string, PondDraft])[];
    return new Map(
      found.filter(
        ([, { typed, sure, at }]) =>
          typeof typed === 'object' && typeof sure === 'object' && now - at < KEPT_MS && isTyped(typed),
      ),
    );
  } catch {
    return new Map();
  }
}

const isTyped = (typed: Typed): boolean => Object.values(typed).some((text) => text !== '');

export function withTyped(
  draft: Draft,
  {
    pondId,
    field,
    text,
    id,
    now,
  }: { pondId: string; field: WaterField; text: string; id: string; now: number },
): Draft {
  const known = draft.get(pondId);
  const typed = { ...known?.typed, [field]: text };
  const next = new Map(draft);
  if (isTyped(typed)) next.set(pondId, { id, typed, sure: known?.sure ?? {}, at: now });
  else next.delete(pondId);
  return next;
}

/** Somebody looked at an unlikely figure and says that it is right, as it stands there now. */
export function withSure(draft: Draft, pondId: string, field: WaterField): Draft {
  const known = draft.get(pondId);
  const text = known?.typed[field];
  if (known === undefined || text === undefined) return draft;
  return new Map(draft).set(pondId, { ...known, sure: { ...known.sure, [field]: text } });
}

/** Without what was sent; a figure that somebody changed meanwhile stays, the others of its pond do not. */
export function without(draft: Draft, sent: Draft): Draft {
  const left = [...draft].flatMap(([pondId, pond]): [string, PondDraft][] => {
    const gone = sent.get(pondId);
    if (gone === undefined) return [[pondId, pond]];
    const typed = only(pond.typed, (field) => pond.typed[field] !== gone.typed[field]);
    const sure = only(pond.sure, (field) => typed[field] !== undefined);
    return isTyped(typed) ? [[pondId, { ...pond, typed, sure }]] : [];
  });
  return new Map(left);
}

const only = (typed: Typed, isWanted: (field: WaterField) => boolean): Typed =>
  // the fields of one that has no others
  Object.fromEntries(Object.entries(typed).filter(([field]) => isWanted(field as WaterField)));

/** Without what became an entry though the page went before it could say so. */
export function withoutEntries(draft: Draft, ids: ReadonlySet<string>): Draft {
  return new Map([...draft].filter(([, { id }]) => !ids.has(id)));
}

/**
 * With what was taken back, each figure where nothing new was typed since. A pond that is half of each becomes another
 * entry: its figures are those of none before.
 */
export function putBack(draft: Draft, taken: Draft, newId: () => string): Draft {
  const next = new Map(draft);
  for (const [pondId, pond] of taken) {
    const since = draft.get(pondId);
    if (since === undefined) next.set(pondId, pond);
    else if (Object.keys(pond.typed).some((field) => !(field in since.typed)))
      next.set(pondId, {
        id: newId(),
        typed: { ...pond.typed, ...since.typed },
        sure: { ...pond.sure, ...since.sure },
        at: since.at,
      });
  }
  return next;
}

// What is typed in a round, judged before it leaves: nobody may be told of 40,2 mg/L because a comma slipped. By the same
// rules as the gateway's, so that it raises an alarm exactly where it says so. Pure.

export type Judged =
  | { is: 'empty' }
  /** Cannot be read for certain. */
  | { is: 'unclear' }
  | { is: 'impossible'; low: number; high: number }
  | {
      is: 'value';
      value: number;
      /** null: the limits of the farm are not known yet. */
      raisesAlarm: boolean | null;
      /** More likely a slip than a truth, and nobody has said that it is right: it does not leave. */
      isDoubtful: boolean;
      /** Worth a second look, but it leaves. */
      isBigChange: boolean;
    };
export type JudgedPond = Readonly<Record<WaterField, Judged>>;

export type Known = {
  /** What holds on the farm; null: it has not answered yet. */
  water: Water | null;
  /** What each parameter can be at all. */
  ranges: Readonly<Record<WaterField, readonly [number, number]>>;
  last: Readonly<Partial<Record<WaterField, number | null>>>;
  /** Unlikely ones that somebody said are right. */
  sure: ReadonlySet<WaterField>;
};

/** A change by more than half of the value is worth a second look. */
const BIG_SHARE = 0.5;
/** Below this much a change is none, whatever its share. */
const LEAST = 0.2;
/** A comma that slipped makes ten of one, or one of ten. */
const SLIP_TIMES = 8;

/** What stands in the fields of a pond; null: nothing, NaN: what cannot be read. */
export function judgePond(typed: (field: WaterField) => number | null, known: Known): JudgedPond {
  const fields = WATER_PARAMETERS.map(
    (field) => [field, rangeOf(typed(field), known.ranges[field])] as const,
  );
  const sample = Object.fromEntries(
    fields.map(([field, judged]) => [field, judged.is === 'value' ? judged.value : null]),
    // every parameter is in the list
  ) as WaterSample;
  const { water } = known;
  const alarming =
    water === null ? null : new Set(violationsOf(water, sample).map(({ parameter }) => parameter));
  const unlikely = new Set<WaterField>(unlikelyIn(water, sample).map(({ parameter }) => parameter));
  return Object.fromEntries(
    fields.map(([field, judged]) => {
      if (judged.is !== 'value') return [field, judged];
      const { value } = judged;
      const last = known.last[field] ?? null;
      return [
        field,
        {
          is: 'value',
          value,
          raisesAlarm: alarming?.has(field) ?? null,
          isDoubtful: (unlikely.has(field) || isSlip(value, last)) && !known.sure.has(field),
          isBigChange: isBigChange(value, last),
        },
      ];
    }),
  ) as JudgedPond;
}

/** Where the farm has not answered, what no pond has is asked back all the same; ammonia not, whose basis is not known. */
function unlikelyIn(water: Water | null, sample: WaterSample) {
  return implausibilitiesOf(water ?? SCIENCE_DEFAULTS.water, {
    ...sample,
    ammonia: water === null ? null : sample.ammonia,
  });
}

type Ranged = Extract<Judged, { is: 'empty' | 'unclear' | 'impossible' }> | { is: 'value'; value: number };

function rangeOf(typed: number | null, [low, high]: readonly [number, number]): Ranged {
  if (typed === null) return { is: 'empty' };
  if (Number.isNaN(typed)) return { is: 'unclear' };
  return typed < low || typed > high ? { is: 'impossible', low, high } : { is: 'value', value: typed };
}

const isBigChange = (value: number, last: number | null): boolean =>
  last !== null && Math.abs(value - last) > Math.max(Math.abs(last), LEAST) * BIG_SHARE;

const isSlip = (value: number, last: number | null): boolean =>
  last !== null &&
  value > 0 &&
  last > 0 &&
  Math.abs(value - last) > LEAST &&
  (value >= last * SLIP_TIMES || last >= value * SLIP_TIMES);

export const isSendable = (judged: readonly Judged[]): boolean =>
  judged.some(({ is }) => is === 'value') &&
  judged.every((each) => each.is === 'empty' || (each.is === 'value' && !each.isDoubtful));
