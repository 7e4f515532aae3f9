import { useState } from 'preact/hooks';
import type { SessionAnswer } from '#contract/resources/sessions.ts';
import { sessionWords } from '#words/account.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { PresentPassword } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { ask } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { expiresAt, signOut } from '../../data/session.ts';
import { dayAndTime } from '../../i18n/format.ts';

import { saidIn } from '../system/use-work.ts';

/** More are asked for: nobody reads a hundred lines to find the own phone. */
const SHOWN = 8;

/** Where the person is signed in: what is not known, or lost, is ended from here. */
export function Sessions() {
  const words = sessionWords();
  const sessions = useGet('/auth/sessions');
  const [isWhole, setWhole] = useState(false);
  /** What is about to be ended. */
  const [ending, setEnding] = useState<SessionAnswer | 'others' | null>(null);
  return (
    <section class="card stack">
      <h2>{words.title}</h2>
      <p class="muted">{words.text}</p>
      <Answer of={sessions}>
        {(rows) => (
          <>
            {rows.some(({ is_current }) => is_current) ? null : <p class="note">{words.notListed}</p>}
            <ul class="lines">
              {(isWhole ? rows : rows.slice(0, SHOWN)).map((row) => (
                <SessionLine key={row.id} row={row} onEnd={() => setEnding(row)} />
              ))}
            </ul>
            {isWhole || rows.length <= SHOWN ? null : (
              <div>
                <Button look="quiet" onClick={() => setWhole(true)}>
                  {words.all(rows.length)}
                </Button>
              </div>
            )}
            <div>
              <Button disabled={isBlind.value} onClick={() => setEnding('others')}>
                {words.endOthers}
              </Button>
            </div>
          </>
        )}
      </Answer>
      <p class="muted">{words.untilText(dayAndTime(expiresAt()))}</p>
      <div>
        <Button onClick={() => void signOut()}>{words.signOut}</Button>
      </div>
      {ending === null ? null : <EndDialog ending={ending} onClose={() => setEnding(null)} />}
    </section>
  );
}

function nameOf({ browser, system }: SessionAnswer): string {
  const words = sessionWords();
  if (browser !== null && system !== null) return words.device(browser, system);
  return browser ?? system ?? words.unknownDevice;
}

function SessionLine({ row, onEnd }: { row: SessionAnswer; onEnd: () => void }) {
  const words = sessionWords();
  const { network, address, last_used_at, created_at, is_current } = row;
  const name = nameOf(row);
  const where = network === null ? address : `${words.network[network]}, ${address}`;
  return (
    <li class="row apart">
      <div class="grow">
        <strong class="breaks">{name}</strong> {is_current ? <span class="chip">{words.isThis}</span> : null}
        <p class="muted small breaks">
          {where} · {words.lastUse(dayAndTime(last_used_at))} · {words.since(dayAndTime(created_at))}
        </p>
      </div>
      {is_current ? null : (
        <Button disabled={isBlind.value} aria-label={`${words.end} ${name}, ${where}`} onClick={onEnd}>
          {words.end}
        </Button>
      )}
    </li>
  );
}

/** Asks for the password, too: a phone left lying must not sign its owner out everywhere else. */
function EndDialog({ ending, onClose }: { ending: SessionAnswer | 'others'; onClose: () => void }) {
  const words = sessionWords();
  const [password, setPassword] = useState('');
  const isAll = ending === 'others';
  const work = async () => {
    const path = isAll ? '/auth/sessions' : `/auth/sessions/${ending.id}`;
    const asked = { method: 'DELETE', body: { current_password: password } } as const;
    try {
      const answer = await ask<{ ended: number } | null>(path, asked);
      toast(words.ended(answer?.ended ?? 1), null, 4_000);
    } catch (error) {
      throw saidIn(error, words.refused);
    } finally {
      // it may have ended meanwhile by itself
      refresh('auth');
    }
  };
  return (
    <ConfirmDialog
      title={isAll ? words.endOthersTitle : words.endTitle(nameOf(ending))}
      label={isAll ? words.endOthers : words.endLabel}
      isReady={password !== '' && !isBlind.value}
      work={work}
      onClose={onClose}
    >
      <p>{isAll ? words.endOthersText : words.endText}</p>
      <PresentPassword label={words.password} value={password} onTyped={setPassword} />
    </ConfirmDialog>
  );
}
