import { unreachable } from '#contract/words.ts';
import type { Language, News, Words } from '#core/notifying.ts';
import type { PaymentNews } from './ports.ts';

/** What a person is told of money; the cause is the thing itself, so that two events about it tell once. */
export function newsOf(news: PaymentNews, at: number): News {
  const { title, message, data, cause, type = 'PAYMENT' } = partsOf(news, at);
  return {
    type,
    title,
    message,
    data: { event: news.kind, ...data },
    cause: `payment:${cause}`,
    farmId: null,
    at,
  };
}

type Parts = {
  title: Words;
  message: Words;
  data: Record<string, unknown>;
  cause: string;
  type?: 'SUBSCRIPTION';
};

function partsOf(news: PaymentNews, at: number): Parts {
  switch (news.kind) {
    case 'payment_succeeded':
    case 'invoice_ready':
    case 'payment_failed':
      return invoiceParts(news);
    case 'payment_method_expired': {
      const expires = `${String(news.month).padStart(2, '0')}/${news.year}`;
      const data = { last4: news.last4, expires_year: news.year, expires_month: news.month };
      const cause = `payment_method_expired:${news.cardId}:${expires}`;
      const isOver = at >= Date.UTC(news.year, news.month, 1);
      if (isOver) {
        return {
          title: said('Forma de pagamento vencida', 'Payment method has expired'),
          message: said(
            `O cartão com final ${news.last4} venceu em ${expires}: a próxima cobrança vai falhar. Cadastre outro no portal de cobrança.`,
            `The card ending in ${news.last4} expired in ${expires}: the next payment will fail. Enter another one in the billing portal.`,
          ),
          data,
          cause: `${cause}:over`,
        };
      }
      return {
        title: said('Forma de pagamento vencendo', 'Payment method expires'),
        message: said(
          `O cartão com final ${news.last4} vale até ${expires}. Cadastre outro no portal de cobrança para não perder o plano.`,
          `The card ending in ${news.last4} is valid until ${expires}. Enter another one in the billing portal to keep your plan.`,
        ),
        data,
        cause,
      };
    }
    case 'refunded': {
      const amount = amountOf(news);
      return {
        title: said('Pagamento devolvido', 'Payment refunded'),
        message: (language) =>
          language === 'en'
            ? `${money(amount, language)} were sent back to your payment method.`
            : `${money(amount, language)} foram devolvidos à sua forma de pagamento.`,
        data: { amount: amount.value, currency: amount.currency, charge_id: news.chargeId, url: news.url },
        cause: `refunded:${news.chargeId}:${news.amount}`,
      };
    }
    case 'double_ended': {
      const plan = news.plan ?? '';
      return {
        title: said('Assinatura em dobro encerrada', 'Double subscription ended'),
        message: said(
          `Duas assinaturas corriam ao mesmo tempo. A mais antiga (${plan}) foi encerrada; o que restava dela vira crédito na próxima fatura.`,
          `Two subscriptions ran at the same time. The older one (${plan}) was ended; what was left of it is credited to your next invoice.`,
        ),
        data: { payment_subscription_id: news.subscriptionId, plan: news.plan, kept_plan: news.keptPlan },
        cause: `double_ended:${news.subscriptionId}`,
      };
    }
    case 'trial_ending': {
      const day = (language: Language) => dayOf(news.endsAt, language);
      return {
        type: 'SUBSCRIPTION',
        title: said('O período de teste está acabando', 'Your trial is ending'),
        message: (language) =>
          language === 'en'
            ? `The trial ends on ${day(language)}; from then on the plan is paid.`
            : `O teste termina em ${day(language)}; a partir daí o plano é pago.`,
        data: { ends_at: news.endsAt },
        cause: `trial_ending:${news.endsAt}`,
      };
    }
    default:
      return unreachable(news);
  }
}

function invoiceParts(news: Extract<PaymentNews, { invoiceId: string }>): Parts {
  const amount = amountOf(news);
  const data = {
    amount: amount.value,
    currency: amount.currency,
    invoice_id: news.invoiceId,
    url: news.url,
    ...(news.kind === 'payment_failed' ? { attempt: news.attempt, next_attempt_at: news.nextAttemptAt } : {}),
  };
  switch (news.kind) {
    case 'payment_succeeded':
      return {
        title: said('Pagamento recebido', 'Payment received'),
        message: (language) =>
          language === 'en'
            ? `We received ${money(amount, language)}. Thank you.`
            : `Recebemos ${money(amount, language)}. Obrigado.`,
        data,
        cause: `payment_succeeded:${news.invoiceId}`,
      };
    case 'invoice_ready':
      return {
        title: said('Fatura disponível', 'Invoice ready'),
        message: (language) =>
          language === 'en'
            ? `Your invoice over ${money(amount, language)} is ready.`
            : `Sua fatura de ${money(amount, language)} está disponível.`,
        data,
        cause: `invoice_ready:${news.invoiceId}`,
      };
    case 'payment_failed':
      return {
        title: said('Pagamento não realizado', 'Payment failed'),
        message: (language) => failedMessage(money(amount, language), news.nextAttemptAt, language),
        data,
        cause: `payment_failed:${news.invoiceId}:${news.attempt}`,
      };
    default:
      return unreachable(news.kind);
  }
}

function failedMessage(amount: string, nextAttemptAt: string | null, language: Language): string {
  const isEnglish = language === 'en';
  const first = isEnglish
    ? `The payment of ${amount} failed. Check your payment method in the billing portal; nothing on your farms stops.`
    : `O pagamento de ${amount} não foi realizado. Confira a forma de pagamento no portal de cobrança; nada para nas suas fazendas.`;
  if (nextAttemptAt === null) return first;
  const day = dayOf(nextAttemptAt, language);
  return `${first} ${isEnglish ? `It is tried again on ${day}.` : `Nova tentativa em ${day}.`}`;
}

type Amount = { value: number; currency: string };

/** Every currency sold here has hundredths. */
const amountOf = (news: { amount: number; currency: string }): Amount => ({
  value: news.amount / 100,
  currency: news.currency.toUpperCase(),
});

function money({ value, currency }: Amount, language: Language): string {
  const text = value.toFixed(2);
  const sign = currency === 'BRL' ? 'R$' : currency === 'USD' ? 'US$' : currency;
  return `${sign} ${language === 'en' ? text : text.replace('.', ',')}`;
}

function dayOf(instant: string, language: Language): string {
  const [year, month, day] = instant.slice(0, 10).split('-');
  return language === 'en' ? `${year}-${month}-${day}` : `${day}/${month}/${year}`;
}

const said =
  (portuguese: string, english: string): Words =>
  (language) =>
    language === 'en' ? english : portuguese;
