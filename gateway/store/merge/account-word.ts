import type { Resource } from '#contract/resource.ts';
import { NO_PASSWORD, standInEmail } from '#contract/resources/users.ts';
import { isHostedStamp } from '../sync-node.ts';
import { type Claim, compareClaims, isSame } from './claims.ts';
import type { Row, Telling } from './edit.ts';

// Gateway: what the hosted instance says of the accounts that are its own. A stamp alone would not do: the verifier of a
// password is made at the box, under a stamp of the box, and would outlive the password it was made of.

/** null: the row is decided by stamps alone. A stand-in, which the hosted instance keeps for somebody of the box, is. */
export function tellingOf(
  { name }: Pick<Resource, 'name'>,
  from: 'gateway' | 'hosted',
  { row, isSettled }: { row: Row | null; isSettled: boolean },
): Telling | null {
  if (name !== 'users' || from !== 'hosted') return null;
  if (row === null) return 'groups';
  if (row['email_key'] === standInEmail(row.id)) return 'left';
  return isSettled ? 'settled' : 'whole';
}

/** Of an account: what is offered to people when the hosted instance has an older word of it than its gateway. */
export const DETAILS: ReadonlySet<string> = new Set(['email', 'role']);

/** What stands of such a group, and whether it is what was told. null: the stamps say so. */
export function wordOn(
  group: string,
  { own, other }: { own: Claim; other: Claim },
  telling: Telling,
): { takes: boolean; value: Claim['value'] } | null {
  if (!isHostedStamp(other.hlc)) return null;
  if (group === 'password') return passwordWord({ own, other }, telling);
  if (telling === 'groups') return null;
  if (telling === 'left') return { takes: !isSame(own, other) || own.hlc !== other.hlc, value: other.value };
  if (!isHostedStamp(own.hlc)) return null;
  // a later word of the hosted instance, which it lost since: its administrators are asked whether it counts
  if (telling !== 'settled' && DETAILS.has(group) && own.hlc > other.hlc && !isSame(own, other))
    return { takes: false, value: own.value };
  return own.hlc === other.hlc ? { takes: !isSame(own, other), value: other.value } : null;
}

/** Every older token ends with a password that is taken: no lower version ever comes back. */
function passwordWord(
  { own, other }: { own: Claim; other: Claim },
  telling: Telling,
): { takes: boolean; value: Claim['value'] } {
  const [had, told] = [own, other].map(({ value }) => Number(value['password_version'] ?? 0)) as [
    number,
    number,
  ];
  const takes = takesPassword({ own, other }, telling, told > had);
  if (!takes) return { takes, value: own.value };
  const isAnother = compareClaims({ ...own, hlc: '' }, { ...other, hlc: '' }) !== 0;
  return { takes, value: { ...other.value, password_version: isAnother ? Math.max(told, had + 1) : told } };
}

function takesPassword(
  { own, other }: { own: Claim; other: Claim },
  telling: Telling,
  isHigher: boolean,
): boolean {
  if (other.hlc > own.hlc || isHigher) return true;
  if (isHostedStamp(own.hlc)) return telling === 'left' && own.value['password_hash'] !== NO_PASSWORD;
  // a verifier of the box: it ends with the news that the password changed, and with its person's time here
  return telling !== 'whole' && telling !== 'settled';
}
