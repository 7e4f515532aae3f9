import { useState } from 'preact/hooks';
import { preferenceWords } from '#words/account.ts';
import { systemWords } from '#words/system.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { ElsewhereNote, useEdited } from '../../components/edited.tsx';
import { CheckField, PresentPassword, SelectField, TextField } from '../../components/field.tsx';
import { speak } from '../../components/language-choice.tsx';
import { ask, download, put } from '../../data/api.ts';
import { farm, farms } from '../../data/farm-store.ts';
import { hasFarmSun } from '../../data/farm-sun.ts';
import { chooseKeys, KEY_SETS, keySet } from '../../data/keys.ts';
import { isBlind } from '../../data/live.ts';
import { loadUser, signOut, type User, user } from '../../data/session.ts';
import { DENSITIES, density, isStation, THEMES, theme } from '../../data/theme.ts';
import { chooseCurrency, currency, dayAndTime } from '../../i18n/format.ts';
import { LANGUAGES, language } from '../../i18n/language.ts';
import { chooseNightVolume, nightVolume, soundTestedAt, testSound } from '../../shell/sound.ts';
import { NIGHT_VOLUMES } from '../../state/alarm-state.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { AccessTokens } from './access-tokens.tsx';
import { Addresses } from './addresses.tsx';
import { OwnAddress } from './own-address.tsx';
import { PasskeysCard } from './passkeys.tsx';
import { PasswordForm } from './password-form.tsx';
import { SecondFactorCard } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

/** The alarm is only worth something where it can be heard. */
export function SoundTest() {
  const words = preferenceWords();
  const [said, setSaid] = useState<'heard' | 'blocked' | null>(null);
  const test = async () => setSaid((await testSound()) ? 'heard' : 'blocked');
  return (
    <div class="stack">
      <p class="muted">{words.soundText}</p>
      <div class="row">
        <WorkButton big work={test}>
          {words.test}
        </WorkButton>
        <span class="muted small">
          {soundTestedAt.value === null ? words.neverTested : words.lastTest(dayAndTime(soundTestedAt.value))}
        </span>
      </div>
      <p role="status">{said === null ? '' : words[said]}</p>
    </div>
  );
}

export function Preferences() {
  const words = preferenceWords();
  return (
    <SystemPage title={words.title} narrow>
      <StationForm />
      {user.value === null ? (
        <div class="skeleton" aria-busy="true" />
      ) : (
        <>
          <AccountForm key={user.value.id} person={user.value} />
          <OwnAddress />
          <PasswordForm email={user.value.email} />
        </>
      )}
      <PasskeysCard />
      <SecondFactorCard />
      <Sessions />
      <AccessTokens />
      <Addresses />
      <MyData />
    </SystemPage>
  );
}

