import type { RowOf, Stored } from '#contract/resource.ts';
import type { farmMember } from '#contract/resources/farms.ts';

export type Member = Stored<RowOf<typeof farmMember>>;
export type Person = { id: string; name: string; email: string };

export type MemberQueries = {
  ownerOf: (farmId: string) => Promise<string | null>;
  memberOf: (farmId: string, userId: string) => Promise<Member | null>;
  /** How often the person was a member here before. */
  pastMemberships: (farmId: string, userId: string) => Promise<number>;
  /** Members with their names, oldest first, as a stream. */
  membersOf: (
    farmId: string,
    page: { skip: number; limit: number | undefined },
  ) => AsyncIterable<Member & Pick<Person, 'name' | 'email'>>;
  personById: (userId: string) => Promise<Person | null>;
  /** `emailKey` is the compared form of an email. */
  personByEmail: (emailKey: string) => Promise<Person | null>;
};
