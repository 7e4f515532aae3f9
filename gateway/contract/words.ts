// The closed words of the contract. Wire, rows and columns all use these spellings.

export const SWITCH_STATES = ['ON', 'OFF'] as const;
export type SwitchState = (typeof SWITCH_STATES)[number];

/** Who changed a target: an operator at the farm, one far away, a schedule, a safety rule, or the controller itself. */
export const ORIGINS = ['LOCAL', 'REMOTE', 'SCHEDULE', 'SAFETY', 'DEVICE'] as const;
export type Origin = (typeof ORIGINS)[number];

/** How far an order from the hosted instance to a gateway got. */
export const COMMAND_STATES = [
  'pending',
  'sent',
  'confirming',
  'accepted',
  'done',
  'rejected',
  'expired',
  'superseded',
] as const;
export type CommandState = (typeof COMMAND_STATES)[number];

/**
 * `result` of an order whose gateway was told that it counts and never said what it did: within a day, and until the farm was
 * taken off that gateway. Whether it was carried out nobody knows.
 */
export const UNTOLD: readonly string[] = ['NEVER_TOLD', 'MOVED_UNTOLD'];

/** `result` of an order that was made void before its time was over, because what it rested on had changed. */
export const WITHDRAWN: readonly string[] = ['GATEWAY_CHANGED', 'POINT_GONE', 'NOT_ALLOWED'];

/** Why a controller's relay stands as it does, in its own words. */
export const REPORT_SOURCES = ['shadow', 'local_schedule', 'fail_safe', 'manual'] as const;
export type ReportSource = (typeof REPORT_SOURCES)[number];

/** What a controller does when it has neither gateway nor schedule. */
export const FAIL_SAFES = ['ON', 'OFF', 'HOLD', 'SCHEDULE'] as const;
export type FailSafe = (typeof FAIL_SAFES)[number];

export const USER_ROLES = ['OWNER', 'MANAGER', 'TECHNICIAN', 'VIEWER', 'ADMIN'] as const;
export type UserRole = (typeof USER_ROLES)[number];

export const MEMBER_ROLES = ['MANAGER', 'TECHNICIAN', 'OPERATOR', 'VIEWER'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/**
 * Roles that came when programs were in the field which do not know them. Such a program keeps a change to one of these
 * aside, and would go on with the role before it: so no membership changes into one or out of one, it ends and another
 * begins. Until it is upgraded that program knows no membership of the person.
 */
export const LATER_ROLES: readonly MemberRole[] = ['OPERATOR'];

/** What a caller is on one farm; membership decides, the account role does not. */
export type FarmRole = 'OWNER' | MemberRole;

export const POND_TYPES = ['NURSERY', 'FATTENING'] as const;
export const REPEAT_PATTERNS = ['ONCE', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;

/** The four control-point alert types of the reference interface. */
export const REFERENCE_ALERT_TYPES = [
  'POWER_FAILURE',
  'LOW_OXYGEN',
  'HIGH_TEMPERATURE',
  'DEVICE_OFFLINE',
] as const;
export const ALERT_TYPES = [
  ...REFERENCE_ALERT_TYPES,
  'COMMAND_NOT_CONFIRMED',
  'UNSTABLE',
  'OFF_SCHEDULE',
  'NO_CURRENT',
  'GATEWAY_OFFLINE',
  'CLOCK_UNTRUSTED',
  'DISK_FULL',
  'LOW_TEMPERATURE',
  'LOW_PH',
  'HIGH_PH',
  'LOW_ALKALINITY',
  'HIGH_AMMONIA',
  'HIGH_NITRITE',
  'HIGH_NITRATE',
  // told in the evening, before it happens
  'LOW_OXYGEN_FORECAST',
  // no alarm: readings are too few to rule a low dawn out
  'MEASURE_OXYGEN',
] as const;
export type AlertType = (typeof ALERT_TYPES)[number];
/** What is told of the dawn to come: an alarm, or that readings are too few for one. */
export const DAWN_ALERTS = ['LOW_OXYGEN_FORECAST', 'MEASURE_OXYGEN'] as const satisfies readonly AlertType[];
export type DawnAlert = (typeof DAWN_ALERTS)[number];
export const ALERT_STATUSES = ['ACTIVE', 'RESOLVED'] as const;
export const SEVERITIES = ['HIGH', 'MEDIUM', 'LOW'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const BATCH_STATUSES = ['ACTIVE', 'FINISHED', 'ABORTED'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

export const EXPENSE_CATEGORIES = [
  'FEED',
  'LABOR',
  'ENERGY',
  'MAINTENANCE',
  'SUPPLIES',
  'TREATMENT',
  'TRANSPORT',
  'EQUIPMENT',
  'OTHER',
] as const;
export type ExpenseCategory = (typeof EXPENSE_CATEGORIES)[number];

export const LOG_ENTITY_TYPES = ['AERATOR', 'SENSOR', 'SYSTEM', 'CONTROL_POINT'] as const;
export type LogEntityType = (typeof LOG_ENTITY_TYPES)[number];

export const NOTIFICATION_TYPES = ['ALERT', 'SYSTEM', 'SUBSCRIPTION', 'PAYMENT'] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

export const PLANS = ['FREE', 'BASIC', 'PROFESSIONAL', 'ENTERPRISE'] as const;
export type Plan = (typeof PLANS)[number];

export const BRAZILIAN_STATES = [
  'AC',
  'AL',
  'AP',
  'AM',
  'BA',
  'CE',
  'DF',
  'ES',
  'GO',
  'MA',
  'MT',
  'MS',
  'MG',
  'PA',
  'PB',
  'PR',
  'PE',
  'PI',
  'RJ',
  'RN',
  'RS',
  'RO',
  'RR',
  'SC',
  'SP',
  'SE',
  'TO',
] as const;
export type BrazilianState = (typeof BRAZILIAN_STATES)[number];

export function unreachable(word: never): never {
  throw new Error(`unreachable: ${String(word)}`);
}

/** How long an alarm that ended by itself waits for somebody to answer it. */
export const RETURNED_FOR_MS = 24 * 3_600_000;

/** What people are spoken to in. The first is that of who chose none. */
export const LANGUAGES = ['pt-BR', 'en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language that a tag means (`es-EC`, `pt`, `en_US`); null: none that is spoken here. */
export function spokenIn(tag: string): Language | null {
  const asked = tag.slice(0, 2).toLowerCase();
  return LANGUAGES.find((language) => language.slice(0, 2) === asked) ?? null;
}

/** The language of a terminal, by its environment; English where it names none that is spoken here. */
export function languageOf(environment: Readonly<Record<string, string | undefined>>): Language {
  return spokenIn(environment['LC_ALL'] || environment['LC_MESSAGES'] || environment['LANG'] || '') ?? 'en';
}
