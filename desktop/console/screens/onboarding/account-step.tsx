import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { atTheBox } from '#contract/commands.ts';
import { welcomeWords } from '#words/onboarding.ts';
import { Button } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { TextField } from '../../components/field.tsx';
import { ApiError, post } from '../../data/api.ts';
import { requireGoodPassword } from '../../data/good-password.ts';
import { isHosted } from '../../data/instance.ts';
import { isSignedIn, signIn, user } from '../../data/session.ts';
import { language } from '../../i18n/language.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

const SHORTEST = 8;

/** `pairing`: the code of a box that is to be taken, as the address brought it. */
export function AccountStep({
  onDone,
  isInvited,
  pairing,
}: {
  onDone: () => void;
  isInvited: boolean;
  pairing: string;
}) {
  const words = welcomeWords();
  const { fault, run } = useWork();
  const [isBusy, setBusy] = useState(false);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string | null>(null);
  if (isSignedIn()) {
    return (
      <>
        <h2>{words.account}</h2>
        <p>{words.signedInAs(user.value?.name ?? '')}</p>
      </>
    );
  }
  const register = async () => {
    setBusy(true);
    const isDone = await run(async () => {
      await requireGoodPassword(password, { email: email.trim(), names: [name] });
      try {
        await post('/auth/register', {
          name: name.trim(),
          email: email.trim(),
          password,
          language,
          ...(code === null ? {} : { setup_code: code.trim() }),
        });
      } catch (error) {
        // a new box that is opened from another machine
        if (error instanceof ApiError && error.code === 'SETUP_CODE_REQUIRED') setCode('');
        throw error;
      }
      await signIn(email.trim(), password, true);
    });
    setBusy(false);
    if (isDone) onDone();
  };
  const isRight = name.trim() !== '' && email.trim() !== '' && password.length >= SHORTEST && code !== '';
  return (
    <>
      <h2>{words.account}</h2>
      {isInvited ? (
        <div class="note pending">
          <p>
            {words.invitedText} {isHosted.value ? '' : words.invitedAtBox}
          </p>
        </div>
      ) : null}
      <p class="muted">{isHosted.value ? words.accountTextHosted : words.accountText}</p>
      <form
        noValidate
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void register();
        }}
      >
        <TextField
          needed
          label={words.name}
          value={name}
          maxLength={255}
          autoComplete="name"
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          needed
          label={words.email}
          type="email"
          value={email}
          maxLength={254}
          autoComplete="username"
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <TextField
          needed
          minLength={SHORTEST}
          label={words.password}
          type="password"
          hint={words.passwordHint}
          value={password}
          autoComplete="new-password"
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
        {code === null ? null : (
          <TextField
            needed
            label={words.setUpCode}
            hint={words.setUpCodeHint}
            value={code}
            maxLength={40}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        )}
        <FaultNote fault={fault} />
        <div class="row">
          <Button big look="main" type="submit" busy={isBusy} unready={!isRight}>
            {words.create}
          </Button>
          <Link
            class="button big"
            // where what they came with is taken up again
            href={
              isInvited
                ? '/sistema/usuarios'
                : pairing === ''
                  ? '/'
                  : `/pair?code=${encodeURIComponent(pairing)}`
            }
          >
            {words.haveOne}
          </Link>
        </div>
      </form>
      {isHosted.value ? null : (
        <details>
          <summary>{words.restore}</summary>
          <div class="stack">
            <p class="muted">{words.restoreText}</p>
            <CopyText label={words.restore} text={atTheBox('restore --from /mnt/stick --dry-run')} />
          </div>
        </details>
      )}
    </>
  );
}
