import { type Config, options } from '#runtime/config.ts';

// What leaves the box for support holds no secret: known ones are struck out by their value, others by their shape.

const STRUCK = '[struck out]';
/** Shorter ones are words or numbers: only where they stand alone are they struck out, which tears nothing else apart. */
const LONG_CHARACTERS = 8;
/** What is shorter still is struck out where it is named, and nowhere else. */
const SHORT_CHARACTERS = 4;

/** Secrets by their shape, wherever they come from. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g,
  // tokens of logins, of programs, keys and secrets of the payment provider, invitation codes
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /\bsfat_\w+/g,
  /\b(?:sk|rk|pk)_(?:live|test)_\w+/g,
  /\bwhsec_\w+/g,
  /\b[ACDEFHJKMPRTWXY34679]{4}-[ACDEFHJKMPRTWXY34679]{4}-[ACDEFHJKMPRTWXY34679]{4}\b/g,
  // a recovery key: eight groups of four
  /\b[0-9A-Z]{4}(?:[ .-][0-9A-Z]{4}){7}\b/g,
  /\b(?:Bearer|Basic|Local)\s+[\w.~+/=-]+/gi,
];
/** Named fields, in JSON, in JSON within JSON, and in text. */
const NAMED =
  /((?:password|passwd|passphrase|psk|senha|secret|token|api_?key|authorization|cookie|p256dh|\bauth)\\*"?\s*[:=]\s*)(?:(\\*")[^\n]{0,2000}?(?:(?<!\\)\2|$)|[^\s",}]{4,})/gim;
/** 32 bytes or more in base64, 24 in the kind without slashes: keys of controllers and relays. Sums in hexadecimal stay. */
const LONG = /(?<![\w+/-])(?:[\w+/-]{40,}={0,2}|[\w-]{32,})(?![\w+/-])/g;
const USER_IN_ADDRESS = /(?<=:\/\/)[^\s/@"]+@/g;
/** Bounded: a long run of letters without an @ would be looked through anew from each of them. */
const MAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g;
/** With the country, and as it is written in Brazil. */
const PHONE = /(?<![\w.])(?:\+\d[\d ().-]{7,18}\d|\(\d{2}\) ?\d{4,5}[- ]?\d{4})(?!\w)/g;
const WORD = /[\w-]{8,}/g;

export type StrikeOut = (text: string) => string;
export type KnownSecrets = {
  /** Struck out wherever they stand. */
  values: readonly string[];
  /** Of people, and thousands of them: struck out where they stand as a word. */
  words: readonly string[];
};

export function strikeOut({ values, words }: KnownSecrets): StrikeOut {
  const known = [...new Set(values.flatMap(spellings))].sort((a, b) => b.length - a.length);
  const long = known.filter(({ length }) => length >= LONG_CHARACTERS);
  const short = known
    .filter(({ length }) => length < LONG_CHARACTERS && length >= SHORT_CHARACTERS)
    .map(standingAlone);
  const asWords = new Set(words);
  return (text) => {
    let struck = text;
    for (const value of long) struck = struck.replaceAll(value, STRUCK);
    for (const shape of short) struck = struck.replaceAll(shape, STRUCK);
    struck = struck.replaceAll(WORD, (found) => (asWords.has(found) ? STRUCK : found));
    for (const shape of SHAPES) struck = struck.replaceAll(shape, STRUCK);
    struck = struck.replaceAll(
      NAMED,
      (_, name: string, quote: string | undefined) => `${name}${quote ?? ''}${STRUCK}${quote ?? ''}`,
    );
    struck = struck.replaceAll(LONG, (found) => (isSum(found) ? found : STRUCK));
    return struck
      .replaceAll(USER_IN_ADDRESS, `${STRUCK}@`)
      .replaceAll(MAIL, '[e-mail]')
      .replaceAll(PHONE, '[phone]');
  };
}

/** Paths, names with hyphens and sums in hexadecimal have letters of one kind; keys have both. */
function isSum(text: string): boolean {
  return !(/[a-z]/.test(text) && /[A-Z]/.test(text));
}

/** As it stands in text, in JSON, in a line of the log that quotes JSON, and in an address. */
function spellings(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  return [value, inJson, JSON.stringify(inJson).slice(1, -1), encodeURIComponent(value)];
}

/** Not within a word or a number, and not the year of a time. */
function standingAlone(value: string): RegExp {
  const literal = value.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}]|\d\.)${literal}(?![\p{L}\p{N}]|\.\d|-\d\d-\d\d)`, 'gu');
}

/** The configuration for support: what is secret says only whether it is given. */
export function shownConfig(config: Config): Record<string, unknown> {
  const values = fieldsOf(config);
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => {
      const value = values[camel(name)] ?? null;
      if (value === null) return [name, null];
      if ('isSecret' in option) return [name, '[given]'];
      return [name, typeof value === 'string' ? withoutUser(value) : value];
    }),
  );
}

/** Values of this configuration that must not leave. */
export function secretsOf(config: Config): string[] {
  const values = fieldsOf(config);
  const named = Object.entries(options).flatMap(([name, option]) =>
    'isSecret' in option ? [values[camel(name)]] : [],
  );
  const inside = Object.values(values).flatMap((value) =>
    typeof value === 'string' ? passwordsIn(value) : [],
  );
  return [...named, ...inside].filter((value) => typeof value === 'string');
}

// every field of a Config is made from an option of that name
const fieldsOf = (config: Config) => config as Readonly<Record<string, unknown>>;
const camel = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function withoutUser(value: string): string {
  return value
    .replaceAll(USER_IN_ADDRESS, `${STRUCK}@`)
    .replaceAll(/([?&](?:password|user)=)[^&]*/gi, `$1${STRUCK}`);
}

function passwordsIn(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { password, searchParams } = new URL(address);
  const given = [password, searchParams.get('password') ?? ''];
  return given.flatMap((text) => [text, decoded(text)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // a password with a bare % in it
    return text;
  }
}
