import type { Language } from '#core/notifying.ts';
import type { Declined } from './billing.ts';
import type { Behaviour, BodyOf } from './objects.ts';
import type { CardFault } from './test-cards.ts';

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
};
