import { isoOf } from '#core/kernel.ts';
import type { Language } from '#core/notifying.ts';
import type { PageAnswer } from '#features/people/payments/ports.ts';
import { type BillingDeps, type Declined, end, merged, type Outcome, priceOf } from './billing.ts';
import {
  type Card,
  type CheckoutSession,
  type Customer,
  type SandboxSubscription,
  thingOf,
  things,
  withBody,
} from './objects.ts';
import { gonePage, type Html, html, money, page, WORDS } from './page-frame.ts';
import {
  amountOfChange,
  changePlan,
  expireSession,
  type Purchase,
  paymentFailed,
  sellPlan,
} from './purchase.ts';
import { onCustomer, runningOf, type SandboxDeps } from './sandbox-provider.ts';
import { cardDueAt, deliverFor } from './sandbox-tick.ts';
import { type CardFault, readCard, TEST_CARDS } from './test-cards.ts';

/** Fields of a card, with the first test card written in: whoever tries the way through has to click only. */
export function cardFields(language: Language, nowMs: number): Html {
  const words = WORDS[language];
  const year = String((new Date(nowMs).getUTCFullYear() + 2) % 100).padStart(2, '0');
  const [first] = TEST_CARDS;
  const options = TEST_CARDS.map(({ number }) => html`<option value="${number}"></option>`);
  return html`<label>${words.number}<input name="number" list="cards" inputmode="numeric" autocomplete="off" maxlength="30" required value="${first?.number ?? ''}"></label>
<datalist id="cards">${options}</datalist>
<label>${words.expiry}<input name="expiry" autocomplete="off" maxlength="7" required value="12/${year}"></label>
<label>${words.code}<input name="code" inputmode="numeric" autocomplete="off" maxlength="4" required value="123"></label>`;
}

export function testCardList(language: Language): Html {
  const words = WORDS[language];
  const rows = TEST_CARDS.map(
    ({ number, behaviour }) =>
      html`<tr><th scope="row"><code>${number}</code></th><td>${words.behaviours[behaviour]}</td></tr>`,
  );
  return html`<section><h2>${words.testCards}</h2><table>${rows}</table></section>`;
}

type Fault = CardFault | Declined['declined'];

export async function showCheckout(deps: SandboxDeps, id: string): Promise<PageAnswer> {
  const found = await sessionOf(deps, id);
  return found === null ? gonePage() : checkoutPage(deps, found.session, found.customer, null);
}

/** The person pressed the button: charges once, however often it was pressed. */
export async function payCheckout(deps: SandboxDeps, id: string, form: URLSearchParams): Promise<PageAnswer> {
  const found = await sessionOf(deps, id);
  if (found === null) return gonePage();
  const { session, customer } = found;
  if (session.body.status !== 'open') return checkoutPage(deps, session, customer, null);
  const card = readCard(
    { number: form.get('number') ?? '', expiry: form.get('expiry') ?? '' },
    deps.now(),
    `card_${deps.newId()}`,
  );
  if ('fault' in card) return checkoutPage(deps, session, customer, card.fault);
  const declined = await settle(deps, session, card);
  if (declined !== null) {
    await deliverFor(deps, customer.id);
    return checkoutPage(deps, session, customer, declined);
  }
  const now = await sessionOf(deps, id);
  // too late after all, or the plan was there already
  if (now?.session.body.status !== 'complete') return showCheckout(deps, id);
  await deliverFor(deps, customer.id);
  return { seeOther: successUrl(session) };
}

async function sessionOf(deps: SandboxDeps, id: string) {
  const session = thingOf('checkout_session', await deps.queries.objectById(id));
  const customer = thingOf('customer', await deps.queries.objectById(session?.customer_id ?? ''));
  return session === null || customer === null ? null : { session, customer };
}

async function settle(
  deps: SandboxDeps,
  { id, customer_id }: CheckoutSession,
  card: Card,
): Promise<Declined['declined'] | null> {
  let declined: Declined['declined'] | null = null;
  await onCustomer(deps, customer_id ?? '', async (customer, work) => {
    declined = null;
    const session = thingOf('checkout_session', await deps.queries.objectById(id));
    if (session === null || session.body.status !== 'open' || work.at >= session.body.expires_at) return null;
    // what runs is looked at again, however it was when the page was opened: nobody pays for two at once
    const outcome = await purchase(deps, work, { session, customer, card });
    if ('declined' in outcome) {
      declined = outcome.declined;
      return paymentFailed(session, outcome.amount);
    }
    return rememberingExpiry(outcome, card, work.at);
  });
  return declined;
}

