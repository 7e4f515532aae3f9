import type { RowOf } from '#contract/resource.ts';
import { type farmRecord, MAY_LEAVE_RESIDUES } from '#contract/resources/farm-records.ts';
import { LISTED_DISEASES } from '#contract/resources/health-records.ts';
import { isAhead } from '#core/facts-of-now.ts';
import type { Kernel } from '#core/kernel.ts';
import { figure, type Language } from '#science/advice/language.ts';
import type { Place, ReadingBeside } from './ports.ts';

export type RecordWarning = { code: string; message: string };
type Row = Pick<
  RowOf<typeof farmRecord>,
  | 'kind'
  | 'happened_at'
  | 'product'
  | 'product_kind'
  | 'amount'
  | 'unit'
  | 'withdrawal_days'
  | 'disease'
  | 'result'
>;

/** Common lots are below 45 days. */
const LONG_WITHDRAWAL_DAYS = 90;
/** Beyond lime for the preparation of a pond (1 to 3 t/ha) and beyond any bath. */
const LARGE_DOSE = { kgPerM2: 0.5, ppm: 500 };
/** In a day; more than that is a new filling. */
const LARGE_EXCHANGE_PERCENT = 50;

/** What is unlikely about a record, but kept as it was entered. */
export function recordWarnings(
  clock: Pick<Kernel, 'now' | 'clockQuality'>,
  { row, place }: { row: Row; place: Place },
  language: Language,
): RecordWarning[] {
  const words = WORDS[language];
  return [
    ...(row.kind === 'TREATMENT' ? treatmentWarnings(row, place, language) : []),
    ...(row.kind === 'WATER_EXCHANGE' ? exchangeWarnings(row, place, language) : []),
    ...(row.kind === 'LAB' &&
    row.result === 'POSITIVE' &&
    row.disease !== null &&
    LISTED_DISEASES.includes(row.disease)
      ? [{ code: 'LISTED_DISEASE', message: words.listedDisease(row.disease) }]
      : []),
    ...(row.kind === 'PREPARATION' && isLargeDose(row, place)
      ? [{ code: 'LARGE_DOSE', message: words.largeDose(doseOf(row, language)) }]
      : []),
    ...(isAhead(clock, row.happened_at) ? [{ code: 'FUTURE_DATE', message: words.inTheFuture }] : []),
  ];
}

/** A counter that shows less than before is doubted, until somebody says why or corrects a figure. */
export function meterWarnings(
  row: Pick<RowOf<typeof farmRecord>, 'amount' | 'meter_change'>,
  { before, after }: { before: ReadingBeside | null; after: ReadingBeside | null },
  language: Language,
): RecordWarning[] {
  const words = WORDS[language];
  const isLower = (one: Pick<ReadingBeside, 'amount'>, other: Pick<ReadingBeside, 'amount'>) =>
    one.amount !== null && other.amount !== null && one.amount < other.amount;
  const shown = (reading: ReadingBeside) =>
    figure(reading.amount ?? 0, Number.isInteger(reading.amount) ? 0 : 1, language);
  return [
    ...(before !== null && row.meter_change === null && isLower(row, before)
      ? [{ code: 'METER_WENT_BACK', message: words.meterWentBack(shown(before)) }]
      : []),
    ...(after !== null && after.meter_change === null && isLower(after, row)
      ? [{ code: 'METER_WENT_BACK', message: words.meterShowsLess(shown(after)) }]
      : []),
  ];
}

function treatmentWarnings(row: Row, place: Place, language: Language): RecordWarning[] {
  const words = WORDS[language];
  const { product_kind: kind, withdrawal_days: days } = row;
  const product = row.product ?? '';
  const isResidue = kind !== null && MAY_LEAVE_RESIDUES.includes(kind);
  return [
    ...(isResidue && days === null
      ? [{ code: 'WITHDRAWAL_UNKNOWN', message: words.withdrawalUnknown(product) }]
      : []),
    ...(kind === 'MEDICATION' && days === 0
      ? [{ code: 'NO_WITHDRAWAL', message: words.noWithdrawal(product) }]
      : []),
    ...(days !== null && days > LONG_WITHDRAWAL_DAYS
      ? [{ code: 'LONG_WITHDRAWAL', message: words.longWithdrawal(days) }]
      : []),
    ...(isLargeDose(row, place)
      ? [{ code: 'LARGE_DOSE', message: words.largeDose(doseOf(row, language)) }]
      : []),
  ];
}

const doseOf = ({ amount, unit }: Row, language: Language): string =>
  `${figure(amount ?? 0, Number.isInteger(amount) ? 0 : 2, language)} ${unit ?? ''}`;

function isLargeDose({ amount, unit }: Row, { size_m2: m2 }: Place): boolean {
  if (amount === null) return false;
  if (unit === 'ppm') return amount > LARGE_DOSE.ppm;
  if (unit === 'cm' || unit === 'm3') return false;
  const kg = unit === 'g' || unit === 'mL' ? amount / 1000 : amount;
  return m2 !== null && kg / m2 > LARGE_DOSE.kgPerM2;
}

