import { type AmmoniaGap, type Nh3, nh3ToActOn } from '../ammonia.ts';
import { figure, type Language } from './language.ts';

// Ammonia is never told as a bare figure: total (TAN) or un-ionised (NH₃-N), known or the worst that may be.

const UNITS = { NH3: 'mg/L NH₃-N', TAN: 'mg/L TAN' } as const;

const GAPS: Readonly<Record<AmmoniaGap, Readonly<Record<Language, string>>>> = {
  TEMPERATURE_MISSING: {
    'pt-BR': 'temperatura não medida',
    en: 'temperature not measured',
    es: 'temperatura no medida',
  },
  PH_MISSING: { 'pt-BR': 'pH não medido', en: 'pH not measured', es: 'pH no medido' },
  SALINITY_MISSING: {
    'pt-BR': 'salinidade não medida',
    en: 'salinity not measured',
    es: 'salinidad no medida',
  },
  TEMPERATURE_OUT_OF_RANGE: {
    'pt-BR': 'temperatura fora de 5–40 °C',
    en: 'temperature outside 5–40 °C',
    es: 'temperatura fuera de 5–40 °C',
  },
  PH_OUT_OF_RANGE: { 'pt-BR': 'pH fora de 6–10', en: 'pH outside 6–10', es: 'pH fuera de 6–10' },
  SALINITY_OUT_OF_RANGE: {
    'pt-BR': 'salinidade fora de 0–45 ppt',
    en: 'salinity outside 0–45 ppt',
    es: 'salinidad fuera de 0–45 ppt',
  },
};

/** "pH não medido; salinidade não medida". */
export function gapsText(gaps: readonly AmmoniaGap[], language: Language): string {
  return gaps.map((gap) => GAPS[gap][language]).join('; ');
}

/** The same, from Portuguese. */
export function gapsSaidIn(language: Language, portuguese: string): string {
  const said = portuguese
    .split('; ')
    .map((each) => Object.values(GAPS).find((gap) => gap['pt-BR'] === each)?.[language] ?? each);
  return said.join('; ');
}

/** "3,00 mg/L TAN". */
export function ammoniaAmount(basis: 'NH3' | 'TAN', mgL: number, language: Language): string {
  return `${figure(mgL, 2, language)} ${UNITS[basis]}`;
}

/** What total ammonia holds that is poisonous: "0,61 mg/L NH₃-N", or the most it may hold and why nobody knows better. */
export function nh3Text(nh3: Nh3, language: Language): string {
  const amount = ammoniaAmount('NH3', nh3ToActOn(nh3), language);
  if (nh3.isKnown) return amount;
  const gaps = gapsText(nh3.gaps, language);
  return {
    'pt-BR': `até ${amount} (${gaps})`,
    en: `up to ${amount} (${gaps})`,
    es: `hasta ${amount} (${gaps})`,
  }[language];
}