/** Sells a plan, or changes the one that runs; a page for the very plan that runs already closes and charges nothing. */
async function purchase(deps: SandboxDeps, work: BillingDeps, wish: Purchase): Promise<Outcome | Declined> {
  const running = await runningOf(deps, wish.customer.id);
  const [held] = running.filter(isBegun);
  if (held === undefined) {
    const sold = sellPlan(work, wish);
    if ('declined' in sold) return sold;
    const invoices = running.map(({ body }) => deps.queries.objectById(body.open_invoice ?? ''));
    const unpaid = things(
      'invoice',
      (await Promise.all(invoices)).flatMap((row) => row ?? []),
    );
    const given = unpaid.map((invoice) => withBody(invoice, work.at, { status: 'void' }));
    // what still waits for its money is given up for it
    return merged(...running.map((waiting) => end(work, waiting)), { puts: given, events: [] }, sold);
  }
  if (held.body.plan === wish.session.body.plan) return expireSession(work, wish.session);
  return changePlan(work, held, wish);
}

const isBegun = ({ body }: SandboxSubscription): boolean => body.status !== 'incomplete';

/** The customer's row also says when the card has to be looked at. */
export function rememberingExpiry(outcome: Outcome, card: Card, at: string): Outcome {
  const puts = outcome.puts.map((thing) =>
    thing.kind === 'customer' ? withBody(thing as Customer, at, { card }, cardDueAt(card, at)) : thing,
  );
  return { ...outcome, puts };
}

const successUrl = ({ id, body }: CheckoutSession): string =>
  body.success_url.replaceAll('{CHECKOUT_SESSION_ID}', id);

async function checkoutPage(
  deps: SandboxDeps,
  session: CheckoutSession,
  customer: Customer,
  fault: Fault | null,
): Promise<PageAnswer> {
  const { language, status, expires_at } = session.body;
  if (status === 'complete') return paidPage(session, language);
  const isExpired = status === 'expired' || deps.now() >= Date.parse(expires_at);
  if (isExpired) return expiredPage(session, language);
  return payPage(deps, session, customer, fault);
}

async function payPage(
  deps: SandboxDeps,
  session: CheckoutSession,
  customer: Customer,
  fault: Fault | null,
): Promise<PageAnswer> {
  const { language, plan, cancel_url, success_url } = session.body;
  const words = WORDS[language];
  const running = (await runningOf(deps, customer.id)).find(isBegun) ?? null;
  const currency = running?.body.currency ?? session.body.currency;
  const price = priceOf(plan, currency);
  const due = running === null ? price : amountOfChange(running.body, plan, isoOf(deps.now()));
  const shown = money(due, currency, language);
  const content = html`<section>
<p><span class="price">${money(price, currency, language)}</span> ${words.perMonth}</p>
${running === null ? null : html`<p>${words.dueNow}: <strong>${shown}</strong></p>`}
<p class="quiet">${words.account}: ${customer.body.email}</p>
${fault === null ? null : html`<p class="fault" role="alert">${words.faults[fault]}</p>`}
<form method="post">${cardFields(language, deps.now())}
<button>${running === null ? `${words.pay} ${shown}` : words.change}</button></form>
<p><a href="${cancel_url}">${words.giveUp}</a></p></section>${testCardList(language)}`;
  const title = `${running === null ? words.checkoutTitle : words.changeTitle} ${plan}`;
  return page(language, title, content, { status: fault === null ? 200 : 402, formTargets: [success_url] });
}

function paidPage(session: CheckoutSession, language: Language): PageAnswer {
  const words = WORDS[language];
  const isPaid = session.body.payment_status === 'paid';
  return page(
    language,
    words.paidTitle,
    html`<section><p class="done">${isPaid ? words.paid : words.waiting}</p><p><a href="${successUrl(session)}">${words.goOn}</a></p></section>`,
  );
}

function expiredPage({ body }: CheckoutSession, language: Language): PageAnswer {
  const words = WORDS[language];
  const content = html`<section><p class="fault">${words.expired}</p><p><a href="${body.cancel_url}">${words.giveUp}</a></p></section>`;
  return page(language, words.goneTitle, content, { status: 410 });
}
