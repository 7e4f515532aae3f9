import type { KeyObject } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isCode } from '#adapters/backup/safe-files.ts';
import {
  type Arch,
  isFolder,
  MAX_MANIFEST_BYTES,
  type OpenedPackage,
  openPackage,
  PACKAGE_ENDING,
  PRODUCT,
} from './package-file.ts';
import { compareVersions, isVersion } from './update-state.ts';
import { UpdateRefused } from './update-trouble.ts';

/** Where a package is fetched from. `token`: asked for at every try, for it ends; it goes to this address alone. */
export type Remote = { address: string; token: (() => Promise<string>) | null };

/** No program of ours is near that; without a bound a wrong address could fill the disk. */
const MAX_PACKAGE_BYTES = 512 * 1024 * 1024 + MAX_MANIFEST_BYTES;

type FetchBounds = {
  /** All of it. */
  withinMs: number;
  /** Without a byte for so long the connection is dead. */
  silentMs: number;
  betweenMs: number;
  /** Tries in a row that bring nothing. */
  triesInVain: number;
};
/** Runs `tell` once nothing was heard for so long. */
export type WatchSilence = (ms: number, tell: () => void) => { heard: () => void; end: () => void };
const BOUNDS: FetchBounds = { withinMs: 30 * 60_000, silentMs: 60_000, betweenMs: 3_000, triesInVain: 3 };

const byTimer: WatchSilence = (ms, tell) => {
  const timer = setTimeout(tell, ms);
  return { heard: () => void timer.refresh(), end: () => clearTimeout(timer) };
};

/**
 * Fetches a package to a file. The line of a farm breaks: what has come is kept, and the rest is asked for. `spare`:
 * bytes that may be taken of the disk. Throws UpdateRefused, and what the disk says.
 */
export async function fetchPackage(
  { address, token }: Remote,
  to: string,
  spare: number,
  { bounds = BOUNDS, watch = byTimer }: { bounds?: FetchBounds; watch?: WatchSilence } = {},
): Promise<void> {
  const part: Part = { to, most: Math.min(MAX_PACKAGE_BYTES, spare), have: 0, mark: null };
  const whole = AbortSignal.timeout(bounds.withinMs);
  for (let inVain = 0; ; ) {
    const had = part.have;
    try {
      await fetchRest(part, { address, token, whole, watch: (tell) => watch(bounds.silentMs, tell) });
      return;
    } catch (cause) {
      if (!(cause instanceof LineBroke)) throw cause;
      // whoever says when to come again is there
      inVain = part.have > had || cause.waitMs !== null ? 0 : inVain + 1;
      if (whole.aborted || inVain >= bounds.triesInVain)
        throw new UpdateRefused('NOT_REACHABLE', `${address} cannot be reached: ${cause.message}`, { cause });
      await pause(cause.waitMs ?? bounds.betweenMs, undefined, { signal: whole }).catch(() => undefined);
    }
  }
}

/** Worth another try, after `waitMs` when whoever serves says so. */
class LineBroke extends Error {
  waitMs: number | null = null;
}

/** `fetch` says why in the cause. */
function broke(error: unknown): never {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  throw new LineBroke(inner instanceof Error ? inner.message : String(inner), { cause: error });
}

/** The gateway that knows the token may be starting again; that ends no download. */
function whoOpens(error: unknown): never {
  if (error instanceof UpdateRefused && error.code === 'NOT_REACHABLE')
    throw new LineBroke(error.message, { cause: error });
  throw error;
}

/** What is on disk of the package, and how the server calls this very file. */
type Part = { to: string; most: number; have: number; mark: string | null };
type Asking = Remote & { whole: AbortSignal; watch: (tell: () => void) => ReturnType<WatchSilence> };

async function fetchRest(part: Part, { address, token, whole, watch }: Asking): Promise<void> {
  const silence = new AbortController();
  const opens = (await token?.().catch(whoOpens)) ?? null;
  const { heard, end } = watch(() => silence.abort(new Error('nothing came for too long')));
  try {
    const response = await fetch(address, {
      // a redirect might lead to an address that is not https, and would take the token along
      redirect: 'error',
      signal: AbortSignal.any([whole, silence.signal]),
      headers: {
        ...(opens === null ? {} : { Authorization: `Bearer ${opens}` }),
        ...(part.mark === null ? {} : { Range: `bytes=${part.have}-`, 'If-Range': part.mark }),
      },
    }).catch(broke);
    const goesOn = response.status === 206 && part.mark !== null && startOf(response) === part.have;
    if (!goesOn) {
      if (response.status !== 200) refuse(address, response);
      part.have = 0;
      part.mark = markOf(response);
    }
    if (Number(response.headers.get('content-length')) > part.most - part.have) throw tooLarge();
    await take(part, response, { flags: goesOn ? 'a' : 'w', heard });
  } finally {
    end();
  }
}

