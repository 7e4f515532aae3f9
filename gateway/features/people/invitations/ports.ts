import type { RowOf, Stored } from '#contract/resource.ts';
import type { address } from '#contract/resources/addresses.ts';
import type { farm } from '#contract/resources/farms.ts';
import type { InvitationOffer, invitation } from '#contract/resources/invitations.ts';
import type { FarmRole, UserRole } from '#contract/words.ts';
import type { Kernel } from '#core/kernel.ts';
import type { LetterSeal, Notify } from '#core/notifying.ts';
import type { SharedName } from '#core/shared-names.ts';
import type { Decision } from '#core/use-case.ts';
import type { BatchStates } from '#features/production/batch-state.ts';
import type { AttemptLimit } from '../attempts.ts';
import type { MembershipDeps } from '../membership.ts';

export type InvitationRow = RowOf<typeof invitation>;
export type Invitation = Stored<InvitationRow>;
export type Farm = Stored<RowOf<typeof farm>>;
/** What the caller is on which farm now. */
export type Accepted = { farm: Farm; role: FarmRole };
export type Person = { id: string; name: string; email_key: string; role: UserRole };

/** Only visible rows are answered, of farms that are there. */
export type InvitationQueries = MembershipDeps['queries'] & {
  farm: (id: string) => Promise<Farm | null>;
  /** When the person last left the farm or was taken off it, ms; null: never. */
  lastLeft: (farmId: string, userId: string) => Promise<number | null>;
  /** null: there is no such account, or it is switched off. */
  person: (userId: string) => Promise<Person | null>;
  /** An account that may be told of an invitation to its address. */
  personByEmail: (emailKey: string) => Promise<Person | null>;
  byCode: (codeHash: string) => Promise<Invitation | null>;
  byId: (id: string) => Promise<Invitation | null>;
  ofFarm: (farmId: string, id: string) => Promise<Invitation | null>;
  /** Oldest first, as a stream. */
  allOfFarm: (farmId: string, page: { skip: number; limit: number | undefined }) => AsyncIterable<Invitation>;
  /** Neither answered nor revoked; expired ones among them. */
  openOfFarm: (farmId: string) => Promise<Invitation[]>;
  /** Open ones to these addresses that have not expired at that instant, oldest first. */
  offersTo: (
    emailKeys: readonly string[],
    at: string,
    page: { skip: number; limit: number | undefined },
  ) => AsyncIterable<InvitationOffer>;
};

/** What goes with a farm that is handed over. */
export type HandoverQueries = {
  address: (id: string) => Promise<RowOf<typeof address> | null>;
  pondIds: (farmId: string) => Promise<string[]>;
  controlPointIds: (farmId: string) => Promise<string[]>;
  /** Ended ones, too. */
  batchIds: (farmId: string) => Promise<string[]>;
  /** The gateway that runs the farm, and the other farms it runs; null: none does. */
  gatewayOf: (farmId: string) => Promise<{ id: string; others: { name: string; owner_id: string }[] } | null>;
  strays: (limit: number) => Promise<Stray[]>;
  deviceNames: (farmId: string) => Promise<string[]>;
  /** Names of devices that farms of that person without a gateway give to theirs. */
  sharedNames: (farmId: string, userId: string) => Promise<SharedName[]>;
  /** Codes that the farm has and this user's own farms have, too. */
  sharedCodes: (farmId: string, userId: string) => Promise<{ controlPoints: string[]; batches: string[] }>;
};

/** Stands on a farm and belongs to another than its owner. */
export type Stray = { of: 'control_point' | 'batch'; id: string; owner_id: string };

export type InvitationCodes = {
  /** A new code, as it is hashed. */
  make: () => string;
  /** As people read it. */
  shown: (code: string) => string;
  /** As it is hashed, from what was typed; null for what cannot be a code. */
  normal: (typed: string) => string | null;
};

export type InviteDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality' | 'log'> & {
  codes: InvitationCodes;
  /** Throws 503 when too many wait. */
  codeHash: (code: string, source: string) => Promise<string>;
  queries: InvitationQueries;
  notify: Notify;
  /** For letters to addresses that may have no account; null: this instance sends no mail. */
  letterSeal: Pick<LetterSeal, 'seal'> | null;
  /** Hosted: anybody may register any address, so that the code of a letter is asked for. */
  provesAddresses: boolean;
  /** Whether the address of an account is known to be the person's; on a gateway each is. */
  isProved: (userId: string) => Promise<boolean>;
  /** People asked per inviter: nobody's farm is a mail cannon, nor rings a phone all day. */
  letters: AttemptLimit;
  /** Letters per network. */
  messagesFrom: Pick<AttemptLimit, 'take'>;
};

export type AnswerDeps = Omit<InviteDeps, 'letterSeal' | 'letters' | 'messagesFrom' | 'provesAddresses'> & {
  /** Wrong codes per account. */
  attempts: AttemptLimit;
  handover: HandoverQueries;
  batches: Pick<BatchStates, 'ofFarms' | 'activeInPonds'>;
  /** Throws when the plan of the new owner has no room for this farm and what stands on it. */
  limitHandover: (wish: {
    farmId: string;
    ownerId: string;
    pondIds: readonly string[];
  }) => Promise<Pick<Decision<never>, 'changes' | 'guards'>>;
};
