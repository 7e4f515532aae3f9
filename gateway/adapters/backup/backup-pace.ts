import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeWhole } from './safe-files.ts';

// Whether the last backup found no room in memory and went through the card of the box. The next run, and a doctor of a
// stopped gateway, must know it: such backups are made once a day, and are not late after three hours.

const pace = z.object({ on_card: z.boolean() });
const pathOf = (data: string) => join(data, 'backup-pace.json');
const ONCE_A_DAY_H = 24;

export async function notePace(data: string, onCard: boolean): Promise<void> {
  await writeWhole(pathOf(data), [Buffer.from(`${JSON.stringify({ on_card: onCard })}\n`)]);
}

/** False also where nothing is noted: then the next backup finds out. */
export async function goesOverCard(data: string): Promise<boolean> {
  try {
    return pace.parse(JSON.parse(await readFile(pathOf(data), 'utf8'))).on_card;
  } catch {
    return false;
  }
}

/** Hours between two backups as they are really made. */
export const hoursBetween = (wantedH: number, isOverCard: boolean): number =>
  Math.max(wantedH, isOverCard ? ONCE_A_DAY_H : 0);
