import type { ModemAnswer } from '#contract/resources/modem.ts';
import { Answer } from '../../components/answer.tsx';
import { now } from '../../data/clock.ts';
import { mayOperate } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { age, figure, quantity } from '../../i18n/format.ts';
import { sirenWords } from './words.ts';

/** dBm from which the signal is called so, strongest first. */
const SIGNALS = [
  { from: -85, word: 'good' },
  { from: -104, word: 'fair' },
] as const;
const signalWordOf = (dbm: number) => SIGNALS.find(({ from }) => dbm >= from)?.word ?? 'weak';

/** How the modem of the box stands, and the next thing to do about it. */
export function ModemCard() {
  const words = sirenWords();
  const modem = useGet<ModemAnswer>(mayOperate.value ? '/system/modem' : null);
  return (
    <section class="card stack" aria-labelledby="modem" data-modem={modem.data?.state}>
      <h2 id="modem">{words.modem}</h2>
      {mayOperate.value ? (
        <Answer of={modem}>{(told) => <Stand told={told} />}</Answer>
      ) : (
        <p class="muted">{words.noRight}</p>
      )}
    </section>
  );
}

function Stand({ told }: { told: ModemAnswer }) {
  const words = sirenWords();
  const { state, signal_dbm: dbm, operator, checked_at } = told;
  // a box without a modem is no fault
  const look = state === 'ready' || state === 'starting' || state === 'off' ? 'note' : 'note p2';
  const rows: [string, string | null][] = [
    [
      words.operator,
      operator === null ? null : told.is_roaming ? `${operator} (${words.roaming})` : operator,
    ],
    [
      words.signal,
      dbm === null ? null : `${quantity(dbm, 0, 'dBm')} · ${words.signalWord[signalWordOf(dbm)]}`,
    ],
    [words.model, told.model],
    [words.port, told.port],
    [words.sent, state === 'off' ? null : figure(told.sent)],
    [words.arrived, state === 'off' ? null : figure(told.arrived)],
    [words.failed, state === 'off' ? null : figure(told.failed + told.undelivered)],
    [words.bound, state === 'off' ? null : words.perHour(figure(told.sms_per_hour))],
    [
      words.checked,
      checked_at === null ? null : words.ago(age(Math.max(0, now.value - Date.parse(checked_at)))),
    ],
    [words.lastError, told.last_error],
  ];
  const facts = rows.filter(([, value]) => value !== null);
  return (
    <>
      <div class={`${look} stack`}>
        <p>
          <strong>{words.modemState[state]}</strong> · {told.message}
        </p>
        {told.next === null ? null : (
          <p class="breaks">
            {words.whatNow}: {told.next}
          </p>
        )}
      </div>
      {facts.length === 0 ? null : (
        <dl class="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="breaks plain">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
