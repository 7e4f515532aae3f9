import type { Language } from '#core/notifying.ts';
import type { PageAnswer } from '#features/people/payments/ports.ts';
import type { Declined } from './billing.ts';
import type { Behaviour, BodyOf } from './objects.ts';
import type { CardFault } from './test-cards.ts';

/** A piece of a page: text in it is escaped already. */
export type Html = { readonly markup: string };

type Part = Html | string | readonly Html[] | null;

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup whose values are escaped, unless they are markup themselves. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const pieces = texts.map((text, position) => text + markupOf(parts[position] ?? null));
  return { markup: pieces.join('') };
}

function markupOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
  // an array of pieces is the only list there is
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

type PageWords = {
  banner: string;
  goneTitle: string;
  gone: string;
  checkoutTitle: string;
  changeTitle: string;
  perMonth: string;
  dueNow: string;
  account: string;
  number: string;
  expiry: string;
  code: string;
  pay: string;
  change: string;
  giveUp: string;
  testCards: string;
  behaviours: Record<Behaviour, string>;
  faults: Record<CardFault | Declined['declined'], string>;
  paidTitle: string;
  paid: string;
  waiting: string;
  goOn: string;
  expired: string;
  portalTitle: string;
  back: string;
  subscription: string;
  noSubscription: string;
  statuses: Record<BodyOf<'subscription'>['status'], string>;
  until: string;
  endsOn: string;
  cancelIt: string;
  resume: string;
  card: string;
  noCard: string;
  cardEnding: string;
  save: string;
  invoices: string;
  noInvoices: string;
  open: string;
  payNow: string;
  address: string;
  saved: string;
  invoice: string;
  invoiceStatuses: Record<BodyOf<'invoice'>['status'], string>;
  issued: string;
  paidOn: string;
  period: string;
  amount: string;
  billedTo: string;
};

