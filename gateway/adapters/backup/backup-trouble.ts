/** A backup or a restore cannot be done; the message is the one sentence a person needs. Nothing was changed. */
export class BackupTrouble extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BackupTrouble';
  }
}

const SENTENCES: Readonly<Record<string, (where: string) => string>> = {
  ENOSPC: (where) => `there is no space left on ${where}; free some or use a larger stick`,
  EDQUOT: (where) => `there is no space left on ${where}; free some or use a larger stick`,
  EROFS: (where) => `${where} is read-only; check the lock of the stick or mount it for writing`,
  EACCES: (where) => `no right to write in ${where}; change its owner or choose another folder`,
  EPERM: (where) => `no right to write in ${where}; change its owner or choose another folder`,
  ENOENT: (where) => `${where} is gone; put the stick back or choose another folder`,
  ENOTDIR: (where) => `${where} is not a folder; choose another one`,
  EIO: (where) => `${where} cannot be read or written: the stick was pulled or is dying; use another one`,
  ENODEV: (where) => `${where} is gone; put the stick back or choose another folder`,
  ENXIO: (where) => `${where} is gone; put the stick back or choose another folder`,
  SQLITE_FULL: (where) => `there is no space left beside ${where}; free some`,
};

/** Turns what the system says into that sentence; what nobody foresaw stays what it is. */
export function asTrouble(error: unknown, where: string): Error {
  if (error instanceof BackupTrouble) return error;
  const code = codeOf(error);
  const known = code.startsWith('SQLITE_IOERR') ? SENTENCES['EIO'] : SENTENCES[code];
  if (known !== undefined) return new BackupTrouble(known(where), error);
  return error instanceof Error ? error : new Error(String(error));
}

function codeOf(error: unknown): string {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : '';
}
