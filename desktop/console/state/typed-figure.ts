// Figures as people type them. Some have only a comma on their keys and some only a point, so both are taken; what would
// be another figure to somebody else is not: 1.500 kg of feed is one and a half, or a tonne and a half. Pure.

/** What parts the decimals in the language of the page. The other one parts thousands there. */
export type DecimalSign = ',' | '.';

export type Typed =
  | { is: 'empty' }
  | { is: 'value'; value: number }
  /** `1.500` where a point parts thousands. */
  | { is: 'either'; large: number; small: number }
  | { is: 'unclear' };

export function readTyped(text: string, sign: DecimalSign): Typed {
  const typed = text.replace(/\s/g, '');
  if (typed === '') return { is: 'empty' };
  if (!/^-?\d{1,15}([.,]\d{1,30})?$/.test(typed)) return { is: 'unclear' };
  const value = Number(typed.replace(',', '.'));
  const thousands = sign === ',' ? /^-?[1-9]\d{0,2}\.\d{3}$/ : /^-?[1-9]\d{0,2},\d{3}$/;
  return thousands.test(typed)
    ? { is: 'either', large: Number(typed.replace(/[.,]/, '')), small: value }
    : { is: 'value', value };
}

/**
 * A count as people type it: `250000`, `250.000`, `250 000`. A separator here only ever parts thousands. null: nothing
 * typed; NaN: not a whole number.
 */
export function readWhole(text: string): number | null {
  const typed = text.replace(/\s/g, '');
  if (typed === '') return null;
  return /^\d{1,10}$|^[1-9]\d{0,2}((\.\d{3})+|(,\d{3})+)$/.test(typed)
    ? Number(typed.replace(/[.,]/g, ''))
    : Number.NaN;
}

/** A figure as it stands in a field that is to be changed: every digit of it, no separators. */
export function typedFigure(value: number, sign: DecimalSign): string {
  return plainDigits(value).replace('.', sign);
}

/** JavaScript writes small figures as 1e-7, which no field takes. */
function plainDigits(value: number): string {
  const [digits = '', exponent] = String(value).split('e');
  if (exponent === undefined) return digits;
  const [whole = '', decimals = ''] = digits.replace('-', '').split('.');
  const all = whole + decimals;
  const point = whole.length + Number(exponent);
  const told =
    point <= 0
      ? `0.${'0'.repeat(-point)}${all}`
      : point >= all.length
        ? all.padEnd(point, '0')
        : `${all.slice(0, point)}.${all.slice(point)}`;
  return value < 0 ? `-${told}` : told;
}

/** True where a figure does not stand as it is shown elsewhere, so that it is said how it was read. */
export function isWorthSaying(text: string, value: number, sign: DecimalSign): boolean {
  return Math.abs(value) >= 1_000 || text.includes(sign === ',' ? '.' : ',');
}
