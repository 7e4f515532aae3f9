import * as z from 'zod';
import { hasUnseen, withoutUnseen } from './look-alikes.ts';

// Building blocks of inputs: what a caller may send. Rows use stricter shapes (see resource.ts).

/** Names and codes: trimmed, 1 to 255 characters. */
export const shortText = z.string().trim().min(1).max(255);
/** A name that people read who know nothing else of it: of a person, of a farm that invites. */
export const shownName = shortText
  .refine((text) => !hasUnseen(text), {
    message: 'must not have invisible characters, or such as turn the direction of writing',
  })
  .refine((text) => !/[\t\r\n]/.test(text), { message: 'must stand in one line' });
const anyUuid = z.uuid();
/** An id as a caller sends it; rows hold lower case, so capitals must not name another row. */
export const idInput = z.uuid().toLowerCase();
/**
 * The id that a caller gives to what it creates, so that a create may be sent again. Only of the kinds that two never
 * draw alike: the others are reckoned (5 is that of an automatic alert) or mean none at all.
 */
export const ownId = idInput
  // one that is no UUID is told as that alone
  .refine((id) => /^.{14}[47]/.test(id) || !anyUuid.safeParse(id).success, 'must be a UUID of version 4 or 7')
  .optional()
  .describe('Optional id chosen by the caller (UUID v4 or v7)');

const NOT_AN_ID = 'must be an id: a UUID, or the integer id shown in answers';
const LARGEST_NUMERIC_ID = 2 ** 48 - 1;
const isUuid = (text: string): boolean => anyUuid.safeParse(text).success;

/**
 * A user, pond, batch or transfer as a caller names it: by UUID, or by the integer the contract shows for it
 * (as text or as a JSON number). Answers text: a lower-case UUID, or the digits without leading zeros.
 */
export const idOrNumber = z
  .union([z.string().trim().max(64), z.number()], {
    error: ({ input }) => (input === undefined ? 'is required' : NOT_AN_ID),
  })
  .transform((sent, context) => {
    const text = String(sent).toLowerCase();
    if (isUuid(text)) return text;
    if (/^\d{1,15}$/.test(text) && Number(text) <= LARGEST_NUMERIC_ID) return String(Number(text));
    context.addIssue({ code: 'custom', message: NOT_AN_ID });
    return z.NEVER;
  })
  .meta({
    override: {
      anyOf: [
        { type: 'string', format: 'uuid' },
        { type: 'integer', minimum: 0, maximum: LARGEST_NUMERIC_ID },
      ],
    },
  });

/** What a file is called where it comes from, for people to know it again: the name alone, whatever folders stand before it. */
export const fileName = z
  .string()
  .max(200)
  .transform((text) => {
    const name = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
    return withoutUnseen(name).trim() || undefined;
  });
/** A word of an enumeration of capitals, as a caller sends it: in any case. Answers have capitals. */
export function wordOf<const Words extends readonly string[]>(words: Words) {
  return z
    .string()
    .trim()
    .toUpperCase()
    .pipe(z.enum(words))
    .meta({ override: { type: 'string', enum: [...words] } });
}

/** Notes and messages: trimmed, at most 10,000 characters. */
export const longText = z.string().trim().max(10_000);

const YEAR_2000 = Date.UTC(2000, 0, 1);
const YEAR_2100 = Date.UTC(2101, 0, 1);
const INSTANT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * An instant with any offset, or none (then UTC), or a bare date (UTC midnight here; routes that know the farm
 * read bare dates with `isDateOnly` in the farm's zone). Answers ISO 8601 UTC with milliseconds.
 */
export const instantInput = z
  .string()
  .trim()
  .max(40)
  .transform((text, context) => {
    const match = INSTANT.exec(text);
    const withTime = text.length > 10;
    // an offset may be whole hours alone, as databases write it; Date.parse knows only those with minutes
    const isHours = /^[+-]\d\d$/.test(match?.[1] ?? '');
    const iso = `${text.replace(' ', 'T')}${isHours ? ':00' : ''}`;
    const ms = match ? Date.parse(withTime && match[1] === undefined ? `${iso}Z` : iso) : Number.NaN;
    // Date.parse rolls 31 February over into March; a date must be one of the calendar
    const day = Number(text.slice(8, 10));
    const calendarDay = new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate();
    if (!Number.isFinite(ms) || calendarDay !== day) {
      context.addIssue({
        code: 'custom',
        message: 'must be a date and time in ISO 8601, for example 2026-03-01T18:00:00Z',
      });
      return z.NEVER;
    }
    if (ms < YEAR_2000 || ms >= YEAR_2100) {
      context.addIssue({ code: 'custom', message: 'must lie between the years 2000 and 2100' });
      return z.NEVER;
    }
    return new Date(ms).toISOString();
  })
  .meta({ override: { type: 'string', format: 'date-time' } });

/** A day of a farm's calendar, YYYY-MM-DD. */
export const dayInput = z
  .string()
  .trim()
  .pipe(z.iso.date())
  .refine((day) => day >= '2000-01-01' && day < '2101-01-01', 'must lie between the years 2000 and 2100')
  .meta({ override: { type: 'string', format: 'date' } });

/** A reading of a wall clock, HH:MM. */
export const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { message: 'must be a time of day, for example 22:00' });

export const isDateOnly = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text.trim());

function degrees(limit: number, name: string) {
  return z
    .string()
    .trim()
    .max(40)
    .refine((text) => /^[+-]?\d{1,3}(\.\d{1,20})?$/.test(text) && Math.abs(Number(text)) <= limit, {
      message: `must be decimal degrees between -${limit} and ${limit}, for example "-3.7319"`,
    })
    .describe(`${name} in decimal degrees, as a string`);
}
export const latitude = degrees(90, 'Latitude');
export const longitude = degrees(180, 'Longitude');

const NUMBER_TEXT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

/** A number as a query carries it. One that is empty is no number: taken for 0, it would be one that nobody said. */
export function numberInQuery(number: z.ZodNumber) {
  return z
    .string()
    .trim()
    .regex(NUMBER_TEXT, 'must be a number')
    .transform(Number)
    .pipe(number)
    .meta({
      override({ jsonSchema }: { jsonSchema: Record<string, unknown> }) {
        const { $schema: _, ...described } = z.toJSONSchema(number);
        delete jsonSchema['pattern'];
        Object.assign(jsonSchema, described);
      },
    });
}

/** Yes or no as a query carries it, in any case: clients write `true`, `True` and `1`. */
export const flagInQuery = z
  .stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] })
  .meta({ override: { type: 'boolean' } });

/** Page of a list. Without `limit` registers answer whole, journals end at 10,000 rows. */
export const pageQuery = z.object({
  skip: numberInQuery(z.number().int().min(0).max(10_000_000)).default(0),
  limit: numberInQuery(z.number().int().min(1).max(10_000)).optional(),
});

/** Body of every error. */
export const errorBody = z.object({
  detail: z.string(),
  code: z.string().optional(),
  errors: z
    .array(
      z.object({
        path: z.string(),
        code: z.string(),
        message: z.string(),
        row: z.int().optional().describe('Of a file that was sent; the header is row 1'),
        column: z.string().nullish(),
      }),
    )
    .optional(),
  available: z.int().optional().describe('How many animals there are, where too many were to be moved'),
  resource: z.string().optional().describe('What there is no room for: farms, ponds, active_batches'),
  current: z.int().optional().describe('How many there are where the limit holds'),
  max: z.int().optional().describe('How many the plan allows there'),
});

export const warnings = z.array(z.object({ code: z.string(), message: z.string() })).optional();
