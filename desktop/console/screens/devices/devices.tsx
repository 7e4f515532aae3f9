import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { NotProvedMark } from '../../components/not-proved.tsx';
import { SimulatedMark } from '../../components/simulated.tsx';
import { now } from '../../data/clock.ts';
import { type ControlPoint, farm, farmControlPoints, mayOperate, presence } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { usePondsByPoint } from '../../data/places.ts';
import { age } from '../../i18n/format.ts';
import { freshnessOf } from '../../state/freshness.ts';
import { SystemPage } from '../box/system-page.tsx';
import { AdoptionQueue } from './adoption-queue.tsx';
import { deviceWords } from './device-words.ts';
import { LinkQualityText } from './link-quality-text.tsx';
import { PointDialog } from './point-dialog.tsx';
import { ProvisioningWindow } from './provisioning-window.tsx';
import { RelayList } from './relay-list.tsx';
import { SeenDevices } from './seen-devices.tsx';

/** Every controller of the farm: which one, when it was last heard, how well; and who knocked that nobody knows. */
export function Devices() {
  const words = deviceWords();
  const byPoint = usePondsByPoint();
  const [adopting, setAdopting] = useState<{ deviceId: string } | null>(null);
  const points = farmControlPoints.value;
  const may = mayOperate.value && farm.value !== null;
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
        <div class="table-frame">
          <table class="table stacks">
            <thead>
              <tr>
                <th scope="col">{words.code}</th>
                <th scope="col">{words.device}</th>
                <th scope="col">{words.seen}</th>
                <th scope="col">{words.signal}</th>
                <th scope="col">{words.ponds}</th>
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <DeviceRow key={point.id} point={point} ponds={byPoint.get(point.id) ?? []} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {may && !isHosted.value ? <AtTheDoor key={farm.value?.id} /> : null}
      {may && isHosted.value ? <SeenDevices onAdopt={(deviceId) => setAdopting({ deviceId })} /> : null}
      {adopting === null ? null : (
        <PointDialog deviceId={adopting.deviceId} onClose={() => setAdopting(null)} />
      )}
    </SystemPage>
  );
}

function DeviceRow({ point, ponds }: { point: ControlPoint; ponds: readonly string[] }) {
  const words = deviceWords();
  const told = presence.value.get(point.id);
  const silentMs = told?.last_heartbeat ? now.value - Date.parse(told.last_heartbeat) : null;
  const fresh = freshnessOf('report', silentMs);
  return (
    <tr data-point={point.cod}>
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
      <td data-label={words.ponds}>{ponds.length === 0 ? words.noPonds : ponds.join(', ')}</td>
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
