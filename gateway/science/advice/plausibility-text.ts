import type { Implausibility } from '../plausibility.ts';
import { figure, type Language } from './language.ts';

/** Why a stored value looks wrong and what to check: the warning beside the answer. */
export function plausibilityText(found: Implausibility, language: Language): string {
  const value = figure(found.value, 1, language);
  switch (found.kind) {
    case 'OXYGEN_ABOVE_ANY_POND':
      return {
        'pt-BR': `Oxigênio de ${value} mg/L não existe em viveiro: veja se o valor é em % de saturação e calibre a sonda.`,
        en: `Oxygen of ${value} mg/L does not occur in ponds: see whether it is % of saturation and calibrate the probe.`,
        es: `Un oxígeno de ${value} mg/L no existe en piscinas: vea si el valor está en % de saturación y calibre la sonda.`,
      }[language];
    case 'OXYGEN_OVERSATURATED': {
      const percent = figure(found.saturationPercent ?? 0, 0, language);
      return {
        'pt-BR': `Oxigênio de ${value} mg/L é ${percent}% da saturação: limpe e calibre a sonda e meça de novo.`,
        en: `Oxygen of ${value} mg/L is ${percent}% of saturation: clean and calibrate the probe and measure again.`,
        es: `Un oxígeno de ${value} mg/L es ${percent}% de la saturación: limpie y calibre la sonda y mida de nuevo.`,
      }[language];
    }
    case 'OXYGEN_DOUBTFUL': {
      const what = missingText(found.missing, language);
      return {
        'pt-BR': `Oxigênio de ${value} mg/L só existe em água fria ou pouco salgada, e falta ${what}: meça junto, veja se o valor é em % de saturação e calibre a sonda.`,
        en: `Oxygen of ${value} mg/L occurs in cold or hardly salty water only, and ${what} is missing: measure it too, see whether the value is % of saturation and calibrate the probe.`,
        es: `Un oxígeno de ${value} mg/L solo existe en agua fría o poco salada, y falta ${what}: mida también eso, vea si el valor está en % de saturación y calibre la sonda.`,
      }[language];
    }
    case 'TEMPERATURE_UNUSUAL':
      return {
        'pt-BR': `Temperatura de ${value} °C é incomum: veja se está em °C e se a sonda estava dentro d’água.`,
        en: `A temperature of ${value} °C is unusual: see whether it is in °C and the probe was in the water.`,
        es: `Una temperatura de ${value} °C no es común: vea si está en °C y si la sonda estaba dentro del agua.`,
      }[language];
    case 'PH_UNUSUAL':
      return {
        'pt-BR': `pH ${value} é incomum: calibre com os tampões 7 e 10 e meça de novo antes de corrigir a água.`,
        en: `pH ${value} is unusual: calibrate with buffers 7 and 10 and measure again before treating the water.`,
        es: `Un pH de ${value} no es común: calibre con los buffers 7 y 10 y mida de nuevo antes de corregir el agua.`,
      }[language];
    case 'SALINITY_UNUSUAL':
      return {
        'pt-BR': `Salinidade de ${value} ppt é incomum: zere o refratômetro com água doce e meça de novo.`,
        en: `A salinity of ${value} ppt is unusual: zero the refractometer with fresh water and measure again.`,
        es: `Una salinidad de ${value} ppt no es común: ponga en cero el refractómetro con agua dulce y mida de nuevo.`,
      }[language];
    case 'AMMONIA_BASIS_DOUBTFUL': {
      const tan = figure(found.tanMgL ?? 0, 0, language);
      const typed = figure(found.value, 2, language);
      return {
        'pt-BR': `Amônia de ${typed} mg/L como NH₃-N pediria cerca de ${tan} mg/L de amônia total (TAN): o kit mede amônia total? Mude a base da amônia em Sistema › Fazenda ou corrija o valor.`,
        en: `Ammonia of ${typed} mg/L as NH₃-N would need about ${tan} mg/L of total ammonia (TAN): does the kit measure total ammonia? Change the basis of ammonia under System › Farm or correct the value.`,
        es: `Un amoníaco de ${typed} mg/L como NH₃-N pediría cerca de ${tan} mg/L de amoníaco total (TAN): ¿el kit mide amoníaco total? Cambie la base del amoníaco en Sistema › Camaronera o corrija el valor.`,
      }[language];
    }
    case 'AMMONIA_UNUSUAL':
      return {
        'pt-BR': `Amônia total (TAN) de ${value} mg/L é incomum: dilua a amostra, repita o teste e meça o pH junto.`,
        en: `Total ammonia (TAN) of ${value} mg/L is unusual: dilute the sample, repeat the test and measure pH with it.`,
        es: `Un amoníaco total (TAN) de ${value} mg/L no es común: diluya la muestra, repita la prueba y mida el pH junto.`,
      }[language];
  }
}

const MISSING = {
  temperature: { 'pt-BR': 'a temperatura', en: 'the temperature', es: 'la temperatura' },
  salinity: { 'pt-BR': 'a salinidade', en: 'the salinity', es: 'la salinidad' },
};

const missingText = (missing: Implausibility['missing'], language: Language): string =>
  missing.map((name) => MISSING[name][language]).join({ 'pt-BR': ' ou ', en: ' or ', es: ' o ' }[language]);
