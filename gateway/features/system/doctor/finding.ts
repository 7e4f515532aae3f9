import {
  type Finding,
  type FindingId,
  type FindingSeverity,
  type InEach,
  SEVERITIES_OF_FINDINGS,
  type SeverityOf,
} from '#contract/resources/system-doctor.ts';
import type { ControllerFacts } from './ports.ts';

export const MB = 1_000_000;
export const DAY = 24 * 3_600_000;
export const HOUR = 3_600_000;

/** Words of other programs stand in sentences: a person reads two lines, and no report grows by them. */
const CHARACTERS = 400;

export const say = (portuguese: string, english: string, spanish: string): InEach => ({
  'pt-BR': portuguese,
  en: english,
  es: spanish,
});

/** A number as people write it, with so many decimals. */
export function written(value: number, decimals = 0): InEach {
  const text = value.toFixed(decimals);
  return say(text.replace('.', ','), text, text.replace('.', ','));
}

export function sizeOf(bytes: number): InEach {
  if (bytes < 1_000 * MB) return join(written(bytes / MB, bytes < 10 * MB ? 1 : 0), ' MB');
  return join(written(bytes / (1_000 * MB), 1), ' GB');
}

/** Time that has passed, in the largest unit that says enough. */
export function agoOf(ms: number): InEach {
  if (ms < 2 * HOUR) return join(written(ms / 60_000), ' min');
  if (ms < 3 * DAY) return join(written(ms / HOUR), ' h');
  const days = written(ms / DAY);
  return say(`${days['pt-BR']} dias`, `${days.en} days`, `${days.es} días`);
}

const join = (number: InEach, unit: string): InEach =>
  say(`${number['pt-BR']}${unit}`, `${number.en}${unit}`, `${number.es}${unit}`);

/** Time since an instant. A clock that was put back makes nothing older than now. */
export const ageOf = (now: number, at: number): number => Math.max(0, now - at);

type More = {
  next?: InEach | null;
  measured?: [number | string | boolean, string | null];
  about?: ControllerFacts;
};

export function finding<Id extends FindingId>(
  id: Id,
  severity: SeverityOf<Id>,
  sentence: InEach,
  more: More = {},
): Finding {
  const { next, measured, about } = more;
  return {
    id,
    severity,
    sentence: say(bounded(sentence['pt-BR']), bounded(sentence.en), bounded(sentence.es)),
    next_step: next == null ? null : say(bounded(next['pt-BR']), bounded(next.en), bounded(next.es)),
    measured: measured === undefined ? null : { value: boundedValue(measured[0]), unit: measured[1] },
    control_point:
      about === undefined
        ? null
        : { id: about.id, farm_id: about.farmId, cod: about.cod, device_id: about.deviceId },
  };
}

/** A next step only for what is not well. */
export const unlessOk = (severity: FindingSeverity, next: InEach): Pick<More, 'next'> =>
  severity === 'ok' ? {} : { next };

/** One line of so many characters. */
function bounded(text: string): string {
  const line = text
    .slice(0, 2 * CHARACTERS)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= CHARACTERS ? line : `${line.slice(0, CHARACTERS - 1)}…`;
}

const boundedValue = (value: number | string | boolean) =>
  typeof value === 'string' ? bounded(value) : value;

export const worstFirst = (one: Finding, other: Finding): number =>
  SEVERITIES_OF_FINDINGS.indexOf(other.severity) - SEVERITIES_OF_FINDINGS.indexOf(one.severity);

/** Findings of one kind that name a thing each. */
const NAMED = 20;
type MoreId = Extract<FindingId, `${string}_more`>;

/** The worst of one kind, at most so many; the last one then says how many more there are. */
export function named(
  findings: readonly Finding[],
  { id, what, unit }: { id: MoreId; what: InEach; unit: string },
): Finding[] {
  const sorted = [...findings].sort(worstFirst);
  const rest = sorted.slice(NAMED);
  const [worst] = rest;
  if (worst === undefined) return sorted;
  const { next_step: next, severity } = worst;
  return [
    ...sorted.slice(0, NAMED),
    finding(
      id,
      // each is as bad as one of those it stands for
      severity as SeverityOf<MoreId>,
      say(
        `Mais ${what['pt-BR']}: ${rest.length}.`,
        `More ${what.en}: ${rest.length}.`,
        `Más ${what.es}: ${rest.length}.`,
      ),
      { next, measured: [rest.length, unit] },
    ),
  ];
}

/** The severity of a figure that is bad, or worth a look, from a bound on. */
export function above(value: number, { warn, bad }: { warn: number; bad: number }): 'ok' | 'warn' | 'bad' {
  return value >= bad ? 'bad' : value >= warn ? 'warn' : 'ok';
}

/** The same for a figure that gets worse as it falls. */
export function below(value: number, { warn, bad }: { warn: number; bad: number }): 'ok' | 'warn' | 'bad' {
  return value <= bad ? 'bad' : value <= warn ? 'warn' : 'ok';
}
