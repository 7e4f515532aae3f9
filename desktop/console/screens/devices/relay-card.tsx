import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RelayAnswer } from '#contract/resources/relays.ts';
import { adoptionWords, deviceWords, relayWords } from '#words/devices.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { del } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { type ControlPoint, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { ageOrDash, countdown, figure, quantity } from '../../i18n/format.ts';
import { saidIn } from '../system/use-work.ts';

import { RelayDialog } from './relay-dialog.tsx';

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

/** The relay of a control point; undefined while nobody knows, null where a controller switches it. */
export function useRelayOf(controlPointId: string | null): RelayAnswer | null | undefined {
  const isAsked = controlPointId !== null && !isHosted.value;
  const told = useGet(isAsked ? `/control-points/${controlPointId}/relay` : null);
  return isAsked && !told.isError ? told.data?.relay : null;
}

export function RelayCard({ point, relay }: { point: ControlPoint; relay: RelayAnswer | null }) {
  const words = relayWords();
  const [isAsking, setAsking] = useState(false);
  const dialog = isAsking ? (
    <RelayDialog point={point} known={relay} onClose={() => setAsking(false)} />
  ) : null;
  if (relay === null) {
    return mayOperate.value ? (
      <section class="card stack" aria-labelledby="relay-title">
        <h2 id="relay-title">{words.relay}</h2>
        <p class="muted">{words.noRelayText}</p>
        <div>
          <Button disabled={isBlind.value} onClick={() => setAsking(true)}>
            {words.isRelay}
          </Button>
        </div>
        {dialog}
      </section>
    ) : null;
  }
  return (
    <section class="card stack" aria-labelledby="relay-title">
      <h2 id="relay-title">{words.relay}</h2>
      <RelayFacts relay={relay} />
      <RelayWarnings relay={relay} />
      {mayOperate.value ? (
        <div class="row">
          <Button disabled={isBlind.value} onClick={() => setAsking(true)}>
            {words.again}
          </Button>
          <Release relay={relay} />
        </div>
      ) : null}
      {dialog}
    </section>
  );
}

function RelayFacts({ relay }: { relay: RelayAnswer }) {
  const words = relayWords();
  const { uptime, firmware } = deviceWords();
  const { energy } = relay;
  const live = (text: string): string => (relay.is_connected ? text : '—');
  const counter = [
    energy !== null && energy.epoch > 1 ? words.counted(energy.epoch - 1) : null,
    energy !== null && energy.refused_jumps > 0 ? words.jumps(energy.refused_jumps) : null,
  ].filter((text) => text !== null);
  const rows: [string, ComponentChildren][] = [
    [words.model, relayName(relay)],
    [words.state, <RelayState key="state" relay={relay} />],
    [words.power, live(quantity(relay.power_w, 0, 'W'))],
    [words.voltage, live(quantity(relay.voltage_v, 0, 'V'))],
    [relay.load === 'motor' ? words.current : words.currentOfCoil, live(quantity(relay.current_a, 2, 'A'))],
    [words.factor, live(figure(relay.power_factor, 2))],
    [words.temperature, live(quantity(relay.temperature_c, 0, '°C'))],
    [words.energy, energyText(relay)],
    ...(counter.length === 0 ? [] : [[words.counter, counter.join(' · ')] as [string, string]]),
    [firmware, relay.firmware_version ?? '—'],
    [uptime, live(ageOrDash(relay.uptime_s === null ? null : relay.uptime_s * 1000))],
    ...(relay.restart_reason === null ? [] : [[words.restart, relay.restart_reason] as [string, string]]),
    ...(relay.address === null
      ? []
      : [
          [
            words.page,
            <a key="page" class="way" href={`http://${relay.address}/`} target="_blank" rel="noreferrer">
              {relay.address}
            </a>,
          ] as [string, ComponentChildren],
        ]),
  ];
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Release({ relay }: { relay: RelayAnswer }) {
  const words = relayWords();
  const [isAsking, setAsking] = useState(false);
  const release = async () => {
    await del(`/control-points/${relay.control_point_id}/relay`).catch((error: unknown) => {
      throw saidIn(error, adoptionWords().faults);
    });
    refresh('control-points', 'relays', 'adoption');
    toast(words.released(relay.cod), null, 4_000);
  };
  return (
    <>
      <Button look="danger" disabled={isBlind.value} onClick={() => setAsking(true)}>
        {words.release}
      </Button>
      {isAsking ? (
        <ConfirmDialog
          title={words.releaseTitle(relay.cod)}
          label={words.release}
          work={release}
          onClose={() => setAsking(false)}
        >
          <p>{words.releaseText}</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
