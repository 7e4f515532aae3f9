import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type * as z from 'zod';
import type { addressStateAnswer } from '#contract/resources/users.ts';
import { addressWords } from '#words/account.ts';
import { Answer } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type State = z.infer<typeof addressStateAnswer>;

/** Whether the address of the account is confirmed; a gateway asks nobody for that. */
export function OwnAddress() {
  const words = addressWords();
  const state = useGet<State>(isHosted.value ? '/users/me/email' : null);
  if (!isHosted.value) return null;
  return (
    <section class="card stack">
      <h2>{words.title}</h2>
      <Answer of={state}>
        {(known) =>
          known.is_verified ? <p>{words.confirmed(known.email)}</p> : <Unconfirmed state={known} />
        }
      </Answer>
    </section>
  );
}

/** Why there may be invitations that are not seen here. */
export function AddressHint() {
  const words = addressWords();
  const state = useGet<State>(isHosted.value ? '/users/me/email' : null);
  if (!isHosted.value || state.data === undefined || state.data.is_verified) return null;
  return (
    <p class="note pending">
      {words.open(state.data.email)} <Link href="/sistema/preferencias">{words.title}</Link>
    </p>
  );
}

function Unconfirmed({ state: { email, by_mail } }: { state: State }) {
  const words = addressWords();
  const { fault, run } = useWork();
  const [code, setCode] = useState('');
  const confirm = () =>
    run(async () => {
      await post('/users/me/email/confirm', { code: code.trim() });
      refresh('users', 'invitations');
    }, words.done);
  return (
    <>
      <p class="note pending">{words.open(email)}</p>
      {by_mail ? (
        <>
          <div>
            <WorkButton
              disabled={isBlind.value}
              work={() => run(() => post('/users/me/email/code'), words.sent)}
            >
              {words.send}
            </WorkButton>
          </div>
          <TextField
            needed
            label={words.code}
            value={code}
            maxLength={200}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            onInput={(event) => setCode(event.currentTarget.value)}
          />
          <FaultNote fault={fault} />
          <div>
            <WorkButton look="main" disabled={isBlind.value} unready={code.trim() === ''} work={confirm}>
              {words.confirm}
            </WorkButton>
          </div>
        </>
      ) : (
        <p>{words.byAdmin}</p>
      )}
    </>
  );
}
