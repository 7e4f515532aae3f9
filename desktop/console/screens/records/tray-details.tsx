import { Link } from 'wouter-preact';
import type { RecordAnswer } from '#contract/resources/farm-records.ts';
import { trayWords } from '#words/trays.ts';
import type { CorrectedField } from '../../components/correction-dialog.tsx';
import { traysTyped } from '../../components/tray-fields.tsx';
import { mayRecord } from '../../data/farm-store.ts';
import type { TraysLeft } from '../../data/planned-feed.ts';
import { clockTime, figure, percent, quantity } from '../../i18n/format.ts';

/** What was left on each tray, in words; of other records nothing. */
export function traysIn({ trays }: RecordAnswer): string[] {
  const words = trayWords();
  return (trays ?? []).map(({ tray, left_percent, note }) => {
    const left = left_percent === null ? words.unseen : percent(left_percent, left_percent % 1 === 0 ? 0 : 1);
    return `${words.one(String(tray))}: ${left}${note === null ? '' : ` (${note})`}`;
  });
}

export function trayFieldOf({ trays }: RecordAnswer): CorrectedField {
  return { name: 'trays', label: trayWords().title, kind: 'trays', first: traysTyped(trays ?? []) };
}

/** What the last meal left on the trays of a pond and what the next one is for it, with whose table says so. */
export function TraysLeftNote({ trays, pondCod }: { trays: TraysLeft; pondCod: string }) {
  const words = trayWords();
  return (
    <div class="row apart" data-trays={pondCod}>
      {trays === null ? (
        <span class="muted small">{words.none}</span>
      ) : (
        <span>
          {[words.left(percent(trays.left_percent)), seenOf(trays), nextOf(trays)].join(' · ')}
          <br />
          <span class="muted small">
            {trays.source === null ? words.ownTable : words.source(trays.source)}
          </span>
        </span>
      )}
      {mayRecord.value ? (
        <Link class="button" href={`/lancar/racao/bandejas?pond=${encodeURIComponent(pondCod)}`}>
          {words.enter}
        </Link>
      ) : null}
    </div>
  );
}

function seenOf({
  checked_at: at,
  trays_seen: seen,
  trays_not_seen: unseen,
}: NonNullable<TraysLeft>): string {
  const words = trayWords();
  if (at === null || seen === null) return words.told;
  const told = words.checked(clockTime(at), seen);
  return unseen === null || unseen === 0 ? told : `${told}, ${words.notSeen(unseen)}`;
}

function nextOf({ next_meal_change_percent: change, next_meal_kg: kg }: NonNullable<TraysLeft>): string {
  const words = trayWords();
  const told = quantity(kg, 2, 'kg');
  if (change <= -100) return words.skip;
  if (change === 0) return words.same(told);
  return words.next(told, `${change > 0 ? '+' : '−'}${figure(Math.abs(change))}\u00A0%`);
}
