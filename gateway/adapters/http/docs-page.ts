import { fileURLToPath } from 'node:url';
import { type RequestHandler, Router } from 'express';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shrimp-farm gateway: the interface</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/v1/docs/swagger-ui.css">
</head>
<body>
<main id="interface"><p><a href="/api/v1/openapi.json">The interface as an OpenAPI document</a></p></main>
<script src="/api/v1/docs/swagger-ui-bundle.js" defer></script>
<script src="/api/v1/docs/start.js" defer></script>
</body>
</html>
`;

const START = `window.ui = SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#interface',
  deepLinking: true,
  docExpansion: 'none',
  tryItOutEnabled: false,
  persistAuthorization: false,
  // its validator would be asked over the internet
  validatorUrl: null,
});
`;

// Everything comes from this very instance: the page works at a farm without internet.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The interface to read and try in a browser; no file of it comes from elsewhere. */
export function docsPage(): Router {
  const router = Router();
  router.use(((_request, response, next) => {
    response.setHeader('Content-Security-Policy', POLICY);
    next();
  }) satisfies RequestHandler);
  router.get('/', (_request, response) => void response.type('html').send(PAGE));
  router.get('/start.js', (_request, response) => void response.type('text/javascript').send(START));
  router.get('/swagger-ui.css', fileOf('swagger-ui-dist/swagger-ui.css'));
  router.get('/swagger-ui-bundle.js', fileOf('swagger-ui-dist/swagger-ui-bundle.js'));
  return router;
}

function fileOf(
  name: 'swagger-ui-dist/swagger-ui.css' | 'swagger-ui-dist/swagger-ui-bundle.js',
): RequestHandler {
  const path = fileURLToPath(import.meta.resolve(name));
  // the library's own files, the same for everybody until the next version
  const options = { headers: { 'Cache-Control': 'public, max-age=3600' }, dotfiles: 'allow' as const };
  return (_request, response, next) => response.sendFile(path, options, (error) => error && next(error));
}
