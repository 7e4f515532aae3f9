import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { adoptionWords, deviceWords } from '#words/devices.ts';
import { systemWords } from '#words/system.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { ElsewhereNote, useEdited } from '../../components/edited.tsx';
import { TextField } from '../../components/field.tsx';
import { NotProvedMark } from '../../components/not-proved.tsx';
import { SimulatedMark, watermark } from '../../components/simulated.tsx';
import { toast } from '../../components/toast.tsx';
import { del, put } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { type ControlPoint, controlPoints, isKnown, mayOperate, presence } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { age, ageOrDash, quantity } from '../../i18n/format.ts';
import { freshnessOf, linkQualityOf } from '../../state/freshness.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { AdoptDialog } from './adopt-dialog.tsx';
import { DeviceKeys } from './device-keys.tsx';
import { DevicePonds } from './device-ponds.tsx';

import { RelayCard, useRelayOf } from './relay-card.tsx';
import { UnkeyedSetting } from './unkeyed-setting.tsx';

const BARS = { good: '▂▄▆█', fair: '▂▄▆', weak: '▂▄', bad: '▂' } as const;

/** Bars and the word for them, with the figure that a technician asks for. */
export function LinkQualityText({ rssi }: { rssi: number | null | undefined }) {
  const words = deviceWords();
  const quality = linkQualityOf(rssi);
  if (quality === null) return <>—</>;
  return (
    <span>
      <span aria-hidden="true">{BARS[quality]} </span>
      {words.quality[quality]} <span class="muted small whole">{quantity(rssi, 0, 'dBm')}</span>
    </span>
  );
}

/** One controller: what it tells of itself, its name, its ponds, its keys. */
export function DevicePage({ params }: { params: Readonly<Record<string, string>> }) {
  const words = deviceWords();
  const point = controlPoints.value.get(params['id'] ?? '');
  const relay = useRelayOf(point?.id ?? null);
  if (point === undefined) {
    return (
      <SystemPage title={words.title}>
        {isKnown.value ? <Empty text={words.none} /> : <div class="skeleton" aria-busy="true" />}
      </SystemPage>
    );
  }
  return (
    <SystemPage
      title={`${words.title} · ${point.cod}`}
      action={
        <Link class="button" href={`/aeracao/${point.id}`}>
          {words.toPoint}
        </Link>
      }
    >
      <Facts point={point} />
      {relay ? <RelayCard point={point} relay={relay} /> : null}
      {mayOperate.value ? (
        <>
          {relay === null ? <DeviceKeys point={point} /> : null}
          <UnkeyedSetting point={point} />
          {relay === null && !isHosted.value && !point.is_simulated ? (
            <>
              <ReplaceCard point={point} />
              <RelayCard point={point} relay={relay} />
            </>
          ) : null}
          {point.is_siren ? null : <DevicePonds point={point} />}
          <Names key={point.id} point={point} />
          <Removal point={point} />
        </>
      ) : null}
    </SystemPage>
  );
}

