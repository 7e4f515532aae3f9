import { signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { correctionsWords } from '#words/components.ts';
import { faultText } from '../components/answer.tsx';
import { toast } from '../components/toast.tsx';

import { UNDO_MS } from '../state/outbox-rules.ts';
import { ApiError, del, newUuid, post, put } from './api.ts';
import { refresh } from './query.ts';

// What was recorded wrongly is changed or taken away, and for ten seconds there is a way back: a deletion leaves only
// after them, a change is put back as it was.

const leaving = signal<ReadonlySet<string>>(new Set());

/** True while a row is shown no more but not deleted yet. */
export const isLeaving = (path: string): boolean => leaving.value.has(path);

const withLeaving = (path: string, isGone: boolean) => {
  const next = new Set(leaving.value);
  if (isGone) next.add(path);
  else next.delete(path);
  leaving.value = next;
};

type Row = { path: string; label: string; touches: readonly string[] };

/** Hides a row and deletes it once nobody took that back. A page that is closed before has deleted nothing. */
export function removeLater({ path, label, touches }: Row): void {
  withLeaving(path, true);
  const timer = setTimeout(() => void removeNow(), UNDO_MS);
  const removeNow = async () => {
    try {
      await del(path);
      refresh(...touches);
    } catch (error) {
      toast(faultText(error));
    } finally {
      // shown until the next answer no longer has it
      setTimeout(() => withLeaving(path, false), 2_000);
    }
  };
  toast(correctionsWords().removed(label), {
    label: correctionsWords().undo,
    run: () => {
      clearTimeout(timer);
      withLeaving(path, false);
    },
  });
}

/** Changes a row; taking it back writes what was there before. */
export async function correct({
  path,
  label,
  touches,
  body,
  before,
}: Row & { body: object; before: object }): Promise<void> {
  await put(path, body);
  refresh(...touches);
  toast(correctionsWords().changed(label), {
    label: correctionsWords().undo,
    run: () =>
      void put(path, before).then(
        () => refresh(...touches),
        (error: unknown) => toast(faultText(error)),
      ),
  });
}

export type Send = <Answer>(path: string, body: unknown) => Promise<Answer>;

/**
 * POST that may be sent again as often as needed: as long as the form stands and says the same, it carries the same key,
 * so that an answer that was lost makes no second row.
 */
export function useSend(): Send {
  const keys = useRef(new Map<string, string>());
  return (path, body) => {
    const text = `${path} ${JSON.stringify(body)}`;
    const key = keys.current.get(text) ?? newUuid();
    keys.current.set(text, key);
    return post(path, body, key);
  };
}

/** What the gateway refused, told at the fields it named and the rest as a whole. */
export function useFaults(): {
  at: (field: string) => string | null;
  whole: string | null;
  tell: (error: unknown, fieldOfCode?: Readonly<Record<string, string>>) => void;
  clear: () => void;
} {
  const [told, setTold] = useState<{ fields: ReadonlyMap<string, string>; whole: string | null }>({
    fields: new Map(),
    whole: null,
  });
  return {
    at: (field) => told.fields.get(field) ?? null,
    whole: told.whole,
    tell: (error, fieldOfCode = {}) => {
      const fields = error instanceof ApiError ? error.fields : [];
      const named = error instanceof ApiError ? fieldOfCode[error.code] : undefined;
      const all = new Map(fields.map(({ path, message }) => [path, message]));
      if (named !== undefined) all.set(named, faultText(error));
      setTold({ fields: all, whole: all.size > 0 ? null : faultText(error) });
    },
    clear: () => setTold({ fields: new Map(), whole: null }),
  };
}
