import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import type { MadeInvitation } from './invitation-made.ts';
import { peopleWords } from './people-words.ts';

/** Offering the farm to somebody else, who has to accept. */
export function HandOver({
  farmId,
  name,
  onMade,
}: {
  farmId: string;
  name: string;
  onMade: (made: MadeInvitation) => void;
}) {
  const words = peopleWords();
  const [isAsking, setAsking] = useState(false);
  const [email, setEmail] = useState('');
  const [stays, setStays] = useState<'MANAGER' | 'NONE'>('MANAGER');
  const offer = async () => {
    onMade(
      await post<MadeInvitation>(`/farms/${farmId}/invitations`, {
        kind: 'HANDOVER',
        former_owner: stays,
        email: email.trim() === '' ? null : email.trim(),
      }),
    );
    refresh('farms');
  };
  return (
    <section class="card stack">
      <h2>{words.handOver}</h2>
      <p class="muted">{words.handOverText}</p>
      <div>
        <Button look="danger" disabled={isBlind.value} onClick={() => setAsking(true)}>
          {words.offerIt}
        </Button>
      </div>
      {isAsking ? (
        <ConfirmDialog
          title={words.handOver}
          label={words.offerIt}
          mustType={{ label: words.typeName(name), text: name }}
          work={offer}
          onClose={() => setAsking(false)}
        >
          <TextField
            label={words.handOverTo}
            type="email"
            value={email}
            maxLength={254}
            autoComplete="off"
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
          <SelectField
            label={words.youStay}
            value={stays}
            options={[
              { value: 'MANAGER', label: words.stay.MANAGER },
              { value: 'NONE', label: words.stay.NONE },
            ]}
            onChange={(event) => setStays(event.currentTarget.value === 'NONE' ? 'NONE' : 'MANAGER')}
          />
        </ConfirmDialog>
      ) : null}
    </section>
  );
}
