import type { NotificationType, Severity } from '#contract/words.ts';
import type { ChannelWishes } from './ports.ts';

type Announced = { type: NotificationType; severity?: Severity };

const RANK: Readonly<Record<Severity, number>> = { LOW: 1, MEDIUM: 2, HIGH: 3 };

/** What may wake a person: it comes through quiet hours. */
export function isCritical({ severity }: Pick<Announced, 'severity'>): boolean {
  return severity === 'HIGH';
}

/** Whether news go to a channel. What has no severity is chosen by its type alone. */
export function isWanted(
  { types, min_severity }: Pick<ChannelWishes, 'types' | 'min_severity'>,
  { type, severity }: Announced,
): boolean {
  if (!types.includes(type)) return false;
  return severity === undefined || RANK[severity] >= RANK[min_severity];
}
