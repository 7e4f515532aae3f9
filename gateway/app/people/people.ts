import { accountQueries } from '#adapters/sql/queries/people/accounts.ts';
import { batchFactQueries } from '#adapters/sql/queries/production/batch-facts.ts';
import { batchStates } from '#features/production/batches/batch-states.ts';
import { boxRoutes } from '#features/system/box/routes.ts';
import { boxRightsOf, foundBox, type LocalPairingParts } from '#operations/pairing/local-pairing.ts';
import { openPayments, subscriptionsOf } from '#operations/people/payments.ts';
import type { Alarms } from '../alarms/alarms.ts';
import type { Platform } from '../kernel.ts';
import { wireAccounts } from './accounts.ts';
import { wireMembership } from './membership.ts';

export type People = Awaited<ReturnType<typeof wirePeople>>;

/** Who people are, what they may, what they pay for, and with whom they share their farms. */
export async function wirePeople(
  platform: Platform,
  { alarms, pairing }: { alarms: Pick<Alarms, 'delivery'>; pairing: LocalPairingParts | null },
) {
  const { config, kernel, database, notify, onceForAll } = platform;
  const isGateway = config.role === 'gateway';
  const { letters, messagesFrom } = alarms.delivery;
  const boxRights = boxRightsOf(database.read, config.role);
  if (isGateway) await foundBox(kernel, boxRights);
  const subscriptions = subscriptionsOf(kernel, database, notify);
  const accounts = await wireAccounts({
    ...platform,
    database: platform.heard,
    subscriptions,
    letterSeal: config.smtpUrl === null ? null : letters.seal,
    ...(pairing === null ? {} : { hosted: pairing }),
  });
  const { subscriptionChanged } = subscriptions;
  const payments = await openPayments({ ...platform, secret: accounts.secret, subscriptionChanged });
  const hasApiAccess = (userId: string) => subscriptions.hasFeature(userId, 'api_access');
  const people = wireMembership({
    ...platform,
    ...accounts,
    batches: batchStates({ ...kernel, queries: batchFactQueries(database.read) }),
    limits: subscriptions.limits,
    hasApiAccess,
    letters,
    messagesFrom,
    provesAddresses: !isGateway,
    consoleUrl: config.publicUrl,
    hosted:
      pairing === null
        ? null
        : { isOfHosted: pairing.isOfHosted, url: async () => (await pairing.paired())?.hosted_url ?? null },
    endPayments: payments.endPayments,
    isPaired: async () => pairing !== null && (await pairing.paired()) !== null,
  });
  const boxRoutesHere = boxRoutes({
    ...kernel,
    ...accountQueries(database.read),
    rights: boxRights,
    verifyPassword: accounts.passwords.verify,
    passwordTries: accounts.passwordTries,
  });
  return {
    ...accounts,
    accounts,
    subscriptions,
    payments,
    people,
    hasApiAccess,
    mayOnBox: boxRights.mayOnBox,
    routes: [
      ...accounts.routes,
      ...people.routes,
      ...subscriptions.routes,
      ...payments.routes,
      ...(isGateway ? boxRoutesHere : []),
    ],
    ticks: [
      ...onceForAll([
        ...(payments.tick === null ? [] : [{ name: 'payments', everyS: 5, run: payments.tick }]),
        { name: 'subscriptions asked after', at: '41 * * * *', run: payments.look },
        { name: 'deleted accounts', at: '23 * * * *', run: people.eraseLeftovers },
        { name: 'owners of handed over farms', at: '11 * * * *', run: people.followOwner },
      ]),
      { name: 'letters by e-mail', everyS: 5, run: people.sendLetters },
    ],
    async start(): Promise<void> {
      const setUpCode = await accounts.openSetUpCode().catch(() => null);
      if (setUpCode === null) return;
      kernel.log.info(
        {},
        `nobody owns this box yet; whoever makes the first account from another machine is asked for its set-up code: ${setUpCode}`,
      );
    },
  };
}
