import type { BACKUP_TROUBLES } from '#contract/resources/system-backup.ts';
import type { Language } from '#contract/words.ts';

/** What is wrong, for a screen that says it in the words of its reader. */
export type TroubleCode = (typeof BACKUP_TROUBLES)[number];

/** A backup or a restore cannot be done; the message is the one sentence a person needs. Nothing was changed. */
export class BackupTrouble extends Error {
  readonly code: TroubleCode | null;

  constructor(message: string, cause?: unknown, code: TroubleCode | null = null) {
    super(message, { cause });
    this.name = 'BackupTrouble';
    this.code = code;
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

const CODES: Readonly<Record<string, TroubleCode>> = {
  ENOSPC: 'NO_SPACE',
  EDQUOT: 'NO_SPACE',
  SQLITE_FULL: 'NO_SPACE',
  EROFS: 'NO_RIGHT',
  EACCES: 'NO_RIGHT',
  EPERM: 'NO_RIGHT',
  ENOENT: 'NOT_THERE',
  ENOTDIR: 'NOT_THERE',
  EIO: 'NOT_THERE',
  ENODEV: 'NOT_THERE',
  ENXIO: 'NOT_THERE',
};

/** Turns what the system says into that sentence; what nobody foresaw stays what it is. */
export function asTrouble(error: unknown, where: string): Error {
  if (error instanceof BackupTrouble) return error;
  const code = codeOf(error);
  const known = code.startsWith('SQLITE_IOERR') ? SENTENCES['EIO'] : SENTENCES[code];
  if (known !== undefined) return new BackupTrouble(known(where), error, CODES[code] ?? 'NOT_THERE');
  return error instanceof Error ? error : new Error(String(error));
}

function codeOf(error: unknown): string {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : '';
}

const IN_PORTUGUESE: Readonly<Partial<Record<TroubleCode, (where: string) => string>>> = {
  NO_SPACE: (where) => `falta espaço em ${where}`,
  NO_RIGHT: (where) => `${where} não aceita gravação`,
  NOT_THERE: (where) => `${where} sumiu ou está falhando`,
  NOT_READY: (where) => `o pendrive não está em ${where}, ou ainda não foi preparado`,
  NO_KEY: () => 'falta a chave de recuperação',
};

const IN_SPANISH: typeof IN_PORTUGUESE = {
  NO_SPACE: (where) => `falta espacio en ${where}`,
  NO_RIGHT: (where) => `${where} no acepta grabación`,
  NOT_THERE: (where) => `${where} desapareció o está fallando`,
  NOT_READY: (where) => `la memoria USB no está en ${where}, o todavía no se ha preparado`,
  NO_KEY: () => 'falta la clave de recuperación',
};

/** The same for people; what nobody foresaw stays what the system said, in English. */
export function troubleFor(language: Language, error: Error, where: string): string {
  const code = error instanceof BackupTrouble ? error.code : null;
  if (code === null || language === 'en') return error.message;
  return { 'pt-BR': IN_PORTUGUESE, es: IN_SPANISH }[language][code]?.(where) ?? error.message;
}
