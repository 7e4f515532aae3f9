import { oxygenSaturationMgL } from '#science/oxygen-saturation.ts';
import { practicalSalinity } from '#science/plausibility.ts';

/** A unit as people and loggers write it, told apart whatever its spelling. */
export type Unit =
  | 'percent'
  | 'mg/L'
  | 'ug/L'
  | 'g/L'
  | 'mL/L'
  | 'meq/L'
  | 'dKH'
  | 'mS/cm'
  | 'uS/cm'
  | 'C'
  | 'F'
  | 'K'
  | 'ppm'
  | 'ppt'
  | 'm'
  | 'cm'
  | 'mm'
  | 'ft'
  | 'in'
  | 'mg'
  | 'g'
  | 'kg'
  | 't'
  | 'lb'
  | 'per g'
  | 'money/kg'
  | 'money/t'
  | 'money/lb'
  | 'per m2'
  | 'per ha'
  | 'animals'
  | 'kWh'
  | 'MWh'
  | 'thousand'
  | 'pH'
  | 'none'
  | 'other';

const SPELLINGS: readonly [RegExp, Unit][] = [
  [
    /^%\s*(?:sat(?:\.|ur\p{L}*)?|local|l|o2|od|do|air sat\p{L}*)?$|^(?:sat\.?\s?%|percent|por cento)$/u,
    'percent',
  ],
  [
    /^mg\s?\/\s?l(?:\s?(?:(?:de |as |como |em )?caco3|(?:de )?o2))?$|^mg\s?(?:de )?caco3\s?\/\s?l$|^mg\s?[·.]?\s?l-1$|^mgl$|^mg_l$|^g\/m[3³]$/,
    'mg/L',
  ],
  [/^[uµμ]g\s?\/\s?l$|^ppb$|^mg\/m[3³]$/, 'ug/L'],
  [/^ppm(?:\s?caco3)?$/, 'ppm'],
  [/^g\s?\/\s?l$/, 'g/L'],
  [/^ml\s?\/\s?l$/, 'mL/L'],
  [/^meq\s?\/\s?l$/, 'meq/L'],
  [/^d?kh$|^°dh$/, 'dKH'],
  [/^ms\s?\/\s?cm$/, 'mS/cm'],
  [/^[uµμ]s\s?\/\s?cm$|^us_cm$/, 'uS/cm'],
  [/^(?:[°ºo˚]\s?|deg\s?|graus\s?)?c(?:elsius)?$/, 'C'],
  [/^(?:[°ºo˚]\s?|deg\s?|graus\s?)?f(?:ahrenheit)?$/, 'F'],
  [/^k(?:elvin)?$/, 'K'],
  [/^(?:ppt|psu|ups|‰|g\s?\/\s?kg|o\/oo|pss)$/, 'ppt'],
  [/^(?:m|metros?|meters?)$/, 'm'],
  [/^cm$/, 'cm'],
  [/^mm$/, 'mm'],
  [/^(?:ft|feet|foot|p[ée]s?|pies?)$/u, 'ft'],
  [/^(?:in|inch(?:es)?|pol|polegadas?|pulg|pulgadas?)$/, 'in'],
  [/^mg$/, 'mg'],
  [/^(?:g|gr|gramas?|gramos?|grams?)$/, 'g'],
  [/^(?:kg|kgs|quilos?|kilos?|kg\/d[ií]a)$/u, 'kg'],
  [/^(?:lbs?\.?|libras?|pounds?)$/, 'lb'],
  [/^(?:t|ton|toneladas?|tonnes?)$/, 't'],
  [/^(?:pl|pls|larvas|ind)\s?\/\s?g$/, 'per g'],
  [/^(?:[a-z]{0,2}\$|brl|usd|eur|€|reais)?\s?\/\s?kg$|^(?:r\$|brl|reais)$/, 'money/kg'],
  [/^(?:[a-z]{0,2}\$|brl|usd|eur|€|reais)\s?\/\s?t(?:on)?$/, 'money/t'],
  [/^(?:[a-z]{0,2}\$|usd)?\s?\/\s?(?:lb|libra)$/, 'money/lb'],
  [/^(?:ind|pl|cam|camar[õo]n?es|shrimp|animais|animales)?\.?\s?\/\s?m[2²]$/u, 'per m2'],
  [/^(?:ind|pl|cam|camar[õo]n?es|shrimp|animais|animales)?\.?\s?\/\s?ha$/u, 'per ha'],
  [
    /^(?:un|und|unid|unidades?|ind|n|n[ºo°]|pls?|larvas|animais|animales|animals|shrimp|camar[õo]n?es)$/u,
    'animals',
  ],
  [
    /^(?:mil|miles|millares|milheiros?|x?\s?1[.,]?000s?|['’]?000s?|x?\s?10(?:\^?3|³)|thousands?|mil pls?)$/,
    'thousand',
  ],
  [/^kwh$/, 'kWh'],
  [/^mwh$/, 'MWh'],
  [/^(?:ph|units?|unidades de ph)$/, 'pH'],
  [/^(?:none|sec|second|s|dd\/mm\/(?:yy|aa){1,2}|mm\/dd\/yy(?:yy)?|hh:mm(?::ss)?)$/, 'none'],
];

/** What has the look of a unit, and is none that is known: read as another it would be wrong. */
const LOOKS_LIKE_ONE =
  /[/%°ºµμ‰$@]|^(?:mv|[mu]?mol|[unp]m|meq|mval|v|volts?|mmhg|inhg|[kh]pa|m?bar|torr|atm|psi|ntu|rfu|oz|gpg|sg|s\.g\.|(?:specific )?gravity|densi(?:dade|dad|ty)|qq|sc)$|^(?:sac[oa]s?|bags?|bolsas?|baldes?|latas?|caixas?|cajas?|quinta(?:l|is|les)|arrobas?|ounces?|onzas?|onças?)(?:$|\s)|^\d+(?:[.,]\d+)?\s?(?:kg|g|lbs?)$/u;

/** Null: it is no unit, but a remark such as `água`. */
export function unitOf(text: string): Unit | null {
  const word = text
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[₀-₉]/g, (digit) => String((digit.codePointAt(0) ?? 0) - 0x2080));
  const known = SPELLINGS.find(([spelling]) => spelling.test(word));
  if (known !== undefined) return known[1];
  return LOOKS_LIKE_ONE.test(word) ? 'other' : null;
}

/** How a value becomes one of its column; the water is that of its row. */
type Conversion = number | ((value: number, water: RowWater) => number | NeedsWater);
export type RowWater = { temperatureC: number | null; salinityPpt: number | null };
export type NeedsWater = 'TEMPERATURE_NEEDED' | 'SALINITY_NEEDED' | 'OUT_OF_RANGE';

/** Oxygen of saturation per cent is so much only at a temperature and a salinity. */
function saturated(percent: number, { temperatureC, salinityPpt }: RowWater): number | NeedsWater {
  if (temperatureC === null) return 'TEMPERATURE_NEEDED';
  if (salinityPpt === null) return 'SALINITY_NEEDED';
  const full = oxygenSaturationMgL(temperatureC, salinityPpt);
  return full === null ? 'OUT_OF_RANGE' : exact((percent / 100) * full, 4);
}

const salinityOf =
  (msPerCm: number, isAt25: boolean): Exclude<Conversion, number> =>
  (value, { temperatureC }) => {
    const at = isAt25 ? 25 : temperatureC;
    if (at === null) return 'TEMPERATURE_NEEDED';
    const ppt = practicalSalinity(value * msPerCm, at);
    return ppt === null ? 'OUT_OF_RANGE' : exact(ppt, 4);
  };

const POUND_KG = 0.45359237;
const WEIGHT_G = { mg: 1e-3, g: 1, kg: 1e3, lb: POUND_KG * 1e3 };
const WEIGHT_KG = { g: 1e-3, kg: 1, t: 1e3, lb: POUND_KG };
const MASS_PER_VOLUME = { 'mg/L': 1, ppm: 1, 'ug/L': 1e-3, 'g/L': 1e3 };

/** The units that each column can be read from; 1 is the unit it is stored in. */
const CONVERSIONS: Readonly<Record<string, Partial<Record<Unit, Conversion>>>> = {
  temperature: { C: 1, F: (f) => exact(((f - 32) * 5) / 9, 4), K: (k) => exact(k - 273.15, 4) },
  dissolved_oxygen: { ...MASS_PER_VOLUME, 'mL/L': 1.42903, percent: saturated },
  ph: { pH: 1 },
  salinity: {
    ppt: 1,
    'g/L': 1,
    ppm: 1e-3,
    'mg/L': 1e-3,
    'mS/cm': salinityOf(1, false),
    'uS/cm': salinityOf(1e-3, false),
  },
  alkalinity: { ...MASS_PER_VOLUME, 'meq/L': 50.04, dKH: 17.85 },
  ammonia: MASS_PER_VOLUME,
  nitrite: MASS_PER_VOLUME,
  nitrate: MASS_PER_VOLUME,
  transparency: { cm: 1, m: 100, mm: 0.1, ft: 30.48, in: 2.54 },
  initial_avg_weight: { ...WEIGHT_G, 'per g': (perG) => (perG > 0 ? exact(1 / perG, 8) : 'OUT_OF_RANGE') },
  total_weight_g: WEIGHT_G,
  average_weight_g: WEIGHT_G,
  weight_sd_g: WEIGHT_G,
  quantity_kg: WEIGHT_KG,
  final_weight_kg: WEIGHT_KG,
  cost_per_kg: { 'money/kg': 1, 'money/t': 1e-3, 'money/lb': 1 / POUND_KG },
  tray_leftover_percent: { percent: 1 },
  estimated_survival_rate: { percent: 1 },
  initial_density: { 'per m2': 1, 'per ha': 1e-4 },
  initial_count: { animals: 1, thousand: 1000 },
  sample_size: { animals: 1 },
  counter: { kWh: 1, MWh: 1000 },
};

/** The units that a column can be read from, in words that are read as these; the first is the one it is stored in. */
export function unitsFor(column: string): string[] {
  const known = Object.entries(CONVERSIONS[column] ?? {}) as [Unit, Conversion][];
  return known
    .toSorted(([, one], [, other]) => Number(other === 1) - Number(one === 1))
    .map(([unit]) => spelled(unit));
}

/** In a word that is read as this unit. */
export const spelled = (unit: Unit): string => SPELLED[unit] ?? unit;

const SPELLED: Partial<Record<Unit, string>> = {
  percent: '%',
  'ug/L': 'µg/L',
  'uS/cm': 'µS/cm',
  C: '°C',
  F: '°F',
  'per g': 'PL/g',
  'money/kg': 'R$/kg',
  'money/t': 'R$/t',
  'money/lb': '$/lb',
  'per m2': 'ind/m²',
  'per ha': 'ind/ha',
  animals: 'un',
  thousand: 'mil',
};

/** Null: the column cannot be read from that unit. `isAt25`: conductivity as if the water had 25 °C. */
export function conversionOf(column: string, unit: Unit, isAt25 = false): Conversion | null {
  if (isAt25 && column === 'salinity' && (unit === 'mS/cm' || unit === 'uS/cm'))
    return salinityOf(unit === 'mS/cm' ? 1 : 1e-3, true);
  const known = CONVERSIONS[column];
  if (known === undefined) return unit === 'none' ? 1 : null;
  return known[unit] ?? (unit === 'none' ? 1 : null);
}

/** Whether this unit asks for the water of the row. */
export const needsWater = (conversion: Conversion): boolean =>
  typeof conversion === 'function' && conversion.length > 1;

export function converted(value: number, conversion: Conversion, water: RowWater): number | NeedsWater {
  if (conversion === 1) return value;
  return typeof conversion === 'number' ? exact(value * conversion, 8) : conversion(value, water);
}

/** Without what binary fractions leave behind: 50.5 µg/L are 0.0505 mg/L. */
function exact(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
