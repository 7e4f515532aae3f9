import { type LoggerOptions, pino } from 'pino';
import type { Log } from '#core/kernel.ts';

/**
 * One JSON object a line on standard output. Secrets that slip into fields are struck out by name. `keep` hears each line
 * as it is written.
 */
export function createJsonLog(
  level: 'debug' | 'info' | 'warn' | 'error',
  keep: (line: string) => void = () => undefined,
): Log {
  // last words must be out before the process ends
  const output = pino.destination({ fd: 1, sync: true });
  const options: LoggerOptions = {
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
  };
  const logger = pino(options, {
    write(line: string) {
      keep(line);
      output.write(line);
    },
  });
  return {
    debug: (fields, sentence) => logger.debug(fields, sentence),
    info: (fields, sentence) => logger.info(fields, sentence),
    warn: (fields, sentence) => logger.warn(fields, sentence),
    error: (fields, sentence) => logger.error(fields, sentence),
  };
}
