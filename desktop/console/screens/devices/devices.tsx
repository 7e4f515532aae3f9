import '../../styles/tables.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { ControlPointAnswer } from '#contract/resources/control-points.ts';
import type { RelayAnswer } from '#contract/resources/relays.ts';
import { deviceWords, relayWords } from '#words/devices.ts';
import { systemWords } from '#words/system.ts';
import { bulkWords } from '#words/tables.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { BulkBar, ChooseAll, ChooseOne, useChoice } from '../../components/bulk-choice.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { NotProvedMark } from '../../components/not-proved.tsx';
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
  const byPoint = usePondsByPoint();
  const [adopting, setAdopting] = useState<{ deviceId: string } | null>(null);
  const points = farmControlPoints.value;
  const may = mayOperate.value && farm.value !== null;
  const choice = useChoice(points, ({ id }) => id);
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
        <>
          {may ? <ChooseAll choice={choice} /> : null}
          <div class="table-frame">
            <table class="table stacks">
              <thead>
                <tr>
                  {may ? (
                    <th scope="col" class="choose no-print">
                      <span class="visually-hidden">{bulkWords().item}</span>
                    </th>
                  ) : null}
                  <th scope="col">{words.code}</th>
                  <th scope="col">{words.device}</th>
                  <th scope="col">{words.seen}</th>
                  <th scope="col">{words.signal}</th>
                  <th scope="col">{words.ponds}</th>
                </tr>
              </thead>
              <tbody>
                {points.map((point) => (
                  <DeviceRow
                    key={point.id}
                    point={point}
                    ponds={byPoint(point.id)}
                    choose={may ? <ChooseOne choice={choice} row={point} name={point.cod} /> : null}
                  />
                ))}
              </tbody>
            </table>
          </div>
          {may ? <BulkBar choice={choice} bulk={bulk} /> : null}
        </>
      )}
      {may && !isHosted.value ? <AtTheDoor key={farm.value?.id} /> : null}
      {may && isHosted.value ? <SeenDevices onAdopt={(deviceId) => setAdopting({ deviceId })} /> : null}
      {adopting === null ? null : (
        <PointDialog deviceId={adopting.deviceId} onClose={() => setAdopting(null)} />
      )}
    </SystemPage>
  );
}

function DeviceRow({
  point,
  ponds,
  choose,
}: {
  point: ControlPoint;
  ponds: readonly string[] | null;
  choose: ComponentChildren;
}) {
  const words = deviceWords();
  const told = presence.value.get(point.id);
  const silentMs = told?.last_heartbeat ? now.value - Date.parse(told.last_heartbeat) : null;
  const fresh = freshnessOf('report', silentMs);
  return (
    <tr data-point={point.cod}>
      {choose === null ? null : <td class="choose no-print">{choose}</td>}
      <th scope="row">
        <Link href={`/sistema/dispositivos/${point.id}`}>{point.cod}</Link>{' '}
        <SimulatedMark is={point.is_simulated} /> <NotProvedMark pointId={point.id} />
      </th>
      <td data-label={words.device}>
        <span class="mono">{point.device_id}</span>
      </td>
      <td data-label={words.seen} data-fresh={fresh}>
        {silentMs === null ? words.never : words.ago(age(silentMs))}
        {fresh === 'stale' ? ` · ${words.silent}` : ''}
      </td>
      <td data-label={words.signal}>
        <LinkQualityText rssi={fresh === 'stale' ? null : told?.rssi} />
      </td>
      <td data-label={words.ponds}>{pondLine(ponds, words.noPonds)}</td>
    </tr>
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