/** Taking everything along, and going for good. */
function MyData() {
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

type AccountTexts = Readonly<Record<'name' | 'email' | 'phone_number', string>>;

function AccountForm({ person }: { person: User }) {
  const words = preferenceWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const edited = useEdited<AccountTexts>({
    name: person.name,
    email: person.email,
    phone_number: person.phone_number ?? '',
  });
  const { name, email, phone_number: phone } = edited.text;
  const [present, setPresent] = useState('');
  // what the account is opened or found again with
  const mustProve = email.trim() !== person.email || phone.trim() !== (person.phone_number ?? '');
  const labels = { name: words.name, email: words.email, phone_number: words.phone };
  const save = () =>
    run(async () => {
      const values = {
        name: name.trim(),
        email: email.trim(),
        phone_number: phone.trim() === '' ? null : phone.trim(),
      };
      await put('/users/me', {
        // what another tab changed meanwhile stays
        ...Object.fromEntries(edited.touched.map((field) => [field, values[field]])),
        ...(mustProve && present !== '' ? { current_password: present } : {}),
      });
      edited.saved();
      setPresent('');
      await loadUser();
    }, shared.saved);
  return (
    <section class="card stack">
      <h2>{words.account}</h2>
      <div class="form-grid">
        <TextField
          needed
          label={words.name}
          value={name}
          maxLength={255}
          autoComplete="name"
          onInput={(event) => edited.set({ name: event.currentTarget.value })}
        />
        <TextField
          needed
          label={words.email}
          type="email"
          value={email}
          maxLength={254}
          autoComplete="email"
          onInput={(event) => edited.set({ email: event.currentTarget.value })}
        />
        <TextField
          label={words.phone}
          type="tel"
          value={phone}
          maxLength={255}
          autoComplete="tel"
          onInput={(event) => edited.set({ phone_number: event.currentTarget.value })}
        />
        {mustProve ? (
          <PresentPassword label={words.oldPassword} value={present} onTyped={setPresent} />
        ) : null}
      </div>
      <ElsewhereNote of={edited.elsewhere} label={(field) => labels[field]} />
      <FaultNote fault={fault} />
      <div>
        <WorkButton
          look="main"
          disabled={isBlind.value}
          unready={name.trim() === '' || email.trim() === ''}
          work={save}
        >
          {shared.save}
        </WorkButton>
      </div>
    </section>
  );
}

/** What holds for this phone or PC alone. The language also goes to the account: notifications are written in it. */
function StationForm() {
  const words = preferenceWords();
  const isBySun = theme.value === 'sun' || (theme.value === 'auto' && isStation());
  const choose = async (tag: string) => {
    // first, for the page is loaded anew then; without a gateway only letters stay in the old one
    await put('/users/me', { language: tag }).catch(() => undefined);
    await speak(tag);
  };
  return (
    <section class="card stack">
      <h2>{words.station}</h2>
      <div class="form-grid">
        <SelectField
          label={words.language}
          value={language}
          options={LANGUAGES.map(({ tag, name }) => ({ value: tag, label: name }))}
          onChange={(event) => void choose(event.currentTarget.value)}
        />
        <SelectField
          label={words.theme}
          hint={isBySun ? (hasFarmSun.value ? words.sunHint : words.noSunHint) : undefined}
          value={theme.value}
          options={THEMES.map((word) => ({ value: word, label: words.themes[word] }))}
          onChange={(event) => {
            theme.value = THEMES.find((word) => word === event.currentTarget.value) ?? 'auto';
          }}
        />
        <SelectField
          label={words.density}
          hint={density.value === 'tv' ? words.tvHint : undefined}
          value={density.value}
          options={DENSITIES.map((word) => ({ value: word, label: words.densities[word] }))}
          onChange={(event) => {
            density.value = DENSITIES.find((word) => word === event.currentTarget.value) ?? 'auto';
          }}
        />
        <SelectField
          label={words.currency}
          hint={words.currencyHint}
          value={currency.value}
          options={[
            { value: 'BRL', label: 'R$' },
            { value: 'USD', label: 'US$' },
          ]}
          onChange={(event) => chooseCurrency(event.currentTarget.value === 'USD' ? 'USD' : 'BRL')}
        />
        <SelectField
          label={words.keys}
          hint={words.keysHint}
          value={keySet.value}
          options={KEY_SETS.map((word) => ({ value: word, label: words.keySets[word] }))}
          onChange={(event) =>
            chooseKeys(KEY_SETS.find((word) => word === event.currentTarget.value) ?? 'help')
          }
        />
      </div>
      <h3>{words.sound}</h3>
      <SelectField
        label={words.nightVolume}
        hint={words.nightVolumeHint}
        value={nightVolume.value}
        options={NIGHT_VOLUMES.map((volume) => ({ value: volume, label: words.nightVolumes[volume] }))}
        onChange={(event) =>
          void chooseNightVolume(
            NIGHT_VOLUMES.find((volume) => volume === event.currentTarget.value) ?? '100',
          )
        }
      />
      <SoundTest />
    </section>
  );
}

/** Who is signed in here, what they are on this farm, and the way out. */
export function AccountCard({ person }: { person: User }) {
  const words = systemWords();
  return (
    <section class="card row apart">
      <div>
        <h2>{person.name}</h2>
        <p class="muted small">
          {person.email}
          {farm.value === null ? '' : ` · ${words.role[farm.value.role]} · ${farm.value.name}`}
        </p>
      </div>
      <Button big onClick={() => void signOut()}>
        {words.signOut}
      </Button>
    </section>
  );
}
