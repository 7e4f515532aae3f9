import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { PasskeyAnswer, PasskeysAnswer } from '#contract/resources/passkeys.ts';
import { passkeyWords } from '#words/account.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { PresentPassword, TextField } from '../../components/field.tsx';
import { SecondFactorField } from '../../components/second-factor-field.tsx';
import { toast } from '../../components/toast.tsx';
import { ask, post, put } from '../../data/api.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { makePasskey, proveWithPasskey, whyNoPasskeys } from '../../data/session.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { Papers } from './second-factor.tsx';

const PATH = '/auth/passkeys';
const SAID_MS = 4_000;

/** Why none can be used under this address; null: they can. */
export function whyNoneHere({ rp_id, why_not }: PasskeysAnswer) {
  const ofBrowser = whyNoPasskeys();
  if (ofBrowser !== null) return ofBrowser;
  return rp_id === location.hostname ? null : (why_not ?? 'name');
}

type Open = { is: 'adding' } | { is: 'renaming' | 'removing'; passkey: PasskeyAnswer };

/** Ways in without typing: made, named, removed. */
export function PasskeysCard() {
  const words = passkeyWords();
  const known = useGet(PATH);
  const [open, setOpen] = useState<Open | null>(null);
  const [papers, setPapers] = useState<readonly string[] | null>(null);
  const close = () => setOpen(null);
  return (
    <section class="card stack" data-card="passkeys">
      <h2>{words.title}</h2>
      <p class="muted">
        {words.text} {isHosted.value ? words.whereHosted : words.whereBox}
      </p>
      {papers !== null ? (
        <Papers papers={papers} onClose={() => setPapers(null)} />
      ) : (
        <Answer of={known}>
          {(answer) => (
            <>
              <NotHere known={answer} />
              {answer.passkeys.length === 0 ? <p>{words.none}</p> : null}
              <ul class="lines">
                {answer.passkeys.map((passkey) => (
                  <PasskeyLine key={passkey.id} passkey={passkey} onOpen={(is) => setOpen({ is, passkey })} />
                ))}
              </ul>
              <div>
                <Button
                  disabled={isBlind.value || whyNoneHere(answer) !== null}
                  onClick={() => setOpen({ is: 'adding' })}
                >
                  {words.add}
                </Button>
              </div>
              {open?.is === 'adding' ? <Add onClose={close} onPapers={setPapers} /> : null}
              {open?.is === 'renaming' ? <Rename passkey={open.passkey} onClose={close} /> : null}
              {open?.is === 'removing' ? (
                <Remove passkey={open.passkey} known={answer} onClose={close} />
              ) : null}
            </>
          )}
        </Answer>
      )}
    </section>
  );
}

function NotHere({ known }: { known: PasskeysAnswer }) {
  const words = passkeyWords();
  const why = whyNoneHere(known);
  if (why === null) return null;
  return (
    <p class="note p2">
      <span class="grow">
        {words.whyNot[why]}{' '}
        {known.open_at === null || why === 'browser' ? null : (
          <>
            {words.openAt}{' '}
            <a class="breaks" href={known.open_at}>
              {known.open_at}
            </a>
          </>
        )}
      </span>
    </p>
  );
}

function PasskeyLine({
  passkey,
  onOpen,
}: {
  passkey: PasskeyAnswer;
  onOpen: (is: 'renaming' | 'removing') => void;
}) {
  const words = passkeyWords();
  const { name, rp_id, created_at, last_used_at } = passkey;
  return (
    <li class="row apart">
      <div class="grow">
        <strong class="breaks">{name}</strong>
        <p class="muted small breaks">
          {words.made(dayAndTime(created_at))} ·{' '}
          {last_used_at === null ? words.unused : words.used(dayAndTime(last_used_at))}
          {rp_id === location.hostname ? '' : ` · ${words.worksAt(rp_id)}`}
        </p>
      </div>
      <div class="row">
        <Button
          disabled={isBlind.value}
          aria-label={`${words.rename}: ${name}`}
          onClick={() => onOpen('renaming')}
        >
          {words.rename}
        </Button>
        <Button
          disabled={isBlind.value}
          aria-label={`${words.remove}: ${name}`}
          onClick={() => onOpen('removing')}
        >
          {words.remove}
        </Button>
      </div>
    </li>
  );
}

