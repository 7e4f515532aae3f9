import { chmod, copyFile, mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type {
  CertificateMaker,
  Found,
  ServerRecord,
  TrustState,
  TrustStore,
} from '#features/system/trust/ports.ts';

// The authority in two copies, because a card forgets single blocks; the certificate of the server in one, because it is
// made anew at any time. Key and certificate stand in one file: they belong together or are nothing.

const pem = z.string().startsWith('-----BEGIN ');
const holder = { certificate: pem, key: pem };
const trustState = z.object({
  format: z.literal(1),
  revision: z.int().min(1),
  present: z.object(holder),
  next: z
    .object({ ...holder, cross: pem, cross_over_at: z.iso.datetime(), retire_at: z.iso.datetime() })
    .nullable(),
  former: z.object({ certificate: pem, cross: pem, retire_at: z.iso.datetime() }).nullable(),
  retired: z.array(pem),
}) satisfies z.ZodType<TrustState>;
const serverRecord = z.object({
  ...holder,
  chain: z.array(pem).min(1),
  names: z.array(z.string()),
  ticket_key: z.string().length(64),
}) satisfies z.ZodType<ServerRecord>;

const MAX_BYTES = 256 * 1024;

export const authorityFile = (data: string): string => join(data, 'tls', 'authority.json');
export const spareFile = (data: string): string => join(data, 'tls', 'authority.spare.json');
const serverFile = (data: string): string => join(data, 'tls', 'server.json');

export type FileDeps = {
  /** Puts bytes in a file that is then whole and on disk, readable by its owner alone, or not there. */
  writeWhole: (file: string, bytes: Iterable<Uint8Array>) => Promise<void>;
  maker: Pick<CertificateMaker, 'facts' | 'isPair'>;
};

export function trustFiles({ writeWhole, maker }: FileDeps, data: string): TrustStore {
  const write = async (file: string, content: object): Promise<void> => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeWhole(file, [Buffer.from(`${JSON.stringify(content)}\n`)]);
  };
  return {
    async readState() {
      const first = await readTrust(maker, authorityFile(data));
      if (first.is === 'whole') return first;
      const second = await readTrust(maker, spareFile(data));
      const wrong = first.is === 'damaged' ? first.detail : `${authorityFile(data)} is missing`;
      if (second.is === 'whole') return { ...second, mended: wrong };
      return first.is === 'absent' && second.is === 'absent' ? first : { is: 'damaged', detail: wrong };
    },
    async writeState(state) {
      await keepBroken(maker, authorityFile(data));
      await write(spareFile(data), state);
      await write(authorityFile(data), state);
    },
    async readServer() {
      const found = await readJson(serverFile(data), serverRecord);
      if (found.is !== 'whole' || isSound(maker, found.kept)) return found;
      return { is: 'damaged', detail: `key and certificate in ${serverFile(data)} do not belong together` };
    },
    writeServer: (record) => write(serverFile(data), record),
  };
}

/** Copies of what is there, before something else takes its place; a gateway that runs never finds the files missing. */
export async function copyAside(data: string, nameFor: (file: string) => string): Promise<void> {
  for (const file of [authorityFile(data), spareFile(data)]) {
    await copyFile(file, nameFor(file)).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    });
  }
}

/** The state in a text that came out of a backup; null when it is none. */
export function trustStateIn(maker: FileDeps['maker'], text: string): TrustState | null {
  const state = parsed(text, trustState);
  return state !== null && arePairs(maker, state) ? state : null;
}

async function readTrust(maker: FileDeps['maker'], file: string): Promise<Found<TrustState>> {
  const found = await readJson(file, trustState);
  if (found.is !== 'whole' || arePairs(maker, found.kept)) return found;
  return { is: 'damaged', detail: `a key and its certificate in ${file} do not belong together` };
}

async function readJson<Kept>(file: string, schema: z.ZodType<Kept>): Promise<Found<Kept>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
    await close(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? { is: 'absent' }
      : { is: 'damaged', detail: `${file} cannot be read (${code})` };
  }
  const kept = text.length > MAX_BYTES ? null : parsed(text, schema);
  if (kept === null) return { is: 'damaged', detail: `${file} is damaged` };
  return { is: 'whole', kept, mended: null };
}

/** Whoever copied it here by hand may have left it open to others. */
async function close(file: string): Promise<void> {
  const { mode } = await stat(file);
  // where it cannot be closed (another's file, a read-only disk) it still counts
  if ((mode & 0o077) !== 0) await chmod(file, 0o600).catch(() => undefined);
}

/** Never says what was in it: keys would end up in the log. */
function parsed<Kept>(text: string, schema: z.ZodType<Kept>): Kept | null {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function arePairs(maker: FileDeps['maker'], { present, next, former }: TrustState): boolean {
  const holders = next === null ? [present] : [present, next];
  const others = [next?.cross, former?.certificate, former?.cross].filter((one) => one !== undefined);
  return holders.every((one) => maker.isPair(one)) && others.every((one) => isCertificate(maker, one));
}

const isSound = (maker: FileDeps['maker'], record: ServerRecord): boolean =>
  maker.isPair(record) && record.chain.every((one) => isCertificate(maker, one));

function isCertificate(maker: FileDeps['maker'], text: string): boolean {
  try {
    maker.facts(text);
    return true;
  } catch {
    return false;
  }
}

/** A damaged file is put aside before another takes its place: somebody may still read a key out of it. */
async function keepBroken(maker: FileDeps['maker'], file: string): Promise<void> {
  const found = await readTrust(maker, file);
  if (found.is === 'damaged') await rename(file, `${file}.broken`).catch(() => undefined);
}