export const WORDS: Readonly<Record<Language, PageWords>> = {
  'pt-BR': {
    banner: 'Ambiente de teste: nenhum dinheiro é cobrado e nenhum cartão de verdade é aceito.',
    goneTitle: 'Página não encontrada',
    gone: 'Esta página não existe ou expirou. Volte ao aplicativo e peça uma nova.',
    checkoutTitle: 'Assinar o plano',
    changeTitle: 'Mudar para o plano',
    perMonth: 'por mês',
    dueNow: 'A pagar agora',
    account: 'Conta',
    number: 'Número do cartão',
    expiry: 'Validade (MM/AA)',
    code: 'Código de segurança',
    pay: 'Pagar',
    change: 'Confirmar a mudança',
    giveUp: 'Desistir e voltar',
    testCards: 'Cartões de teste',
    behaviours: {
      pays: 'paga sempre',
      declined: 'é recusado',
      fails_later: 'paga agora e falha na renovação',
      pays_later: 'o pagamento chega um minuto depois, como um boleto',
    },
    faults: {
      not_a_test_card: 'Use um dos cartões de teste abaixo; cartões de verdade não são aceitos aqui.',
      expiry_unreadable: 'Escreva a validade como MM/AA.',
      expired: 'Este cartão está vencido.',
      card_declined: 'O cartão foi recusado. Tente outro; nada foi cobrado.',
      expired_card: 'Este cartão está vencido. Tente outro; nada foi cobrado.',
      no_card: 'Cadastre um cartão primeiro.',
    },
    paidTitle: 'Pagamento concluído',
    paid: 'Recebemos o pagamento. O plano já vale.',
    waiting: 'O pagamento está a caminho. O plano vale assim que ele chegar.',
    goOn: 'Voltar ao aplicativo',
    expired: 'Esta página de pagamento expirou. Nada foi cobrado.',
    portalTitle: 'Cobrança',
    back: 'Voltar ao aplicativo',
    subscription: 'Assinatura',
    noSubscription: 'Não há assinatura paga.',
    statuses: {
      incomplete: 'aguardando o pagamento',
      active: 'ativa',
      past_due: 'pagamento em atraso',
      canceled: 'cancelada',
    },
    until: 'Próxima cobrança em',
    endsOn: 'Termina em',
    cancelIt: 'Cancelar no fim do período',
    resume: 'Manter a assinatura',
    card: 'Forma de pagamento',
    noCard: 'Nenhum cartão cadastrado.',
    cardEnding: 'Cartão com final',
    save: 'Salvar',
    invoices: 'Faturas',
    noInvoices: 'Ainda não há faturas.',
    open: 'Abrir',
    payNow: 'Pagar agora',
    address: 'Endereço de cobrança',
    saved: 'Salvo.',
    invoice: 'Fatura',
    invoiceStatuses: { open: 'em aberto', paid: 'paga', void: 'anulada' },
    issued: 'Emitida em',
    paidOn: 'Paga em',
    period: 'Período',
    amount: 'Valor',
    billedTo: 'Cliente',
  },
  en: {
    banner: 'Test environment: no money is charged and no real card is accepted.',
    goneTitle: 'Page not found',
    gone: 'This page does not exist or has expired. Go back to the application and ask for a new one.',
    checkoutTitle: 'Subscribe to',
    changeTitle: 'Change to',
    perMonth: 'a month',
    dueNow: 'Due now',
    account: 'Account',
    number: 'Card number',
    expiry: 'Valid until (MM/YY)',
    code: 'Security code',
    pay: 'Pay',
    change: 'Confirm the change',
    giveUp: 'Cancel and go back',
    testCards: 'Test cards',
    behaviours: {
      pays: 'always pays',
      declined: 'is declined',
      fails_later: 'pays now and fails at the renewal',
      pays_later: 'the payment arrives a minute later, as from a bank',
    },
    faults: {
      not_a_test_card: 'Use one of the test cards below; real cards are not accepted here.',
      expiry_unreadable: 'Write the expiry as MM/YY.',
      expired: 'This card has expired.',
      card_declined: 'The card was declined. Try another one; nothing was charged.',
      expired_card: 'This card has expired. Try another one; nothing was charged.',
      no_card: 'Enter a card first.',
    },
    paidTitle: 'Payment complete',
    paid: 'We received the payment. Your plan is active.',
    waiting: 'The payment is on its way. Your plan is active as soon as it arrives.',
    goOn: 'Back to the application',
    expired: 'This payment page has expired. Nothing was charged.',
    portalTitle: 'Billing',
    back: 'Back to the application',
    subscription: 'Subscription',
    noSubscription: 'There is no paid subscription.',
    statuses: {
      incomplete: 'waiting for the payment',
      active: 'active',
      past_due: 'payment overdue',
      canceled: 'cancelled',
    },
    until: 'Next payment on',
    endsOn: 'Ends on',
    cancelIt: 'Cancel at the end of the period',
    resume: 'Keep the subscription',
    card: 'Payment method',
    noCard: 'No card yet.',
    cardEnding: 'Card ending in',
    save: 'Save',
    invoices: 'Invoices',
    noInvoices: 'No invoices yet.',
    open: 'Open',
    payNow: 'Pay now',
    address: 'Billing address',
    saved: 'Saved.',
    invoice: 'Invoice',
    invoiceStatuses: { open: 'open', paid: 'paid', void: 'void' },
    issued: 'Issued on',
    paidOn: 'Paid on',
    period: 'Period',
    amount: 'Amount',
    billedTo: 'Customer',
  },
  es: {
    banner: 'Ambiente de prueba: no se cobra dinero y no se acepta ninguna tarjeta de verdad.',
    goneTitle: 'Página no encontrada',
    gone: 'Esta página no existe o venció. Vuelva a la aplicación y pida una nueva.',
    checkoutTitle: 'Suscribirse al plan',
    changeTitle: 'Cambiar al plan',
    perMonth: 'por mes',
    dueNow: 'Por pagar ahora',
    account: 'Cuenta',
    number: 'Número de la tarjeta',
    expiry: 'Vencimiento (MM/AA)',
    code: 'Código de seguridad',
    pay: 'Pagar',
    change: 'Confirmar el cambio',
    giveUp: 'Desistir y volver',
    testCards: 'Tarjetas de prueba',
    behaviours: {
      pays: 'paga siempre',
      declined: 'es rechazada',
      fails_later: 'paga ahora y falla en la renovación',
      pays_later: 'el pago llega un minuto después, como una transferencia',
    },
    faults: {
      not_a_test_card: 'Use una de las tarjetas de prueba de abajo; aquí no se aceptan tarjetas de verdad.',
      expiry_unreadable: 'Escriba el vencimiento como MM/AA.',
      expired: 'Esta tarjeta está vencida.',
      card_declined: 'La tarjeta fue rechazada. Pruebe otra; no se cobró nada.',
      expired_card: 'Esta tarjeta está vencida. Pruebe otra; no se cobró nada.',
      no_card: 'Registre una tarjeta primero.',
    },
    paidTitle: 'Pago completado',
    paid: 'Recibimos el pago. El plan ya vale.',
    waiting: 'El pago está en camino. El plan vale en cuanto llegue.',
    goOn: 'Volver a la aplicación',
    expired: 'Esta página de pago venció. No se cobró nada.',
    portalTitle: 'Cobro',
    back: 'Volver a la aplicación',
    subscription: 'Suscripción',
    noSubscription: 'No hay suscripción pagada.',
    statuses: {
      incomplete: 'esperando el pago',
      active: 'activa',
      past_due: 'pago atrasado',
      canceled: 'cancelada',
    },
    until: 'Próximo cobro el',
    endsOn: 'Termina el',
    cancelIt: 'Cancelar al fin del período',
    resume: 'Mantener la suscripción',
    card: 'Forma de pago',
    noCard: 'Ninguna tarjeta registrada.',
    cardEnding: 'Tarjeta terminada en',
    save: 'Guardar',
    invoices: 'Facturas',
    noInvoices: 'Todavía no hay facturas.',
    open: 'Abrir',
    payNow: 'Pagar ahora',
    address: 'Dirección de cobro',
    saved: 'Guardado.',
    invoice: 'Factura',
    invoiceStatuses: { open: 'pendiente', paid: 'pagada', void: 'anulada' },
    issued: 'Emitida el',
    paidOn: 'Pagada el',
    period: 'Período',
    amount: 'Monto',
    billedTo: 'Cliente',
  },
};

