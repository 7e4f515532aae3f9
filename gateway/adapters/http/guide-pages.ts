import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { type RequestHandler, Router } from 'express';

// The documents as pages, for a farm without internet. Which files there are is listed once, when the first is asked for;
// a path of a request is only looked up in that list and never reaches the file system.

/** The guide's folder by what a browser asks for. */
const LANGUAGES = { 'pt-BR': 'pt-br', pt: 'pt-br', en: 'en', es: 'es' } as const;

/** Examples and dashboards are shown as text, whatever their ending: nothing of a document is ever run. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
};

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves what scripts/build-guide.mjs made; the address without a page leads to the contents in the reader's language. */
export function guidePages(folder: string): Router {
  let found: ReadonlyMap<string, string> | undefined;
  const router = Router({ strict: true });
  router.use(((request, response, next) => {
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (request.method === 'GET' || request.method === 'HEAD') return next();
    response.setHeader('Allow', 'GET, HEAD');
    response.status(405).type('text/plain').send('GET only\n');
  }) satisfies RequestHandler);
  router.use(((request, response, next) => {
    found ??= new Map(listed(folder).map((name) => [`/${name}`, path.join(folder, name)]));
    const files = found;
    if (request.path === '/' && files.has('/en/index.html')) {
      // Portuguese where the browser names none, as in the console
      const wanted = request.acceptsLanguages(Object.keys(LANGUAGES)) || 'pt-BR';
      response.setHeader('Vary', 'Accept-Language');
      return response.redirect(302, `/docs/guide/${LANGUAGES[wanted as keyof typeof LANGUAGES]}/index.html`);
    }
    const name = request.path.endsWith('/') ? `${request.path}index.html` : request.path;
    const file = files.get(name);
    if (file === undefined) {
      return response
        .status(404)
        .type('text/plain')
        .send('No such page / Página não encontrada / Página no encontrada: /docs/guide\n');
    }
    const headers = {
      'Content-Type': TYPES[path.extname(name)] ?? 'text/plain; charset=utf-8',
      'Cache-Control': 'no-cache',
    };
    response.sendFile(file, { headers, dotfiles: 'allow' }, (error) => error && next(error));
  }) satisfies RequestHandler);
  return router;
}

/** Empty where the guide was not built: then every page is unknown. */
function listed(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !path.basename(name).startsWith('.') && statSync(path.join(folder, name)).isFile())
      .map((name) => name.split(path.sep).join('/'));
  } catch {
    return [];
  }
}
