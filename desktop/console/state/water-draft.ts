import type { WaterField } from '#contract/resources/water-quality.ts';

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

export const isTyped = (typed: Typed): boolean => Object.values(typed).some((text) => text !== '');

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
