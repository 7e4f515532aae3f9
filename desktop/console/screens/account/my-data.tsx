import { useState } from 'preact/hooks';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CheckField, PresentPassword } from '../../components/field.tsx';
import { ask, download } from '../../data/api.ts';
import { farms } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { signOut } from '../../data/session.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { preferenceWords } from './preference-words.ts';

/** Taking everything along, and going for good. */
export function MyData() {
  const words = preferenceWords();
  const { fault, run } = useWork();
  const [isLeaving, setLeaving] = useState(false);
  return (
    <section class="card stack">
      <h2>{words.data}</h2>
      <p class="muted">{words.dataText}</p>
      <FaultNote fault={fault} />
      <div>
        <WorkButton
          disabled={isBlind.value}
          work={() => run(() => download('/users/me/export', 'account.json'))}
        >
          {words.export}
        </WorkButton>
      </div>
      <h3>{words.remove}</h3>
      <p class="muted">{words.removeText}</p>
      <div>
        <Button look="danger" disabled={isBlind.value} onClick={() => setLeaving(true)}>
          {words.remove}
        </Button>
      </div>
      {isLeaving ? <Removal onClose={() => setLeaving(false)} /> : null}
    </section>
  );
}

function Removal({ onClose }: { onClose: () => void }) {
  const words = preferenceWords();
  const [password, setPassword] = useState('');
  const [withFarms, setWithFarms] = useState(false);
  const owned = farms.value.filter(({ role }) => role === 'OWNER').length;
  const remove = async () => {
    await ask('/users/me', {
      method: 'DELETE',
      body: { password },
      ...(withFarms ? { query: { force: true } } : {}),
    });
    await signOut();
  };
  return (
    <ConfirmDialog title={words.removeTitle} label={words.remove} work={remove} onClose={onClose}>
      <p>{words.removeText}</p>
      <PresentPassword label={words.oldPassword} value={password} onTyped={setPassword} />
      {owned === 0 ? null : (
        <>
          <CheckField
            label={words.withFarms(owned)}
            checked={withFarms}
            onChange={(event) => setWithFarms(event.currentTarget.checked)}
          />
          <p class="muted small">{words.handFirst}</p>
        </>
      )}
    </ConfirmDialog>
  );
}
