import type { Language } from '#core/notifying.ts';
import type { PageAnswer, PaymentPages } from '#features/people/payments/ports.ts';
import { attempt, cancelAtPeriodEnd, type Outcome, priceOf } from './billing.ts';
import { cardFields, payCheckout, rememberingExpiry, showCheckout, testCardList } from './checkout-page.ts';
import {
  type Customer,
  type Invoice,
  type PortalSession,
  type SandboxSubscription,
  thingOf,
  things,
  withBody,
} from './objects.ts';
import { day, gonePage, type Html, html, money, page, WORDS } from './page-frame.ts';
import { onCustomer, portalId, type SandboxDeps, subscriptionOfCustomer } from './sandbox-provider.ts';
import { deliverFor } from './sandbox-tick.ts';
import { type CardFault, readCard } from './test-cards.ts';

type Told = { fault: CardFault } | { fault: 'card_declined' } | 'saved' | null;

const INVOICES_SHOWN = 36;
const MAX_ADDRESS = 500;

async function showPortal(deps: SandboxDeps, token: string): Promise<PageAnswer> {
  const session = await openSession(deps, token);
  return session === null ? gonePage() : portalPage(deps, session, null);
}

async function usePortal(deps: SandboxDeps, token: string, form: URLSearchParams): Promise<PageAnswer> {
  const session = await openSession(deps, token);
  if (session === null) return gonePage();
  const customerId = session.customer_id ?? '';
  const told = await act(deps, customerId, form);
  await deliverFor(deps, customerId);
  // asked for again by a GET, so that a reload does nothing twice
  if (told === 'saved') return { seeOther: `/api/v1/payment/sandbox/portal/${token}` };
  return portalPage(deps, session, told);
}

async function openSession(deps: SandboxDeps, token: string): Promise<PortalSession | null> {
  const session = thingOf('portal_session', await deps.queries.objectById(portalId(token)));
  if (session === null || deps.now() >= Date.parse(session.body.expires_at)) return null;
  return session;
}

async function act(deps: SandboxDeps, customerId: string, form: URLSearchParams): Promise<Told> {
  switch (form.get('action')) {
    case 'card':
      return saveCard(deps, customerId, form);
    case 'pay':
      return payOpen(deps, customerId);
    case 'cancel':
      return plan(deps, customerId, { isPlanned: true });
    case 'resume':
      return plan(deps, customerId, { isPlanned: false });
    case 'address': {
      const address = (form.get('address') ?? '').slice(0, MAX_ADDRESS).trim();
      await onCustomer(deps, customerId, (customer, { at }) => ({
        puts: [withBody(customer, at, { address })],
        events: [],
      }));
      return 'saved';
    }
    default:
      return null;
  }
}

async function saveCard(deps: SandboxDeps, customerId: string, form: URLSearchParams): Promise<Told> {
  const typed = { number: form.get('number') ?? '', expiry: form.get('expiry') ?? '' };
  const card = readCard(typed, deps.now(), `card_${deps.newId()}`);
  if ('fault' in card) return card;
  if (card.behaviour === 'declined') return { fault: 'card_declined' };
  await onCustomer(deps, customerId, (customer, { at }) =>
    rememberingExpiry({ puts: [customer], events: [] }, card, at),
  );
  // who enters a new card while a payment is missing wants it made
  const tried = await payOpen(deps, customerId);
  return tried ?? 'saved';
}

async function payOpen(deps: SandboxDeps, customerId: string): Promise<Told> {
  let told: Told = null;
  await onCustomer(deps, customerId, async (customer, work) => {
    told = null;
    const subscription = await subscriptionOfCustomer(deps, customerId);
    const invoice = thingOf('invoice', await deps.queries.objectById(subscription?.body.open_invoice ?? ''));
    if (subscription?.body.status !== 'past_due' || invoice?.body.status !== 'open') return null;
    const outcome = attempt(work, { subscription, invoice, customer }, 'present');
    const isPaid = outcome.events.some(({ type }) => type === 'invoice.paid');
    told = isPaid ? 'saved' : { fault: 'card_declined' };
    // a try by hand that fails uses up none of the calendar's
    return isPaid ? outcome : null;
  });
  return told;
}

async function plan(deps: SandboxDeps, customerId: string, wish: { isPlanned: boolean }): Promise<Told> {
  await onCustomer(deps, customerId, async (_customer, work): Promise<Outcome | null> => {
    const subscription = await subscriptionOfCustomer(deps, customerId);
    if (subscription === null || subscription.body.status === 'canceled') return null;
    if (subscription.body.cancel_at_period_end === wish.isPlanned) return null;
    return cancelAtPeriodEnd(work, subscription, wish);
  });
  return 'saved';
}

