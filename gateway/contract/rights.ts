import { type FarmRole, MEMBER_ROLES, type MemberRole } from './words.ts';

/**
 * What is asked of a caller on a farm. The program's routes, its queries and the console go by this one table.
 *
 * read: everything but finance. read_finance: what the farm spends and earns.
 * record: what a person writes down at the pond: water, feed, weighings, losses; and correcting one's own of these.
 * attend: what a person does at the pond: switching what stands there, acknowledging alarms.
 * operate: devices, control points, aerators, schedules, alerts: their settings, too.
 * manage: the farm's registers and everybody's records. own: deleting the farm, members, billing.
 */
export type Right = 'read' | 'read_finance' | 'record' | 'attend' | 'operate' | 'manage' | 'own';

const ROLES_BY_RIGHT: Readonly<Record<Right, readonly FarmRole[]>> = {
  read: ['OWNER', 'MANAGER', 'TECHNICIAN', 'OPERATOR', 'VIEWER'],
  read_finance: ['OWNER', 'MANAGER', 'VIEWER'],
  record: ['OWNER', 'MANAGER', 'OPERATOR'],
  attend: ['OWNER', 'MANAGER', 'TECHNICIAN', 'OPERATOR'],
  operate: ['OWNER', 'MANAGER', 'TECHNICIAN'],
  manage: ['OWNER', 'MANAGER'],
  own: ['OWNER'],
};

/** A role that this program does not know, of a newer one, has no right. */
export function mayOnFarm(role: FarmRole, right: Right): boolean {
  return ROLES_BY_RIGHT[right].includes(role);
}

/** Whether somebody reads what one feeding cost: operators do, for the price goes on from the last one that was recorded. */
export const seesPriceOfFeed = (role: FarmRole): boolean =>
  mayOnFarm(role, 'read_finance') || mayOnFarm(role, 'record');

/** Roles of members that have a right, for queries. */
export function membersWith(right: Right): readonly MemberRole[] {
  return MEMBER_ROLES.filter((role) => mayOnFarm(role, right));
}