type Taking = { flags: 'a' | 'w'; heard: () => void };

async function take(part: Part, { body }: Response, { flags, heard }: Taking): Promise<void> {
  if (body === null) throw new LineBroke('the answer is empty');
  const reader = body.getReader();
  const file = await open(part.to, flags, 0o600);
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(broke);
      if (done) break;
      heard();
      if (part.have + value.length > part.most) throw tooLarge();
      await file.writeFile(value);
      // only what is in the file may be left out next time
      part.have += value.length;
    }
    await file.sync();
  } finally {
    await file.close();
    await reader.cancel().catch(() => undefined);
  }
}

const tooLarge = () => new UpdateRefused('DISK_SHORT', 'the package is larger than the room for it');

/** A weak mark says nothing about bytes; then the time of the file has to do. */
function markOf({ headers }: Response): string | null {
  const mark = headers.get('etag');
  return mark === null || mark.startsWith('W/') ? headers.get('last-modified') : mark;
}

/** First byte of what a partial answer holds. */
function startOf({ headers }: Response): number {
  return Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? Number.NaN);
}

const MOST_WAIT_S = 120;

function refuse(address: string, { status, headers }: Response): never {
  const mayPass = status >= 500 || status === 408 || status === 429;
  const said = `it answered ${status}`;
  if (mayPass) {
    const broken = new LineBroke(said);
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    if (seconds > 0) broken.waitMs = Math.min(seconds, MOST_WAIT_S) * 1_000;
    throw broken;
  }
  throw new UpdateRefused(status === 404 ? 'NOT_FOUND' : 'NOT_REACHABLE', `${address}: ${said}`);
}

export type Source =
  | { kind: 'path'; path: string }
  | { kind: 'address'; address: string }
  /** What the hosted instance offers that this gateway is paired with. */
  | { kind: 'hosted' };

/** Throws UpdateRefused for an address over which anybody on the way could hold a version back. */
export function sourceOf(from: string): Source {
  if (from === 'hosted') return { kind: 'hosted' };
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) return { kind: 'path', path: from };
  if (!from.startsWith('https://') || !URL.canParse(from))
    throw new UpdateRefused('INSECURE_SOURCE', 'updates are fetched from https addresses only');
  return { kind: 'address', address: from };
}

/** The package in a file, or the newest one for this machine in a folder such as a stick. */
export async function packageAt(
  path: string,
  keys: readonly KeyObject[],
  arch: Arch | null,
): Promise<OpenedPackage> {
  if (!(await isFolder(path))) return openPackage(path, keys);
  const names = (await readdir(path)).filter((name) => name.endsWith(PACKAGE_ENDING)).sort();
  let newest: OpenedPackage | null = null;
  let trouble: UpdateRefused | null = null;
  for (const name of names) {
    try {
      const opened = await openPackage(join(path, name), keys);
      const isForUs = opened.manifest.arch === arch;
      if (!isForUs) trouble ??= new UpdateRefused('FOREIGN', `${name} is for ${opened.manifest.arch}`);
      else if (newest === null || compareVersions(opened.manifest.version, newest.manifest.version) > 0)
        newest = opened;
    } catch (error) {
      // one that is not ours must not hide the one that is
      if (!(error instanceof UpdateRefused)) throw error;
      trouble ??= error;
    }
  }
  if (newest !== null) return newest;
  throw trouble ?? new UpdateRefused('NOT_FOUND', `there is no ${PACKAGE_ENDING} file in ${path}`);
}

/**
 * Name of the newest package for such a machine in a folder, by what its files are called; null: none is newer. What it
 * really is its signature says, at the gateway that fetches it.
 */
export async function newestOffered(
  folder: string,
  { arch, than }: { arch: Arch; than: string },
): Promise<string | null> {
  const ending = `_${arch}${PACKAGE_ENDING}`;
  const names = await readdir(folder).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  });
  let newest = than;
  let found: string | null = null;
  for (const name of names) {
    if (!name.startsWith(`${PRODUCT}_`) || !name.endsWith(ending)) continue;
    const version = name.slice(PRODUCT.length + 1, -ending.length);
    if (!isVersion(version) || compareVersions(version, newest) <= 0) continue;
    [newest, found] = [version, name];
  }
  return found;
}
