import { type InEach, inEach } from '#core/each-language.ts';

/** What can go wrong at the bench. Words and exit codes stay: scripts of technicians count on them. */
export const TROUBLE_CODES = [
  'BAD_INPUT',
  'PORT_NOT_FOUND',
  'PORT_BUSY',
  'PORT_DENIED',
  'UNPLUGGED',
  'NO_ANSWER',
  'WRONG_CHIP',
  'WRONG_IMAGE',
  'CHECKSUM_REFUSED',
  'UNSIGNED',
  'FLASH_FAULT',
  'VERIFY_FAILED',
  'IDENTITY_REFUSED',
  'WIFI_REFUSED',
  'WIFI_TIMEOUT',
  'NO_HEARTBEAT',
  'SELF_TEST_FAILED',
  'CANCELLED',
] as const;

export type TroubleCode = (typeof TROUBLE_CODES)[number];

/** What the command line exits with; 0 is done and 1 a fault of the program itself. */
export const EXIT_CODES: Readonly<Record<TroubleCode, number>> = {
  BAD_INPUT: 2,
  PORT_NOT_FOUND: 10,
  PORT_BUSY: 11,
  PORT_DENIED: 12,
  UNPLUGGED: 13,
  NO_ANSWER: 14,
  WRONG_CHIP: 20,
  WRONG_IMAGE: 21,
  CHECKSUM_REFUSED: 22,
  FLASH_FAULT: 23,
  VERIFY_FAILED: 24,
  UNSIGNED: 25,
  IDENTITY_REFUSED: 30,
  WIFI_REFUSED: 31,
  WIFI_TIMEOUT: 32,
  NO_HEARTBEAT: 33,
  SELF_TEST_FAILED: 34,
  CANCELLED: 130,
};

/** What is wrong, and what a hand does about it. */
export type TroubleWords = { message: InEach; next: InEach };

/** A job at the bench cannot go on. The message of the error itself is for logs. */
export class BenchTrouble extends Error {
  readonly code: TroubleCode;
  readonly said: TroubleWords;

  constructor(code: TroubleCode, said: TroubleWords, cause?: unknown) {
    super(said.message.en, cause === undefined ? {} : { cause });
    this.name = 'BenchTrouble';
    this.code = code;
    this.said = said;
  }
}

/** Somebody took the job back. */
export function cancelled(): BenchTrouble {
  return new BenchTrouble('CANCELLED', {
    message: inEach(
      'o trabalho foi parado antes do fim',
      'the job was stopped before its end',
      'el trabajo se detuvo antes del final',
    ),
    next: inEach(
      'deixe o cabo ligado e comece o trabalho de novo: o que já está certo é pulado',
      'leave the cable in and start the job again: what is already right is skipped',
      'deje el cable conectado y comience el trabajo de nuevo: lo que ya está bien se salta',
    ),
  });
}
