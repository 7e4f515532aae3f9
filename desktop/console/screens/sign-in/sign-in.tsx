import { useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { PasskeyRequestOptions } from '#contract/resources/passkeys.ts';
import { buttonWords } from '#words/components.ts';
import { shellWords } from '#words/shell.ts';
import { faultText } from '../../components/answer.tsx';
import { Button, emptyIn } from '../../components/button.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import { LanguageChoice } from '../../components/language-choice.tsx';
import { SecondFactorField } from '../../components/second-factor-field.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError } from '../../data/api.ts';
import { isHosted } from '../../data/instance.ts';
import {
  endedBy,
  optionsIn,
  signIn,
  signInByPasskey,
  signWithPasskey,
  whyNoPasskeys,
} from '../../data/session.ts';
import { FaultNote } from '../box/system-page.tsx';

/** It stands in the notifications, too. */
const SPARED_MS = 30_000;

export function SignIn() {
  return (
    <main class="sign-in">
      <SignInForm />
    </main>
  );
}

export function SignInForm() {
  const words = shellWords();
  const [fault, setFault] = useState<string | null>(null);
  const [passkeyFault, setPasskeyFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  /** What the gateway asks for besides the password, once it has said so. */
  const [asked, setAsked] = useState<Asked | null>(null);
  const [code, setCode] = useState('');
  const [codeFault, setCodeFault] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  /** With what the form says; `beside`: what goes with the password, of what was asked for. */
  const submit = async (beside: () => Promise<Beside> | Beside) => {
    if (form.current === null) return;
    const typed = new FormData(form.current);
    setBusy(true);
    setFault(null);
    setCodeFault(null);
    try {
      const { isSpared } = await signIn(
        textOf(typed, 'email'),
        textOf(typed, 'password'),
        typed.get('remember') !== null,
        await beside(),
      );
      if (isSpared) toast(words.spared, null, SPARED_MS);
    } catch (error) {
      const isAsked = error instanceof ApiError && error.code.startsWith('SECOND_FACTOR');
      if (isAsked) setAsked(askedBy(error));
      const ofPasskey = error instanceof ApiError && error.code === 'PASSKEY_NOT_GIVEN';
      if (!isAsked && !ofPasskey) setFault(faultText(error));
      else if (error.code !== 'SECOND_FACTOR') setCodeFault(faultText(error));
    } finally {
      setBusy(false);
    }
  };
  const options = asked?.passkey ?? null;
  const byPasskeyAlone = async () => {
    setBusy(true);
    setFault(null);
    setPasskeyFault(null);
    try {
      await signInByPasskey(new FormData(form.current ?? undefined).get('remember') !== null);
    } catch (error) {
      setPasskeyFault(faultText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      noValidate
      ref={form}
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        const lacks = emptyIn(event.currentTarget);
        if (lacks.length > 0) setFault(buttonWords().lacks(lacks));
        else void submit(() => (asked === null ? {} : { second_factor: code.trim() }));
      }}
    >
      <h1>{words.product}</h1>
      {endedBy.value === 'expired' ? <p class="note pending">{words.expired}</p> : null}
      <TextField
        label={words.email}
        name="email"
        type="email"
        autoComplete="username"
        needed
        autoFocus
        // another person may have no second factor
        onInput={() => setAsked(null)}
      />
      <TextField
        label={words.password}
        name="password"
        type="password"
        autoComplete="current-password"
        needed
        fault={fault}
      />
      {options === null ? null : (
        <Button
          big
          busy={isBusy}
          onClick={() => void submit(async () => ({ passkey: await signWithPasskey(options) }))}
        >
          {words.usePasskey}
        </Button>
      )}
      {asked === null ? null : (
        <SecondFactorField
          value={code}
          onTyped={setCode}
          onlyRecovery={asked.onlyRecovery}
          fault={codeFault}
          autoFocus={options === null}
        />
      )}
      {asked?.isClockWrong ? <p class="note p2">{words.clockWrong}</p> : null}
      {asked === null || asked.elsewhere.length === 0 ? null : (
        <p class="note breaks">{words.passkeysElsewhere(asked.elsewhere.join(', '))}</p>
      )}
      {fault !== null && !isHosted.value ? <p class="note">{words.firstSignIn}</p> : null}
      <CheckField label={words.remember} name="remember" defaultChecked />
      <Button big look="main" type="submit" busy={isBusy}>
        {words.signIn}
      </Button>
      {asked !== null || whyNoPasskeys() !== null ? null : (
        <Button big busy={isBusy} onClick={() => void byPasskeyAlone()}>
          {words.byPasskey}
        </Button>
      )}
      <FaultNote fault={passkeyFault} />
      <Link class="button quiet" href="/esqueci-a-senha">
        {words.forgotPassword}
      </Link>
      <div class="row apart">
        <Link
          class="button quiet"
          // who came to take a box brings its code along
          href={`/bem-vindo${location.pathname === '/pair' ? location.search : ''}`}
        >
          {words.noAccount}
        </Link>
        <LanguageChoice />
      </div>
    </form>
  );
}

type Beside = NonNullable<Parameters<typeof signIn>[3]>;
type Asked = {
  onlyRecovery: boolean;
  isClockWrong: boolean;
  passkey: PasskeyRequestOptions | null;
  /** Names under which the person's passkeys work, none of them this one. */
  elsewhere: readonly string[];
};

function askedBy(error: ApiError): Asked {
  const { takes, judges_codes, passkeys_elsewhere } = error.body;
  return {
    onlyRecovery: Array.isArray(takes) && !takes.includes('totp'),
    isClockWrong: judges_codes === false,
    passkey: optionsIn(error),
    elsewhere: Array.isArray(passkeys_elsewhere) ? passkeys_elsewhere.map(String) : [],
  };
}

function textOf(typed: FormData, name: string): string {
  const value = typed.get(name);
  return typeof value === 'string' ? value : '';
}
