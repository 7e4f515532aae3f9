import { useState } from 'preact/hooks';
import { priorityOf } from '#contract/alert-priority.ts';
import type { AlertAnswer } from '#contract/resources/alerts.ts';
import { alarmText } from '../../components/alarm-words.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { PriorityMark } from '../../components/priority-mark.tsx';
import { componentWords } from '../../components/words.ts';
import { farm } from '../../data/farm-store.ts';
import { usePlaceOf } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { clockTime, dayAndTime } from '../../i18n/format.ts';
import { listWords } from './words.ts';

const PAGE = 50;

/** What is over, newest first. */
export function AlarmHistory() {
  const words = listWords();
  const more = componentWords().more;
  const placeOf = usePlaceOf();
  const [limit, setLimit] = useState(PAGE);
  const past = useGet<AlertAnswer[]>(farm.value === null ? null : '/alerts/', {
    farm_id: farm.value?.id,
    include: 'all',
    status: 'RESOLVED',
    limit,
  });
  return (
    <Answer of={past} isEmpty={(rows) => rows.length === 0} empty={<Empty text={words.none} />}>
      {(rows) => (
        <>
          <div class="table-frame">
            <table class="table blocks">
              <thead>
                <tr>
                  <th scope="col">{words.what}</th>
                  <th scope="col">{words.where}</th>
                  <th scope="col">{words.when}</th>
                  <th scope="col">{words.ended}</th>
                  <th scope="col">{words.who}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id}>
                    <td>
                      <span class="row nowrap">
                        <PriorityMark priority={priorityOf(row)} /> {alarmText(row)}
                      </span>
                    </td>
                    <td data-label={words.where}>{placeOf(row)}</td>
                    <td data-label={words.when}>{dayAndTime(row.triggered_at)}</td>
                    <td data-label={words.ended}>{dayAndTime(row.resolved_at)}</td>
                    <td data-label={words.who}>{whoText(row)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {rows.length < limit ? null : <Button onClick={() => setLimit(limit + PAGE)}>{more}</Button>}
        </>
      )}
    </Answer>
  );
}

/** Who answered it, and what they noted. */
function whoText({ acknowledged_at, acknowledged_by_name, acknowledge_note }: AlertAnswer): string {
  const words = listWords();
  if (acknowledged_at === null) return words.state.unanswered;
  const answered = words.answered(clockTime(acknowledged_at), acknowledged_by_name);
  return acknowledge_note === null ? answered : `${answered}: ${acknowledge_note}`;
}
