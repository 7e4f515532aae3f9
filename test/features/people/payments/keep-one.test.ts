import { expect, test } from 'vitest';
import { keepOne, newEndedDoubles } from '#features/people/payments/keep-one.ts';
import type { PaymentProvider, ProviderSubscription } from '#features/people/payments/ports.ts';

const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 12, 0, second)).toISOString();

/** One that was paid at that second and has not ended, as far as it was told. */
const aRunning = (id: string, second: number): ProviderSubscription => ({
  id,
  provider: 'stripe',
  user_id: 'ana',
  customer_id: 'cus_ana',
  facts: [
    {
      at: at(second),
      rank: 2,
      source: id,
      status: 'ACTIVE',
      payment: 'paid',
      plan: 'BASIC',
      since: at(second),
    },
  ],
  look_at: at(second),
  updated_at: at(second),
});

/** A provider that knows no subscription; `customers` says whether it knows who pays. */
async function askedOf({ customers }: { customers: boolean }) {
  const errors: string[] = [];
  const said = (_fields: unknown, sentence: string) => void errors.push(sentence);
  const provider: Pick<PaymentProvider, 'subscriptionNow' | 'endDouble' | 'knowsCustomer'> = {
    subscriptionNow: async () => null,
    endDouble: async () => null,
    knowsCustomer: async () => customers,
  };
  const log = { debug: said, info: said, warn: said, error: said };
  const before = [aRunning('sub_old', 1), aRunning('sub_new', 2)];
  const { all, ended } = await keepOne(
    { provider, log, now: () => Date.parse(at(30)), endedDoubles: newEndedDoubles() },
    before,
  );
  return { isAsBefore: JSON.stringify(all) === JSON.stringify(before), ended, errors };
}

test('of two subscriptions that run at once neither ends on the word of an account that knows nobody who pays', async () => {
  const { isAsBefore, ended, errors } = await askedOf({ customers: false });
  expect([isAsBefore, ended]).toEqual([true, []]);
  expect(errors).toContainEqual(expect.stringContaining('is its key that of another account?'));
});

test('what the account of those who pay does not know any more has ended', async () => {
  const { isAsBefore, errors } = await askedOf({ customers: true });
  expect([isAsBefore, errors]).toEqual([false, []]);
});
