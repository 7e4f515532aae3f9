import { priorityOf } from '#contract/alert-priority.ts';
import type { AlertAnswer } from '#contract/resources/alerts.ts';
import { alarmWords } from '../../components/alarm-words.ts';
import { AllAnswered } from '../../components/answer.tsx';
import { isSimulatedAlert, SimulatedMark } from '../../components/simulated.tsx';
import { standing } from '../../data/alarms.ts';
import { now } from '../../data/clock.ts';
import { farm } from '../../data/farm-store.ts';
import { usePlaceOf } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { figure, percent } from '../../i18n/format.ts';
import { chatteringOf, mostWithin, prioritySplit, repeatedMost } from '../../state/alarm-figures.ts';
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
    <AllAnswered of={[past, active]}>
      {(resolved, standingNow) => {
        const recent = [...resolved, ...standingNow].filter(
          ({ triggered_at }) => now.value - Date.parse(triggered_at) < DAYS * DAY,
        );
        const beganAt = recent.map(({ triggered_at }) => Date.parse(triggered_at));
        const forDays = standing.value.filter(({ since }) => now.value - since > DAY).length;
        const repeated = repeatedMost(recent, 10);
        const simulated = recent.filter(isSimulatedAlert).length;
        const ofRepeated = repeated.reduce((sum, { count }) => sum + count, 0);
        return (
          <div class="stack">
            <dl class="facts card">
              <div>
                <dt>{words.perDay}</dt>
                <dd>{figure(recent.length / DAYS, 1)}</dd>
                <dd class="muted plain">{words.target('≤ 20')}</dd>
              </div>
              <div>
                <dt>{words.perTen}</dt>
                <dd>{figure(mostWithin(beganAt, 10 * 60_000))}</dd>
                <dd class="muted plain">{words.target('≤ 2')}</dd>
              </div>
              <div>
                <dt>{words.standing}</dt>
                <dd>{figure(forDays)}</dd>
                <dd class="muted plain">{words.target('0')}</dd>
              </div>
              <div data-figure="chattering">
                <dt>{words.chattering}</dt>
                <dd>{figure(chatteringOf(recent))}</dd>
                <dd class="muted plain">{words.target('0')}</dd>
              </div>
              <div data-figure="split">
                <dt>{words.split}</dt>
                <dd>
                  {recent.length === 0
                    ? '—'
                    : prioritySplit(recent.map(priorityOf))
                        .map((share) => percent(share))
                        .join(' · ')}
                </dd>
                <dd class="muted plain">{words.target('5 · 15 · 80 %')}</dd>
              </div>
            </dl>
            {simulated === 0 ? null : <p class="muted">{words.simulated(figure(simulated))}</p>}
            <section class="card stack">
              <h2>{words.top}</h2>
              {recent.length === 0 ? null : (
                <p class="muted">{words.topShare(percent((100 * ofRepeated) / recent.length))}</p>
              )}
              <ol class="stack">
                {repeated.map(({ alert, count }) => (
                  <li key={alert.id} class="row apart">
                    <span>
                      {placeOf(alert)} · {types[alert.type]} <SimulatedMark is={isSimulatedAlert(alert)} />
                    </span>
                    <strong>{figure(count)}</strong>
                  </li>
                ))}
              </ol>
            </section>
          </div>
        );
      }}
    </AllAnswered>
  );
}
