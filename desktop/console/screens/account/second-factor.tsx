import { useState } from 'preact/hooks';
import type { SecondFactorAnswer, SecondFactorBegun } from '#contract/resources/second-factor.ts';
import { secondFactorWords } from '#words/account.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { CheckField, PresentPassword, TextField } from '../../components/field.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { SecondFactorField } from '../../components/second-factor-field.tsx';
import { toast } from '../../components/toast.tsx';
import { ask, post } from '../../data/api.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { isReadable } from '../../data/readable.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

const PATH = '/auth/second-factor';

/** A code besides the password: set up with an app, proved, with recovery codes for the day the phone is gone. */
export function SecondFactorCard() {
  const words = secondFactorWords();
  const state = useGet(PATH);
  const [begun, setBegun] = useState<SecondFactorBegun | null>(null);
  const [papers, setPapers] = useState<readonly string[] | null>(null);
  return (
    <section class="card stack" data-card="second-factor">
      <h2>{words.title}</h2>
      <p class="muted">
        {words.why} {isHosted.value ? words.whereHosted : words.whereBox}
      </p>
      {papers !== null ? (
        <Papers papers={papers} onClose={() => setPapers(null)} />
      ) : begun !== null ? (
        <Prove
          begun={begun}
          onDone={(codes) => {
            setBegun(null);
            setPapers(codes);
          }}
          onCancel={() => setBegun(null)}
        />
      ) : (
        <Answer of={state}>
          {(known) => (
            <>
              {known.judges_codes ? null : <p class="note p2">{words.clock}</p>}
              {known.state === 'ON' ? <On known={known} /> : <Begin known={known} onBegun={setBegun} />}
            </>
          )}
        </Answer>
      )}
    </section>
  );
}

function Begin({
  known,
  onBegun,
}: {
  known: SecondFactorAnswer;
  onBegun: (begun: SecondFactorBegun) => void;
}) {
  const words = secondFactorWords();
  const { fault, run } = useWork();
  const [password, setPassword] = useState('');
  const begin = () => run(async () => onBegun(await post(PATH, { current_password: password })));
  return (
    <form noValidate class="stack" onSubmit={(event) => event.preventDefault()}>
      <p>{words.off}</p>
      <PresentPassword label={words.password} value={password} onTyped={setPassword} />
      {isReadable() ? <p class="note p2">{words.readable}</p> : null}
      <FaultNote fault={fault} />
      <div>
        <WorkButton disabled={isBlind.value} unready={password === '' || !known.judges_codes} work={begin}>
          {words.begin}
        </WorkButton>
      </div>
    </form>
  );
}

function Prove({
  begun,
  onDone,
  onCancel,
}: {
  begun: SecondFactorBegun;
  onDone: (papers: readonly string[]) => void;
  onCancel: () => void;
}) {
  const words = secondFactorWords();
  const { fault, run } = useWork();
  const [code, setCode] = useState('');
  const confirm = () =>
    run(async () => {
      const answer = await post(`${PATH}/confirm`, { code });
      refresh('auth');
      onDone(answer.recovery_codes);
    });
  return (
    <form noValidate class="stack" onSubmit={(event) => event.preventDefault()}>
      <p>{words.scan}</p>
      <QrCode text={begun.uri} label={words.qr} />
      <details>
        <summary>{words.byHand}</summary>
        <CopyText label={words.secret} text={begun.secret} />
      </details>
      <TextField
        needed
        label={words.type}
        value={code}
        maxLength={10}
        inputMode="numeric"
        autoComplete="one-time-code"
        onInput={(event) => setCode(event.currentTarget.value)}
      />
      <FaultNote fault={fault} />
      <div class="row">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <WorkButton look="main" disabled={isBlind.value} unready={code.trim() === ''} work={confirm}>
          {words.confirm}
        </WorkButton>
      </div>
    </form>
  );
}

/** Once it is closed nobody shows them again. */
export function Papers({ papers, onClose }: { papers: readonly string[]; onClose: () => void }) {
  const words = secondFactorWords();
  const [isKept, setKept] = useState(false);
  return (
    <div class="stack">
      <h3>{words.papers}</h3>
      <p class="note p2">{words.papersOnce}</p>
      <ol class="recovery-codes mono" aria-label={words.papers}>
        {papers.map((paper) => (
          <li key={paper}>{paper}</li>
        ))}
      </ol>
      <div class="stack no-print">
        <details>
          <summary>{words.copy}</summary>
          <CopyText label={words.papers} text={papers.join(' ')} />
        </details>
        <div>
          <Button onClick={() => print()}>{words.print}</Button>
        </div>
        <CheckField
          label={words.isKept}
          checked={isKept}
          onInput={(event) => setKept(event.currentTarget.checked)}
        />
        <div>
          <Button look="main" unready={!isKept} onClick={onClose}>
            {words.done}
          </Button>
        </div>
      </div>
    </div>
  );
}

function On({ known }: { known: SecondFactorAnswer }) {
  const words = secondFactorWords();
  const [isEnding, setEnding] = useState(false);
  return (
    <>
      <p>
        {words.on(dayAndTime(known.confirmed_at))} {words.left(known.recovery_codes_left)}
      </p>
      <div>
        <Button disabled={isBlind.value} onClick={() => setEnding(true)}>
          {words.end}
        </Button>
      </div>
      {isEnding ? <End onlyRecovery={!known.judges_codes} onClose={() => setEnding(false)} /> : null}
    </>
  );
}

function End({ onlyRecovery, onClose }: { onlyRecovery: boolean; onClose: () => void }) {
  const words = secondFactorWords();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const end = async () => {
    await ask(PATH, { method: 'DELETE', body: { current_password: password, code: code.trim() } });
    refresh('auth');
    toast(words.ended, null, 4_000);
  };
  return (
    <ConfirmDialog
      title={words.endTitle}
      label={words.end}
      isReady={password !== '' && code.trim() !== '' && !isBlind.value}
      work={end}
      onClose={onClose}
    >
      <p>{words.endText}</p>
      <PresentPassword label={words.password} value={password} onTyped={setPassword} />
      <SecondFactorField value={code} onTyped={setCode} onlyRecovery={onlyRecovery} />
    </ConfirmDialog>
  );
}

/** The next code in the row: CP-08 is followed by CP-09. */
export function nextCode(codes: readonly string[]): string {
  const last = codes.at(-1);
  const parts = /^(.*?)(\d+)$/.exec(last ?? '');
  if (parts === null) return last === undefined ? 'CP-01' : '';
  const [, before = '', figure = ''] = parts;
  return `${before}${String(Number(figure) + 1).padStart(figure.length, '0')}`;
}
