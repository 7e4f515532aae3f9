import { isStorable } from '#contract/stored-text.ts';
import type { FieldError } from '#core/errors.ts';

const MAX_DEPTH = 32;
/** Nothing on a farm is smaller, and PostgreSQL refuses a product of two numbers that is too small for it. */
const LEAST_NUMBER = 1e-30;

type Fault = Pick<FieldError, 'code' | 'message'> & { keys: string[] };

/**
 * The first value no table of ours can hold, whatever the field: PostgreSQL refuses U+0000, half a surrogate pair is
 * no character, `1e999` is no number, and a `__proto__` is never meant well. null when there is none.
 */
export function faultIn(value: unknown): FieldError | null {
  const fault = search(value, 0);
  if (fault === null) return null;
  return { path: fault.keys.reverse().join('.'), code: fault.code, message: fault.message };
}

function search(value: unknown, depth: number): Fault | null {
  if (typeof value === 'string') return textFault(value);
  if (typeof value === 'number') return numberFault(value);
  if (typeof value !== 'object' || value === null) return null;
  if (depth === MAX_DEPTH) {
    return { keys: [], code: 'TOO_DEEP', message: `must not be nested deeper than ${MAX_DEPTH} levels` };
  }
  for (const key of Object.keys(value)) {
    // an own key of this very object
    const fault = keyFault(key) ?? search((value as Readonly<Record<string, unknown>>)[key], depth + 1);
    if (fault !== null) {
      fault.keys.push(printable(key));
      return fault;
    }
  }
  return null;
}

function numberFault(value: number): Fault | null {
  if (!Number.isFinite(value))
    return { keys: [], code: 'NUMBER_TOO_LARGE', message: 'must be a finite number' };
  if (value !== 0 && Math.abs(value) < LEAST_NUMBER)
    return { keys: [], code: 'NUMBER_TOO_SMALL', message: 'must be 0 or further from it' };
  return null;
}

function keyFault(key: string): Fault | null {
  return key === '__proto__'
    ? { keys: [], code: 'NAME_NOT_ALLOWED', message: 'is not a field' }
    : textFault(key);
}

function textFault(text: string): Fault | null {
  if (isStorable(text)) return null;
  const message = text.includes('\u0000')
    ? 'must not contain the character U+0000'
    : 'must be well-formed Unicode text';
  return { keys: [], code: 'TEXT_NOT_ALLOWED', message };
}

function printable(key: string): string {
  return key.replaceAll('\u0000', '').toWellFormed().slice(0, 100);
}