/** Stands between the style tags of every page exactly so: the content policy knows it by its hash. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --bg: #e8eaeb; --card: #f7f8f8; --text: #1b2023; --muted: #4f585d; --border: #7e888e; --line: #c9cfd2; --run: #2b3338; --run-text: #f7f8f8; --pending: #1268a5; --p1: #d60000; --p2: #f48c25; }
@media (prefers-color-scheme: dark) { :root { --bg: #101416; --card: #1a2023; --text: #e6eaec; --muted: #a3adb2; --border: #6c777d; --line: #343d42; --run: #b4bdc2; --run-text: #101416; --pending: #4794eb; --p1: #f04c67; --p2: #ff9933; } }
body { font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums; color: var(--text); background: var(--bg); margin: 0; }
main { max-width: 34rem; margin: 0 auto; padding: 1rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1rem; margin: 0 0 1rem; }
h1 { font-size: 1.35rem; margin: .5rem 0 1rem; }
h2 { font-size: 1.1rem; margin: 0 0 .6rem; }
.banner, .fault, .done { background: var(--card); border: 1px solid var(--line); border-left: 5px solid var(--border); border-radius: 8px; padding: .6rem .8rem; }
.banner { border-left-color: var(--p2); }
.fault { border-left-color: var(--p1); }
.done { border-left-color: var(--pending); }
.price { font-size: 1.6rem; font-weight: 600; }
.quiet { color: var(--muted); font-size: .9rem; overflow-wrap: anywhere; }
label { display: block; margin: .7rem 0; font-weight: 500; }
input, textarea { display: block; width: 100%; box-sizing: border-box; min-height: 48px; font: inherit; color: inherit; background: var(--bg); padding: 6px 10px; border: 1.5px solid var(--border); border-radius: 8px; }
button { font: inherit; font-weight: 500; min-height: 48px; padding: 4px 16px; border: 1.5px solid var(--run); border-radius: 8px; background: var(--run); color: var(--run-text); cursor: pointer; margin: .3rem .5rem .3rem 0; }
button.second { background: var(--card); color: var(--text); border: 2px solid var(--p1); }
a { color: inherit; text-underline-offset: 3px; display: inline-flex; align-items: center; min-height: 44px; }
:focus-visible { outline: 3px solid var(--pending); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .5rem .4rem 0; border-bottom: 1px solid var(--line); font-weight: normal; }
tr:last-child > * { border-bottom: 0; }
td:last-child { text-align: right; }
code { white-space: nowrap; }
`;

/** A whole page. `formTargets`: where its forms lead besides this instance. */
export function page(
  language: Language,
  title: string,
  content: Html,
  { status = 200, formTargets = [] }: { status?: number; formTargets?: readonly string[] } = {},
): PageAnswer {
  const { markup } = html`<html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title}</title><style>${{ markup: PAGE_STYLE }}</style></head>
<body><main><p class="banner">${WORDS[language].banner}</p><h1>${title}</h1>${content}</main></body></html>`;
  return { status, html: `<!doctype html>${markup}`, style: PAGE_STYLE, formTargets };
}

/** A page there is not, or not any more; it does not tell which. */
export function gonePage(): PageAnswer {
  const { en, 'pt-BR': pt } = WORDS;
  const content = html`<section><p>${pt.gone}</p><p lang="en">${en.gone}</p></section>`;
  return page('pt-BR', pt.goneTitle, content, { status: 404 });
}

export function money(hundredths: number, currency: string, language: Language): string {
  const text = (hundredths / 100).toFixed(2);
  return `${currency === 'BRL' ? 'R$' : 'US$'} ${{ 'pt-BR': text.replace('.', ','), en: text, es: text.replace('.', ',') }[language]}`;
}

export function day(instant: string, language: Language): string {
  const [year, month, date] = instant.slice(0, 10).split('-');
  return {
    'pt-BR': `${date}/${month}/${year}`,
    en: `${year}-${month}-${date}`,
    es: `${date}/${month}/${year}`,
  }[language];
}
