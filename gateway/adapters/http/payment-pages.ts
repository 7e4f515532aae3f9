import { createHash } from 'node:crypto';
import { type RequestHandler, Router } from 'express';
import type { PageAnswer, PaymentPages } from '#features/people/payments/ports.ts';
import { wrongMethod } from './app.ts';
import { readFile } from './read-json-body.ts';
import { noteRoute } from './request-frame.ts';

/** What follows opens a checkout or an account. */
const PAGES = 'pages of the payment provider';
const FORM = { media: 'application/x-www-form-urlencoded', maxBytes: 16_384 };

/** The pages of the built-in payment provider: plain forms, no script, nothing from elsewhere. */
export function paymentPages(pages: PaymentPages): Router {
  const router = Router();
  router.use((async (request, response) => {
    const { method } = request;
    noteRoute(response, PAGES);
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') throw wrongMethod(method, 'GET, POST');
    const isPost = method === 'POST';
    const form = new URLSearchParams(isPost ? (await readFile(request, FORM)).toString('utf8') : '');
    const path = request.path.split('/').filter(Boolean);
    const answer = await pages({ method: isPost ? 'POST' : 'GET', path, form });
    if ('seeOther' in answer) {
      response.status(303).setHeader('Location', answer.seeOther);
      response.end();
      return;
    }
    response.setHeader('Content-Security-Policy', policyOf(answer));
    response.status(answer.status).type('html').send(answer.html);
  }) satisfies RequestHandler);
  return router;
}

/** Its own style and its own forms; a browser follows a form on to the address behind it only if that is named, too. */
function policyOf({ style, formTargets }: Extract<PageAnswer, { html: string }>): string {
  const hash = createHash('sha256').update(style).digest('base64');
  const targets = ["'self'", ...formTargets.map(sourceOf)].join(' ');
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    'img-src data:',
    `form-action ${targets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sourceOf(address: string): string {
  const { origin, protocol, hostname } = new URL(address);
  // the policy has no words for an IPv6 address
  return hostname.startsWith('[') ? protocol : origin;
}
