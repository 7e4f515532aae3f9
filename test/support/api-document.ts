import { openApiDocument } from '#adapters/http/openapi.ts';
import type { Route } from '#core/route.ts';
import type { ApiDocument } from './sample-request.ts';

type Answers = 'open' | 'closed';

const made = new Map<string, ApiDocument>();

/**
 * The document of an app, made once in a worker for all apps with the same routes: their schemas are constants of the
 * contract, and making it takes two seconds of the processor. Whoever asks reads it only.
 */
export function apiDocument(routes: readonly Route[], answers: Answers = 'open'): ApiDocument {
  const key = [answers, ...routes.map(({ method, path }) => `${method} ${path}`)].join('\n');
  // the shapes that tests need of it are checked by the test of the document
  const document = made.get(key) ?? (openApiDocument(routes, { answers }) as unknown as ApiDocument);
  made.set(key, document);
  return document;
}
