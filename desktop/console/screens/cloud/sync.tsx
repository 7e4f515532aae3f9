import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { SyncStatusAnswer } from '#contract/resources/sync-status.ts';
import { syncWords } from '#words/cloud.ts';
import { Answer } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError, get, post } from '../../data/api.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { age, clockTime, dayAndTime, figure, quantity } from '../../i18n/format.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { PairingCard } from './pairing-card.tsx';
import { SyncConflicts, tableName } from './sync-conflicts.tsx';

const LOOK_EVERY_MS = 1_000;

/** A line that is up answers within seconds; what takes longer goes on without anybody watching. */
const LOOKS = 15;

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** How the farm and the cloud stand, each figure with its age. In the cloud: what both sides could not agree on. */
export function Sync() {
  const words = syncWords();
  return (
    <SystemPage title={words.title}>
      {isHosted.value ? (
        <>
          <p>
            <Link class="way" href="/sistema/gateways">
              {words.toGateways}
            </Link>
          </p>
          <SyncConflicts />
        </>
      ) : (
        <OnGateway />
      )}
    </SystemPage>
  );
}

function OnGateway() {
  const words = syncWords();
  const status = useGet('/sync/status');
  if (isMissing(status.error)) return <p class="note">{words.none}</p>;
  return (
    <>
      <Answer of={status}>
        {(told) => (
          <>
            <LinkCard told={told} again={() => void status.refetch()} />
            <SyncConflicts />
            {told.parked.here + told.parked.there > 0 ? <SyncParked /> : null}
          </>
        )}
      </Answer>
      <PairingCard />
    </>
  );
}

/** The others have nobody to exchange with, or wait for people. */
const HAS_CLOUD: readonly SyncStatusAnswer['state'][] = [
  'connected',
  'catching_up',
  'comparing',
  'offline',
  'farm_moved',
];

function LinkCard({ told, again }: { told: SyncStatusAnswer; again: () => void }) {
  const words = syncWords();
  const ago = (seconds: number | null) => (seconds === null ? words.never : words.ago(age(seconds * 1_000)));
  const { trouble } = told.link;
  const troubles: Readonly<Record<string, string>> = words.troubles;
  return (
    <section class="card stack" data-sync={told.state}>
      <div class="row apart">
        <h2>
          <span aria-hidden="true">{told.link.is_up ? '●' : '○'}</span> {words.state[told.state]}
        </h2>
        <button type="button" class="button" onClick={again}>
          {words.look}
        </button>
      </div>
      <p>{told.summary}</p>
      <p class="muted small">{words.asOf(dayAndTime(told.as_of))}</p>
      {trouble === null ? null : (
        <p class="note p2">
          <span>
            <strong>{words.trouble}: </strong>
            {troubles[trouble.code] ?? trouble.detail} ({ago(trouble.age_s)})
          </span>
        </p>
      )}
      {told.state === 'unpaired' ? null : <Figures told={told} ago={ago} />}
      {HAS_CLOUD.includes(told.state) ? <SyncNow /> : null}
    </section>
  );
}

function Figures({ told, ago }: { told: SyncStatusAnswer; ago: (seconds: number | null) => string }) {
  const words = syncWords();
  const { core, history } = told.lanes;
  const waiting = (rows: number) => (rows === 0 ? words.empty : words.rows(figure(rows), rows === 1));
  const lag = Math.max(core.lag_s ?? 0, history.lag_s ?? 0);
  const { days_left } = told.offline;
  return (
    <>
      <dl class="facts">
        <Fact name={words.lastSuccess}>{ago(told.last_ack.age_s)}</Fact>
        <Fact name={words.lastContact}>{ago(told.link.age_s)}</Fact>
        <Fact name={words.lastPull}>{ago(told.last_pull.age_s)}</Fact>
        <Fact name={words.queue}>{waiting(core.waiting_rows)}</Fact>
        <Fact name={words.readings}>{waiting(history.waiting_rows)}</Fact>
        <Fact name={words.lag}>{lag === 0 ? '—' : age(lag * 1_000)}</Fact>
        <Fact name={words.dataToday}>
          {megabytes(told.data_today)} ({words.since(clockTime(told.data_today.since))})
        </Fact>
        <Fact name={words.orders}>{told.socket.is_open ? words.ordersOpen : words.ordersClosed}</Fact>
        <Fact name={words.room}>{days_left === null ? words.noBound : words.days(figure(days_left))}</Fact>
        <Fact name={words.compared}>{ago(told.comparison.age_s)}</Fact>
        <Fact name={words.clock}>{clockText(told.clock.ahead_of_hosted_ms)}</Fact>
      </dl>
      {told.comparison.differed.length === 0 ? null : (
        <p class="note">
          {words.differed(told.comparison.differed.map(tableName).join(', '))}
          {told.comparison.repaired_rows > 0
            ? ` ${words.repaired(figure(told.comparison.repaired_rows))}`
            : ''}
        </p>
      )}
    </>
  );
}

