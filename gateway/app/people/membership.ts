import type { AttemptLimits } from '#adapters/http/attempt-limit.ts';
import type { Database } from '#adapters/sql/database.ts';
import { invitationOfLetter, letterQueries } from '#adapters/sql/queries/alarms/channels.ts';
import { farmQueries } from '#adapters/sql/queries/farm/farms.ts';
import { accountDataQueries } from '#adapters/sql/queries/people/account-data.ts';
import { accountQueries, proofQueries, resetQueries } from '#adapters/sql/queries/people/accounts.ts';
import { handoverQueries, invitationQueries, memberQueries } from '#adapters/sql/queries/people/members.ts';
import { accessTokenQueries } from '#adapters/sql/queries/people/sessions.ts';
import { forgetPeople } from '#adapters/sync/forget-people.ts';
import { accessTokenText } from '#adapters/tokens/access-token-text.ts';
import { invitationCodes } from '#adapters/tokens/invitation-code.ts';
import { resetCodes } from '#adapters/tokens/one-time-codes.ts';
import { invitation } from '#contract/resources/invitations.ts';
import { outgoingLetter } from '#contract/resources/local-tables.ts';
import { isStandInEmail, user } from '#contract/resources/users.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { onDemand } from '#core/newest-map.ts';
import type { LetterSeal, Notify, SendLetter } from '#core/notifying.ts';
import type { Route } from '#core/route.ts';
import { sendLetters } from '#features/alarms/letters/send-letters.ts';
import { deleteFarm } from '#features/farm/farms/create-farm.ts';
import { accessTokenRoutes } from '#features/people/access-tokens/routes.ts';
import { eraseLeftovers } from '#features/people/account-data/delete-account.ts';
import { accountDataRoutes } from '#features/people/account-data/routes.ts';
import { addressLeftLetters } from '#features/people/accounts/change-account.ts';
import {
  changedLetters,
  type ForgottenPasswordDeps,
  forgottenPasswordRoutes,
  resetLetters,
} from '#features/people/accounts/password-routes.ts';
import type { Passwords } from '#features/people/accounts/ports.ts';
import { addressLetters, addressRoutes } from '#features/people/accounts/verify-address.ts';
import type { AttemptLimit } from '#features/people/attempts.ts';
import { followOwner, invitationLetters, inviteMember } from '#features/people/invitations/invite.ts';
import { invitationRoutes } from '#features/people/invitations/routes.ts';
import { memberRoutes } from '#features/people/members/routes.ts';
import type { BatchStates } from '#features/production/batch-state.ts';
import type { Limits } from '#operations/people/payments.ts';

const QUARTER_S = 15 * 60;
const HOUR_S = 3600;

