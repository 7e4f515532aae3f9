import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

// What the system allows this service of memory: far less than the box has, so that a fault of it cannot take all.

/** Where Linux tells it (control groups, version 2). */
const PLACES = { own: '/proc/self/cgroup', root: '/sys/fs/cgroup' };

/**
 * Bytes that this service may still take; null: nothing bounds it. What the system only keeps of files in memory it gives
 * back when it is needed, so that does not count.
 */
export async function roomOfService(places = PLACES): Promise<number | null> {
  const own = /^0::(\/.*)$/m.exec((await textOf(places.own)) ?? '')?.[1];
  if (own === undefined) return null;
  const rooms: number[] = [];
  const names = own.split('/').filter((name) => name !== '');
  // each group above bounds it, too
  for (let depth = names.length; depth >= 0; depth -= 1) {
    const room = await roomIn(join(places.root, ...names.slice(0, depth)));
    if (room !== null) rooms.push(room);
  }
  return rooms.length === 0 ? null : Math.min(...rooms);
}

async function roomIn(group: string): Promise<number | null> {
  const [high, max, current, stat] = await Promise.all(
    ['memory.high', 'memory.max', 'memory.current', 'memory.stat'].map((name) => textOf(join(group, name))),
  );
  // "max" is no number, and no bound
  const bounds = [high, max].map((text) => Number(text ?? Number.NaN)).filter(Number.isFinite);
  if (bounds.length === 0 || current == null) return null;
  const kept = ['inactive_file', 'active_file'].map((name) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat ?? '')?.[1] ?? 0),
  );
  const used = Number(current) - kept.reduce((sum, bytes) => sum + bytes, 0);
  return Math.min(...bounds) - Math.max(0, used);
}

const textOf = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);
