import { type Config, options } from '../config.ts';

// What leaves the box for support holds no secret: known ones are struck out by their value, others by their shape.

const STRUCK = '[struck out]';
/** Shorter values are words, and striking them out would tear the rest apart. */
const MIN_CHARACTERS = 8;

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
  // named fields, in JSON and in text
  /(?<="?(?:password|passwd|secret|token|api_?key|authorization|cookie)"?\s*[:=]\s*"?)[^\s",}]{4,}/gi,
];
/** 32 bytes or more in base64: keys of controllers, secrets of channels. Sums in hexadecimal stay. */
const LONG = /(?<![\w+/-])[A-Za-z0-9_+/-]{40,}={0,2}(?![\w+/-])/g;
const USER_IN_ADDRESS = /(?<=:\/\/)[^\s/@"]+@/g;
const MAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

export type StrikeOut = (text: string) => string;

/** `known`: secrets by their value. */
export function strikeOut(known: readonly string[]): StrikeOut {
  const values = [...new Set(known.filter((value) => value.length >= MIN_CHARACTERS))].sort(
    (a, b) => b.length - a.length,
  );
  return (text) => {
    let struck = text;
    for (const value of values) struck = struck.replaceAll(value, STRUCK);
    for (const shape of SHAPES) struck = struck.replaceAll(shape, STRUCK);
    struck = struck.replaceAll(LONG, (found) => (isSum(found) ? found : STRUCK));
    return struck.replaceAll(USER_IN_ADDRESS, `${STRUCK}@`).replaceAll(MAIL, '[e-mail]');
  };
}

/** Paths, names with hyphens and sums in hexadecimal have letters of one kind; keys have both. */
function isSum(text: string): boolean {
  return !(/[a-z]/.test(text) && /[A-Z]/.test(text));
}

/** The configuration for support: what is secret says only whether it is given. */
export function shownConfig(config: Config): Record<string, unknown> {
  // every field of a Config is made from an option of that name
  const values = config as Readonly<Record<string, unknown>>;
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
  const values = config as Readonly<Record<string, unknown>>;
  const named = Object.entries(options).flatMap(([name, option]) =>
    'isSecret' in option ? [values[camel(name)]] : [],
  );
  const inside = [config.smtpUrl, config.databaseUrl].flatMap((address) => passwordsIn(address));
  return [...named, ...inside].filter((value) => typeof value === 'string');
}

const camel = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function withoutUser(value: string): string {
  return value
    .replaceAll(USER_IN_ADDRESS, `${STRUCK}@`)
    .replaceAll(/([?&](?:password|user)=)[^&]*/gi, `$1${STRUCK}`);
}

function passwordsIn(address: string | null): string[] {
  if (address === null || !URL.canParse(address)) return [];
  const { password, searchParams } = new URL(address);
  const given = [password, searchParams.get('password') ?? ''];
  return given.flatMap((text) => [text, decodeURIComponent(text)]);
}
