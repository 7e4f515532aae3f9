import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { aerationWords, pointWords } from '#words/aeration.ts';
import { componentWords, notProvedWords } from '#words/components.ts';
import { Answer, Empty, faultText } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { ControlButton, ControlMark, controlNow } from '../../components/control-button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { isNotProved, NotProvedMark } from '../../components/not-proved.tsx';
import { BlindNote, OffDialog } from '../../components/off-dialog.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import { SimulatedMark, watermark } from '../../components/simulated.tsx';
import { del, post } from '../../data/api.ts';
import {
  type ControlPoint,
  controlPoints,
  isKnown,
  mayAttend,
  mayManage,
  mayOperate,
  presence,
} from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { nameOf } from '../../data/people.ts';
import { pondLine, usePondsByPoint } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { type Schedule, schedulesAt, useSchedules } from '../../data/schedules.ts';
import { age, dayAndTime, quantity } from '../../i18n/format.ts';
import { isHeard } from '../../state/freshness.ts';
import { UnkeyedSetting } from '../devices/unkeyed-setting.tsx';
import { Photos } from '../photos/photos.tsx';
import { Records } from '../records/records.tsx';
import { SirenHand } from './control-board.tsx';
import { PointSettings } from './point-settings.tsx';
import { reasonText, ruleText } from './reason-text.ts';
import { ScheduleDialog } from './schedule-dialog.tsx';

const PAGE = 20;

/** One control point: what is wanted and why, what it reports, who ordered what, and its rules. */
export function ControlPointPage({ params }: { params: Readonly<Record<string, string>> }) {
  const words = pointWords();
  const point = controlPoints.value.get(params['id'] ?? '');
  if (point === undefined) {
    return (
      <div class="page">
        {isKnown.value ? <Empty text={words.unknown} /> : <div class="skeleton" aria-busy="true" />}
      </div>
    );
  }
  return <Page key={point.id} point={point} />;
}

function Page({ point }: { point: ControlPoint }) {
  const words = pointWords();
  const ponds = usePondsByPoint()(point.id);
  return (
    <div class="page">
      <div class="page-head">
        <div class="row">
          <Link href="/aeracao" class="button quiet" aria-label={words.back}>
            <Icon name="back" />
          </Link>
          <h1>{point.cod}</h1>
          <SimulatedMark is={point.is_simulated} />
        </div>
        {point.is_siren ? <SirenHand farmId={point.farm_id} /> : <ControlButton point={point} />}
      </div>
      {point.is_siren ? <p class="note">{aerationWords().isSiren}</p> : null}
      <Now point={point} ponds={ponds} />
      {point.is_siren ? null : <Times point={point} />}
      {mayManage.value && !point.is_siren ? <PointSettings pointId={point.id} /> : null}
      {mayOperate.value ? <UnkeyedSetting point={point} /> : null}
      {mayOperate.value ? <LockOut point={point} /> : null}
      <Records
        path={`/control-points/${point.id}`}
        enter={mayAttend.value ? `/lancar/anotacao?ponto=${encodeURIComponent(point.cod)}` : null}
      />
      <Photos path={`/control-points/${point.id}/photos`} mayAdd={mayAttend.value} />
      <OrderList pointId={point.id} />
    </div>
  );
}

function Now({ point, ponds }: { point: ControlPoint; ponds: readonly string[] | null }) {
  const words = pointWords();
  const names = aerationWords();
  const { facts, state } = controlNow(point);
  const told = presence.value.get(point.id);
  const detail = useGet(`/control-points/${point.id}`);
  const isSilent = !isHeard(facts);
  return (
    <section class="card stack" {...watermark(point.is_simulated)}>
      <h2>
        {words.now}: <ControlMark state={state} /> <NotProvedMark pointId={point.id} />
      </h2>
      <dl class="facts">
        <Fact
          name={words.wanted}
          value={names.states[facts.target]}
          note={names.origins[point.target_origin]}
        />
        <Fact name={words.why} value={reasonText(detail.data?.target_reason ?? null)} />
        <Fact
          name={words.reported}
          value={isSilent || facts.reported === null ? '—' : names.states[facts.reported]}
          isStale={isSilent}
          {...(isNotProved(point.id) ? { note: notProvedWords().why } : {})}
        />
        <Fact name={words.heard} value={facts.silentForMs === null ? names.never : age(facts.silentForMs)} />
        <Fact
          name={words.power}
          value={isSilent ? '—' : quantity(told?.consumption, 1, 'kW')}
          isStale={isSilent}
        />
        <Fact
          name={words.signal}
          value={isSilent ? '—' : quantity(told?.rssi, 0, 'dBm')}
          isStale={isSilent}
        />
        <Fact
          name={words.device}
          value={point.device_id}
          note={`${words.mqtt}: ${detail.data?.mqtt_id ?? '—'}`}
        />
        {point.is_siren ? null : <Fact name={words.ponds} value={pondLine(ponds, words.noPonds)} />}
      </dl>
    </section>
  );
}

function Fact({
  name,
  value,
  note,
  isStale = false,
}: {
  name: string;
  value: string;
  note?: string;
  isStale?: boolean;
}) {
  return (
    <div data-fresh={isStale ? 'stale' : 'fresh'}>
      <dt>{name}</dt>
      <dd>{value}</dd>
      {note === undefined ? null : <dd class="muted small plain">{note}</dd>}
    </div>
  );
}

