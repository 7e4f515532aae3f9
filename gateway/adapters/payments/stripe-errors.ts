import Stripe from 'stripe';
import { AppError, conflict } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';

/** What Stripe's library throws becomes an answer of ours; its messages may quote what nobody should read. */
export function fail({ log }: Pick<Kernel, 'log'>, error: unknown): never {
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const { type, code, statusCode, requestId, param } = error;
  log.warn({ type, code, statusCode, requestId, param }, 'the payment provider did not do what it was asked');
  if (isMissing(error) && param === 'customer')
    throw conflict('The payment provider does not know you any more; please try again', 'CUSTOMER_UNKNOWN');
  if (isMissing(error)) throw stateChanged();
  if (
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeCardError
  )
    throw new AppError(
      422,
      'The payment provider does not accept this, and will not when asked again; nothing was changed. Please contact support',
      { code: 'PAYMENT_REFUSED' },
    );
  throw new AppError(
    503,
    'The payment provider cannot be reached now; nothing was changed, please try again',
    {
      code: 'PAYMENT_PROVIDER_UNAVAILABLE',
      headers: { 'Retry-After': '30' },
    },
  );
}

export function stateChanged(): AppError {
  return conflict(
    'Something changed at the payment provider meanwhile, and nothing was changed now; look at your subscription and try again',
    'PAYMENT_STATE_CHANGED',
  );
}

/** For what may have gone: null in place of the error that says so. */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

/** With a key for tests Stripe says the same of everything that is real: that is a wrong key, and nothing is missing. */
function isMissing(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    error.code === 'resource_missing' &&
    !error.message.includes('similar object exists')
  );
}
