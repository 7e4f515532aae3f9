import type { AttemptLimits } from '#adapters/http/attempt-limit.ts';
import type { Database } from '#adapters/sql/database.ts';
import { accessTokenQueries } from '#adapters/sql/queries/access-tokens.ts';
import { accountDataQueries } from '#adapters/sql/queries/account-data.ts';
import { farmQueries } from '#adapters/sql/queries/farms.ts';
import { letterQueries } from '#adapters/sql/queries/invitation-letters.ts';
import { handoverQueries, invitationQueries } from '#adapters/sql/queries/invitations.ts';
import { letterQueue } from '#adapters/sql/queries/letter-queue.ts';
import { memberQueries } from '#adapters/sql/queries/members.ts';
import { accessTokenText } from '#adapters/tokens/access-token-text.ts';
import { invitationCodes } from '#adapters/tokens/invitation-code.ts';
import { invitation } from '#contract/resources/invitations.ts';
import { accountLetter, invitationLetter } from '#contract/resources/local-tables.ts';
import type { AttemptLimit } from '#core/attempts.ts';
import type { BatchStates } from '#core/batch-state.ts';
import { rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { SendLetter } from '#core/letters.ts';
import type { Notify } from '#core/notifying.ts';
import { onDemand } from '#core/on-demand.ts';
import type { Route } from '#core/route.ts';
import { accessTokenRoutes } from '#features/access-tokens/routes.ts';
import { eraseLeftovers } from '#features/account-data/delete-account.ts';
import { accountDataRoutes } from '#features/account-data/routes.ts';
import type { Passwords } from '#features/accounts/ports.ts';
import { sendAccountLetters } from '#features/accounts/send-account-letters.ts';
import { deleteFarm } from '#features/farms/change-farm.ts';
import { followOwner } from '#features/invitations/follow-owner.ts';
import { inviteMember } from '#features/invitations/invite.ts';
import type { LetterSeal } from '#features/invitations/ports.ts';
import { invitationRoutes } from '#features/invitations/routes.ts';
import { sendLetters } from '#features/invitations/send-letters.ts';
import { memberRoutes } from '#features/members/routes.ts';
import type { Limits } from './compose-subscriptions.ts';

const QUARTER_S = 15 * 60;
const HOUR_S = 3600;

/** What people decide about their accounts and farms: tokens for programs, invitations, handing a farm over. */
export function wirePeople(deps: {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'readLong' | 'onCommit'>;
  notify: Notify;
  passwords: Pick<Passwords, 'codeHash' | 'verify'>;
  passwordTries: AttemptLimit;
  attempts: AttemptLimits;
  batches: BatchStates;
  limits: Pick<Limits, 'handover'>;
  hasApiAccess: (userId: string) => Promise<boolean>;
  /** `send` null: this instance sends no mail. */
  letters: { send: SendLetter | null; seal: LetterSeal };
  /** Hosted: an address counts as somebody's only once a letter to it was answered. */
  provesAddresses: boolean;
  endPayments: (userId: string) => Promise<void>;
}): {
  routes: Route[];
  eraseLeftovers: () => Promise<void>;
  sendLetters: () => Promise<void>;
  followOwner: () => Promise<void>;
} {
  const { kernel, database, notify, passwords, attempts, batches, limits, hasApiAccess, letters } = deps;
  const { read } = database;
  const sending = onDemand(async () => {
    await sendAccountLetters({ ...kernel, queue: letterQueue(read, accountLetter), send: letters.send });
    await sendLetters({ ...kernel, queries: letterQueries(read), notify, ...letters });
  });
  const send = () =>
    sending.ask().catch((error: unknown) => {
      kernel.log.warn({ err: error }, 'letters could not be sent by e-mail; it is tried again');
    });
  const handover = handoverQueries(read);
  const following = onDemand(() => followOwner({ ...kernel, strays: handover.strays }));
  const follow = () =>
    following.ask().catch((error: unknown) => {
      kernel.log.warn(
        { err: error },
        'what stands on a handed over farm could not follow it; it is tried again',
      );
    });
  // nobody waits for a mail server, and the owner has the code on the screen
  database.onCommit((committed) => {
    if (
      rowsOf(committed, invitation).some(
        ({ after }) => after.kind === 'HANDOVER' && after.state === 'ACCEPTED',
      )
    )
      void follow();
    const letter = ({ hidden }: { hidden: boolean }) => !hidden;
    if (rowsOf(committed, invitationLetter).some(letter) || rowsOf(committed, accountLetter).some(letter))
      void send();
  });
  const data = accountDataQueries(read, database.readLong);
  const inviting = {
    ...kernel,
    codes: invitationCodes,
    codeHash: passwords.codeHash,
    queries: invitationQueries(read),
    notify,
    letters: attempts({ name: 'invitation letter', attempts: 30, windowS: HOUR_S }),
    letterSeal: letters.send === null ? null : letters.seal,
    provesAddresses: deps.provesAddresses,
  };
  return {
    routes: [
      ...memberRoutes({
        ...kernel,
        queries: memberQueries(read),
        inviteMember: (by, wish) => inviteMember(inviting, by, wish),
      }),
      ...accessTokenRoutes({
        ...kernel,
        text: accessTokenText,
        queries: accessTokenQueries(read),
        hasApiAccess,
        notify,
      }),
      ...invitationRoutes({
        ...inviting,
        handover,
        batches,
        limitHandover: limits.handover,
        attempts: attempts({ name: 'invitation code', attempts: 10, windowS: QUARTER_S }),
      }),
      ...accountDataRoutes({
        ...kernel,
        queries: data,
        verifyPassword: passwords.verify,
        deleteFarm: (farmId) => deleteFarm({ ...kernel, queries: farmQueries(read) }, farmId),
        endPayments: deps.endPayments,
        passwordTries: deps.passwordTries,
        exports: attempts({ name: 'account export', attempts: 10, windowS: HOUR_S }),
      }),
    ],
    /** Every few seconds. */
    sendLetters: send,
    /** Once an hour. */
    followOwner: follow,
    eraseLeftovers: () => eraseLeftovers({ ...kernel, queries: data }),
  };
}
