import type { InBoth } from '#core/both-languages.ts';
import type { Language } from '#core/notifying.ts';
import type { JobContext, Progress } from './job.ts';

/** Told at most so often, and once at the end. */
const EVERY_MS = 200;

/**
 * Follows the bytes of one step. The rate is the mean since the step began: short stops while the board erases shall not
 * make the remaining time jump.
 */
export function stepProgress(
  { tell }: Pick<JobContext, 'tell'>,
  step: { name: string; total: number; message: InBoth; now?: () => number },
): { add: (bytes: number) => void } {
  const now = step.now ?? (() => performance.now());
  const startedAt = now();
  let done = 0;
  let toldAt = startedAt;
  const say = (at: number) => {
    const seconds = (at - startedAt) / 1_000;
    const rate = seconds > 0 && done > 0 ? done / seconds : null;
    tell({
      step: step.name,
      done,
      total: step.total,
      bytes_per_s: rate === null ? null : Math.round(rate),
      eta_s: rate === null ? null : Math.ceil((step.total - done) / rate),
      message: step.message,
      level: 'info',
    });
  };
  say(startedAt);
  return {
    add(bytes) {
      done = Math.min(done + bytes, step.total);
      const at = now();
      if (done < step.total && at - toldAt < EVERY_MS) return;
      toldAt = at;
      say(at);
    },
  };
}

/** One line for people, e.g. `write   42 %  410 KB/s  3 s left  firmware.bin`. */
export function progressLine(
  { step, done, total, bytes_per_s: rate, eta_s: left, message: said, level }: Progress,
  language: Language,
): string {
  const message = said[language];
  if (total === 0) return level === 'info' ? message : `${level === 'alarm' ? '!!' : '!'} ${message}`;
  const share = `${String(Math.floor((done / total) * 100)).padStart(3)} %`;
  const speed = rate === null ? '' : `  ${Math.round(rate / 1_000)} KB/s`;
  const remaining =
    left === null || done === total ? '' : language === 'en' ? `  ${left} s left` : `  faltam ${left} s`;
  return `${step.padEnd(8)}${share}${speed}${remaining}  ${message}`;
}
