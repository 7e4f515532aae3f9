import type { RelayAnswer } from '#contract/resources/relays.ts';
import { now } from '../../data/clock.ts';
import { countdown, quantity } from '../../i18n/format.ts';
import { relayWords } from './relay-words.ts';

/** What the relay says it does, and the order where that is another. */
export function RelayState({ relay }: { relay: RelayAnswer }) {
  const words = relayWords();
  const { current_status: current, target_status: target, sends_at } = relay;
  const waitsMs = sends_at === null ? 0 : Date.parse(sends_at) - now.value;
  const told =
    current === null
      ? words.unheard
      : !relay.is_connected
        ? words.away
        : current === 'ON'
          ? words.on
          : words.off;
  return (
    <span>
      <strong>{told}</strong>
      {current === target ? null : <span class="muted small"> · {words.wanted[target]}</span>}
      {waitsMs <= 0 ? null : <span class="muted small"> · {words.sendsIn(countdown(waitsMs))}</span>}
    </span>
  );
}

export const energyText = ({ energy }: RelayAnswer): string =>
  energy === null ? relayWords().noMeter : quantity(energy.counted_wh / 1000, 2, 'kWh');

/** What a relay of the trade is called on a box: maker, model, channel. */
export function relayName({ kind, model, channel }: Pick<RelayAnswer, 'kind' | 'model' | 'channel'>): string {
  const words = relayWords();
  const plain = words.kinds[kind];
  const named = model === null ? plain : model.toLowerCase().includes(kind) ? model : `${plain} ${model}`;
  return channel === 1 ? named : `${named} · ${words.ofChannel(channel)}`;
}

export function RelayWarnings({ relay }: { relay: RelayAnswer }) {
  const words = relayWords();
  return (
    <>
      {relay.warnings.map(({ code, message }) => (
        <div key={code} class="note p2" data-warning={code}>
          <div>
            <p>{words.warnings[code]}</p>
            {code === 'REFUSED_BY_RELAY' || code === 'OVERLOAD' ? (
              <p class="muted small breaks">{message}</p>
            ) : null}
          </div>
        </div>
      ))}
    </>
  );
}
