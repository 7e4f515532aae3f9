import type { AlertAnswer } from '#contract/resources/alerts.ts';
import { alarmWords } from '../../components/alarm-words.ts';
import { Answer } from '../../components/answer.tsx';
import { standing } from '../../data/alarms.ts';
import { now } from '../../data/clock.ts';
import { farm } from '../../data/farm-store.ts';
import { usePlaceOf } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { mostWithin, repeatedMost } from '../../state/alarm-figures.ts';
import { listWords } from './words.ts';

const DAY = 86_400_000;
const DAYS = 7;

/** Whether the alarms themselves are in order: too many are as bad as none. */
export function AlarmFigures() {
  const words = listWords();
  const types = alarmWords().type;
  const placeOf = usePlaceOf();
  const query = { farm_id: farm.value?.id, include: 'all', limit: 1_000 };
  const path = farm.value === null ? null : '/alerts/';
  const past = useGet<AlertAnswer[]>(path, { ...query, status: 'RESOLVED' });
  const active = useGet<AlertAnswer[]>(path, query);
  return (
    <Answer of={past}>
      {(resolved) => {
        const recent = [...resolved, ...(active.data ?? [])].filter(
          ({ triggered_at }) => now.value - Date.parse(triggered_at) < DAYS * DAY,
        );
        const beganAt = recent.map(({ triggered_at }) => Date.parse(triggered_at));
        const forDays = standing.value.filter(({ since }) => now.value - since > DAY).length;
        return (
          <div class="stack">
            <dl class="facts card">
              <div>
                <dt>{words.perDay}</dt>
                <dd>{figure(recent.length / DAYS, 1)}</dd>
                <dd class="muted small">{words.target('≤ 20')}</dd>
              </div>
              <div>
                <dt>{words.perTen}</dt>
                <dd>{figure(mostWithin(beganAt, 10 * 60_000))}</dd>
                <dd class="muted small">{words.target('≤ 2')}</dd>
              </div>
              <div>
                <dt>{words.standing}</dt>
                <dd>{figure(forDays)}</dd>
                <dd class="muted small">{words.target('0')}</dd>
              </div>
            </dl>
            <section class="card stack">
              <h2>{words.top}</h2>
              <ol class="stack">
                {repeatedMost(recent, 10).map(({ alert, count }) => (
                  <li key={alert.id} class="row apart">
                    <span>
                      {placeOf(alert)} · {types[alert.type]}
                    </span>
                    <strong>{figure(count)}</strong>
                  </li>
                ))}
              </ol>
            </section>
          </div>
        );
      }}
    </Answer>
  );
}
