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
          title: said('Forma de pagamento vencida', 'Payment method has expired', 'Forma de pago vencida'),
          message: said(
            `O cartão com final ${news.last4} venceu em ${expires}: a próxima cobrança vai falhar. Cadastre outro no portal de cobrança.`,
            `The card ending in ${news.last4} expired in ${expires}: the next payment will fail. Enter another one in the billing portal.`,
            `La tarjeta terminada en ${news.last4} venció en ${expires}: el próximo cobro va a fallar. Registre otra en el portal de cobro.`,
          ),
          data,
          cause: `${cause}:over`,
        };
      }
      return {
        title: said('Forma de pagamento vencendo', 'Payment method expires', 'Forma de pago por vencer'),
        message: said(
          `O cartão com final ${news.last4} vale até ${expires}. Cadastre outro no portal de cobrança para não perder o plano.`,
          `The card ending in ${news.last4} is valid until ${expires}. Enter another one in the billing portal to keep your plan.`,
          `La tarjeta terminada en ${news.last4} vale hasta ${expires}. Registre otra en el portal de cobro para no perder el plan.`,
        ),
        data,
        cause,
      };
    }
    case 'refunded': {
      const amount = amountOf(news);
      return {
        title: said('Pagamento devolvido', 'Payment refunded', 'Pago devuelto'),
        message: (language) =>
          ({
            'pt-BR': `${money(amount, language)} foram devolvidos à sua forma de pagamento.`,
            en: `${money(amount, language)} were sent back to your payment method.`,
            es: `Se devolvieron ${money(amount, language)} a su forma de pago.`,
          })[language],
        data: { amount: amount.value, currency: amount.currency, charge_id: news.chargeId, url: news.url },
        cause: `refunded:${news.chargeId}:${news.amount}`,
      };
    }
    case 'double_ended': {
      const plan = news.plan ?? '';
      return {
        title: said(
          'Assinatura em dobro encerrada',
          'Double subscription ended',
          'Suscripción doble terminada',
        ),
        message: said(
          `Duas assinaturas corriam ao mesmo tempo. A mais antiga (${plan}) foi encerrada; o que restava dela vira crédito na próxima fatura.`,
          `Two subscriptions ran at the same time. The older one (${plan}) was ended; what was left of it is credited to your next invoice.`,
          `Dos suscripciones corrían al mismo tiempo. La más antigua (${plan}) se terminó; lo que le quedaba pasa como crédito a la próxima factura.`,
        ),
        data: { payment_subscription_id: news.subscriptionId, plan: news.plan, kept_plan: news.keptPlan },
        cause: `double_ended:${news.subscriptionId}`,
      };
    }
    case 'trial_ending': {
      const day = (language: Language) => dayOf(news.endsAt, language);
      return {
        type: 'SUBSCRIPTION',
        title: said(
          'O período de teste está acabando',
          'Your trial is ending',
          'El período de prueba está por terminar',
        ),
        message: (language) =>
          ({
            'pt-BR': `O teste termina em ${day(language)}; a partir daí o plano é pago.`,
            en: `The trial ends on ${day(language)}; from then on the plan is paid.`,
            es: `La prueba termina el ${day(language)}; a partir de entonces el plan es pagado.`,
          })[language],
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
        title: said('Pagamento recebido', 'Payment received', 'Pago recibido'),
        message: (language) =>
          ({
            'pt-BR': `Recebemos ${money(amount, language)}. Obrigado.`,
            en: `We received ${money(amount, language)}. Thank you.`,
            es: `Recibimos ${money(amount, language)}. Gracias.`,
          })[language],
        data,
        cause: `payment_succeeded:${news.invoiceId}`,
      };
    case 'invoice_ready':
      return {
        title: said('Fatura disponível', 'Invoice ready', 'Factura disponible'),
        message: (language) =>
          ({
            'pt-BR': `Sua fatura de ${money(amount, language)} está disponível.`,
            en: `Your invoice over ${money(amount, language)} is ready.`,
            es: `Su factura de ${money(amount, language)} está disponible.`,
          })[language],
        data,
        cause: `invoice_ready:${news.invoiceId}`,
      };
    case 'payment_failed':
      return {
        title: said('Pagamento não realizado', 'Payment failed', 'Pago no realizado'),
        message: (language) => failedMessage(money(amount, language), news.nextAttemptAt, language),
        data,
        cause: `payment_failed:${news.invoiceId}:${news.attempt}`,
      };
    default:
      return unreachable(news.kind);
  }
}

function failedMessage(amount: string, nextAttemptAt: string | null, language: Language): string {
  const first = {
    'pt-BR': `O pagamento de ${amount} não foi realizado. Confira a forma de pagamento no portal de cobrança; nada para nas suas fazendas.`,
    en: `The payment of ${amount} failed. Check your payment method in the billing portal; nothing on your farms stops.`,
    es: `El pago de ${amount} no se realizó. Revise la forma de pago en el portal de cobro; nada se detiene en sus camaroneras.`,
  }[language];
  if (nextAttemptAt === null) return first;
  const day = dayOf(nextAttemptAt, language);
  return `${first} ${{ 'pt-BR': `Nova tentativa em ${day}.`, en: `It is tried again on ${day}.`, es: `Nuevo intento el ${day}.` }[language]}`;
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
  return `${sign} ${{ 'pt-BR': text.replace('.', ','), en: text, es: text.replace('.', ',') }[language]}`;
}

function dayOf(instant: string, language: Language): string {
  const [year, month, day] = instant.slice(0, 10).split('-');
  return { 'pt-BR': `${day}/${month}/${year}`, en: `${year}-${month}-${day}`, es: `${day}/${month}/${year}` }[
    language
  ];
}

const said =
  (portuguese: string, english: string, spanish: string): Words =>
  (language) =>
    ({ 'pt-BR': portuguese, en: english, es: spanish })[language];