/** A form in a dialog, with one field for the name. */
function NameDialog({
  title,
  name,
  onTyped,
  label,
  isReady,
  work,
  onClose,
  children,
}: {
  title: string;
  name: string;
  onTyped: (name: string) => void;
  label: string;
  isReady: boolean;
  work: () => Promise<unknown>;
  onClose: () => void;
  children?: ComponentChildren;
}) {
  const words = passkeyWords();
  const { fault, run } = useWork();
  const save = async () => {
    if (await run(work)) onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {words.cancel}
          </Button>
          <WorkButton
            big
            look="main"
            disabled={isBlind.value}
            unready={!isReady || name.trim() === ''}
            work={save}
          >
            {label}
          </WorkButton>
        </>
      }
    >
      <TextField
        needed
        label={words.name}
        hint={words.nameHint}
        value={name}
        maxLength={60}
        autoComplete="off"
        onInput={(event) => onTyped(event.currentTarget.value)}
      />
      {children}
      <FaultNote fault={fault} />
    </Dialog>
  );
}

function Add({ onClose, onPapers }: { onClose: () => void; onPapers: (papers: readonly string[]) => void }) {
  const words = passkeyWords();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const add = async () => {
    const asked = { current_password: password };
    const options = await post(`${PATH}/begin`, asked);
    const credential = await makePasskey(options);
    const made = await post(PATH, { name: name.trim(), credential });
    refresh('auth');
    toast(words.added, null, SAID_MS);
    if (made.recovery_codes !== null) onPapers(made.recovery_codes);
  };
  return (
    <NameDialog
      title={words.addTitle}
      label={words.make}
      name={name}
      onTyped={setName}
      isReady={password !== ''}
      work={add}
      onClose={onClose}
    >
      <PresentPassword label={words.password} value={password} onTyped={setPassword} />
      <p class="muted">{words.addText}</p>
    </NameDialog>
  );
}

function Rename({ passkey, onClose }: { passkey: PasskeyAnswer; onClose: () => void }) {
  const words = passkeyWords();
  const [name, setName] = useState(passkey.name);
  const rename = async () => {
    await put(`${PATH}/${passkey.id}`, { name: name.trim() });
    refresh('auth');
  };
  return (
    <NameDialog
      title={words.renameTitle}
      label={words.save}
      name={name}
      onTyped={setName}
      isReady
      work={rename}
      onClose={onClose}
    />
  );
}

/** The last way to prove oneself goes with a proof, as an app does. */
function Remove({
  passkey,
  known,
  onClose,
}: {
  passkey: PasskeyAnswer;
  known: PasskeysAnswer;
  onClose: () => void;
}) {
  const words = passkeyWords();
  const app = useGet('/auth/second-factor');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const canSign = whyNoneHere(known) === null && passkey.rp_id === known.rp_id;
  const [isPaper, setPaper] = useState(!canSign);
  // unknown is not "none": then nothing can be pressed
  const isLast = known.passkeys.length === 1 && app.data !== undefined && app.data.state !== 'ON';
  const remove = async () => {
    const proof = !isLast ? {} : isPaper ? { code: code.trim() } : { passkey: await proveWithPasskey() };
    await ask(`${PATH}/${passkey.id}`, { method: 'DELETE', body: { current_password: password, ...proof } });
    refresh('auth');
    toast(words.removed, null, SAID_MS);
  };
  return (
    <ConfirmDialog
      title={words.removeTitle(passkey.name)}
      label={words.remove}
      isReady={
        password !== '' &&
        app.data !== undefined &&
        !isBlind.value &&
        (!isLast || !isPaper || code.trim() !== '')
      }
      work={remove}
      onClose={onClose}
    >
      <p>{words.removeText}</p>
      {isLast ? <p class="note p2">{isPaper ? words.removeLastPaper : words.removeLast}</p> : null}
      <PresentPassword label={words.password} value={password} onTyped={setPassword} />
      {isLast && isPaper ? <SecondFactorField value={code} onTyped={setCode} onlyRecovery /> : null}
      {isLast && !isPaper ? (
        <div>
          <Button look="quiet" onClick={() => setPaper(true)}>
            {words.usePaper}
          </Button>
        </div>
      ) : null}
    </ConfirmDialog>
  );
}
