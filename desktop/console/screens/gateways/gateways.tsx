import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { GatewayAnswer } from '#contract/resources/gateways.ts';
import { gatewayWords } from '#words/cloud.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { ApiError, del, patch, post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { farms } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { age, calendarDay, dayAndTime, figure } from '../../i18n/format.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { OutageDialog, RenameDialog } from './gateway-dialogs.tsx';
import { LocalUsers } from './local-users.tsx';

/** Hosted instance: the gateways of the account, the farms they run, the people who live on them. */
export function Gateways() {
  const words = gatewayWords();
  const gateways = useGet('/sync/gateways');
  if (gateways.error instanceof ApiError && gateways.error.status === 404) {
    return (
      <SystemPage title={words.title} narrow>
        <p class="note row">
          <span class="grow">{words.notHere}</span>
          <Link class="button" href="/sistema/sincronia">
            {words.toSync}
          </Link>
        </p>
      </SystemPage>
    );
  }
  return (
    <SystemPage
      title={words.title}
      action={
        user.value?.role === 'OWNER' ? (
          <Link class="button main" href="/pair">
            {words.claim}
          </Link>
        ) : null
      }
    >
      <Answer of={gateways} isEmpty={(rows) => rows.length === 0} empty={<Empty text={words.none} />}>
        {(rows) => (
          <>
            <ul class="stack">
              {rows.map((gateway) => (
                <li key={gateway.id}>
                  <GatewayCard gateway={gateway} all={rows} />
                </li>
              ))}
            </ul>
            <LocalUsers />
          </>
        )}
      </Answer>
    </SystemPage>
  );
}

type Farm = GatewayAnswer['farms'][number];

