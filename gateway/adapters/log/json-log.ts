import { pino } from 'pino';
import type { Log } from '#core/kernel.ts';

/** One JSON object a line on standard output. Secrets that slip into fields are struck out by name. */
export function createJsonLog(level: 'debug' | 'info' | 'warn' | 'error'): Log {
  const logger = pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: [
      'password',
      'key',
      'token',
      'authorization',
      '*.password',
      '*.key',
      '*.token',
      '*.authorization',
    ],
  });
  return {
    debug: (fields, sentence) => logger.debug(fields, sentence),
    info: (fields, sentence) => logger.info(fields, sentence),
    warn: (fields, sentence) => logger.warn(fields, sentence),
    error: (fields, sentence) => logger.error(fields, sentence),
  };
}
