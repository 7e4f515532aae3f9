import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { faultText } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import { SecondFactorField } from '../../components/second-factor-field.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError } from '../../data/api.ts';
import { isHosted } from '../../data/instance.ts';
import { endedBy, signIn } from '../../data/session.ts';
import { chooseLanguage, LANGUAGES, language } from '../../i18n/language.ts';
import { shellWords } from '../../shell/words.ts';

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
  const [isBusy, setBusy] = useState(false);
  /** What the gateway asks for besides the password, once it has said so. */
  const [asked, setAsked] = useState<{ onlyRecovery: boolean } | null>(null);
  const [code, setCode] = useState('');
  const [codeFault, setCodeFault] = useState<string | null>(null);
  const submit = async (form: HTMLFormElement) => {
    const typed = new FormData(form);
    setBusy(true);
    setFault(null);
    setCodeFault(null);
    try {
      const { isSpared } = await signIn(
        textOf(typed, 'email'),
        textOf(typed, 'password'),
        typed.get('remember') !== null,
        asked === null ? undefined : code.trim(),
      );
      if (isSpared) toast(words.spared, null, SPARED_MS);
    } catch (error) {
      const takes = error instanceof ApiError ? error.body['takes'] : undefined;
      const isCode = error instanceof ApiError && error.code.startsWith('SECOND_FACTOR');
      if (!isCode) return setFault(faultText(error));
      setAsked({ onlyRecovery: Array.isArray(takes) && !takes.includes('totp') });
      if (error.code !== 'SECOND_FACTOR') setCodeFault(faultText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <h1>{words.product}</h1>
      {endedBy.value === 'expired' ? <p class="note pending">{words.expired}</p> : null}
      <TextField
        label={words.email}
        name="email"
        type="email"
        autoComplete="username"
        required
        autoFocus
        // another person may have no second factor
        onInput={() => setAsked(null)}
      />
      <TextField
        label={words.password}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        fault={fault}
      />
      {asked === null ? null : (
        <SecondFactorField
          value={code}
          onTyped={setCode}
          onlyRecovery={asked.onlyRecovery}
          fault={codeFault}
          autoFocus
        />
      )}
      {asked?.onlyRecovery ? <p class="note p2">{words.clockWrong}</p> : null}
      {fault !== null && !isHosted.value ? <p class="note">{words.firstSignIn}</p> : null}
      <CheckField label={words.remember} name="remember" defaultChecked />
      <Button big look="main" type="submit" busy={isBusy}>
        {words.signIn}
      </Button>
      <Link class="button quiet" href="/esqueci-a-senha">
        {words.forgotPassword}
      </Link>
      <div class="row apart">
        <Link class="button quiet" href="/bem-vindo">
          {words.noAccount}
        </Link>
        <span class="row">
          {LANGUAGES.map((spoken) => (
            <button
              key={spoken}
              type="button"
              class="button quiet small"
              aria-pressed={language.value === spoken}
              onClick={() => chooseLanguage(spoken)}
            >
              {spoken === 'en' ? 'English' : 'Português'}
            </button>
          ))}
        </span>
      </div>
    </form>
  );
}

function textOf(typed: FormData, name: string): string {
  const value = typed.get(name);
  return typeof value === 'string' ? value : '';
}
