import { useSearchParams } from 'wouter-preact';
import { WATER_FIELDS } from '#contract/resources/water-quality.ts';
import { compareWords } from '#words/charts.ts';

// What is compared, as it stands in the address, and the choice of it.

export const KINDS = ['viveiros', 'lotes', 'tabela', 'noites'] as const;
type Kind = (typeof KINDS)[number];
/** More nobody tells apart. */
export const MOST = 4;
export const DAYS = { '24h': 2, '7d': 7, '30d': 30, '90d': 90 } as const;
export type Days = keyof typeof DAYS;
/** Of the table of batches. */
export const STATUSES = ['todos', 'ativos', 'despescados', 'encerrados'] as const;

/** What is compared stands in the address: it can be sent. */
export function useAsked() {
  const [asked, ask] = useSearchParams();
  const keep = (change: (next: URLSearchParams) => void) =>
    ask(
      (before) => {
        const next = new URLSearchParams(before);
        change(next);
        return next;
      },
      { replace: true },
    );
  const kind = KINDS.find((each) => each === asked.get('o')) ?? 'viveiros';
  const chosen = kind === 'tabela' ? asked.getAll('v') : asked.getAll('v').slice(0, MOST);
  return {
    kind,
    chosen,
    field: WATER_FIELDS.find((field) => field === asked.get('p')) ?? 'dissolved_oxygen',
    days: (Object.keys(DAYS) as Days[]).find((days) => days === asked.get('t')) ?? '7d',
    status: STATUSES.find((status) => status === asked.get('s')) ?? 'todos',
    isOfAll: asked.get('f') === 'todas',
    set: (name: 'p' | 't' | 's' | 'f', value: string) => keep((next) => next.set(name, value)),
    start: (wanted: Kind) =>
      keep((next) => {
        next.set('o', wanted);
        next.delete('v');
      }),
    choose: (names: readonly string[]) =>
      keep((next) => {
        next.delete('v');
        for (const name of names) next.append('v', name);
      }),
  };
}

export type Asked = ReturnType<typeof useAsked>;

/** `most`: as many as may be chosen. */
export function Choice({
  names,
  label,
  asked,
  most = MOST,
}: {
  names: readonly string[];
  label: string;
  asked: Asked;
  most?: number;
}) {
  const words = compareWords();
  const { chosen } = asked;
  const isFull = chosen.length >= most;
  return (
    <fieldset class="compared no-print">
      <legend>{label}</legend>
      {names.map((name) => {
        const isChosen = chosen.includes(name);
        return (
          <label key={name}>
            <input
              type="checkbox"
              checked={isChosen}
              disabled={isFull && !isChosen}
              onChange={() =>
                asked.choose(isChosen ? chosen.filter((other) => other !== name) : [...chosen, name])
              }
            />
            {name}
          </label>
        );
      })}
      {isFull ? (
        <p class="muted small" role="status">
          {words.enough(most)}
        </p>
      ) : null}
    </fieldset>
  );
}