/** The farms that a gateway runs. Taking one off is safe only once that box is off: both would steer the same motors. */
function GatewayFarms({ gateway, all }: { gateway: GatewayAnswer; all: readonly GatewayAnswer[] }) {
  const words = gatewayWords();
  const [leaving, setLeaving] = useState<Farm | null>(null);
  const runFarms = new Set(all.flatMap((one) => one.farms.map(({ id }) => id)));
  const free = farms.value.filter(({ id, role }) => role === 'OWNER' && !runFarms.has(id));
  return (
    <>
      <h3>{words.farms}</h3>
      {gateway.farms.length === 0 ? <p class="muted">{words.noFarms}</p> : null}
      <ul class="lines">
        {gateway.farms.map((farm) => (
          <li key={farm.id} class="row apart">
            <strong>{farm.name}</strong>
            <Button
              disabled={isBlind.value}
              aria-label={words.unbind(farm.name)}
              onClick={() => setLeaving(farm)}
            >
              {words.unbindButton}
            </Button>
          </li>
        ))}
      </ul>
      {gateway.status === 'active' && free.length > 0 ? <Bind gatewayId={gateway.id} free={free} /> : null}
      {leaving === null ? null : <Unbind gateway={gateway} farm={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

function Unbind({ gateway, farm, onClose }: { gateway: GatewayAnswer; farm: Farm; onClose: () => void }) {
  const words = gatewayWords();
  const isLetIn = gateway.status === 'active';
  return (
    <ConfirmDialog
      title={words.unbindTitle(farm.name)}
      label={words.unbindButton}
      mustType={{
        label: (isLetIn ? words.unbindTyped : words.typeName)(farm.name),
        text: farm.name,
      }}
      work={async () => {
        await del(`/sync/gateways/${gateway.id}/farms/${farm.id}${isLetIn ? '?force=true' : ''}`);
        refresh('sync');
      }}
      onClose={onClose}
    >
      <p>{words.unbindText}</p>
    </ConfirmDialog>
  );
}

function Bind({ gatewayId, free }: { gatewayId: string; free: readonly Farm[] }) {
  const words = gatewayWords();
  const { fault, run } = useWork();
  const [chosen, setChosen] = useState('');
  const farmId = free.some(({ id }) => id === chosen) ? chosen : (free[0]?.id ?? '');
  const bind = () =>
    run(async () => {
      await post(`/sync/gateways/${gatewayId}/farms`, { farm_id: farmId });
      refresh('sync');
    }, words.bound);
  return (
    <details>
      <summary>{words.bind}</summary>
      <div class="row end-aligned">
        <SelectField
          needed
          label={words.bindFarm}
          value={farmId}
          options={free.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <WorkButton disabled={isBlind.value} unready={farmId === ''} work={bind}>
          {words.bindButton}
        </WorkButton>
      </div>
      <FaultNote fault={fault} />
    </details>
  );
}

type Asking = 'rename' | 'outage' | 'revoke';

/** One gateway: how it stands, what it runs, and what its owner may do about it. */
function GatewayCard({ gateway, all }: { gateway: GatewayAnswer; all: readonly GatewayAnswer[] }) {
  const words = gatewayWords();
  const [asking, setAsking] = useState<Asking | null>(null);
  const { fault, run } = useWork();
  const isActive = gateway.status === 'active';
  const close = () => setAsking(null);
  const endOutage = () =>
    run(async () => {
      await patch(`/sync/gateways/${gateway.id}`, { outage_until: null });
      refresh('sync');
    }, words.saved);
  return (
    <section class="card stack" data-gateway={gateway.status}>
      <h2>
        {gateway.name} <span class="muted small">· {words.status[gateway.status]}</span>
      </h2>
      <Figures gateway={gateway} />
      {gateway.outage_until === null || Date.parse(gateway.outage_until) < now.value ? null : (
        <p class="note">
          <span class="grow">
            {words.outageUntil(
              dayAndTime(gateway.outage_until),
              gateway.outage_reason === null ? '' : `: ${gateway.outage_reason}`,
            )}
          </span>
          <WorkButton disabled={isBlind.value} work={endOutage}>
            {words.endOutage}
          </WorkButton>
        </p>
      )}
      <GatewayFarms gateway={gateway} all={all} />
      <FaultNote fault={fault} />
      <div class="row">
        <Button disabled={isBlind.value} onClick={() => setAsking('rename')}>
          {words.rename}
        </Button>
        <Button
          disabled={isBlind.value}
          why={isActive ? null : words.status[gateway.status]}
          onClick={() => setAsking('outage')}
        >
          {words.outage}
        </Button>
        <Button
          look="danger"
          disabled={isBlind.value}
          why={gateway.status === 'revoked' ? words.status.revoked : null}
          onClick={() => setAsking('revoke')}
        >
          {words.revoke}
        </Button>
      </div>
      {asking === 'rename' ? <RenameDialog gateway={gateway} onClose={close} /> : null}
      {asking === 'outage' ? <OutageDialog gateway={gateway} onClose={close} /> : null}
      {asking === 'revoke' ? <Revoke gateway={gateway} onClose={close} /> : null}
    </section>
  );
}

function Revoke({ gateway, onClose }: { gateway: GatewayAnswer; onClose: () => void }) {
  const words = gatewayWords();
  return (
    <ConfirmDialog
      title={words.revokeTitle(gateway.name)}
      label={words.revoke}
      mustType={{ label: words.typeName(gateway.name), text: gateway.name }}
      work={async () => {
        await del(`/sync/gateways/${gateway.id}`);
        refresh('sync');
      }}
      onClose={onClose}
    >
      <p>{words.revokeText}</p>
    </ConfirmDialog>
  );
}

function Figures({ gateway }: { gateway: GatewayAnswer }) {
  const words = gatewayWords();
  const { last_seen_at: seen } = gateway;
  return (
    <dl class="facts">
      <Fact name={words.lastSeen}>
        {seen === null ? words.never : words.ago(age(now.value - Date.parse(seen)))}
      </Fact>
      <Fact name={words.behind}>
        {gateway.pending === 0
          ? words.upToDate
          : words.changes(figure(gateway.pending), gateway.pending === 1)}
      </Fact>
      <Fact name={words.parked}>{figure(gateway.parked)}</Fact>
      <Fact name={words.conflicts}>
        {gateway.open_conflicts === 0 ? (
          figure(0)
        ) : (
          <Link class="way" href="/sistema/sincronia">
            {figure(gateway.open_conflicts)}
          </Link>
        )}
      </Fact>
      <Fact name={words.software}>{gateway.software}</Fact>
      <Fact name={words.hardware}>{gateway.hardware}</Fact>
      <Fact name={words.pairedAt}>{calendarDay(gateway.paired_at)}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="breaks">{children}</dd>
    </div>
  );
}
