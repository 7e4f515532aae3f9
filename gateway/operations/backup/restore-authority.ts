import { X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import type { RecoveryKey } from '#adapters/backup/recovery-key.ts';
import { freeName, timeName, writeWhole } from '#adapters/backup/safe-files.ts';
import { certificateMaker } from '#adapters/tls/make-certificate.ts';
import { copyAside, trustFiles, trustStateIn } from '#adapters/tls/trust-files.ts';
import type { TrustState } from '#features/system/trust/ports.ts';
import { proveKey } from './read-backup.ts';

// The authority in a backup: whatever pinned it knows a new box by nothing else.

/** Fingerprint of the authority in a backup, as a person compares it. */
export function describeAuthority(text: string | null): string {
  const state = text === null ? null : trustStateIn(certificateMaker, text);
  return state === null ? 'none' : fingerprintOf(state);
}

/** Brings back the authority alone; the gateway may run. Throws BackupTrouble when the backup holds none. */
export async function restoreAuthority(
  backup: string,
  key: RecoveryKey,
  { data, now }: { data: string; now: () => number },
): Promise<string> {
  const { authority = null } = await proveKey(backup, key);
  if (authority === null)
    throw new BackupTrouble('this backup holds no farm authority; look into a newer one');
  await mkdir(data, { recursive: true, mode: 0o700 });
  return putAuthority(data, authority, now);
}

/**
 * Puts the authority of a backup in its place, unless what is there is a later state of the same one: a rotation since
 * the backup must not be undone, its devices pin the newer. Answers what was done.
 */
export async function putAuthority(data: string, text: string | null, now: () => number): Promise<string> {
  if (text === null) return 'The backup holds no farm authority; what is there stays';
  const state = trustStateIn(certificateMaker, text);
  if (state === null)
    throw new BackupTrouble('the farm authority in the backup is damaged; use an older one');
  const store = trustFiles({ writeWhole, maker: certificateMaker }, data);
  const found = await store.readState();
  if (found.is === 'whole') {
    if (isSame(found.kept, state)) return 'The farm authority was there already';
    if (isLater(found.kept, state))
      return 'The farm authority that is there is newer than the backup, and stays';
  }
  const at = timeName(new Date(now()).toISOString());
  await copyAside(data, (file) => freeName(`${file}.before-restore-${at}`));
  await store.writeState(state);
  return `The farm authority is back: ${fingerprintOf(state)}`;
}

const isSame = (one: TrustState, other: TrustState): boolean =>
  one.revision === other.revision && one.present.certificate === other.present.certificate;

/** One line of descent: the later state names what the earlier one signed with, or signs with it still. */
function isLater(one: TrustState, than: TrustState): boolean {
  if (one.revision <= than.revision) return false;
  return [one.present.certificate, one.former?.certificate, ...one.retired].includes(
    than.present.certificate,
  );
}

const fingerprintOf = ({ present }: TrustState): string =>
  new X509Certificate(present.certificate).fingerprint256;
