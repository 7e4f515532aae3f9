import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { AccessTokenAnswer } from '#contract/resources/access-tokens.ts';
import { preferenceWords, sessionWords } from '#words/account.ts';
import { systemWords } from '#words/system.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { CheckField, PresentPassword, SelectField, TextField } from '../../components/field.tsx';
import { del, post } from '../../data/api.ts';
import { now, serverNow } from '../../data/clock.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { calendarDay, dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type Scope = (typeof SCOPES)[number];

type Days = (typeof DAYS)[number];

const SCOPES = ['read', 'record', 'control'] as const;

const DAYS = ['30', '90', '365', 'never'] as const;

const DAY_MS = 86_400_000;

/** Tokens for programs: made, shown once, revoked. */
export function AccessTokens() {
  const words = preferenceWords();
  const tokens = useGet('/access-tokens');
  const subscription = useGet('/subscriptions/me');
  const isLocked = subscription.data?.features.api_access === false;
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const [leaving, setLeaving] = useState<AccessTokenAnswer | null>(null);
  return (
    <section class="card stack">
      <h2>{words.tokens}</h2>
      <p class="muted">{words.tokensText}</p>
      <Answer of={tokens} isEmpty={(rows) => rows.length === 0} empty={<p class="muted">{words.noTokens}</p>}>
        {(rows) => (
          <ul class="lines">
            {rows.map((token) => (
              <TokenLine key={token.id} token={token} onRevoke={() => setLeaving(token)} />
            ))}
          </ul>
        )}
      </Answer>
      {isLocked ? (
        <p class="note">
          <span class="grow">{words.tokensLocked}</span>
          <Link class="way" href="/sistema/plano">
            {words.seePlans}
          </Link>
        </p>
      ) : (
        <div>
          <Button disabled={isBlind.value} onClick={() => setMaking(true)}>
            {words.newToken}
          </Button>
        </div>
      )}
      {isMaking ? <TokenDialog onClose={() => setMaking(false)} onMade={setMade} /> : null}
      {made === null ? null : (
        <Dialog
          title={words.tokenTitle}
          onClose={() => undefined}
          actions={
            <Button big look="main" onClick={() => setMade(null)}>
              {words.kept}
            </Button>
          }
        >
          <p>{words.tokenText}</p>
          <CopyText label={words.token} text={made} />
        </Dialog>
      )}
      {leaving === null ? null : (
        <ConfirmDialog
          title={words.revokeTitle(leaving.name)}
          label={words.revoke}
          work={async () => {
            await del(`/access-tokens/${leaving.id}`);
            refresh('access-tokens');
          }}
          onClose={() => setLeaving(null)}
        >
          <p>{words.revokeText}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function TokenLine({ token, onRevoke }: { token: AccessTokenAnswer; onRevoke: () => void }) {
  const words = preferenceWords();
  const { name, hint, scopes, expires_at, revoked_at, last_used_at } = token;
  const isOver = expires_at !== null && Date.parse(expires_at) <= now.value;
  const holds =
    revoked_at !== null
      ? words.revoked(dayAndTime(revoked_at))
      : expires_at === null
        ? words.endless
        : (isOver ? words.ended : words.endsOn)(calendarDay(expires_at));
  return (
    <li class={`row apart ${revoked_at !== null || isOver ? 'muted' : ''}`}>
      <div class="grow">
        <strong class="breaks">{name}</strong> <span class="mono muted">…{hint}</span>
        <p class="muted small">
          {scopes.map((scope) => words.scope[scope]).join(', ')} · {holds} ·{' '}
          {last_used_at === null ? words.unused : words.used(dayAndTime(last_used_at))}
        </p>
      </div>
      {revoked_at === null && !isOver ? (
        <Button disabled={isBlind.value} aria-label={`${words.revoke} ${name}`} onClick={onRevoke}>
          {words.revoke}
        </Button>
      ) : null}
    </li>
  );
}

function TokenDialog({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const words = preferenceWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read']);
  const [days, setDays] = useState<Days>('90');
  const [password, setPassword] = useState('');
  const make = async () => {
    const isDone = await run(async () => {
      const { token } = await post('/access-tokens', {
        name: name.trim(),
        scopes,
        current_password: password,
        expires_at: days === 'never' ? null : new Date(serverNow() + Number(days) * DAY_MS).toISOString(),
      });
      onMade(token);
      refresh('access-tokens');
    });
    if (isDone) onClose();
  };
  return (
    <Dialog
      title={words.newToken}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {shared.cancel}
          </Button>
          <WorkButton
            big
            look="main"
            unready={name.trim() === '' || scopes.length === 0 || password === ''}
            work={make}
          >
            {words.newToken}
          </WorkButton>
        </>
      }
    >
      <TextField
        needed
        label={words.tokenName}
        value={name}
        maxLength={255}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <fieldset class="plain-set">
        <legend>{words.scopes}</legend>
        {SCOPES.map((scope) => (
          <CheckField
            key={scope}
            label={words.scope[scope]}
            checked={scopes.includes(scope)}
            onChange={(event) =>
              setScopes(
                event.currentTarget.checked ? [...scopes, scope] : scopes.filter((word) => word !== scope),
              )
            }
          />
        ))}
      </fieldset>
      <SelectField
        label={words.expires}
        value={days}
        options={DAYS.map((word) => ({ value: word, label: words.days[word] }))}
        onChange={(event) => setDays(DAYS.find((word) => word === event.currentTarget.value) ?? '90')}
      />
      <PresentPassword label={sessionWords().password} value={password} onTyped={setPassword} />
      <FaultNote fault={fault} />
    </Dialog>
  );
}