function Times({ point }: { point: ControlPoint }) {
  const words = pointWords();
  const known = useSchedules(point.farm_id);
  const [open, setOpen] = useState<{ schedule: Schedule | null } | null>(null);
  return (
    <section class="card stack">
      <div class="row apart">
        <h2>{words.schedules}</h2>
        {mayOperate.value ? (
          <Button onClick={() => setOpen({ schedule: null })}>{words.addSchedule}</Button>
        ) : null}
      </div>
      <Answer of={known}>
        {(all) => (
          <ul class="row">
            {schedulesAt(all, point.id).map((schedule) => (
              <li key={schedule.id}>
                {mayOperate.value ? (
                  <Button onClick={() => setOpen({ schedule })}>{ruleText(schedule)}</Button>
                ) : (
                  <span class="chip">{ruleText(schedule)}</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {open === null ? null : (
        <ScheduleDialog schedule={open.schedule} points={[point]} onClose={() => setOpen(null)} />
      )}
    </section>
  );
}

/** Every change of the target: who, why, and how far it got. */
function OrderList({ pointId }: { pointId: string }) {
  const words = pointWords();
  const names = aerationWords();
  const more = componentWords().more;
  const [limit, setLimit] = useState(PAGE);
  const orders = useGet(`/control-points/${pointId}/orders`, { limit });
  type Order = NonNullable<typeof orders.data>[number];
  const whoOf = ({ issued_by, origin }: Order) => nameOf(issued_by) ?? names.origins[origin];
  return (
    <section class="stack">
      <h2>{words.orders}</h2>
      <Answer of={orders} isEmpty={(rows) => rows.length === 0} empty={<Empty text={words.noOrders} />}>
        {(rows) => (
          <>
            <RecordTable
              label={words.orders}
              address="ordens"
              keyOf={({ id }) => id}
              rows={rows}
              columns={[
                {
                  name: words.when,
                  of: ({ issued_at }) => dayAndTime(issued_at),
                  raw: ({ issued_at }) => issued_at,
                },
                {
                  name: words.what,
                  of: ({ target_status }) => names.states[target_status],
                  raw: ({ target_status }) => target_status,
                },
                { name: words.who, of: whoOf, raw: whoOf },
                {
                  name: words.why,
                  isLong: true,
                  of: ({ reason }) => reasonText(reason),
                  raw: ({ reason }) => reasonText(reason),
                },
                {
                  name: words.howFar,
                  of: ({ state }) => words.orderStates[state],
                  raw: ({ state }) => words.orderStates[state],
                },
              ]}
            />
            {rows.length < limit ? null : <Button onClick={() => setLimit(limit + PAGE)}>{more}</Button>}
          </>
        )}
      </Answer>
    </section>
  );
}

/** A tag on the switch: while somebody's hands are in the motor nothing may start it. */
function LockOut({ point }: { point: ControlPoint }) {
  const words = pointWords();
  const [asks, setAsks] = useState<'lock' | 'unlock' | null>(null);
  const close = () => setAsks(null);
  return (
    <section class="card stack">
      <h2>{words.lockOut}</h2>
      <p class="muted">{words.lockOutText}</p>
      {point.locked_out ? (
        <div class="row apart">
          <p data-locked>{lockedText(point)}</p>
          <Button big disabled={isBlind.value} onClick={() => setAsks('unlock')}>
            {words.unlock}
          </Button>
        </div>
      ) : (
        <div>
          <Button big disabled={isBlind.value} onClick={() => setAsks('lock')}>
            {words.lock}
          </Button>
        </div>
      )}
      {asks === 'lock' ? <Lock point={point} onClose={close} /> : null}
      {asks === 'unlock' ? (
        <ConfirmDialog
          title={words.unlockTitle(point.cod)}
          label={words.unlock}
          isReady={!isBlind.value}
          work={() => del(`/control-points/${point.id}/lock-out`)}
          onClose={close}
        >
          <p>{lockedText(point)}</p>
          <p>{words.unlockText}</p>
          <BlindNote />
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

/** A lock-out stops the motor: it is asked for as any stop is, and besides who works on it. */
function Lock({ point, onClose }: { point: ControlPoint; onClose: () => void }) {
  const words = pointWords();
  const [reason, setReason] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const lock = async () => {
    setBusy(true);
    try {
      await post(`/control-points/${point.id}/lock-out`, { reason });
      onClose();
    } catch (error) {
      setFault(faultText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <OffDialog
      point={point}
      words={{ title: words.lockTitle(point.cod), confirm: words.lock, leave: componentWords().cancel }}
      isReady={!isBusy && reason.trim() !== ''}
      onClose={onClose}
      onConfirm={() => void lock()}
    >
      <TextField
        label={words.lockReason}
        value={reason}
        maxLength={255}
        fault={fault}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
    </OffDialog>
  );
}

function lockedText({ lock_out_at, lock_out_by, lock_out_reason }: ControlPoint): string {
  const words = pointWords();
  const by = nameOf(lock_out_by);
  const at = lock_out_at === null ? '—' : dayAndTime(lock_out_at);
  return words.lockedSince(by === null ? at : words.by(at, by), lock_out_reason ?? '');
}
