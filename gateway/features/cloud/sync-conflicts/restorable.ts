import type { Resource } from '#contract/resource.ts';
import type { Conflict } from './ports.ts';

/** States that only an order or a person at the machine makes true: an old value would claim what is not so. */
const OF_MACHINES: Readonly<Record<string, readonly string[]>> = {
  aerators: ['status'],
};

/** Why a losing edit cannot be made again from here, in a sentence; null: it can, as far as the rules go. */
export function whyNotRestorable(
  { name, groups }: Pick<Resource, 'name' | 'groups'>,
  { rule, field_group }: Pick<Conflict, 'rule' | 'field_group'>,
  role: 'gateway' | 'hosted',
): string | null {
  if (rule === 'duplicate')
    return 'The first entry stands for both; change that one instead, or delete it and enter yours again';
  if (rule === 'delete_wins' && name === 'farm_members')
    return 'Nobody becomes a member again without accepting it; invite the person instead';
  if (rule === 'delete_wins') return null;
  const group = groups[field_group];
  if (group === undefined) return 'This version does not know what was changed; upgrade it first';
  if (group.owner === 'gateway')
    return 'Only the gateway at the farm says this; give the order again instead';
  if (group.owner === 'hosted' && role === 'gateway')
    return 'Only the hosted instance says this; change it there';
  if (OF_MACHINES[name]?.includes(field_group) === true)
    return 'This tells how a machine stood; give the order again instead';
  return null;
}
