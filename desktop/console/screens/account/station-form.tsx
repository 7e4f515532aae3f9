import { SelectField } from '../../components/field.tsx';
import { put } from '../../data/api.ts';
import { hasFarmSun } from '../../data/farm-sun.ts';
import { chooseKeys, KEY_SETS, keySet } from '../../data/keys.ts';
import { loadUser } from '../../data/session.ts';
import { DENSITIES, density, isStation, THEMES, theme } from '../../data/theme.ts';
import { chooseCurrency, currency } from '../../i18n/format.ts';
import { chooseLanguage, LANGUAGES, type Language, language } from '../../i18n/language.ts';
import { chooseNightVolume, nightVolume } from '../../shell/sound.ts';
import { NIGHT_VOLUMES } from '../../state/alarm-loudness.ts';
import { preferenceWords } from './preference-words.ts';
import { SoundTest } from './sound-test.tsx';

/** What holds for this phone or PC alone. The language also goes to the account: notifications are written in it. */
export function StationForm() {
  const words = preferenceWords();
  const isBySun = theme.value === 'sun' || (theme.value === 'auto' && isStation());
  const speak = (chosen: Language) => {
    chooseLanguage(chosen);
    put('/users/me', { language: chosen })
      .then(loadUser)
      // the screen speaks it already; without a gateway only letters stay in the old one
      .catch(() => undefined);
  };
  return (
    <section class="card stack">
      <h2>{words.station}</h2>
      <div class="form-grid">
        <SelectField
          label={words.language}
          value={language.value}
          options={LANGUAGES.map((spoken) => ({
            value: spoken,
            label: spoken === 'en' ? 'English' : 'Português',
          }))}
          onChange={(event) => speak(event.currentTarget.value === 'en' ? 'en' : 'pt-BR')}
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
