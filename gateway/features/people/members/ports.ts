import type { FarmContact } from '#contract/resources/farms.ts';
import type { Member, MembershipDeps } from '../membership.ts';

export type Person = { id: string; name: string; email: string };

/** An invitation to be a member. */
export type Invited = { id: string; farm_id: string; role: string; created_at: string };

export type MemberQueries = MembershipDeps['queries'] & {
  ownerOf: (farmId: string) => Promise<string | null>;
  /** Members with their names, oldest first, as a stream. */
  membersOf: (
    farmId: string,
    page: { skip: number; limit: number | undefined },
  ) => AsyncIterable<Member & Pick<Person, 'name' | 'email'>>;
  /** The owner and the members who answer alarms, as far as they gave a number; oldest account first, as a stream. */
  contactsOf: (
    farmId: string,
    page: { skip: number; limit: number | undefined },
  ) => AsyncIterable<FarmContact & { id: string; created_at: string }>;
  personById: (userId: string) => Promise<Person | null>;
  /** `emailKey` is the compared form of an email. */
  personByEmail: (emailKey: string) => Promise<Person | null>;
};
