import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { forgottenWords } from '#words/onboarding.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { requireGoodPassword } from '../../data/good-password.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

const SHORTEST = 8;

/** The code of the letter in, a new password out. The link of the letter brings the code behind the #. */
export function NewPassword() {
  const words = forgottenWords();
  const { fault, run } = useWork();
  const [code, setCode] = useState(codeOfLink);
  const [isFromLink] = useState(code !== '');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [isDone, setDone] = useState(false);
  // whoever sits here next does not find it in the address
  useEffect(() => {
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname);
  }, []);
  const differs = again !== '' && again !== password;
  const isReady = code.trim() !== '' && password.length >= SHORTEST && again === password;
  const save = async () => {
    setBusy(true);
    const isKept = await run(async () => {
      await requireGoodPassword(password, {});
      await post('/auth/reset-password', { token: code.trim(), password });
    });
    setBusy(false);
    setDone(isKept);
  };
  return (
    <main class="sign-in">
      {isDone ? (
        <div class="card stack">
          <h1>{words.doneTitle}</h1>
          <p role="status">{words.doneText}</p>
          <Link class="button big main" href="/">
            {words.signIn}
          </Link>
        </div>
      ) : (
        <form
          noValidate
          class="card stack"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <h1>{words.newTitle}</h1>
          <TextField
            needed
            label={words.code}
            hint={isFromLink ? undefined : words.codeHint}
            value={code}
            maxLength={200}
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellcheck={false}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
          <TextField
            needed
            minLength={SHORTEST}
            label={words.password}
            hint={words.passwordHint}
            type="password"
            value={password}
            maxLength={128}
            autoComplete="new-password"
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
          <TextField
            needed
            label={words.repeat}
            type="password"
            value={again}
            maxLength={128}
            autoComplete="new-password"
            fault={differs ? words.differ : null}
            onInput={(event) => setAgain(event.currentTarget.value)}
          />
          <FaultNote fault={fault} />
          <Button big look="main" type="submit" busy={isBusy} unready={!isReady}>
            {words.save}
          </Button>
          <Link class="button quiet" href="/esqueci-a-senha">
            {words.another}
          </Link>
        </form>
      )}
    </main>
  );
}

const codeOfLink = (): string => decodeURIComponent(location.hash.slice(1));
