import { useState } from 'preact/hooks';
import { editedWords } from '#words/forms.ts';
import { asTyped } from '../i18n/format.ts';

type Texts = Readonly<Record<string, string>>;
/** One field that others changed while a form about it was open. */
export type Elsewhere<Name extends string> = { name: Name; was: string; is: string };

type State<Of extends Texts> = {
  /** What the fields were when the person began to type. */
  base: Of;
  typed: Partial<Of>;
  /** What was known when it was saved: until that changes, what comes is older than what was saved. */
  savedOver: string | null;
};

/**
 * The texts of a form about something that others change too, whose changes come by themselves. What nobody touched follows
 * what is known, what was typed stays whatever comes, and what others changed meanwhile is told: see `ElsewhereNote`.
 */
export function useEdited<Of extends Texts>(known: Of) {
  type Name = Extract<keyof Of, string>;
  const names = Object.keys(known) as Name[];
  const [kept, setKept] = useState<State<Of>>({ base: known, typed: {}, savedOver: null });
  const state = settled(kept, known);
  const text: Of = { ...known, ...state.typed };
  const touched = names.filter((name) => text[name] !== known[name]);
  const isSaving = state.savedOver !== null;
  const elsewhere: Elsewhere<Name>[] = isSaving
    ? []
    : names
        .filter((name) => known[name] !== state.base[name] && known[name] !== state.typed[name])
        .map((name) => ({ name, was: state.base[name] ?? '', is: known[name] ?? '' }));
  return {
    text,
    /** Those that say something else than what is known. */
    touched,
    elsewhere: touched.length === 0 ? [] : elsewhere,
    set: (part: Partial<Of>) => setKept({ ...state, typed: { ...state.typed, ...part } }),
    /** It was saved as it stands. */
    saved: () => setKept({ base: text, typed: state.typed, savedOver: JSON.stringify(known) }),
  };
}

function settled<Of extends Texts>(state: State<Of>, known: Of): State<Of> {
  const { base, typed, savedOver } = state;
  if (savedOver !== null) {
    if (savedOver === JSON.stringify(known)) return state;
    const since = Object.entries(typed).filter(([name, text]) => text !== base[name]);
    return { base: known, typed: Object.fromEntries(since) as Partial<Of>, savedOver: null };
  }
  const isTouched = Object.entries(typed).some(([name, text]) => text !== known[name]);
  return isTouched ? state : { base: known, typed: {}, savedOver: null };
}

type AnyRow = Readonly<Record<string, unknown>>;
/** The order of an object's fields says nothing, and a field that is null is one that is not there. */
const isSame = (one: unknown, other: unknown): boolean => ordered(one) === ordered(other);

const ordered = (value: unknown): string =>
  JSON.stringify(value ?? null, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(
          Object.entries(part)
            .filter(([, inner]) => inner !== null)
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        )
      : part,
  );

/**
 * The same for a form that was opened on a row, and sends values. `was`: the row as the form shows it; null: a new one.
 *
 * @param latest asks how the row stands now: no event tells of it
 */
export function useRewritten(was: AnyRow | null, latest: () => Promise<AnyRow | undefined>) {
  const [opened] = useState(was);
  const [seen, setSeen] = useState(was ?? {});
  const [elsewhere, setElsewhere] = useState<readonly Elsewhere<string>[]>([]);
  /** What the person changed; all else stays as it is, whatever somebody made of it meanwhile. */
  const changesOf = (wanted: AnyRow): AnyRow =>
    opened === null
      ? wanted
      : Object.fromEntries(Object.entries(wanted).filter(([name, value]) => !isSame(value, opened[name])));
  return {
    elsewhere,
    changesOf,
    /** False where somebody else changed one of these fields meanwhile, which is told from now on. */
    async mayOverwrite(wanted: AnyRow): Promise<boolean> {
      // whether it can be reached at all is told by what saves
      const fresh = opened === null ? undefined : await latest().catch(() => undefined);
      if (fresh === undefined || opened === null) return true;
      const changed = Object.entries(changesOf(wanted)).filter(
        ([name, value]) => !isSame(fresh[name], opened[name]) && !isSame(fresh[name], value),
      );
      setSeen(fresh);
      setElsewhere(changed.map(([name]) => ({ name, was: textOf(opened[name]), is: textOf(fresh[name]) })));
      return changed.every(([name]) => isSame(fresh[name], seen[name]));
    },
  };
}

const textOf = (value: unknown): string =>
  typeof value === 'number'
    ? asTyped(value)
    : typeof value === 'string'
      ? value
      : typeof value === 'boolean'
        ? editedWords().yesNo[value ? 'yes' : 'no']
        : Array.isArray(value)
          ? value.map(textOf).join(' · ')
          : '';

/** What somebody else changed of the form meanwhile. */
export function ElsewhereNote<Name extends string>({
  of: changed,
  label,
  shown = (_, text) => text,
}: {
  of: readonly Elsewhere<Name>[];
  label: (name: Name) => string;
  /** The text of a field as people read it. */
  shown?: (name: Name, text: string) => string;
}) {
  const words = editedWords();
  if (changed.length === 0) return null;
  const told = (name: Name, text: string) => (text === '' ? words.nothing : shown(name, text));
  return (
    <div class="note p2" role="status" data-elsewhere>
      <p>{words.changed}</p>
      <ul class="lines">
        {changed.map(({ name, was, is }) => (
          <li key={name}>
            <strong>{label(name)}</strong>: {told(name, was)} → {told(name, is)}
          </li>
        ))}
      </ul>
      <p>{words.kept}</p>
    </div>
  );
}
