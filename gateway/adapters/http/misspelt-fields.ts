import { z } from 'zod';
import { AppError } from '#core/errors.ts';
import type { Answer, Route } from '#core/route.ts';

// Unknown fields are ignored. Where a body without fields is a decision too ("the time shown is right"), one of them may
// be the misspelt word that would have decided otherwise.

const MOST_NAMED = 5;
const LONGEST_NAME = 40;

type Misspelt = { unknown: readonly string[]; sentence: string };

/** The fields nobody knows, where none came of those that decide the operation; null: all is well. */
export function misspeltIn(
  route: Pick<Route, 'body' | 'decidedBy'>,
  rawBody: Readonly<Record<string, unknown>>,
): Misspelt | null {
  const { body, decidedBy } = route;
  if (decidedBy === undefined || !(body instanceof z.ZodObject)) return null;
  if (decidedBy.fields.some((field) => rawBody[field] !== undefined)) return null;
  const known = Object.keys(body.shape);
  const unknown = Object.keys(rawBody)
    .filter((field) => !known.includes(field))
    .slice(0, MOST_NAMED)
    .map((field) => field.slice(0, LONGEST_NAME));
  if (unknown.length === 0) return null;
  return {
    unknown,
    sentence: `${unknown.join(', ')}: no such field here; known are ${known.join(', ')}`,
  };
}

/** Throws for what is misspelt, where the operation is one that refuses it. */
export function refuseMisspelt(route: Route, misspelt: Misspelt | null): void {
  if (misspelt === null || route.decidedBy?.otherwise !== 'refused') return;
  const errors = misspelt.unknown.map((path) => ({
    path,
    code: 'UNKNOWN_FIELD',
    message: 'no such field here',
  }));
  throw new AppError(route.invalid, misspelt.sentence, { code: 'VALIDATION_ERROR', errors });
}

/** The answer with a warning of what is misspelt, where the operation is one that cannot refuse it. */
export function warnOfMisspelt(route: Route, misspelt: Misspelt | null, answer: Answer): Answer {
  const { body, status } = answer;
  if (misspelt === null || route.decidedBy?.otherwise !== 'warned' || status >= 300) return answer;
  if (typeof body !== 'object' || body === null) return answer;
  const told = 'warnings' in body && Array.isArray(body.warnings) ? body.warnings : [];
  const message = `${misspelt.sentence}. It was done as without any field`;
  return { ...answer, body: { ...body, warnings: [...told, { code: 'UNKNOWN_FIELD', message }] } };
}

/**
 * The answer to a change with a warning of what it does not change: a field that the thing has and that came with another
 * value, as one that takes back what was read sends it. Silence would tell the farm that a correction stands which does not.
 */
export function warnOfUnchanged(
  route: Pick<Route, 'method' | 'body' | 'answers'>,
  rawBody: Readonly<Record<string, unknown>>,
  answer: Answer,
): Answer {
  const { body, status } = answer;
  if ((route.method !== 'PUT' && route.method !== 'PATCH') || status !== 200) return answer;
  if (!(route.body instanceof z.ZodObject) || typeof body !== 'object' || body === null) return answer;
  const answered = route.answers[200];
  const schema = answered !== null && answered !== undefined && 'schema' in answered ? answered.schema : null;
  if (!(schema instanceof z.ZodObject) || !Object.hasOwn(schema.shape, 'warnings')) return answer;
  const { shape } = route.body;
  const fields = Object.keys(rawBody)
    .filter((field) => !Object.hasOwn(shape, field) && Object.hasOwn(body, field) && field !== 'warnings')
    // times of its own change with the change
    .filter((field) => !/(^|_)at$/.test(field))
    .filter((field) => !isSaidSame(rawBody[field], (body as Record<string, unknown>)[field]))
    .slice(0, MOST_NAMED);
  if (fields.length === 0) return answer;
  const told = 'warnings' in body && Array.isArray(body.warnings) ? body.warnings : [];
  const message = `${fields.join(', ')}: not changed; what can be changed here is ${Object.keys(shape).join(', ')}`;
  return { ...answer, body: { ...body, warnings: [...told, { code: 'NOT_CHANGED', message }] } };
}

/** An id is said in two ways, as UUID and as number, and one of each tells nothing. */
function isSaidSame(sent: unknown, answered: unknown): boolean {
  if (JSON.stringify(sent) === JSON.stringify(answered)) return true;
  if (isUuid(sent) && isUuid(answered)) return String(sent).toLowerCase() === answered;
  return (isUuid(sent) && isNumber(answered)) || (isNumber(sent) && isUuid(answered));
}

const isUuid = (value: unknown): boolean => z.uuid().safeParse(value).success;
const isNumber = (value: unknown): boolean => /^\d+$/.test(String(value));
