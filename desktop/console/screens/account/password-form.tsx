import { useState } from 'preact/hooks';
import { preferenceWords } from '#words/account.ts';
import { WorkButton } from '../../components/button.tsx';
import { PresentPassword, TextField } from '../../components/field.tsx';
import { SecondFactorField } from '../../components/second-factor-field.tsx';
import { put } from '../../data/api.ts';
import { farms } from '../../data/farm-store.ts';
import { requireGoodPassword } from '../../data/good-password.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { isRemembered, optionsIn, signIn, signWithPasskey, user } from '../../data/session.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { whyNoneHere } from './passkeys.tsx';

const LEAST = 8;

/** A new password ends every session; this one signs in again at once, so that nobody is thrown out of their own form. */
export function PasswordForm({ email }: { email: string }) {
  const words = preferenceWords();
  const { fault, run } = useWork();
  const [old, setOld] = useState('');
  const [wanted, setWanted] = useState('');
  const [again, setAgain] = useState('');
  const secondFactor = useGet('/auth/second-factor');
  const [code, setCode] = useState('');
  const passkeys = useGet('/auth/passkeys');
  const hasApp = secondFactor.data?.state === 'ON';
  const hasPasskey = passkeys.data !== undefined && passkeys.data.passkeys.length > 0;
  const signsHere =
    hasPasskey &&
    whyNoneHere(passkeys.data) === null &&
    passkeys.data.passkeys.some(({ rp_id }) => rp_id === passkeys.data.rp_id);
  const asksCode = hasApp || (hasPasskey && !signsHere);
  const isShort = wanted !== '' && wanted.length < LEAST;
  const differs = again !== '' && again !== wanted;
  const change = async () => {
    const remembered = isRemembered();
    const isDone = await run(async () => {
      const names = [user.value?.name ?? '', ...farms.value.map(({ name }) => name)];
      await requireGoodPassword(wanted, { email, names });
      await put('/users/me', { password: wanted, current_password: old });
      if (asksCode) await signIn(email, wanted, remembered, { second_factor: code.trim() });
      else await signIn(email, wanted, remembered).catch(withPasskey(email, wanted, remembered));
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
        noValidate
        class="form-grid"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        <input class="visually-hidden" type="email" autoComplete="username" value={email} readOnly hidden />
        <PresentPassword label={words.oldPassword} value={old} onTyped={setOld} />
        <TextField
          needed
          label={words.newPassword}
          type="password"
          value={wanted}
          autoComplete="new-password"
          fault={isShort ? words.short : null}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        <TextField
          needed
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
            onlyRecovery={!hasApp || secondFactor.data?.judges_codes === false}
          />
        ) : null}
      </form>
      <FaultNote fault={fault} />
      <div>
        <WorkButton
          disabled={isBlind.value}
          unready={
            old === '' ||
            wanted.length < LEAST ||
            again !== wanted ||
            // unknown is not "none": the new session would not come about
            secondFactor.data === undefined ||
            passkeys.data === undefined ||
            (asksCode && code.trim() === '')
          }
          work={change}
        >
          {words.change}
        </WorkButton>
      </div>
    </section>
  );
}

/** Where a passkey is all that is asked for besides the password, the browser asks for it at once. */
const withPasskey = (email: string, password: string, remembered: boolean) => async (error: unknown) => {
  const options = optionsIn(error);
  if (options === null) throw error;
  return signIn(email, password, remembered, { passkey: await signWithPasskey(options) });
};
