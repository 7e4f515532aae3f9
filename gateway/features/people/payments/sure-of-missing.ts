import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { PaymentProvider } from './ports.ts';

export type SureOfMissingDeps = Pick<Kernel, 'log'> & { provider: Pick<PaymentProvider, 'knowsCustomer'> };

/**
 * What the provider answered of a subscription. That it knows none of that id ends what a person pays for, and a key of
 * another account says so of everybody: it counts only where the provider knows who paid. Throws 422 PAYMENT_REFUSED
 * otherwise; then nothing is taken over.
 */
export async function sureOfMissing<Answer>(
  { provider, log }: SureOfMissingDeps,
  of: { id: string; customerId: string | null },
  answer: Answer | null,
): Promise<Answer | null> {
  if (answer !== null) return answer;
  if (of.customerId !== null && (await provider.knowsCustomer(of.customerId))) return null;
  log.error(
    { subscription: of.id },
    'the payment provider knows neither this subscription nor who pays for it: is its key that of another account?',
  );
  throw new AppError(
    422,
    'The payment provider does not know you, and nothing was changed. Please contact support',
    { code: 'PAYMENT_REFUSED' },
  );
}
