// Reading what a relay sent: any field may be missing or be of another kind than its makers wrote down.

export type Fields = Readonly<Record<string, unknown>>;

/** The object in the text; null when it is none. */
export function readObject(payload: Buffer | string): Fields | null {
  const text = payload.toString();
  return parsed(text) ?? parsed(withoutNan(text));
}

function parsed(text: string): Fields | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A sensor without a value is written as no JSON can be; what stands beside it is as good as ever. */
const withoutNan = (text: string): string =>
  text.replace(/([:[,]\s*)-?(?:nan|inf(?:inity)?)(?=\s*[,}\]])/gi, '$1null');

export function asObject(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? // an object of a parsed text has string keys only
      (value as Fields)
    : null;
}

/** A number within bounds; undefined for everything else. */
export function numberIn(value: unknown, min: number, max: number): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max
    ? value
    : undefined;
}

/** A text that is short enough to be shown; undefined for everything else. */
export function shortTextIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim().slice(0, 64);
  return text === '' ? undefined : text;
}

/** The same object without its undefined fields. */
export function known<T extends object>(fields: { [Name in keyof T]: T[Name] | undefined }): Partial<T> {
  // what is left of the fields are those that have a value
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