async function portalPage(deps: SandboxDeps, session: PortalSession, told: Told): Promise<PageAnswer> {
  const customerId = session.customer_id ?? '';
  const customer = thingOf('customer', await deps.queries.objectById(customerId));
  if (customer === null) return gonePage();
  const { language, return_url } = session.body;
  const words = WORDS[language];
  const subscription = await subscriptionOfCustomer(deps, customerId);
  const invoices = things('invoice', await deps.queries.objectsOf(customerId, 'invoice', INVOICES_SHOWN));
  const fault = told === null || told === 'saved' ? null : told.fault;
  const content = html`<p><a href="${return_url}">${words.back}</a></p>
${fault === null ? null : html`<p class="fault" role="alert">${words.faults[fault]}</p>`}
${subscriptionPart(subscription, language)}
${cardPart(customer, language, deps.now())}
${invoicesPart(invoices, language)}
<section><h2>${words.address}</h2><form method="post"><input type="hidden" name="action" value="address">
<textarea name="address" rows="3" maxlength="500" aria-label="${words.address}">${customer.body.address}</textarea>
<button>${words.save}</button></form></section>${testCardList(language)}`;
  return page(language, words.portalTitle, content, { status: fault === null ? 200 : 402 });
}

function subscriptionPart(subscription: SandboxSubscription | null, language: Language): Html {
  const words = WORDS[language];
  if (subscription === null)
    return html`<section><h2>${words.subscription}</h2><p>${words.noSubscription}</p></section>`;
  const { plan: name, currency, status, cancel_at_period_end, period_end } = subscription.body;
  const price = money(priceOf(name, currency), currency, language);
  const isOver = status === 'canceled';
  const next = html`<p>${cancel_at_period_end ? words.endsOn : words.until} ${day(period_end, language)}</p>`;
  return html`<section><h2>${words.subscription}</h2>
<p><strong>${name}</strong>, ${price} ${words.perMonth}: ${words.statuses[status]}</p>
${isOver ? null : next}
${status === 'past_due' ? button('pay', words.payNow) : null}
${isOver ? null : cancel_at_period_end ? button('resume', words.resume) : button('cancel', words.cancelIt, 'second')}
</section>`;
}

function button(action: string, text: string, kind = ''): Html {
  return html`<form method="post"><button name="action" value="${action}" class="${kind}">${text}</button></form>`;
}

function cardPart({ body: { card } }: Customer, language: Language, nowMs: number): Html {
  const words = WORDS[language];
  const current =
    card === null
      ? words.noCard
      : `${words.cardEnding} ${card.last4}, ${String(card.exp_month).padStart(2, '0')}/${card.exp_year}`;
  return html`<section><h2>${words.card}</h2><p>${current}</p><form method="post">
<input type="hidden" name="action" value="card">${cardFields(language, nowMs)}<button>${words.save}</button></form></section>`;
}

function invoicesPart(invoices: readonly Invoice[], language: Language): Html {
  const words = WORDS[language];
  const rows = invoices.map(
    ({ body, created_at }) =>
      html`<tr><th scope="row">${day(created_at, language)}</th><td>${money(body.amount, body.currency, language)}</td>
<td>${words.invoiceStatuses[body.status]}</td><td><a href="${new URL(body.url).pathname}">${words.open}</a></td></tr>`,
  );
  const list = rows.length === 0 ? html`<p>${words.noInvoices}</p>` : html`<table>${rows}</table>`;
  return html`<section><h2>${words.invoices}</h2>${list}</section>`;
}

/** The pages of the built-in provider. Whoever knows an address may use it: they cannot be guessed, and end. */
export function sandboxPages(deps: SandboxDeps): PaymentPages {
  return async ({ method, path, form }) => {
    const [kind, id = '', ...more] = path;
    if (more.length > 0) return gonePage();
    switch (kind) {
      case 'checkout':
        return method === 'GET' ? showCheckout(deps, id) : payCheckout(deps, id, form);
      case 'portal':
        return method === 'GET' ? showPortal(deps, id) : usePortal(deps, id, form);
      case 'invoices':
        return invoicePage(deps, id);
      default:
        return gonePage();
    }
  };
}

/** One invoice, to keep or print. */
async function invoicePage(deps: SandboxDeps, id: string): Promise<PageAnswer> {
  const invoice = thingOf('invoice', await deps.queries.objectById(id));
  const customer = thingOf('customer', await deps.queries.objectById(invoice?.customer_id ?? ''));
  if (invoice === null || customer === null) return gonePage();
  const { body, created_at } = invoice;
  const language: Language = body.currency === 'USD' ? 'en' : 'pt-BR';
  const words = WORDS[language];
  const { name, email, address } = customer.body;
  const rows: [string, string][] = [
    [words.billedTo, [name, email, address].filter(Boolean).join(', ')],
    [words.subscription, body.plan],
    [words.period, `${day(body.period_start, language)} – ${day(body.period_end, language)}`],
    [words.amount, money(body.amount, body.currency, language)],
    [words.issued, day(created_at, language)],
    ...(body.paid_at === null ? [] : [[words.paidOn, day(body.paid_at, language)] as [string, string]]),
  ];
  const lines = rows.map(([what, value]) => html`<tr><th scope="row">${what}</th><td>${value}</td></tr>`);
  const content = html`<section><p>${words.invoiceStatuses[body.status]}</p><table>${lines}</table></section>`;
  return page(language, `${words.invoice} ${body.number}`, content);
}