function exchangeWarnings(row: Row, place: Place, language: Language): RecordWarning[] {
  const percent = exchangedPercent(row, place);
  if (percent === null || percent <= LARGE_EXCHANGE_PERCENT) return [];
  return [{ code: 'LARGE_EXCHANGE', message: WORDS[language].largeExchange(percent) }];
}

/** Share of the pond's water; null: the size of the pond is not known. */
function exchangedPercent({ amount, unit }: Row, { size_m2: m2, depth_m: depthM }: Place): number | null {
  if (amount === null) return null;
  if (unit === 'percent') return amount;
  if (depthM === null) return null;
  if (unit === 'cm') return amount / depthM;
  return m2 === null ? null : (100 * amount) / (m2 * depthM);
}

type Words = {
  withdrawalUnknown: (product: string) => string;
  noWithdrawal: (product: string) => string;
  longWithdrawal: (days: number) => string;
  largeDose: (dose: string) => string;
  largeExchange: (percent: number) => string;
  listedDisease: (disease: string) => string;
  inTheFuture: string;
  meterWentBack: (before: string) => string;
  meterShowsLess: (after: string) => string;
};

const WORDS: Readonly<Record<Language, Words>> = {
  'pt-BR': {
    withdrawalUnknown: (product) =>
      `Carência de ${product} desconhecida: leia o rótulo e corrija o registro; até lá a despesca pergunta por ela.`,
    noWithdrawal: (product) => `${product} é medicamento e está sem carência: confira o rótulo.`,
    longWithdrawal: (days) => `Carência de ${days} dias é maior que o usual: confira o rótulo.`,
    largeDose: (dose) => `${dose} é muito para este viveiro: confira a dose e a unidade.`,
    largeExchange: (percent) =>
      `A troca é de cerca de ${figure(percent, 0, 'pt-BR')}% da água do viveiro: confira o valor e a unidade.`,
    listedDisease: (disease) =>
      `${disease} está na lista de doenças da OMSA: avise o serviço veterinário oficial, se a lei o pede.`,
    inTheFuture: 'A data está no futuro: confira dia e hora.',
    meterWentBack: (before) =>
      `O medidor marcava ${before} na leitura anterior: confira o número, ou diga se o medidor foi trocado ou deu a volta.`,
    meterShowsLess: (after) =>
      `A leitura seguinte marca ${after}, menos que esta: confira o número e a hora.`,
  },
  en: {
    withdrawalUnknown: (product) =>
      `Withdrawal period of ${product} unknown: read its label and correct the record; until then every harvest asks for it.`,
    noWithdrawal: (product) => `${product} is a medication without a withdrawal period: check its label.`,
    longWithdrawal: (days) => `A withdrawal period of ${days} days is longer than usual: check the label.`,
    largeDose: (dose) => `${dose} is a lot for this pond: check dose and unit.`,
    largeExchange: (percent) =>
      `The exchange is about ${figure(percent, 0, 'en')}% of the water of the pond: check value and unit.`,
    listedDisease: (disease) =>
      `${disease} is on the list of diseases of the WOAH: tell the official veterinary service where the law asks for it.`,
    inTheFuture: 'The date lies in the future: check day and time.',
    meterWentBack: (before) =>
      `The meter showed ${before} at the reading before: check the figure, or say whether the meter was changed or rolled over.`,
    meterShowsLess: (after) => `The next reading shows ${after}, less than this one: check figure and time.`,
  },
  es: {
    withdrawalUnknown: (product) =>
      `Período de retiro de ${product} desconocido: lea la etiqueta y corrija el registro; hasta entonces cada cosecha pregunta por él.`,
    noWithdrawal: (product) =>
      `${product} es un medicamento y está sin período de retiro: revise la etiqueta.`,
    longWithdrawal: (days) =>
      `Un período de retiro de ${days} días es mayor que lo usual: revise la etiqueta.`,
    largeDose: (dose) => `${dose} es mucho para esta piscina: revise la dosis y la unidad.`,
    largeExchange: (percent) =>
      `El recambio es de cerca del ${figure(percent, 0, 'es')}% del agua de la piscina: revise el valor y la unidad.`,
    listedDisease: (disease) =>
      `${disease} está en la lista de enfermedades de la OMSA: avise al servicio veterinario oficial, si la ley lo pide.`,
    inTheFuture: 'La fecha está en el futuro: revise día y hora.',
    meterWentBack: (before) =>
      `El medidor marcaba ${before} en la lectura anterior: revise la cifra, o diga si el medidor se cambió o dio la vuelta.`,
    meterShowsLess: (after) =>
      `La lectura siguiente marca ${after}, menos que esta: revise la cifra y la hora.`,
  },
};
