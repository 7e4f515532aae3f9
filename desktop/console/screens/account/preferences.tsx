import { user } from '../../data/session.ts';
import { SystemPage } from '../box/system-page.tsx';
import { AccessTokens } from './access-tokens.tsx';
import { AccountForm } from './account-form.tsx';
import { MyData } from './my-data.tsx';
import { OwnAddress } from './own-address.tsx';
import { PasskeysCard } from './passkeys.tsx';
import { PasswordForm } from './password-form.tsx';
import { preferenceWords } from './preference-words.ts';
import { SecondFactorCard } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { StationForm } from './station-form.tsx';

export function Preferences() {
  const words = preferenceWords();
  return (
    <SystemPage title={words.title} narrow>
      <StationForm />
      {user.value === null ? (
        <div class="skeleton" aria-busy="true" />
      ) : (
        <>
          <AccountForm key={`${user.value.id} ${user.value.updated_at}`} person={user.value} />
          <OwnAddress />
          <PasswordForm email={user.value.email} />
        </>
      )}
      <PasskeysCard />
      <SecondFactorCard />
      <Sessions />
      <AccessTokens />
      <MyData />
    </SystemPage>
  );
}
