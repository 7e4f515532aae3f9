import { accessToken } from '#contract/resources/access-tokens.ts';
import { address } from '#contract/resources/addresses.ts';
import { batch } from '#contract/resources/batches.ts';
import { farm } from '#contract/resources/farms.ts';
import { invitation } from '#contract/resources/invitations.ts';
import {
  addressProof,
  delivery,
  idempotentAnswer,
  instanceValue,
  outgoingLetter,
  passkey,
  passwordReset,
  paymentObject,
  providerSubscription,
  pushAction,
  secondFactor,
  session,
  sessionGeneration,
  tokenUse,
  usageCrossing,
} from '#contract/resources/local-tables.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { notification } from '#contract/resources/notifications.ts';
import { pond } from '#contract/resources/ponds.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { lostPerson, parkedChange, syncConflict } from '#contract/resources/sync-tables.ts';
import { user } from '#contract/resources/users.ts';
import { blank, type Change, erase, purge, remove, tell, update } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { type Decision, perform } from '#core/use-case.ts';
import type { Account, DeleteAccountDeps, PersonalRows } from './ports.ts';

/** Rows that are erased at a time, all lists together, so that control never waits. */
const SLICE = 200;
/** What stays and is overwritten costs more: its register and its news for the other instance go with it. */
const BLANKED_SLICE = 50;
const REST_MS = 20;

const NO_POSITION = { lat: null, lng: null } as const;
const NOWHERE = {
  street: '',
  number: 0,
  complement: null,
  city: '',
  zip_code: '',
  ...NO_POSITION,
} as const;

/**
 * Ends an account. What is personal is overwritten or erased; what others rest on (audit, records of farms that go on)
 * keeps the id alone. Throws 409 while the account owns farms, unless `withFarms`, and for the last administrator; 503
 * when a running payment cannot be ended: then nothing is deleted.
 *
 * @param actor who does it; null: an operator on the command line
 */
export async function deleteAccount(
  deps: DeleteAccountDeps,
  userId: string,
  { withFarms, actor }: { withFarms: boolean; actor: string | null },
): Promise<void> {
  // everything that refuses is asked first, so that nothing is half done
  const { answer: account } = await decideEnd(deps, userId, withFarms);
  await deps.endPayments(userId);
  // each in a commit of its own: a large farm takes a while to hide, and heartbeats wait for it
  const farms = withFarms ? await deps.queries.farmsOwned(userId) : [];
  for (const { id } of farms) await perform(deps, actor, () => deps.deleteFarm(id)).catch(ignoreMissing);
  // a farm that came in between is nobody's wish to delete: 409
  await perform(deps, actor, () => decideEnd(deps, account.id, false));
  await eraseLeftovers(deps);
  deps.forgetSoon();
}

/**
 * Erases what deleted accounts left behind, also what they had deleted before, in slices. Once an hour, too: for what a stop
 * cut off, and because the other instance hears of the account alone and clears what it has of it by itself.
 */
export async function eraseLeftovers(
  deps: Pick<DeleteAccountDeps, 'now' | 'commit' | 'pause'> & {
    queries: Pick<DeleteAccountDeps['queries'], 'leftovers'>;
  },
): Promise<void> {
  for (;;) {
    const left = await deps.queries.leftovers(SLICE);
    const updated_at = isoOf(deps.now());
    const { ofLeavers } = left;
    const ended = [
      ...ofLeavers.channels.map((id) =>
        blank(notificationChannel, id, { address: '', keys: null, is_active: false, updated_at }),
      ),
      ...ofLeavers.channels.map((id) => remove(notificationChannel, id)),
      ...ofLeavers.accessTokens.map((id) => remove(accessToken, id)),
      ...ofLeavers.boxRights.map((id) => purge(instanceValue, id)),
    ];
    const erased = [
      ...left.notifications.map((id) => erase(notification, id)),
      ...left.deliveries.map((id) => purge(delivery, id)),
      ...left.pushActions.map((id) => purge(pushAction, id)),
      ...left.sessions.map((id) => purge(session, id)),
      ...left.lostPeople.map((id) => purge(lostPerson, id)),
      ...left.channels.map((id) => erase(notificationChannel, id)),
      ...left.passkeys.map((id) => purge(passkey, id)),
      ...left.secondFactors.map((id) => purge(secondFactor, id)),
      // found by their tokens
      ...left.tokenUses.map((id) => purge(tokenUse, id)),
      ...left.accessTokens.map((id) => erase(accessToken, id)),
    ].slice(0, SLICE);
    const blanked = [
      ...left.addresses.map((id) => blank(address, id, { ...NOWHERE, updated_at })),
      ...left.farms.map((id) => blank(farm, id, { name: '', description: null, ...NO_POSITION, updated_at })),
      ...left.ponds.map((id) => blank(pond, id, { ...NO_POSITION, updated_at })),
      ...left.batches.map((id) => blank(batch, id, { notes: null, end_reason: null, updated_at })),
    ].slice(0, BLANKED_SLICE);
    const changes: Change[] = ended.length > 0 ? ended : erased.length > 0 ? erased : blanked;
    if (changes.length === 0) return;
    await deps.commit({ changes, actor: null });
    await deps.pause(REST_MS);
  }
}

