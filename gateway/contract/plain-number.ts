// The one way in which numbers leave as text: JSON, files, topics. Digits alone, no exponent, and nothing of what binary
// fractions leave of a figure. Sentences for people write theirs by the words of a language.

/** More digits are no figure any more but what binary fractions leave of one. */
const MOST_DIGITS = 12;

/** `4.6` for 4.6000000000000005, `0.0000001` for 1e-7. Whole numbers are counts and ids: every digit of them is meant. */
export function plainNumber(value: number): string {
  const text = String(Number.isInteger(value) ? value : Number(value.toPrecision(MOST_DIGITS)));
  return text.includes('e') ? withoutExponent(text) : text;
}

function withoutExponent(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** A number with an exponent or more decimals than anybody means; a text that reads so is written anew for nothing. */
const AWKWARD = /(?:[:,[]|^)-?\d+(?:\.\d{7,}|(?:\.\d+)?e)/;

// older than the types of the language know
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

/** A line of JSON that something else wrote, with plain numbers. */
export function plainLine(line: string): string {
  return AWKWARD.test(line) ? `${plainJson(JSON.parse(line))}\n` : line;
}

/** JSON whose numbers are plain ones. */
export function plainJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined || !AWKWARD.test(text)) return text;
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'number' && Number.isFinite(part) ? rawJSON(plainNumber(part)) : part,
  );
}
