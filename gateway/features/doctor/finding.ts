import type { Both, Finding, FindingSeverity } from '#contract/resources/system-doctor.ts';
import type { ControllerFacts } from './ports.ts';

export const MB = 1_000_000;
export const DAY = 24 * 3_600_000;
export const HOUR = 3_600_000;

export const say = (portuguese: string, english: string): Both => ({ 'pt-BR': portuguese, en: english });

/** A number as people write it, with so many decimals. */
export function written(value: number, decimals = 0): Both {
  const text = value.toFixed(decimals);
  return say(text.replace('.', ','), text);
}

export function sizeOf(bytes: number): Both {
  if (bytes < 1_000 * MB) return join(written(bytes / MB, bytes < 10 * MB ? 1 : 0), ' MB');
  return join(written(bytes / (1_000 * MB), 1), ' GB');
}

/** Time that has passed, in the largest unit that says enough. */
export function agoOf(ms: number): Both {
  if (ms < 2 * HOUR) return join(written(ms / 60_000), ' min');
  if (ms < 3 * DAY) return join(written(ms / HOUR), ' h');
  const days = written(ms / DAY);
  return say(`${days['pt-BR']} dias`, `${days.en} days`);
}

const join = (number: Both, unit: string): Both => say(`${number['pt-BR']}${unit}`, `${number.en}${unit}`);

type More = { next?: Both; measured?: [number | string | boolean, string | null]; about?: ControllerFacts };

export function finding(id: string, severity: FindingSeverity, sentence: Both, more: More = {}): Finding {
  const { next, measured, about } = more;
  return {
    id,
    severity,
    sentence,
    next_step: next ?? null,
    measured: measured === undefined ? null : { value: measured[0], unit: measured[1] },
    control_point:
      about === undefined
        ? null
        : { id: about.id, farm_id: about.farmId, cod: about.cod, device_id: about.deviceId },
  };
}

/** The severity of a figure that is bad, or worth a look, from a bound on. */
export function above(value: number, { warn, bad }: { warn: number; bad: number }): FindingSeverity {
  return value >= bad ? 'bad' : value >= warn ? 'warn' : 'ok';
}

/** The same for a figure that gets worse as it falls. */
export function below(value: number, { warn, bad }: { warn: number; bad: number }): FindingSeverity {
  return value <= bad ? 'bad' : value <= warn ? 'warn' : 'ok';
}
