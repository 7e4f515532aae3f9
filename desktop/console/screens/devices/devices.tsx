import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { ControlPointAnswer } from '#contract/resources/control-points.ts';
import type { RelayAnswer } from '#contract/resources/relays.ts';
import { deviceWords, relayWords } from '#words/devices.ts';
import { systemWords } from '#words/system.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import type { BulkOf } from '../../components/bulk-choice.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { NotProvedMark } from '../../components/not-proved.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { SimulatedMark } from '../../components/simulated.tsx';
import { now } from '../../data/clock.ts';
import { useSend } from '../../data/corrections.ts';
import { type ControlPoint, farm, farmControlPoints, mayOperate, presence } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { pondLine, usePondsByPoint } from '../../data/places.ts';
import { refresh, useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { age, quantity } from '../../i18n/format.ts';
import { freshnessOf } from '../../state/freshness.ts';
import { nextCode } from '../account/second-factor.tsx';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { AdoptionQueue } from './adoption-queue.tsx';
import { LinkQualityText } from './device-page.tsx';
import { PointBulk } from './point-bulk.tsx';
import { ProvisioningWindow } from './provisioning-window.tsx';
import { energyText, RelayState, RelayWarnings, relayName } from './relay-card.tsx';
import { RelayDialog } from './relay-dialog.tsx';

/** Every controller of the farm: which one, when it was last heard, how well; and who knocked that nobody knows. */
export function Devices() {
  const words = deviceWords();
  const [adopting, setAdopting] = useState<{ deviceId: string } | null>(null);
  const points = farmControlPoints.value;
  const may = mayOperate.value && farm.value !== null;
  const bulk = {
    nameOf: ({ cod }: ControlPoint) => cod,
    edit: (chosen: readonly ControlPoint[], onClose: () => void) => (
      <PointBulk points={chosen} onClose={onClose} />
    ),
  };
  return (
    <SystemPage
      title={words.title}
      action={
        may ? (
          <Button look="main" disabled={isBlind.value} onClick={() => setAdopting({ deviceId: '' })}>
            {words.create}
          </Button>
        ) : undefined
      }
    >
      {points.length === 0 ? (
        <Empty text={words.none} />
      ) : (
        <PointTable points={points} bulk={may ? bulk : undefined} />
      )}
      {may && !isHosted.value ? <AtTheDoor key={farm.value?.id} /> : null}
      {may && isHosted.value ? <SeenDevices onAdopt={(deviceId) => setAdopting({ deviceId })} /> : null}
      {adopting === null ? null : (
        <PointDialog deviceId={adopting.deviceId} onClose={() => setAdopting(null)} />
      )}
    </SystemPage>
  );
}

/** How long nothing was heard of it; null: it never spoke. */
function silenceOf({ id }: ControlPoint): number | null {
  const told = presence.value.get(id)?.last_heartbeat;
  return told ? now.value - Date.parse(told) : null;
}

function PointTable({
  points,
  bulk,
}: {
  points: readonly ControlPoint[];
  bulk: BulkOf<ControlPoint> | undefined;
}) {
  const words = deviceWords();
  const byPoint = usePondsByPoint();
  const rssiOf = (point: ControlPoint) =>
    freshnessOf('report', silenceOf(point)) === 'stale' ? null : (presence.value.get(point.id)?.rssi ?? null);
  const pondsOf = ({ id }: ControlPoint) => pondLine(byPoint(id), words.noPonds);
  return (
    <RecordTable<ControlPoint>
      label={words.title}
      address="dispositivos"
      keyOf={({ id }) => id}
      rows={points}
      bulk={bulk}
      attributesOf={({ cod }) => ({ 'data-point': cod })}
      columns={[
        {
          name: words.code,
          of: (point) => (
            <>
              <Link href={`/sistema/dispositivos/${point.id}`}>{point.cod}</Link>{' '}
              <SimulatedMark is={point.is_simulated} /> <NotProvedMark pointId={point.id} />
            </>
          ),
          raw: ({ cod }) => cod,
        },
        {
          name: words.device,
          of: ({ device_id }) => <span class="mono">{device_id}</span>,
          raw: ({ device_id }) => device_id,
        },
        { name: words.seen, of: (point) => <Seen silentMs={silenceOf(point)} />, raw: silenceOf },
        { name: words.signal, of: (point) => <LinkQualityText rssi={rssiOf(point)} />, raw: rssiOf },
        { name: words.ponds, of: pondsOf, raw: pondsOf },
      ]}
    />
  );
}

function Seen({ silentMs }: { silentMs: number | null }) {
  const words = deviceWords();
  const fresh = freshnessOf('report', silentMs);
  return (
    <span data-fresh={fresh}>
      {silentMs === null ? words.never : words.ago(age(silentMs))}
      {fresh === 'stale' ? ` · ${words.silent}` : ''}
    </span>
  );
}

/** How devices come onto the farm: relays it has, the window, who knocked. Only the gateway has a door. */
function AtTheDoor() {
  return (
    <>
      <RelayList />
      <ProvisioningWindow />
      <AdoptionQueue />
    </>
  );
}

/** Relays of the trade that switch control points of the farm, with what they measure. */
function RelayList() {
  const words = relayWords();
  const relays = useGet('/relays/', { farm_id: farm.value?.id });
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
          <RecordTable<RelayAnswer>
            label={words.title}
            address="reles"
            keyOf={({ control_point_id }) => control_point_id}
            rows={rows}
            attributesOf={({ cod }) => ({ 'data-relay': cod })}
            columns={relayColumns()}
          />
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

function relayColumns(): Column<RelayAnswer>[] {
  const words = relayWords();
  const { ago, never } = deviceWords();
  return [
    {
      name: words.point,
      of: ({ cod, control_point_id }) => (
        <Link href={`/sistema/dispositivos/${control_point_id}`}>{cod}</Link>
      ),
      raw: ({ cod }) => cod,
    },
    { name: words.relay, of: relayName, raw: relayName },
    {
      name: words.state,
      of: (relay) => (
        <span data-fresh={relay.is_connected ? 'fresh' : 'stale'}>
          <RelayState relay={relay} />
        </span>
      ),
      raw: ({ is_connected }) => Number(is_connected),
    },
    {
      name: words.power,
      of: ({ is_connected, power_w }) => (is_connected ? quantity(power_w, 0, 'W') : '—'),
      raw: ({ is_connected, power_w }) => (is_connected ? power_w : null),
    },
    { name: words.energy, of: energyText },
    {
      name: words.seen,
      of: ({ last_message_at: at }) =>
        at === null ? never : ago(age(Math.max(0, now.value - Date.parse(at)))),
      raw: ({ last_message_at }) => last_message_at,
    },
  ];
}

/** A new control point, with the controller that knocked when there is one. */
export function PointDialog({
  deviceId,
  onMade,
  onClose,
}: {
  deviceId: string;
  /** What becomes of it here; without it, its page is opened. */
  onMade?: (pointId: string) => void;
  onClose: () => void;
}) {
  const words = deviceWords();
  const shared = systemWords();
  const [, go] = useLocation();
  const { fault, run } = useWork();
  const send = useSend();
  const [cod, setCod] = useState(() =>
    nextCode(farmControlPoints.value.filter(({ is_simulated }) => !is_simulated).map((point) => point.cod)),
  );
  const [device, setDevice] = useState(deviceId);
  const twin = farmControlPoints.value.find(({ device_id }) => device_id === device.trim());
  const create = async () => {
    let made: ControlPointAnswer | null = null;
    const isDone = await run(async () => {
      made = await send('/control-points/', {
        farm_id: farm.value?.id,
        cod: cod.trim(),
        device_id: device.trim(),
        target_status: 'OFF',
      });
      refresh('control-points', 'devices');
    }, words.created(cod.trim()));
    // the key comes next, and it is on the page of the point
    if (!isDone || made === null) return;
    const { id } = made as ControlPointAnswer;
    if (onMade === undefined) go(`/sistema/dispositivos/${id}`);
    else onMade(id);
  };
  return (
    <Dialog
      title={words.createTitle}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {shared.cancel}
          </Button>
          <WorkButton
            big
            look="main"
            unready={cod.trim() === '' || device.trim() === '' || twin !== undefined}
            work={create}
          >
            {words.create}
          </WorkButton>
        </>
      }
    >
      <TextField
        needed
        label={words.code}
        hint={words.codeHint}
        value={cod}
        maxLength={255}
        onInput={(event) => setCod(event.currentTarget.value)}
      />
      <TextField
        needed
        label={words.device}
        hint={words.deviceHint}
        value={device}
        maxLength={255}
        autoCapitalize="none"
        spellcheck={false}
        fault={twin === undefined ? null : words.taken(twin.cod)}
        onInput={(event) => setDevice(event.currentTarget.value)}
      />
      <p class="muted small">{words.startsOff}</p>
      <FaultNote fault={fault} />
    </Dialog>
  );
}

/** Controllers that knocked and are nobody's. */
export function SeenDevices({ onAdopt }: { onAdopt: (deviceId: string) => void }) {
  const words = deviceWords();
  // in the cloud they are those of all farms, and told to nobody else
  const isTold = user.value?.role === 'ADMIN';
  const seen = useGet(isTold ? '/devices/seen' : null);
  if (!isTold) return null;
  return (
    <section class="card stack">
      <h2>{words.unknown}</h2>
      <Answer of={seen} isEmpty={(rows) => rows.length === 0} empty={<p class="muted">{words.noUnknown}</p>}>
        {(rows) => (
          <>
            <p class="muted">{words.unknownText}</p>
            <ul class="lines">
              {rows.map((device) => (
                <li key={device.device_id} class="row apart">
                  <div>
                    <strong class="mono">{device.device_id}</strong>
                    <p class="muted small">
                      {words.keptOut[device.reason]} ·{' '}
                      {words.ago(age(now.value - Date.parse(device.last_seen)))} · {words.times(device.count)}{' '}
                      · {device.via.toUpperCase()} · {device.source}
                    </p>
                  </div>
                  <Button disabled={isBlind.value} onClick={() => onAdopt(device.device_id)}>
                    {words.adopt}
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
      </Answer>
    </section>
  );
}