function megabytes({ sent_bytes, received_bytes }: SyncStatusAnswer['data_today']): string {
  return quantity((sent_bytes + received_bytes) / 1_000_000, 2, 'MB');
}

const ALIKE_MS = 500;

function clockText(aheadMs: number | null): string {
  const words = syncWords();
  if (aheadMs === null) return '—';
  if (Math.abs(aheadMs) < ALIKE_MS) return words.clockAlike;
  const apart = figure(Math.abs(aheadMs) / 1_000, 1);
  return aheadMs > 0 ? words.clockAhead(apart) : words.clockBehind(apart);
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Rows that one side could not apply. */
function SyncParked() {
  const words = syncWords();
  const parked = useGet('/sync/parked', { limit: 100 });
  const { fault, run } = useWork();
  const retry = (id: string) =>
    run(async () => {
      const { state, reason } = await post(`/sync/parked/${id}/retry`);
      toast(state === 'applied' ? words.applied : `${words.stillParked} ${reason ?? ''}`, null, 6_000);
      refresh('sync');
    });
  return (
    <section class="card stack">
      <h2>{words.parked}</h2>
      <p class="muted">{words.parkedText}</p>
      <Answer of={parked}>
        {(rows) => (
          <ul class="lines">
            {rows.map((row) => (
              <li key={row.id} class="row apart">
                <div class="grow">
                  <strong class="breaks">{row.reason}</strong>
                  <p class="muted small">
                    {tableName(row.table)} · {row.kept === 'here' ? words.keptHere : words.keptThere} ·{' '}
                    {dayAndTime(row.parked_at)} · {words.tries(row.tries)}
                  </p>
                </div>
                {row.kept === 'here' ? (
                  <WorkButton disabled={isBlind.value} work={() => retry(row.id)}>
                    {words.retry}
                  </WorkButton>
                ) : null}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      <FaultNote fault={fault} />
    </section>
  );
}

/** Exchanges with the cloud now, and says in words what came of it. */
function SyncNow() {
  const words = syncWords();
  const { fault, run } = useWork({ FORBIDDEN: words.nowNotYours });
  const [result, setResult] = useState<string | null>(null);
  const isHere = useRef(true);
  useEffect(
    () => () => {
      isHere.current = false;
    },
    [],
  );

  async function syncNow(): Promise<void> {
    setResult(null);
    const askedAt = performance.now();
    const { state } = await post('/sync/now');
    const told = state === 'later' ? words.nowLater : await cameOf(askedAt);
    if (told === null) return;
    setResult(told);
    refresh('sync');
  }

  async function cameOf(askedAt: number): Promise<string | null> {
    let waiting: number | null = null;
    for (let look = 0; look < LOOKS; look += 1) {
      await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
      if (!isHere.current) return null;
      const { last_pull, lanes } = await get('/sync/status');
      const sinceS = (performance.now() - askedAt) / 1_000;
      const isAnswered = last_pull.age_s !== null && last_pull.age_s <= sinceS;
      waiting = isAnswered ? lanes.core.waiting_rows + lanes.history.waiting_rows : null;
      if (waiting === 0) return words.nowAlike;
    }
    return waiting === null ? words.nowSilent : words.nowOnTheWay(figure(waiting), waiting === 1);
  }

  return (
    <>
      <div>
        <WorkButton look="main" disabled={isBlind.value} work={() => run(syncNow)}>
          {words.now}
        </WorkButton>
      </div>
      <p role="status" data-sync-now class={result === null ? undefined : 'note'}>
        {result}
      </p>
      <FaultNote fault={fault} />
    </>
  );
}