function Facts({ point }: { point: ControlPoint }) {
  const words = deviceWords();
  const status = useGet(`/devices/status/${encodeURIComponent(point.device_id)}`);
  const told = presence.value.get(point.id);
  const heard = told?.last_heartbeat ?? null;
  const silentMs = heard === null ? null : now.value - Date.parse(heard);
  const fresh = freshnessOf('report', silentMs);
  // of a controller that is silent nobody knows how it is now
  const isSilent = fresh === 'stale';
  return (
    <section class="card stack" {...watermark(point.is_simulated)}>
      <div class="row apart">
        <h2>
          {words.facts} <SimulatedMark is={point.is_simulated} /> <NotProvedMark pointId={point.id} />
        </h2>
        {mayOperate.value && !isHosted.value ? (
          <Link class="button quiet" href={`/sistema/bancada/sombra/${point.id}`}>
            {words.shadow}
          </Link>
        ) : null}
      </div>
      <dl class="facts">
        <Fact name={words.device}>
          <span class="mono">{point.device_id}</span>
        </Fact>
        <div data-fresh={fresh}>
          <dt>{words.seen}</dt>
          <dd>
            {silentMs === null ? words.never : words.ago(age(silentMs))}
            {isSilent ? ` · ${words.silent}` : ''}
          </dd>
        </div>
        <Fact name={words.signal}>
          <LinkQualityText rssi={isSilent ? null : told?.rssi} />
        </Fact>
        <Answer of={status}>
          {(data) => (
            <>
              <Fact name={words.firmware}>{data.firmware_version ?? '—'}</Fact>
              <Fact name={words.uptime}>
                {ageOrDash(data.uptime_s === null || isSilent ? null : data.uptime_s * 1000)}
              </Fact>
              <Fact name={words.via}>{data.via?.toUpperCase() ?? '—'}</Fact>
              <Fact name={words.power}>
                {data.power_ok === null || isSilent ? '—' : data.power_ok ? words.powerOk : words.powerOut}
              </Fact>
            </>
          )}
        </Answer>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Names({ point }: { point: ControlPoint }) {
  const words = deviceWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const edited = useEdited<Readonly<Record<'cod' | 'device_id', string>>>({
    cod: point.cod,
    device_id: point.device_id,
  });
  const { cod, device_id: device } = edited.text;
  const save = () =>
    run(async () => {
      const changes = Object.fromEntries(edited.touched.map((name) => [name, edited.text[name].trim()]));
      await put(`/control-points/${point.id}`, changes);
      edited.saved();
      refresh('control-points', 'devices');
    }, shared.saved);
  return (
    <section class="card stack">
      <h2>{words.names}</h2>
      <div class="form-grid">
        <TextField
          needed
          label={words.code}
          value={cod}
          maxLength={255}
          onInput={(event) => edited.set({ cod: event.currentTarget.value })}
        />
        <TextField
          needed
          label={words.device}
          hint={point.is_simulated ? words.simulatedText : words.renameText}
          disabled={point.is_simulated}
          value={device}
          maxLength={255}
          autoCapitalize="none"
          spellcheck={false}
          onInput={(event) => edited.set({ device_id: event.currentTarget.value })}
        />
      </div>
      <ElsewhereNote of={edited.elsewhere} label={(name) => (name === 'cod' ? words.code : words.device)} />
      <FaultNote fault={fault} />
      <div>
        <WorkButton
          look="main"
          unready={edited.touched.length === 0 || isBlind.value || cod.trim() === '' || device.trim() === ''}
          work={save}
        >
          {shared.save}
        </WorkButton>
      </div>
    </section>
  );
}

function Removal({ point }: { point: ControlPoint }) {
  const words = deviceWords();
  const [, go] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const remove = async () => {
    await del(`/control-points/${point.id}`);
    refresh('control-points', 'devices', 'ponds');
    toast(words.removed(point.cod), null, 4_000);
    go('/sistema/dispositivos');
  };
  return (
    <div>
      <Button look="danger" disabled={isBlind.value} onClick={() => setAsking(true)}>
        {words.remove}
      </Button>
      {isAsking ? (
        <ConfirmDialog
          title={words.removeTitle(point.cod)}
          label={words.remove}
          mustType={{ label: words.typeCode(point.cod), text: point.cod }}
          work={remove}
          onClose={() => setAsking(false)}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}

/** Another controller in the place of a broken one. */
function ReplaceCard({ point }: { point: ControlPoint }) {
  const words = adoptionWords();
  const [isAsking, setAsking] = useState(false);
  return (
    <section class="card stack" aria-labelledby="replace-title">
      <h2 id="replace-title">{words.broken}</h2>
      <p class="muted">{words.brokenText}</p>
      <div>
        <Button disabled={isBlind.value} onClick={() => setAsking(true)}>
          {words.replace}
        </Button>
      </div>
      {isAsking ? <AdoptDialog point={point} onClose={() => setAsking(false)} /> : null}
    </section>
  );
}
