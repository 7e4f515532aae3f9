import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { atTheBox } from '#contract/commands.ts';
import { forgottenWords } from '#words/onboarding.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { TextField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { isHosted } from '../../data/instance.ts';
import { useGet } from '../../data/query.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

/** How somebody who forgot a password gets a new one here: by a letter, or whom to ask where none is sent. */
export function Forgotten() {
  const words = forgottenWords();
  const way = useGet('/auth/forgot-password');
  const [sentTo, setSentTo] = useState<string | null>(null);
  return (
    <main class="sign-in">
      <div class="card stack">
        {sentTo === null ? (
          <>
            <h1>{words.title}</h1>
            <Answer of={way}>
              {(known) =>
                known.by_mail ? <AskForm onSent={setSentTo} /> : <NoMail hostedUrl={known.hosted_url} />
              }
            </Answer>
          </>
        ) : (
          <>
            <h1>{words.sentTitle}</h1>
            <p role="status" class="breaks">
              {words.sentText(sentTo)}
            </p>
            <Link class="button big main" href="/nova-senha">
              {words.haveCode}
            </Link>
            <Button onClick={() => setSentTo(null)}>{words.again}</Button>
          </>
        )}
        <Link class="button quiet" href="/">
          {words.back}
        </Link>
      </div>
    </main>
  );
}

function AskForm({ onSent }: { onSent: (email: string) => void }) {
  const words = forgottenWords();
  const { fault, run } = useWork();
  const [email, setEmail] = useState('');
  const [isBusy, setBusy] = useState(false);
  const send = async () => {
    const to = email.trim();
    setBusy(true);
    const isDone = await run(() => post('/auth/forgot-password', { email: to }));
    setBusy(false);
    if (isDone) onSent(to);
  };
  return (
    <form
      noValidate
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p>{words.text}</p>
      <TextField
        needed
        label={words.email}
        type="email"
        value={email}
        maxLength={254}
        autoComplete="username"
        required
        autoFocus
        onInput={(event) => setEmail(event.currentTarget.value)}
      />
      <FaultNote fault={fault} />
      <Button big look="main" type="submit" busy={isBusy} unready={email.trim() === ''}>
        {words.send}
      </Button>
      <Link class="button quiet" href="/nova-senha">
        {words.haveCode}
      </Link>
    </form>
  );
}

function NoMail({ hostedUrl }: { hostedUrl: string | null }) {
  const words = forgottenWords();
  return (
    <div class="stack">
      <p>{words.noMail}</p>
      {isHosted.value ? (
        <p>{words.noMailHosted}</p>
      ) : (
        <>
          <p>{words.noMailBox}</p>
          <CopyText label={words.command} text={atTheBox('admin reset-password --email …')} />
        </>
      )}
      {hostedUrl === null ? null : (
        <p>
          {words.hosted}{' '}
          <a class="breaks" href={`${hostedUrl.replace(/\/+$/, '')}/esqueci-a-senha`}>
            {hostedUrl}
          </a>
        </p>
      )}
    </div>
  );
}
