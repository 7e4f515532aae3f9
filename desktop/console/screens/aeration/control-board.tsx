import { useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { aerationWords } from '#words/aeration.ts';
import { sirenWords } from '#words/siren.ts';
import { Empty, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ControlButton, ControlMark, controlNow } from '../../components/control-button.tsx';
import { isOffSchedule, NextRunInRow } from '../../components/next-run.tsx';
import { NotProvedMark } from '../../components/not-proved.tsx';
import { orderOrAsk } from '../../components/order-question.tsx';
import { SimulatedMark, watermark } from '../../components/simulated.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { toast } from '../../components/toast.tsx';
import { post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import {
  type ControlPoint,
  farm,
  farmAirPoints,
  farmSirens,
  mayAttend,
  mayManage,
  mayOperate,
  presence,
} from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { lastOrderAt, orderUnderWay, remoteOrder } from '../../data/orders.ts';
import { type PlansByPoint, usePlans } from '../../data/outlook.ts';
import { pondLine, usePondsByPoint } from '../../data/places.ts';
import { age, quantity } from '../../i18n/format.ts';
import { byCod } from '../../state/code-order.ts';
import { controlFactsOf, controlStateOf, isHeard, keptOrder, urgencyOf } from '../../state/freshness.ts';
import { TEST_S } from '../siren/siren-list.tsx';
import { saidIn } from '../system/use-work.ts';
import { AllDialog } from './all-dialog.tsx';

/** Every control point that airs, what needs a person in front: the mismatches, then those without a sign; sirens apart. */
export function ControlBoard() {
  const words = aerationWords();
  const pondsByPoint = usePondsByPoint();
  const [all, setAll] = useState<'ON' | 'OFF' | null>(null);
  const { points, withLine, hold } = useSteadyRows(sorted(farmAirPoints.value, usePlans().data));
  return (
    <div class="page">
      <div class="page-head">
        <h1>{words.title}</h1>
        {mayAttend.value && points.length > 0 ? (
          <span class="row far">
            <Button big disabled={isBlind.value} onClick={() => setAll('ON')}>
              {words.allOn}
            </Button>
          </span>
        ) : null}
      </div>
      <AerationTabs />
      {points.length === 0 ? (
        <Empty text={words.none}>
          {mayManage.value ? (
            <Link class="button main" href="/sistema/dispositivos">
              {words.addPoint}
            </Link>
          ) : null}
        </Empty>
      ) : (
        <ul class="stack" onPointerMove={hold} onPointerDown={hold} onKeyDown={hold}>
          {points.map((point) => (
            <BoardRow
              key={point.id}
              point={point}
              ponds={pondsByPoint(point.id)}
              hasLine={withLine.has(point.id)}
            />
          ))}
        </ul>
      )}
      {/* far from its opposite: no slip of the finger stops what was meant to start */}
      {mayAttend.value && points.length > 0 ? (
        <div>
          <Button big look="danger" disabled={isBlind.value} onClick={() => setAll('OFF')}>
            {words.allOff}
          </Button>
        </div>
      ) : null}
      {farmSirens.value.length === 0 ? null : <SirenGroup points={farmSirens.value} />}
      {all === null ? null : (
        <AllDialog target={all} points={farmAirPoints.value} onClose={() => setAll(null)} />
      )}
    </div>
  );
}

export function AerationTabs() {
  const words = aerationWords();
  return (
    <Tabs
      label={words.title}
      tabs={[
        { href: '/aeracao', label: words.board },
        { href: '/aeracao/agenda', label: words.calendar },
      ]}
    />
  );
}

/** Somebody is about to press: after a move, a press or an order rows stay where they are for so long. */
const HELD_MS = 8_000;

/**
 * Rows do not move from under a finger, nor grow above it: the second of two quick presses would start another motor. `hold`
 * is for whatever shows that a hand is there; `withLine` are the rows that have room for a line more.
 */
function useSteadyRows(wanted: readonly ControlPoint[]) {
  const lines = useRef<ReadonlySet<string>>(new Set());
  const drawn = useRef<readonly string[]>([]);
  const heldAt = useRef(Number.NEGATIVE_INFINITY);
  const isHeld = performance.now() - Math.max(heldAt.current, lastOrderAt()) < HELD_MS;
  const ids = wanted.map(({ id }) => id);
  drawn.current = isHeld ? keptOrder(drawn.current, ids) : ids;
  if (!isHeld) {
    lines.current = new Set(
      wanted.filter((point) => controlNow(point).state.is === 'failed').map(({ id }) => id),
    );
  }
  const byId = new Map(wanted.map((point) => [point.id, point]));
  return {
    points: drawn.current.flatMap((id) => byId.get(id) ?? []),
    withLine: lines.current,
    hold: () => {
      heldAt.current = performance.now();
    },
  };
}

/** What needs a person first; of the rest those that are off against their schedule. */
function sorted(points: readonly ControlPoint[], plans: PlansByPoint | undefined): ControlPoint[] {
  const urgency = (point: ControlPoint) =>
    urgencyOf(
      controlStateOf(
        controlFactsOf(point, presence.value.get(point.id), {
          now: now.value,
          isBlind: isBlind.value,
          remote: remoteOrder(point.id),
        }),
      ),
    );
  const isHeldOff = (point: ControlPoint) =>
    point.target_status === 'OFF' && isOffSchedule(plans?.get(point.id)) ? 0 : 1;
  return points.toSorted((a, b) => urgency(a) - urgency(b) || isHeldOff(a) - isHeldOff(b) || byCod(a, b));
}

function BoardRow({
  point,
  ponds,
  hasLine,
}: {
  point: ControlPoint;
  ponds: readonly string[] | null;
  hasLine: boolean;
}) {
  const words = aerationWords();
  const { facts, state } = controlNow(point);
  const consumption = presence.value.get(point.id)?.consumption ?? null;
  const isStale = !isHeard(facts);
  return (
    <li
      class="card board-row"
      data-point={point.cod}
      data-state={state.is}
      {...watermark(point.is_simulated)}
    >
      <div class="grow">
        <h2>
          <Link href={`/aeracao/${point.id}`}>{point.cod}</Link> <ControlMark state={state} />{' '}
          <SimulatedMark is={point.is_simulated} /> <NotProvedMark pointId={point.id} />
        </h2>
        <p class="muted small">{pondLine(ponds, '—')}</p>
        {/* of a blocked motor the calendar does nothing */}
        {point.locked_out ? (
          <p class="small">{words.lockedBy(point.lock_out_reason ?? '')}</p>
        ) : (
          <NextRunInRow pointId={point.id} />
        )}
      </div>
      <dl class="board-facts">
        <div>
          <dt>{words.wanted}</dt>
          <dd>{words.states[facts.target]}</dd>
          <dd class="muted small">
            {point.target_origin === 'DEVICE' ? <span aria-hidden="true">✋ </span> : null}
            {words.origins[point.target_origin]}
          </dd>
        </div>
        <div data-fresh={isStale ? 'stale' : 'fresh'}>
          <dt>{words.reported}</dt>
          <dd>{isStale || facts.reported === null ? '—' : words.states[facts.reported]}</dd>
        </div>
        <div>
          <dt>{words.heard}</dt>
          <dd>{facts.silentForMs === null ? words.never : age(facts.silentForMs)}</dd>
        </div>
        <div data-fresh={isStale ? 'stale' : 'fresh'}>
          <dt>{words.power}</dt>
          <dd>{isStale ? '—' : quantity(consumption, 1, 'kW')}</dd>
        </div>
      </dl>
      <ControlButton point={point} />
      {hasLine ? <NotConfirmed point={point} isSeen={state.is === 'failed'} /> : null}
    </li>
  );
}

/** The target stands all the same. Again is the same order, so that stopping a motor asks as it did before. */
function NotConfirmed({ point, isSeen }: { point: ControlPoint; isSeen: boolean }) {
  const words = aerationWords();
  return (
    <p class="row not-confirmed" style={isSeen ? {} : { visibility: 'hidden' }}>
      <span class="grow">{words.notConfirmed(point.cod)}</span>
      {mayAttend.value ? (
        <Button
          disabled={isBlind.value || orderUnderWay(point.id) !== null}
          aria-label={words.againFor(point.cod)}
          onClick={() => orderOrAsk(point.id, point.target_status)}
        >
          {words.again}
        </Button>
      ) : null}
      <Link class="button" href={`/sistema/dispositivos/${point.id}`} aria-label={words.deviceOf(point.cod)}>
        {words.seeDevice}
      </Link>
    </p>
  );
}

/** The sirens, apart from what airs: alarms switch them, and a person tests them. */
function SirenGroup({ points }: { points: readonly ControlPoint[] }) {
  const words = aerationWords();
  return (
    <section class="stack" aria-labelledby="board-sirens">
      <div class="row apart">
        <h2 id="board-sirens">{words.sirens}</h2>
        {farm.value === null ? null : <SirenHand farmId={farm.value.id} />}
      </div>
      <p class="muted small">{words.sirensText}</p>
      <ul class="stack">
        {points.map((point) => (
          <SirenRow key={point.id} point={point} />
        ))}
      </ul>
    </section>
  );
}

function SirenRow({ point }: { point: ControlPoint }) {
  const words = aerationWords();
  const { facts, state } = controlNow(point);
  return (
    <li class="card board-row" data-siren-point={point.cod} data-state={state.is}>
      <div class="grow">
        <h3>
          <Link href={`/aeracao/${point.id}`}>{point.cod}</Link> <ControlMark state={state} />
        </h3>
        {point.locked_out ? <p class="small">{words.lockedBy(point.lock_out_reason ?? '')}</p> : null}
      </div>
      <dl class="board-facts">
        <div>
          <dt>{words.heard}</dt>
          <dd>{facts.silentForMs === null ? words.never : age(facts.silentForMs)}</dd>
        </div>
      </dl>
    </li>
  );
}

/** What a person may do with the sirens of a farm: test them, and go to where they are quieted. */
export function SirenHand({ farmId }: { farmId: string }) {
  const words = sirenWords();
  const test = () =>
    post(`/farms/${farmId}/siren/test`, { seconds: TEST_S }).then(
      () => toast(words.tested, null, 4_000),
      (error: unknown) => toast(faultText(saidIn(error, words.fault))),
    );
  // sirens are driven by the box of the farm
  if (isHosted.value) return null;
  return (
    <span class="row">
      <Link class="way" href="/sistema/sirene">
        {aerationWords().toSirens}
      </Link>
      {mayOperate.value ? (
        <WorkButton disabled={isBlind.value} work={test}>
          {words.test}
        </WorkButton>
      ) : null}
    </span>
  );
}
