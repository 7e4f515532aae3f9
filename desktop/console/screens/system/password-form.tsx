import { useState } from 'preact/hooks';
import type { SecondFactorAnswer } from '#contract/resources/second-factor.ts';
import { WorkButton } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { SecondFactorField } from '../../components/second-factor-field.tsx';
import { put } from '../../data/api.ts';
import { farms } from '../../data/farm-store.ts';
import { requireGoodPassword } from '../../data/good-password.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { isRemembered, signIn, user } from '../../data/session.ts';
import { preferenceWords } from './preference-words.ts';
import { FaultNote } from './system-page.tsx';
import { useWork } from './use-work.ts';

const LEAST = 8;

/** A new password ends every session; this one signs in again at once, so that nobody is thrown out of their own form. */
export function PasswordForm({ email }: { email: string }) {
  const words = preferenceWords();
  const { fault, run } = useWork();
  const [old, setOld] = useState('');
  const [wanted, setWanted] = useState('');
  const [again, setAgain] = useState('');
  const secondFactor = useGet<SecondFactorAnswer>('/auth/second-factor');
  const [code, setCode] = useState('');
  const asksCode = secondFactor.data?.state === 'ON';
  const isShort = wanted !== '' && wanted.length < LEAST;
  const differs = again !== '' && again !== wanted;
  const change = async () => {
    const remembered = isRemembered();
    const isDone = await run(async () => {
      const names = [user.value?.name ?? '', ...farms.value.map(({ name }) => name)];
      await requireGoodPassword(wanted, { email, names });
      await put('/users/me', { password: wanted, current_password: old });
      await signIn(email, wanted, remembered, asksCode ? code.trim() : undefined);
      refresh('auth');
    }, words.changed);
    if (!isDone) return;
    setOld('');
    setWanted('');
    setAgain('');
    setCode('');
  };
  return (
    <section class="card stack">
      <h2>{words.password}</h2>
      <p class="muted">{words.passwordText}</p>
      <form
        class="form-grid"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        <input class="visually-hidden" type="email" autoComplete="username" value={email} readOnly hidden />
        <TextField
          label={words.oldPassword}
          type="password"
          value={old}
          autoComplete="current-password"
          onInput={(event) => setOld(event.currentTarget.value)}
        />
        <TextField
          label={words.newPassword}
          type="password"
          value={wanted}
          autoComplete="new-password"
          fault={isShort ? words.short : null}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        <TextField
          label={words.again}
          type="password"
          value={again}
          autoComplete="new-password"
          fault={differs ? words.differ : null}
          onInput={(event) => setAgain(event.currentTarget.value)}
        />
        {asksCode ? (
          <SecondFactorField
            value={code}
            onTyped={setCode}
            onlyRecovery={secondFactor.data?.judges_codes === false}
          />
        ) : null}
      </form>
      <FaultNote fault={fault} />
      <div>
        <WorkButton
          disabled={
            old === '' ||
            wanted.length < LEAST ||
            again !== wanted ||
            // unknown is not "none": the new session would not come about
            secondFactor.data === undefined ||
            (asksCode && code.trim() === '') ||
            isBlind.value
          }
          work={change}
        >
          {words.change}
        </WorkButton>
      </div>
    </section>
  );
}
