import type { Implausibility } from '../plausibility.ts';
import { figure, type Language } from './language.ts';

/** Why a stored value looks wrong and what to check: the warning beside the answer. */
export function plausibilityText(found: Implausibility, language: Language): string {
  const value = figure(found.value, 1, language);
  const isPortuguese = language === 'pt-BR';
  switch (found.kind) {
    case 'OXYGEN_ABOVE_ANY_POND':
      return isPortuguese
        ? `Oxigênio de ${value} mg/L não existe em viveiro: veja se o valor é em % de saturação e calibre a sonda.`
        : `Oxygen of ${value} mg/L does not occur in ponds: see whether it is % of saturation and calibrate the probe.`;
    case 'OXYGEN_OVERSATURATED': {
      const percent = figure(found.saturationPercent ?? 0, 0, language);
      return isPortuguese
        ? `Oxigênio de ${value} mg/L é ${percent}% da saturação: limpe e calibre a sonda e meça de novo.`
        : `Oxygen of ${value} mg/L is ${percent}% of saturation: clean and calibrate the probe and measure again.`;
    }
    case 'TEMPERATURE_UNUSUAL':
      return isPortuguese
        ? `Temperatura de ${value} °C é incomum: veja se está em °C e se a sonda estava dentro d’água.`
        : `A temperature of ${value} °C is unusual: see whether it is in °C and the probe was in the water.`;
    case 'PH_UNUSUAL':
      return isPortuguese
        ? `pH ${value} é incomum: calibre com os tampões 7 e 10 e meça de novo antes de corrigir a água.`
        : `pH ${value} is unusual: calibrate with buffers 7 and 10 and measure again before treating the water.`;
    case 'SALINITY_UNUSUAL':
      return isPortuguese
        ? `Salinidade de ${value} ppt é incomum: zere o refratômetro com água doce e meça de novo.`
        : `A salinity of ${value} ppt is unusual: zero the refractometer with fresh water and measure again.`;
    case 'AMMONIA_BASIS_DOUBTFUL': {
      const tan = figure(found.tanMgL ?? 0, 0, language);
      const typed = figure(found.value, 2, language);
      return isPortuguese
        ? `Amônia de ${typed} mg/L como NH₃-N pediria cerca de ${tan} mg/L de amônia total (TAN): o kit mede amônia total? Mude a base da amônia em Sistema › Fazenda ou corrija o valor.`
        : `Ammonia of ${typed} mg/L as NH₃-N would need about ${tan} mg/L of total ammonia (TAN): does the kit measure total ammonia? Change the basis of ammonia under System › Farm or correct the value.`;
    }
    case 'AMMONIA_UNUSUAL':
      return isPortuguese
        ? `Amônia total (TAN) de ${value} mg/L é incomum: dilua a amostra, repita o teste e meça o pH junto.`
        : `Total ammonia (TAN) of ${value} mg/L is unusual: dilute the sample, repeat the test and measure pH with it.`;
  }
}
