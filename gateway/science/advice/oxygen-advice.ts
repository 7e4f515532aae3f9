import type { AerationSizing } from '../aeration-sizing.ts';
import { figure, type Language } from './language.ts';

export type DawnFacts = {
  pond: string;
  dawnMgL: number;
  uncertaintyMgL: number;
  /** Local time of dawn. */
  dawnTime: string;
  levelMgL: number;
  /** Local time at which the level is reached; null: not before dawn. */
  reachesLevelAt: string | null;
};

/** What to do about the oxygen expected at dawn, for the evening's notification. */
export function dawnForecastText(facts: DawnFacts, language: Language): string {
  const { pond, dawnTime, reachesLevelAt } = facts;
  const dawn = `${figure(facts.dawnMgL, 1, language)} ± ${figure(facts.uncertaintyMgL, 1, language)} mg/L`;
  const level = `${figure(facts.levelMgL, 1, language)} mg/L`;
  if (language === 'pt-BR') {
    const said = `Viveiro ${pond}: oxigênio previsto para ${dawnTime}: ${dawn}.`;
    return reachesLevelAt === null
      ? `${said} Fica acima de ${level}; meça de novo à meia-noite.`
      : `${said} Chega a ${level} às ${reachesLevelAt}: ligue os aeradores antes dessa hora e meça 30 minutos depois.`;
  }
  const said = `Pond ${pond}: oxygen expected at ${dawnTime}: ${dawn}.`;
  return reachesLevelAt === null
    ? `${said} It stays above ${level}; measure again at midnight.`
    : `${said} It reaches ${level} at ${reachesLevelAt}: switch the aerators on before and measure 30 minutes later.`;
}

/** What a pond's aerators lack for its biomass; null: nothing. */
export function aerationText(
  facts: { pond: string; biomassKg: number; sizing: AerationSizing },
  language: Language,
): string | null {
  const { sizing, pond } = facts;
  if (sizing.rating !== 'ADD_AERATION' && sizing.rating !== 'RISKY') return null;
  const kg = figure(facts.biomassKg, 0, language);
  const hp = figure(sizing.horsepower, 1, language);
  // Half a horsepower is the smallest motor there is.
  const missing = figure(Math.max(0.5, Math.ceil(sizing.missingHorsepower * 2) / 2), 1, language);
  const isRisky = sizing.rating === 'RISKY';
  if (language === 'pt-BR') {
    const urgency = isRisky ? 'antes desta noite' : 'nesta semana';
    return `Viveiro ${pond}: ${kg} kg para ${hp} cv de aeração; acrescente ${missing} cv ${urgency} ou despesque uma parte.`;
  }
  const urgency = isRisky ? 'before tonight' : 'this week';
  return `Pond ${pond}: ${kg} kg on ${hp} hp of aeration; add ${missing} hp ${urgency} or harvest a part.`;
}