async function decideEnd(
  deps: DeleteAccountDeps,
  userId: string,
  withFarms: boolean,
): Promise<Decision<Account>> {
  // whatever gives this account something holds the guard, too
  const guards = [await deps.guard('account', userId)];
  const account = await deps.queries.account(userId);
  if (account === null) throw notFound('User');
  if (account.role === 'ADMIN') guards.push(await requireAnotherAdmin(deps, userId));
  await refuseGatewayOwner(deps, userId);
  if (!withFarms) await refuseOwner(deps, userId);
  const rows = await deps.queries.personalRows(userId, account.email_key);
  const streams = await deps.queries.formerStreams(userId);
  return { answer: account, changes: endOf(deps, account, rows, streams), guards };
}

/** 409 for the last administrator; answers the guard that makes two who go at the same moment see each other. */
export async function requireAnotherAdmin(
  deps: Pick<DeleteAccountDeps, 'guard'> & { queries: Pick<DeleteAccountDeps['queries'], 'otherAdmins'> },
  userId: string,
) {
  const guard = await deps.guard('admins', 'all');
  if ((await deps.queries.otherAdmins(userId)) > 0) return guard;
  throw conflict('This is the last administrator; make another one first', 'LAST_ADMIN');
}

async function refuseOwner(deps: DeleteAccountDeps, userId: string): Promise<void> {
  const farms = await deps.queries.farmsOwned(userId);
  if (farms.length === 0) return;
  const names = farms.slice(0, 10).map(({ name }) => name);
  throw conflict(
    `The account owns ${farms.length === 1 ? 'a farm' : `${farms.length} farms`} (${names.join(', ')}): hand over what shall go on, or say force=true to delete them too`,
    'OWNS_FARMS',
  );
}

/** Also with `withFarms`: a gateway that is let in steers motors, and nobody could unpair it any more. */
async function refuseGatewayOwner(deps: DeleteAccountDeps, userId: string): Promise<void> {
  const gateways = await deps.queries.gatewaysOwned(userId);
  if (gateways.length === 0) return;
  const names = gateways.slice(0, 10).map(({ name }) => name);
  throw conflict(
    `The account has ${gateways.length === 1 ? 'a gateway' : `${gateways.length} gateways`} (${names.join(', ')}): unpair what is paired first, with DELETE /sync/gateways/{id}`,
    'OWNS_GATEWAYS',
  );
}

function endOf(
  deps: DeleteAccountDeps,
  account: Account,
  rows: PersonalRows,
  formerStreams: readonly number[],
): Change[] {
  const at = isoOf(deps.now());
  const nobody = `deleted-${account.id}@account.invalid`;
  return [
    ...rows.accessTokens.map((id) => update(accessToken, id, { name: '', revoked_at: at, updated_at: at })),
    ...rows.accessTokens.map((id) => purge(tokenUse, id)),
    ...rows.addresses.map((id) => update(address, id, { ...NOWHERE, updated_at: at })),
    ...rows.channels.map((id) =>
      update(notificationChannel, id, { address: '', keys: null, is_active: false, updated_at: at }),
    ),
    // one that is still open would be anybody's without the address that it was for
    ...rows.invitations.map(({ id, state }) =>
      blank(invitation, id, {
        email_key: null,
        updated_at: at,
        ...(state === 'OPEN' ? { state: 'REVOKED' } : {}),
      }),
    ),
    ...rows.invitationLetters.map((id) => purge(outgoingLetter, id)),
    purge(passwordReset, account.id),
    purge(addressProof, account.id),
    ...rows.sessions.map((id) => purge(session, id)),
    ...rows.lostPeople.map((id) => purge(lostPerson, id)),
    purge(sessionGeneration, account.id),
    ...rows.conflicts.map((id) => purge(syncConflict, id)),
    ...rows.subscriptions.map((id) =>
      update(subscription, id, {
        status: 'CANCELED',
        payment_customer_id: null,
        payment_subscription_id: null,
        updated_at: at,
      }),
    ),
    ...rows.usageCrossings.map((id) => purge(usageCrossing, id)),
    ...rows.providerSubscriptions.map((id) => purge(providerSubscription, id)),
    ...rows.paymentObjects.map((id) => purge(paymentObject, id)),
    ...rows.boxRights.map((id) => purge(instanceValue, id)),
    purge(secondFactor, account.id),
    ...rows.passkeys.map((id) => purge(passkey, id)),
    ...rows.answers.map((id) => purge(idempotentAnswer, id)),
    ...rows.parked.map((id) => purge(parkedChange, id)),
    update(user, account, {
      email: nobody,
      email_key: nobody,
      name: '',
      phone_number: null,
      language: null,
      is_active: false,
      password_hash: '',
      password_version: account.password_version + 1,
      updated_at: at,
    }),
    // hides what lies below it: memberships, tokens, channels, notifications
    remove(user, account.id),
    // as it stands now, to gateways that would not hear of these changes
    ...formerStreams.map((streamId) => tell(user, account.id, streamId)),
  ];
}

function ignoreMissing(error: unknown): void {
  // somebody deleted the farm at the same moment
  if (error instanceof Error && 'status' in error && error.status === 404) return;
  throw error;
}
