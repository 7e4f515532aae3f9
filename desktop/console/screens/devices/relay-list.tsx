import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { RelayAnswer } from '#contract/resources/relays.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { now } from '../../data/clock.ts';
import { farm } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { useGet } from '../../data/query.ts';
import { age, quantity } from '../../i18n/format.ts';
import { deviceWords } from './device-words.ts';
import { RelayDialog } from './relay-dialog.tsx';
import { energyText, RelayState, RelayWarnings, relayName } from './relay-state.tsx';
import { relayWords } from './relay-words.ts';

/** Relays of the trade that switch control points of the farm, with what they measure. */
export function RelayList() {
  const words = relayWords();
  const relays = useGet<RelayAnswer[]>('/relays/', { farm_id: farm.value?.id });
  const [isAdding, setAdding] = useState(false);
  return (
    <section class="stack" aria-labelledby="relays-title">
      <div class="row apart">
        <h2 id="relays-title">{words.title}</h2>
        <Button disabled={isBlind.value} onClick={() => setAdding(true)}>
          {words.add}
        </Button>
      </div>
      <Answer of={relays} isEmpty={(rows) => rows.length === 0} empty={<p class="muted">{words.none}</p>}>
        {(rows) => (
          <div class="table-frame">
            <table class="table stacks">
              <thead>
                <tr>
                  <th scope="col">{words.point}</th>
                  <th scope="col">{words.relay}</th>
                  <th scope="col">{words.state}</th>
                  <th scope="col">{words.power}</th>
                  <th scope="col">{words.energy}</th>
                  <th scope="col">{words.seen}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((relay) => (
                  <RelayRow key={relay.control_point_id} relay={relay} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Answer>
      {relays.data?.some(({ warnings }) => warnings.length > 0) ? (
        <ul class="stack">
          {relays.data
            .filter(({ warnings }) => warnings.length > 0)
            .map((relay) => (
              <li key={relay.control_point_id} class="stack">
                <strong>{relay.cod}</strong>
                <RelayWarnings relay={relay} />
              </li>
            ))}
        </ul>
      ) : null}
      {isAdding ? <RelayDialog onClose={() => setAdding(false)} /> : null}
    </section>
  );
}

function RelayRow({ relay }: { relay: RelayAnswer }) {
  const words = relayWords();
  const { ago, never } = deviceWords();
  const at = relay.last_message_at;
  return (
    <tr data-relay={relay.cod}>
      <th scope="row">
        <Link href={`/sistema/dispositivos/${relay.control_point_id}`}>{relay.cod}</Link>
      </th>
      <td data-label={words.relay}>{relayName(relay)}</td>
      <td data-label={words.state} data-fresh={relay.is_connected ? 'fresh' : 'stale'}>
        <RelayState relay={relay} />
      </td>
      <td data-label={words.power}>{relay.is_connected ? quantity(relay.power_w, 0, 'W') : '—'}</td>
      <td data-label={words.energy}>{energyText(relay)}</td>
      <td data-label={words.seen}>
        {at === null ? never : ago(age(Math.max(0, now.value - Date.parse(at))))}
      </td>
    </tr>
  );
}
