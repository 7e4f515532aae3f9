import { useState } from 'preact/hooks';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { serverNow } from '../../data/clock.ts';
import { refresh } from '../../data/query.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { systemWords } from '../system/words.ts';
import { preferenceWords } from './preference-words.ts';

const SCOPES = ['read', 'record', 'control'] as const;
type Scope = (typeof SCOPES)[number];
const DAYS = ['30', '90', '365', 'never'] as const;
type Days = (typeof DAYS)[number];
const DAY_MS = 86_400_000;

export function TokenDialog({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const words = preferenceWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read']);
  const [days, setDays] = useState<Days>('90');
  const make = async () => {
    const isDone = await run(async () => {
      const { token } = await post<{ token: string }>('/access-tokens', {
        name: name.trim(),
        scopes,
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
          <WorkButton big look="main" disabled={name.trim() === '' || scopes.length === 0} work={make}>
            {words.newToken}
          </WorkButton>
        </>
      }
    >
      <TextField
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
      <FaultNote fault={fault} />
    </Dialog>
  );
}
