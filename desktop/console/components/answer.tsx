import { signal } from '@preact/signals';
import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks';
import { answerWords, componentWords } from '#words/components.ts';
import { faults } from '#words/faults.ts';
import { spoken } from '#words/language.ts';
import type * as Rarer from '#words/rarer-faults.ts';
import { ApiError } from '../data/api.ts';
import { dayAndTime, figure } from '../i18n/format.ts';
import { plainSentence } from '../i18n/plain-sentence.ts';
import { Button } from './button.tsx';

/** Shows an answer once it is there; until then that it comes, or why it does not. */
export function Answer<Data>({
  of: result,
  children,
  isEmpty,
  empty,
}: {
  of: UseQueryResult<Data>;
  children: (data: Data) => ComponentChildren;
  isEmpty?: (data: Data) => boolean;
  empty?: ComponentChildren;
}) {
  if (result.data !== undefined) {
    return <>{isEmpty?.(result.data) ? empty : children(result.data)}</>;
  }
  return <Awaited of={[result]} />;
}

type Told<Answers extends readonly UseQueryResult<unknown>[]> = {
  [Each in keyof Answers]: NonNullable<Answers[Each]['data']>;
};

/** The same for what rests on several answers: one that is not there yet is not an empty one. */
export function AllAnswered<const Answers extends readonly UseQueryResult<unknown>[]>({
  of: results,
  children,
}: {
  of: Answers;
  children: (...told: Told<Answers>) => ComponentChildren;
}) {
  const told = results.map(({ data }) => data);
  if (told.includes(undefined)) return <Awaited of={results} />;
  return <>{children(...(told as Told<Answers>))}</>;
}

type Question = Pick<UseQueryResult, 'isError' | 'error' | 'refetch'>;

/** Stands in the place of what rests on several answers: that they come, or why one does not. */
export function Awaited({ of: questions }: { of: readonly Question[] }) {
  const failed = questions.filter(({ isError }) => isError);
  const [first] = failed;
  const again = () => {
    for (const question of failed) void question.refetch();
  };
  if (first !== undefined) return <Fault error={first.error} again={again} />;
  return (
    <div class="skeleton" aria-busy="true">
      <span class="visually-hidden">{componentWords().loading}</span>
    </div>
  );
}

export function Fault({ error, again }: { error: unknown; again?: () => void }) {
  const words = componentWords();
  return (
    <div class="note p2" role="alert">
      <span class="grow">{faultText(error)}</span>
      {again === undefined ? null : <Button onClick={again}>{words.tryAgain}</Button>}
    </div>
  );
}

/** What to tell a person: the interface's own sentence, or that it was not reached. */
export function faultText(error: unknown): string {
  const words = componentWords();
  if (!(error instanceof ApiError)) return words.unreachable;
  const inTheWay = recordInTheWay(error.body);
  if (inTheWay !== null) return inTheWay;
  const available = error.body['available'];
  if (error.code === 'NOT_ENOUGH_ANIMALS' && typeof available === 'number') {
    return words.notEnough(figure(available));
  }
  const [field, ...more] = error.fields;
  const ofField = field === undefined || more.length > 0 ? null : faultOf(field.code ?? '');
  const ofCheck = field === undefined ? null : fieldFaultOf(field.path, field.code ?? '');
  return faultOf(error.code) ?? ofField ?? ofCheck ?? plainSentence(error.message);
}

/** What was recorded already, and could then not have been. */
function recordInTheWay({ record, available }: Readonly<Record<string, unknown>>): string | null {
  if (typeof record !== 'object' || record === null) return null;
  const { kind, at, quantity } = record as { kind?: string; at?: string; quantity?: number };
  const { inTheWay, notEnoughThen } = componentWords();
  const when = dayAndTime(at ?? null);
  if (typeof available !== 'number') return inTheWay[kind as keyof typeof inTheWay]?.(when) ?? null;
  const sentence = notEnoughThen[kind as keyof typeof notEnoughThen];
  return sentence?.(when, figure(quantity), figure(available)) ?? null;
}

export function Empty({ text, children }: { text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{text}</p>
      {children}
    </div>
  );
}

/** What is, beside what will be once it is saved. */
export function BeforeAfter({ rows }: { rows: readonly { name: string; before: string; after: string }[] }) {
  const w = answerWords();
  return (
    <table class="before-after">
      <caption class="visually-hidden">{w.caption}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">{w.what}</span>
          </th>
          <th scope="col">{w.now}</th>
          <th scope="col">{w.after}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, before, after }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{before}</td>
            <td>{after}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** As long as it takes to see that something else stands where the finger is going. */
const SETTLES_MS = 500;

/** Whether what is shown since then has been there long enough for a press to be meant for it. */
export const isSettled = (since: number): boolean => performance.now() - since >= SETTLES_MS;

/** Whether a list of that order has stood still: a press that comes right behind a move was meant for another row. */
export function useSettled(order: string): () => boolean {
  const seen = useRef({ order, since: Number.NEGATIVE_INFINITY });
  useLayoutEffect(() => {
    if (seen.current.order !== order) seen.current = { order, since: performance.now() };
  }, [order]);
  return useCallback(() => isSettled(seen.current.since), []);
}

/** The refusals that are seldom seen, once they are fetched. */
const rarer = signal<typeof Rarer | null>(null);

export async function fetchRarerFaults(): Promise<void> {
  if (rarer.peek() !== null) return;
  rarer.value = await import('#words/rarer-faults.ts').catch(() => null);
}

/** The sentence in the person's language for a refusal; null: the interface's own is told. */
export function faultOf(code: string): string | null {
  const known: Readonly<Record<string, string>> = faults();
  const found = known[code] ?? rarer.value?.rarerFaults()[code] ?? null;
  if (found === null) void fetchRarerFaults();
  return found;
}

/** The same for one field that was not accepted, by the code of its check. */
function fieldFaultOf(path: string, check: string): string | null {
  if (spoken.isOfInterface || rarer.value === null) return null;
  const words = rarer.value.fieldFaults();
  const last = path.split('.').at(-1) ?? path;
  return words.sentence(words.fields[last] ?? words.field(last), words.checks[check] ?? words.notAccepted);
}
