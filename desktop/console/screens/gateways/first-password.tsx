import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { gatewayWords } from '#words/cloud.ts';
import { WorkButton } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { requireGoodPassword } from '../../data/good-password.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

const SHORTEST = 8;

/** For somebody whose account came over from a gateway: a code in, a password of their own out. */
export function FirstPassword() {
  const words = gatewayWords();
  const { fault, run } = useWork({ NOT_FOUND: words.unknownFirstCode });
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const [isDone, setDone] = useState(false);
  const save = async () =>
    setDone(
      await run(async () => {
        await requireGoodPassword(password, {});
        await post('/auth/first-password', { code: code.trim(), password });
      }),
    );
  return (
    <main class="sign-in">
      <div class="card stack">
        <h1>{words.firstTitle}</h1>
        {isDone ? (
          <>
            <p role="status">{words.firstDone}</p>
            <Link class="button main" href="/">
              {words.signIn}
            </Link>
          </>
        ) : (
          <>
            <TextField
              needed
              label={words.firstCode}
              value={code}
              autoComplete="one-time-code"
              onInput={(event) => setCode(event.currentTarget.value)}
            />
            <TextField
              needed
              minLength={SHORTEST}
              label={words.firstPassword}
              hint={words.firstHint}
              type="password"
              value={password}
              autoComplete="new-password"
              onInput={(event) => setPassword(event.currentTarget.value)}
            />
            <FaultNote fault={fault} />
            <WorkButton
              big
              look="main"
              unready={code.trim() === '' || password.length < SHORTEST}
              work={save}
            >
              {words.firstSave}
            </WorkButton>
          </>
        )}
      </div>
    </main>
  );
}
