import { useState } from 'preact/hooks';
import { WorkButton } from '../../components/button.tsx';
import { PresentPassword, TextField } from '../../components/field.tsx';
import { put } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { loadUser, type User } from '../../data/session.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { systemWords } from '../system/words.ts';
import { preferenceWords } from './preference-words.ts';

export function AccountForm({ person }: { person: User }) {
  const words = preferenceWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const [name, setName] = useState(person.name);
  const [email, setEmail] = useState(person.email);
  const [phone, setPhone] = useState(person.phone_number ?? '');
  const [present, setPresent] = useState('');
  // what the account is opened or found again with
  const mustProve = email.trim() !== person.email || phone.trim() !== (person.phone_number ?? '');
  const save = () =>
    run(async () => {
      await put('/users/me', {
        name: name.trim(),
        email: email.trim(),
        phone_number: phone.trim() === '' ? null : phone.trim(),
        ...(mustProve && present !== '' ? { current_password: present } : {}),
      });
      setPresent('');
      await loadUser();
    }, shared.saved);
  return (
    <section class="card stack">
      <h2>{words.account}</h2>
      <div class="form-grid">
        <TextField
          label={words.name}
          value={name}
          maxLength={255}
          autoComplete="name"
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          label={words.email}
          type="email"
          value={email}
          maxLength={254}
          autoComplete="email"
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <TextField
          label={words.phone}
          type="tel"
          value={phone}
          maxLength={255}
          autoComplete="tel"
          onInput={(event) => setPhone(event.currentTarget.value)}
        />
        {mustProve ? (
          <PresentPassword label={words.oldPassword} value={present} onTyped={setPresent} />
        ) : null}
      </div>
      <FaultNote fault={fault} />
      <div>
        <WorkButton
          look="main"
          disabled={name.trim() === '' || email.trim() === '' || isBlind.value}
          work={save}
        >
          {shared.save}
        </WorkButton>
      </div>
    </section>
  );
}
