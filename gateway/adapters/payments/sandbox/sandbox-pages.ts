import type { Language } from '#core/notifying.ts';
import type { PageAnswer, PaymentPages } from '#features/people/payments/ports.ts';
import { payCheckout, showCheckout } from './checkout-page.ts';
import { thingOf } from './objects.ts';
import type { SandboxDeps } from './on-customer.ts';
import { day, gonePage, html, money, page, WORDS } from './page-frame.ts';
import { showPortal, usePortal } from './portal-page.ts';

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
