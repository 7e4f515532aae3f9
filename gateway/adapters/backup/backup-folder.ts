import { existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { called } from '#contract/commands.ts';
import { asTrouble, BackupTrouble } from './backup-trouble.ts';
import { freeName, namesIn, timeName, writeWhole } from './safe-files.ts';

/** `isPinned`: a person wants it to stay, as before something is deleted. */
export type Kept = { name: string; madeAt: number; bytes: number; isPinned?: boolean };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A file that is much younger than now was named by a wrong clock: its age says nothing. */
const AHEAD = HOUR;
/** As long as somebody may notice what is missing; and so few that they never push out what age keeps. */
const PINNED_MS = 30 * DAY;
const MOST_PINNED = 5;

/**
 * Which files may go: all of the last 24 h stay, one a day for 14 days, one a week for 8 weeks; then the oldest go until
 * the rest fits. The newest always stays, and so do the newest that somebody pinned, for 30 days.
 */
export function toRemove(files: readonly Kept[], now: number, maxBytes: number): string[] {
  const newestFirst = [...files].sort((a, b) => b.madeAt - a.madeAt);
  const pinned = newestFirst
    .filter(({ isPinned = false, madeAt }) => isPinned && now - madeAt <= PINNED_MS)
    .slice(0, MOST_PINNED);
  const byAge = newestFirst.filter((file) => !pinned.includes(file));
  const kept: Kept[] = [];
  const spans = new Set<string>();
  for (const [index, file] of byAge.entries()) {
    const span = spanOf(file, now);
    if (index > 0 && (span === null || spans.has(span))) continue;
    if (span !== null) spans.add(span);
    kept.push(file);
  }
  let bytes = [...pinned, ...kept].reduce((sum, file) => sum + file.bytes, 0);
  while (kept.length > 1 && bytes > maxBytes) bytes -= kept.pop()?.bytes ?? 0;
  const stays = new Set([...pinned, ...kept].map(({ name }) => name));
  return newestFirst.filter(({ name }) => !stays.has(name)).map(({ name }) => name);
}

/** Of each span the newest stays; null: too old. */
function spanOf({ name, madeAt }: Kept, now: number): string | null {
  const age = now - madeAt;
  if (age < -AHEAD || age <= DAY) return `file ${name}`;
  if (age <= 14 * DAY) return `day ${Math.floor(madeAt / DAY)}`;
  if (age <= 56 * DAY) return `week ${Math.floor(madeAt / (7 * DAY))}`;
  return null;
}

/**
 * Lies in a folder that was made ready for backups. Where a stick is mounted there is an ordinary folder when it is
 * pulled: without this file the backups would fill the card of the box, and everybody would think them safe.
 */
const MARK = 'farm-backups-here.txt';
const MARK_TEXT = 'Backups of a shrimp-farm gateway. Without this file the gateway does not write here.\n';
const NAME = /^farm-(\d{8}T\d{6}Z)(-\d+)?\.backup$/;
/** Beside a backup that a person wants to stay. */
const PIN = '.keep';
const TIME = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;

export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (!existsSync(join(folder, MARK))) await writeWhole(join(folder, MARK), [Buffer.from(MARK_TEXT)]);
  } catch (error) {
    throw asTrouble(error, folder);
  }
}

/** False also where the stick of that folder is pulled. */
export const isPrepared = (folder: string): boolean => existsSync(join(folder, MARK));

export function requirePrepared(folder: string): void {
  if (isPrepared(folder)) return;
  throw new BackupTrouble(
    `${folder} is not ready for backups: put the stick in, or say ${called(`backup --to ${folder}`)} once`,
    undefined,
    'NOT_READY',
  );
}

/** The file of a backup made now; two of one second have two names. */
export function newBackupFile(folder: string, madeAt: string): string {
  return freeName(join(folder, `farm-${timeName(madeAt)}`), '.backup');
}

/** It stays for 30 days, whatever its age and the others. */
export const pinBackup = (file: string): Promise<void> => writeWhole(`${file}${PIN}`, []);

/** Backups in a folder, oldest first. */
export async function listBackups(folder: string): Promise<Kept[]> {
  return listByName(folder, NAME);
}

/** Files whose name tells a time in its first group, oldest first. */
export async function listByName(folder: string, pattern: RegExp): Promise<Kept[]> {
  const found: Kept[] = [];
  const names = new Set(await namesIn(folder));
  for (const name of names) {
    const madeAt = timeOf(pattern.exec(name)?.[1] ?? '');
    if (madeAt === null) continue;
    const { size } = await stat(join(folder, name));
    found.push({ name, madeAt, bytes: size, isPinned: names.has(`${name}${PIN}`) });
  }
  return found.sort((a, b) => a.madeAt - b.madeAt || (a.name < b.name ? -1 : 1));
}

/** The newest backup of a folder, or the file itself. Throws BackupTrouble when there is none. */
export async function newestBackup(fileOrFolder: string): Promise<string> {
  const found = await stat(fileOrFolder).catch((error: unknown) => {
    throw asTrouble(error, fileOrFolder);
  });
  if (!found.isDirectory()) return fileOrFolder;
  const newest = (await listBackups(fileOrFolder)).at(-1);
  if (newest === undefined)
    throw new BackupTrouble(`there is no backup in ${fileOrFolder}`, undefined, 'NOT_THERE');
  return join(fileOrFolder, newest.name);
}

export async function removeOld(
  folder: string,
  files: readonly Kept[],
  now: number,
  maxBytes: number,
): Promise<void> {
  for (const name of toRemove(files, now, maxBytes)) {
    await rm(join(folder, name), { force: true });
    await rm(join(folder, `${name}${PIN}`), { force: true });
  }
}

function timeOf(name: string): number | null {
  const parts = TIME.exec(name);
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}
