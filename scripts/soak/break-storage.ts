import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';

// Ways to spoil a disk, and what of them this machine allows.

/** Another process holds the write lock until it is let go. */
export function lockDatabase(file: string): () => void {
  const other = new BetterSqlite(file, { timeout: 5_000 });
  other.exec('begin immediate');
  return () => {
    other.exec('rollback');
    other.close();
  };
}

/** A small disk in memory, for a full one. Null: this machine does not allow to mount. */
export function mountSmallDisk(folder: string, megabytes: number): (() => void) | null {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  if (mounted.status !== 0) return null;
  return unmountSmallDisk(folder);
}

/** The way to unmount it. */
export function unmountSmallDisk(folder: string): () => void {
  return () => void spawnSync('umount', [folder]);
}

/** Fills a disk to the last byte; answers the way to free it. */
export function fillDisk(folder: string): () => void {
  const ballast = join(folder, 'ballast');
  const file = openSync(ballast, 'w');
  let size = 1024 * 1024;
  while (size >= 512) {
    try {
      writeSync(file, Buffer.alloc(size));
    } catch {
      // no room for so much: less, then
      size /= 2;
    }
  }
  closeSync(file);
  return () => rmSync(ballast, { force: true });
}

/** Environment under which fsync can be made to fail (libfiu, with its pipes in the folder); null: it is not on this machine. */
export function failingFsync(folder: string): Readonly<Record<string, string>> | null {
  const asked = spawnSync('fiu-run', ['-n', '-x', 'true'], { encoding: 'utf8' });
  if (asked.status !== 0) return null;
  const value = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(asked.stdout)?.[1];
  const preload = value('LD_PRELOAD');
  return preload === undefined ? null : { LD_PRELOAD: preload, FIU_CTRL_FIFO: join(folder, 'fiu-ctrl') };
}

export function makeFsyncFail(pid: number, fifo: string, isFailing: boolean): void {
  const order = isFailing ? 'enable name=posix/io/sync/fsync' : 'disable name=posix/io/sync/fsync';
  execFileSync('fiu-ctrl', ['-f', fifo, '-c', order, String(pid)], { timeout: 10_000 });
}
