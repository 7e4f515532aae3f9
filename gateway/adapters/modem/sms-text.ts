// How a text becomes SMS (3GPP TS 23.038): 160 plain letters, or 70 of any kind.

export type SmsParts = { coding: 'gsm' | 'ucs2'; parts: string[] };

const LENGTH = { gsm: 160, ucs2: 70 } as const;
/** An alarm is short; what is longer ends in three dots. */
const MOST_PARTS = 3;
/** `1/3 ` before each part: every phone shows it, joined or not. */
const HEAD = 4;

/** Letters whose code is the same in the GSM alphabet and in ASCII: they pass every modem as they are. */
const PLAIN = /^[ !"#%&'()*+,\-./0-9:;<=>?A-Za-z]*$/;
const NEAREST: Readonly<Record<string, string>> = {
  '–': '-',
  '—': '-',
  _: '-',
  '~': '-',
  '“': '"',
  '”': '"',
  '‘': "'",
  '’': "'",
  '`': "'",
  '…': '...',
  '°': 'o',
  º: 'o',
  ª: 'a',
  '×': 'x',
  '≤': '<=',
  '≥': '>=',
  '²': '2',
  '³': '3',
  '·': '.',
  µ: 'u',
  '[': '(',
  ']': ')',
  '{': '(',
  '}': ')',
  '|': '/',
  '\\': '/',
  '@': '(at)',
  $: 'S',
  '^': '',
};

/**
 * The fewest messages for a text: with its accents where that costs no more, else without them. Control characters, among
 * them those that end or break off a message at the modem, become spaces.
 */
export function smsParts(text: string): SmsParts {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const plain = withoutAccents(clean);
  const accented = split(clean, LENGTH.ucs2);
  if (!PLAIN.test(plain)) return { coding: 'ucs2', parts: accented };
  const unaccented = split(plain, LENGTH.gsm);
  if (plain !== clean && accented.length <= unaccented.length && !isCut(clean, accented))
    return { coding: 'ucs2', parts: accented };
  return { coding: 'gsm', parts: unaccented };
}

function withoutAccents(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replace(/./gsu, (letter) => NEAREST[letter] ?? letter);
}

const isCut = (text: string, parts: readonly string[]): boolean =>
  parts.at(-1)?.endsWith('...') === true && !text.endsWith('...');

function split(text: string, length: number): string[] {
  if (text.length <= length) return [text];
  const room = length - HEAD;
  const parts: string[] = [];
  let rest = text;
  while (rest !== '' && parts.length < MOST_PARTS) {
    const isLast = parts.length === MOST_PARTS - 1;
    if (rest.length <= room) {
      parts.push(rest);
      rest = '';
    } else if (isLast) {
      parts.push(`${rest.slice(0, wholeUpTo(rest, room - 3))}...`);
    } else {
      const at = rest.lastIndexOf(' ', room);
      const end = at > room / 2 ? at : wholeUpTo(rest, room);
      parts.push(rest.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
  }
  return parts.map((part, i) => `${i + 1}/${parts.length} ${part}`);
}

/** Where a text may end without tearing a pair of code units. */
function wholeUpTo(text: string, length: number): number {
  const code = text.charCodeAt(length - 1);
  return code >= 0xd800 && code <= 0xdbff ? length - 1 : length;
}

/** As a modem with the character set UCS2 wants text: four hex digits for each code unit. */
export function ucs2Hex(text: string): string {
  return [...Array(text.length).keys()]
    .map((at) => text.charCodeAt(at).toString(16).padStart(4, '0').toUpperCase())
    .join('');
}
