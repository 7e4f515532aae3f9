import { describe, expect, test } from 'vitest';
import { startApp } from '#test/app.ts';

describe('what every answer tells browsers', () => {
  test.each([
    ['at a farm, where the plain port serves on', [], null],
    ['hosted behind plain http', ['--role', 'hosted', '--public-url', 'http://farm.example'], null],
    [
      'hosted behind https',
      ['--role', 'hosted', '--public-url', 'https://farm.example'],
      'max-age=31536000; includeSubDomains',
    ],
  ])('%s', async (_where, args, hsts) => {
    await using app = await disposable(startApp('sqlite', args));
    for (const path of ['/', '/api/v1/docs', '/healthz', '/api/v1/nothing', '/docs/guide/', '/metrics']) {
      const { headers } = await fetch(`${app.base}${path}`);
      expect([path, headers.get('strict-transport-security')]).toEqual([path, hsts]);
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('permissions-policy')).toContain('microphone=()');
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      for (const strict of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        expect([path, headers.get('content-security-policy')?.split('; ')]).toEqual([
          path,
          expect.arrayContaining([strict]),
        ]);
    }
  });
});

async function disposable<App extends { close: () => Promise<unknown> }>(starting: Promise<App>) {
  const app = await starting;
  return Object.assign(app, { [Symbol.asyncDispose]: async () => void (await app.close()) });
}
