import { NO_PASSWORD, standInEmail } from '#contract/resources/users.ts';
import { PERSONAL } from '#contract/sync/scopes.ts';

// Rows about people as they go over the line, either way: the one place that keeps back what PERSONAL keeps back.

type Fields = Readonly<Record<string, unknown>>;

/** Whose row it is: of a person of the farms, of one who left them, of an ADMIN of the hosted instance. */
export type Standing = 'present' | 'left' | 'admin';

const rulesOf = (table: string) => (PERSONAL as Readonly<Record<string, (typeof PERSONAL)['users']>>)[table];

/** What stands in place of what is kept back. */
const blankOf = (field: string): unknown => (field === 'password_hash' ? NO_PASSWORD : null);

/** In place of an account that is nothing to a gateway: a row that others can name, and nobody can sign in with. */
function nobody(id: string, standing: Standing): Fields {
  if (standing === 'present') return {};
  return {
    email: standInEmail(id),
    email_key: standInEmail(id),
    role: 'VIEWER',
    is_active: false,
    language: null,
    ...(standing === 'admin' ? { name: 'Administrator' } : {}),
  };
}

const over = (fields: Fields, by: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, name in by ? by[name] : value]));

/**
 * Of who has left. A stand-in, kept while somebody decides on an account that was lost, says nothing of what the gateway
 * knows better; that its person is on no farm any more counts there all the same.
 */
export const stampsOfLeft = ({
  hlc,
  over: stamps,
}: {
  hlc: string;
  over: Readonly<Record<string, string>>;
}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(stamps).map(([group, stamp]) => [group, stamp === '' ? hlc : stamp] as const),
  );

/** A whole row; `groups`: fields of each group of the table. */
export function toldRow(
  { name, groups }: { name: string; groups: Readonly<Record<string, { fields: readonly string[] }>> },
  row: Fields,
  standing: Standing,
): Fields {
  const rules = rulesOf(name);
  if (rules === undefined) return row;
  const kept = Object.entries(rules).flatMap(([group, { down }]) =>
    down === 'told' ? [] : down === 'never' ? (groups[group]?.fields ?? []) : down.blank,
  );
  const blanks = Object.fromEntries(kept.map((field) => [field, blankOf(field)]));
  return over(row, { ...blanks, ...(name === 'users' ? nobody(String(row['id']), standing) : {}) });
}

/** Groups that changed, with `updated_at` beside them; null when nothing of it is told. */
export function toldGroups(
  { name, id }: { name: string; id: string },
  body: Fields,
  standing: Standing,
): Fields | null {
  const rules = rulesOf(name);
  if (rules === undefined) return body;
  const hidden = name === 'users' ? nobody(id, standing) : {};
  const told = Object.entries(body).flatMap(([group, value]): [string, unknown][] => {
    const down = rules[group]?.down;
    // `updated_at` is no group
    if (down === undefined) return [[group, value]];
    if (down === 'never') return [];
    const blanks =
      down === 'told' ? {} : Object.fromEntries(down.blank.map((field) => [field, blankOf(field)]));
    // a group is an object of its fields
    return [[group, over(value as Fields, { ...blanks, ...hidden })]];
  });
  return told.some(([group]) => group in rules) ? Object.fromEntries(told) : null;
}

/** Is a gateway believed in that group, of people whose account was made there? */
export const isOfOwnPeople = (table: string, group: string): boolean =>
  rulesOf(table)?.[group]?.up === 'own people';

/** Does a gateway hear that group as it is, nothing of it kept back? */
export const isToldAsItStands = (table: string, group: string): boolean =>
  rulesOf(table)?.[group]?.down === 'told';
