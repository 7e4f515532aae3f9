import type { RowOf, Stored } from '#contract/resource.ts';
import type { invitation } from '#contract/resources/invitations.ts';
import type { user } from '#contract/resources/users.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { AttemptLimit } from '../attempts.ts';
import type { PresentPasswordDeps } from '../present-password.ts';

export type Account = Stored<RowOf<typeof user>>;

/** One list of an export, read piece by piece. */
export type ExportSection = { name: string; rows: AsyncIterable<Record<string, unknown>> };

/** Rows with something personal in them, by their ids. What was deleted before is left over, see Leftovers. */
export type PersonalRows = {
  addresses: string[];
  accessTokens: string[];
  channels: string[];
  /** Invitations that name the person's address, deleted ones too. */
  invitations: Pick<RowOf<typeof invitation>, 'id' | 'state'>[];
  /** Letters of those that are still to be sent. */
  invitationLetters: string[];
  sessions: string[];
  lostPeople: string[];
  passkeys: string[];
  /** Edits of the account and its addresses that lost once. */
  conflicts: string[];
  subscriptions: string[];
  usageCrossings: string[];
  providerSubscriptions: string[];
  /** What the built-in payment provider keeps of the person. */
  paymentObjects: string[];
  /** Rights over this box: whoever is gone must not be taken for its owner. */
  boxRights: string[];
  /** Answers of the last day that were kept to be given again: to the person, and to others who named the address. */
  answers: string[];
  /** Changes about the person that wait here for what they rest on. */
  parked: string[];
};

/** What is left of deleted accounts, by ids. */
export type Leftovers = {
  /** Gateway: what still stands here of those who are on none of its farms any more. */
  ofLeavers: { channels: string[]; accessTokens: string[]; boxRights: string[] };
  notifications: string[];
  deliveries: string[];
  secondFactors: string[];
  /** Also those that a person removed who goes on. */
  channels: string[];
  accessTokens: string[];
  tokenUses: string[];
  sessions: string[];
  lostPeople: string[];
  passkeys: string[];
  pushActions: string[];
  /** Deleted things of theirs that still say a name, a place or a note. */
  addresses: string[];
  farms: string[];
  ponds: string[];
  batches: string[];
};

export type AccountDataQueries = {
  account: (userId: string) => Promise<Account | null>;
  farmsOwned: (userId: string) => Promise<{ id: string; name: string }[]>;
  /** Gateways of the account that are let in. */
  gatewaysOwned: (userId: string) => Promise<{ name: string }[]>;
  /** Active administrators besides this one. */
  otherAdmins: (userId: string) => Promise<number>;
  personalRows: (userId: string, emailKey: string) => Promise<PersonalRows>;
  /** Hosted: streams to gateways of farms that the person has left: of the account's end they would not hear otherwise. */
  formerStreams: (userId: string) => Promise<number[]>;
  /** What is left of deleted accounts, at most `limit` of each. */
  leftovers: (limit: number) => Promise<Leftovers>;
  /** Everything that is the person's, and all of the farms the person owns. */
  sectionsOf: (userId: string) => AsyncIterable<ExportSection>;
};

export type DeleteAccountDeps = Pick<Kernel, 'now' | 'guard' | 'commit' | 'pause' | 'random' | 'log'> & {
  queries: Omit<AccountDataQueries, 'sectionsOf'>;
  deleteFarm: (farmId: string) => Promise<Decision<unknown>>;
  /** Sees to it that the change logs forget who is gone; nobody waits for it. */
  forgetSoon: () => void;
  /** Ends what is paid for regularly; throws 503 when the payment provider does not answer. */
  endPayments: (userId: string) => Promise<void>;
};

export type AccountDataDeps = Omit<DeleteAccountDeps, 'queries'> &
  PresentPasswordDeps & {
    queries: AccountDataQueries;
    /** Exports per account: each reads everything. */
    exports: AttemptLimit;
  };
