// Two texts that differ and look the same: who reads an address or a name on a screen takes one person for another.

/** What cannot be seen, or turns the direction of what stands around it; joiners of words and pictures, and line ends, are not among them. */
const UNSEEN =
  /(?![\t\r\n])[\u034F\p{Cc}\p{Bidi_Control}\u00AD\u180E\u200B\u2028\u2029\u2060-\u2064\uFEFF\uFFF9-\uFFFB]/u;
export const hasUnseen = (text: string): boolean => UNSEEN.test(text);
export const withoutUnseen = (text: string): string => text.replaceAll(new RegExp(UNSEEN, 'gu'), '');

/** For lists in a terminal, in which a name could move the cursor, or stand there as a line of its own. */
export const inOneLine = (text: string): string => withoutUnseen(text).replaceAll(/\s+/g, ' ');

/** In an address nothing is invisible that has a purpose. */
const UNSEEN_IN_ADDRESS = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** Alphabets with letters that look like Latin ones. */
const LIKE_LATIN =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Coptic}\p{Script=Cherokee}\p{Script=Lisu}]/u;
const LATIN = /\p{Script=Latin}/u;
/** Those of them, in small letters, that nobody tells from Latin ones. */
const ONLY_LIKE_LATIN = /^[аеорсухіјѕһԁԛԝӏαονιροսհց\p{N}]+$/u;

/**
 * Why an e-mail address could be taken for another one; null: it stands for itself alone. An address of one alphabet is
 * fine, whichever it is; one person has one spelling.
 */
export function lookAlikeIn(address: string): string | null {
  if (UNSEEN_IN_ADDRESS.test(address)) return 'must not have invisible characters';
  if (address.normalize('NFKC') !== address.normalize('NFC'))
    return 'must be written in plain letters and figures, not in wide, raised or joined ones';
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (/(^|\.)xn--/i.test(domain)) return 'must have the name of its server in letters, not as xn--';
  for (const word of address.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u)) {
    if (LIKE_LATIN.test(word) && (LATIN.test(word) || ONLY_LIKE_LATIN.test(word)))
      return `must not have letters of another alphabet that look like Latin ones: ${word}`;
  }
  return null;
}
