import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { faultText } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import { isHosted } from '../../data/instance.ts';
import { endedBy, signIn } from '../../data/session.ts';
import { chooseLanguage, LANGUAGES, language } from '../../i18n/language.ts';
import { shellWords } from '../../shell/words.ts';

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
  const submit = async (form: HTMLFormElement) => {
    const typed = new FormData(form);
    setBusy(true);
    setFault(null);
    try {
      await signIn(textOf(typed, 'email'), textOf(typed, 'password'), typed.get('remember') !== null);
    } catch (error) {
      setFault(faultText(error));
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
      <TextField label={words.email} name="email" type="email" autoComplete="username" required autoFocus />
      <TextField
        label={words.password}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        fault={fault}
      />
      {fault !== null && !isHosted.value ? <p class="note">{words.firstSignIn}</p> : null}
      <CheckField label={words.remember} name="remember" defaultChecked />
      <Button big look="main" type="submit" busy={isBusy}>
        {words.signIn}
      </Button>
      <Link href="/esqueci-a-senha">{words.forgotPassword}</Link>
      <div class="row apart">
        <Link href="/bem-vindo">{words.noAccount}</Link>
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
