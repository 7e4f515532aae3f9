import type { WaterParameter } from '../water-limits.ts';
import { figure, type Language } from './language.ts';

type Words = Readonly<Record<Language, string>>;

/** With the article, as the subject of a sentence. */
const SUBJECTS: Readonly<Record<WaterParameter, Words>> = {
  temperature: { 'pt-BR': 'a temperatura', en: 'temperature', es: 'la temperatura' },
  dissolved_oxygen: { 'pt-BR': 'o oxigênio', en: 'oxygen', es: 'el oxígeno' },
  ph: { 'pt-BR': 'o pH', en: 'pH', es: 'el pH' },
  salinity: { 'pt-BR': 'a salinidade', en: 'salinity', es: 'la salinidad' },
  alkalinity: { 'pt-BR': 'a alcalinidade', en: 'alkalinity', es: 'la alcalinidad' },
  ammonia: { 'pt-BR': 'a amônia', en: 'ammonia', es: 'el amoníaco' },
  nitrite: { 'pt-BR': 'o nitrito', en: 'nitrite', es: 'el nitrito' },
  nitrate: { 'pt-BR': 'o nitrato', en: 'nitrate', es: 'el nitrato' },
  transparency: { 'pt-BR': 'a transparência', en: 'transparency', es: 'la transparencia' },
};

const UNITS: Readonly<Record<WaterParameter, { unit: string; decimals: number }>> = {
  temperature: { unit: ' °C', decimals: 1 },
  dissolved_oxygen: { unit: ' mg/L', decimals: 1 },
  ph: { unit: '', decimals: 1 },
  salinity: { unit: ' ppt', decimals: 0 },
  alkalinity: { unit: ' mg/L', decimals: 0 },
  ammonia: { unit: ' mg/L', decimals: 2 },
  nitrite: { unit: ' mg/L', decimals: 2 },
  nitrate: { unit: ' mg/L', decimals: 0 },
  transparency: { unit: ' cm', decimals: 0 },
};

/** "o oxigênio", "oxygen". */
export function parameterName(parameter: WaterParameter, language: Language): string {
  return SUBJECTS[parameter][language];
}

/** A value with its unit, at the precision it is measured with: "3,2 mg/L", "8.1" for pH. */
export function amount(parameter: WaterParameter, value: number, language: Language): string {
  const { unit, decimals } = UNITS[parameter];
  return figure(value, decimals, language) + unit;
}

/** A change with one more digit than the value it changes. */
export function changeAmount(parameter: WaterParameter, change: number, language: Language): string {
  const { unit, decimals } = UNITS[parameter];
  return figure(Math.abs(change), decimals + 1, language) + unit;
}

/** As the first word of a sentence, without the article: "Oxigênio", "pH". */
export function parameterTitle(parameter: WaterParameter, language: Language): string {
  const name = parameterName(parameter, language).replace(/^(?:[oa]|el|la) /, '');
  // pH begins small in every language.
  return parameter === 'ph' ? name : name.charAt(0).toUpperCase() + name.slice(1);
}