/** What people decide about their accounts and farms: tokens for programs, invitations, handing a farm over. */
export function wireMembership(deps: {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'readLong' | 'onRows' | 'forgetOverwritten'>;
  notify: Notify;
  passwords: Pick<Passwords, 'codeHash' | 'verify' | 'hash'>;
  passwordTries: AttemptLimit;
  loginFailures: AttemptLimit;
  attempts: AttemptLimits;
  batches: BatchStates;
  limits: Pick<Limits, 'handover'>;
  hasApiAccess: (userId: string) => Promise<boolean>;
  /** `send` null: this instance sends no mail. */
  letters: { send: SendLetter | null; seal: LetterSeal };
  messagesFrom: Pick<AttemptLimit, 'take'>;
  /** Hosted: an address counts as somebody's only once a letter to it was answered. */
  provesAddresses: boolean;
  /** Address at which people open the console; null: nobody said. */
  consoleUrl: string | null;
  /** A gateway's: whose account is the hosted instance's, and where that is. */
  hosted: ForgottenPasswordDeps['hosted'];
  endPayments: (userId: string) => Promise<void>;
  /** Gateway: with a hosted instance, now. */
  isPaired: () => Promise<boolean>;
}): {
  routes: Route[];
  eraseLeftovers: () => Promise<void>;
  sendLetters: () => Promise<void>;
  followOwner: () => Promise<void>;
} {
  const { kernel, database, notify, passwords, attempts, batches, limits, hasApiAccess, letters } = deps;
  const { read } = database;
  const forgotten: ForgottenPasswordDeps = {
    ...kernel,
    queries: { ...accountQueries(read), ...resetQueries(read) },
    codes: resetCodes,
    passwords,
    notify,
    letterSeal: letters.send === null ? null : letters.seal,
    provesAddresses: deps.provesAddresses,
    consoleUrl: deps.consoleUrl,
    hosted: deps.hosted,
    askedFor: attempts({ name: 'forgotten password', attempts: 5, windowS: HOUR_S }),
    askedFrom: attempts({ name: 'forgotten password from', attempts: 30, windowS: HOUR_S }),
    wrongCodes: attempts({ name: 'forgotten password code', attempts: 10, windowS: QUARTER_S }),
    loginFailures: deps.loginFailures,
  };
  const proofs = proofQueries(read);
  const kinds = {
    INVITATION: invitationLetters({ ...kernel, notify, invitation: invitationOfLetter(read) }),
    PASSWORD_RESET: resetLetters(forgotten),
    PASSWORD_CHANGED: changedLetters,
    EMAIL_CHANGED: addressLeftLetters,
    ADDRESS_CODE: addressLetters,
  };
  const sending = onDemand(() => sendLetters({ ...kernel, queries: letterQueries(read), kinds, ...letters }));
  const send = () =>
    sending.ask().catch((error: unknown) => {
      kernel.log.warn({ err: error }, 'letters could not be sent by e-mail; it is tried again');
    });
  /** What asks for the present password. */
  const again = {
    verifyPassword: passwords.verify,
    passwordTries: deps.passwordTries,
    accountById: accountQueries(read).accountById,
  };
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
  database.onRows(
    onTables([invitation], (committed) => {
      const isHandedOver = rowsOf(committed, invitation).some(
        ({ after }) => after.kind === 'HANDOVER' && after.state === 'ACCEPTED',
      );
      if (isHandedOver) void follow();
    }),
  );
  database.onRows(
    onTables([outgoingLetter], (committed) => {
      if (rowsOf(committed, outgoingLetter).some(({ hidden }) => !hidden)) void send();
    }),
  );
  const forgetting = onDemand(() => forgetPeople({ ...kernel, database, isPaired: deps.isPaired }));
  const data = accountDataQueries(read, database.readLong);
  const clearing = onDemand(() => eraseLeftovers({ ...kernel, queries: data }));
  // what somebody had at this box goes when the cloud says that the person left its farms
  database.onRows(
    onTables([user], (committed) => {
      if (!rowsOf(committed, user).some(({ after }) => !after.is_active && isStandInEmail(after.email_key)))
        return;
      clearing.ask().catch((error: unknown) => {
        kernel.log.warn({ err: error }, 'what somebody who left had here is still here; it is tried again');
      });
    }),
  );
  const inviting = {
    ...kernel,
    codes: invitationCodes,
    codeHash: passwords.codeHash,
    queries: invitationQueries(read),
    notify,
    letters: attempts({ name: 'invitation letter', attempts: 30, windowS: HOUR_S }),
    messagesFrom: deps.messagesFrom,
    letterSeal: letters.send === null ? null : letters.seal,
    provesAddresses: deps.provesAddresses,
    isProved: async (userId: string) => !deps.provesAddresses || (await proofs.isProved(userId)),
  };
  return {
    routes: [
      ...forgottenPasswordRoutes(forgotten),
      ...(deps.provesAddresses
        ? addressRoutes({
            ...forgotten,
            clockQuality: kernel.clockQuality,
            queries: { ...accountQueries(read), ...proofs },
            messagesFrom: deps.messagesFrom,
            codesSent: attempts({ name: 'address code', attempts: 5, windowS: HOUR_S }),
            wrongCodes: attempts({ name: 'address code try', attempts: 10, windowS: QUARTER_S }),
          })
        : []),
      ...memberRoutes({
        ...kernel,
        queries: memberQueries(read),
        inviteMember: (by, wish) => inviteMember(inviting, by, wish),
      }),
      ...accessTokenRoutes({
        ...kernel,
        ...again,
        text: accessTokenText,
        queries: accessTokenQueries(read),
        hasApiAccess,
        notify,
      }),
      ...invitationRoutes({
        ...inviting,
        ...again,
        handover,
        batches,
        limitHandover: limits.handover,
        attempts: attempts({ name: 'invitation code', attempts: 10, windowS: QUARTER_S }),
      }),
      ...accountDataRoutes({
        ...kernel,
        queries: data,
        ...again,
        deleteFarm: (farmId) => deleteFarm({ ...kernel, queries: farmQueries(read) }, farmId),
        forgetSoon() {
          forgetting.ask().catch((error: unknown) => {
            kernel.log.warn({ err: error }, 'the change log still speaks of who is gone; it is tried again');
          });
        },
        endPayments: deps.endPayments,
        exports: attempts({ name: 'account export', attempts: 10, windowS: HOUR_S }),
      }),
    ],
    /** Every few seconds. */
    sendLetters: send,
    /** Once an hour. */
    followOwner: follow,
    async eraseLeftovers() {
      await clearing.ask();
      await forgetting.ask();
    },
  };
}
