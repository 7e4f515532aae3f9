import * as z from 'zod';

import { idInput, longText, shortText } from '../fields.ts';

// What was left on the feeding trays of a pond, tray by tray, at one look. A tray that nobody looked at is not known: it is
// neither empty nor full, and says nothing about the next meal.

export const MOST_TRAYS = 50;
const trayNumber = z.int().min(1).max(999).describe('As the farm numbers the trays of that pond');
const leftPercent = z.number().min(0).max(100).nullable();
const LEFT = 'Percent of the feed that was put on it; 0: eaten up; null: nobody looked at it';

const reading = z.object({
  tray: trayNumber,
  left_percent: leftPercent.describe(LEFT),
  note: z.string().nullable(),
});
export type TrayReading = z.infer<typeof reading>;

/** As they are stored: columns that came after the table, so that each has a value for "nothing was said". */
export const trayColumns = {
  trays: z.array(reading).nullable().default(null),
  /** The meal that lay on them; null: not said. It is no parent: a meal that is deleted leaves what was seen. */
  feeding_id: z.uuid().nullable().default(null),
};

export const trayGroups = { trays: { fields: ['trays', 'feeding_id'] } };

const trays = z
  .array(
    z.object({
      tray: trayNumber,
      left_percent: leftPercent.optional().describe(LEFT),
      note: shortText.nullish(),
    }),
  )
  .min(1)
  .max(MOST_TRAYS)
  .refine((all) => new Set(all.map(({ tray }) => tray)).size === all.length, 'name a tray once')
  .transform((all) =>
    all.map(({ tray, left_percent, note }) => ({
      tray,
      left_percent: left_percent ?? null,
      note: note ?? null,
    })),
  )
  .describe('Every tray of the pond; one that nobody looked at without left_percent');
const feedingId = idInput
  .nullish()
  .describe('The feeding that lay on them; null: not said, the newest before it');

export const trayFields = {
  trays,
  feeding_id: feedingId,
  responsible: shortText.nullish().describe('Who looked'),
  text: longText.nullish().describe('What was seen besides'),
};

/** What a correction may say of them. */
export const trayUpdate = { trays: trays.optional(), feeding_id: feedingId };

export const trayAnswer = {
  trays: z
    .array(reading)
    .nullable()
    .describe('Of feeding trays: what was left on each; left_percent null: nobody looked at that one'),
  feeding_id: z.uuid().nullable().describe('Of feeding trays: the meal that lay on them; null: not said'),
};
