import { useEffect, useState } from 'preact/hooks';
import type { PairingAnswer } from '#contract/resources/gateways.ts';
import { syncWords } from '#words/cloud.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { del, post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { isOwner, sync } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { calendarDay, clockTime, countdown } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

/** Whether this gateway belongs to a cloud account, and how it comes to one. */
export function PairingCard() {
  const words = syncWords();
  const { data: pairing } = useGet<PairingAnswer>('/sync/pairing');
  const [isAsking, setAsking] = useState(false);
  const isWaiting = pairing?.state === 'waiting';
  // the code runs out by time alone
  const isOut = isWaiting && Date.parse(pairing.expires_at ?? '') <= now.value;
  useEffect(() => {
    if (isOut) refresh('sync');
  }, [isOut]);
  // it became another's account, or nobody's: how the sync stands has changed, too
  useEffect(() => refresh('sync'), [pairing?.state, sync.value?.state]);
  if (pairing === undefined) return null;
  const mayPair = user.value?.role === 'ADMIN' || user.value?.role === 'OWNER' || isOwner.value;
  const isPaired = pairing.state === 'paired';
  return (
    <section class="card stack" data-pairing={pairing.state}>
      <h2>{words.pairing}</h2>
      {pairing.detail === null ? null : <p class="note p2">{pairing.detail}</p>}
      {pairing.state === 'revoked' ? <p>{words.revokedText}</p> : null}
      {isPaired ? (
        <>
          <p>{words.pairedWith(pairing.owner_name ?? '—', calendarDay(pairing.paired_at))}</p>
          <p class="muted breaks">{pairing.hosted_url}</p>
        </>
      ) : null}
      {isWaiting ? <Code pairing={pairing} /> : null}
      {!mayPair ? (
        <p class="muted">{words.notYours}</p>
      ) : isPaired ? (
        <div>
          <Button look="danger" disabled={isBlind.value} onClick={() => setAsking(true)}>
            {words.unpair}
          </Button>
        </div>
      ) : isWaiting ? null : (
        <Begin />
      )}
      {isAsking ? <Unpair onClose={() => setAsking(false)} /> : null}
    </section>
  );
}

function Unpair({ onClose }: { onClose: () => void }) {
  const words = syncWords();
  return (
    <ConfirmDialog
      title={words.unpairTitle}
      label={words.unpair}
      mustType={{ label: words.typeWord(words.unpairWord), text: words.unpairWord }}
      work={async () => {
        await del('/sync/pairing');
        refresh('sync');
      }}
      onClose={onClose}
    >
      <p>{words.unpairText}</p>
    </ConfirmDialog>
  );
}

function Begin() {
  const words = syncWords();
  const { fault, run } = useWork();
  const [address, setAddress] = useState('');
  const [name, setName] = useState('');
  const pair = () =>
    run(async () => {
      await post('/sync/pairing', {
        ...(address.trim() === '' ? {} : { hosted_url: address.trim() }),
        ...(name.trim() === '' ? {} : { name: name.trim() }),
      });
      refresh('sync');
    });
  return (
    <>
      <p class="muted">{words.pairText}</p>
      <TextField
        label={words.address}
        hint={words.addressHint}
        value={address}
        inputMode="url"
        autoComplete="off"
        placeholder="https://"
        onInput={(event) => setAddress(event.currentTarget.value)}
      />
      <TextField
        label={words.gatewayName}
        value={name}
        autoComplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <FaultNote fault={fault} />
      <div>
        <WorkButton look="main" disabled={isBlind.value} work={pair}>
          {words.pair}
        </WorkButton>
      </div>
    </>
  );
}

function Code({ pairing }: { pairing: PairingAnswer }) {
  const words = syncWords();
  const { user_code, verification_uri, expires_at } = pairing;
  if (user_code === null) return <p>{words.waitingText}</p>;
  const left = expires_at === null ? 0 : Date.parse(expires_at) - now.value;
  return (
    <>
      <p>{words.waiting}</p>
      <p class="big-code mono" data-user-code>
        {user_code}
      </p>
      {verification_uri === null ? null : <CopyText label={words.at} text={verification_uri} />}
      <p class="muted" role="status">
        {words.waitingText}
      </p>
      <p class="muted small">
        {words.until(clockTime(expires_at))} ({countdown(left)})
      </p>
    </>
  );
}
