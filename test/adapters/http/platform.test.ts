import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '#test/app.ts';

type App = Awaited<ReturnType<typeof startApp>>;

describe('a gateway', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${app.base}${path}`, { headers });

  test('says that it is alive and ready', async () => {
    expect(await (await get('/healthz')).json()).toEqual({ status: 'ok', uptime_s: 0 });
    const ready = await get('/readyz');
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ ready: true, checks: { database: { ok: true } } });
  });

  test('shows its metrics to anyone at the farm, by route and never by address', async () => {
    const { token } = await app.signUp();
    await app.call('GET', '/farms/0190a5d0-0000-7000-8000-000000000000', { token });
    const text = await (await get('/metrics')).text();
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).toContain(
      'http_request_duration_seconds_count{method="GET",route="/farms/{farm_id}",status="404"} 1',
    );
    expect(text).not.toContain('0190a5d0');
  });

  test('serves docs that load nothing from elsewhere', async () => {
    const page = await get('/api/v1/docs');
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(html).not.toMatch(/https?:\/\//);
    expect(html).not.toMatch(/<script>|<style|\son\w+="/);
    const addresses = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses.length).toBe(4);
    for (const address of addresses) expect([address, (await get(address)).status]).toEqual([address, 200]);
  });

  test('takes over a sane request id and makes one otherwise', async () => {
    const own = await get('/healthz', { 'X-Request-Id': 'abc-123' });
    expect(own.headers.get('x-request-id')).toBe('abc-123');
    const odd = await get('/healthz', { 'X-Request-Id': 'a b"<script>' });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f]{12}-\d+$/);
  });

  test('answers other methods with 405 and Allow', async () => {
    const posted = await fetch(`${app.base}/healthz`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
    const route = await app.call('PATCH', '/farms/');
    expect([route.status, route.headers.get('allow')]).toEqual([405, 'POST, GET']);
  });

  test('says 404 with words for what does not exist', async () => {
    expect((await app.call('GET', '/nothing')).body).toEqual({
      detail: 'There is nothing at /api/v1/nothing',
      code: 'NOT_FOUND',
    });
  });

  test('takes collections with and without the slash, without a redirect', async () => {
    const { token } = await app.signUp();
    for (const path of ['/farms/', '/farms']) {
      const response = await fetch(`${app.base}/api/v1${path}`, {
        headers: { Authorization: `Bearer ${token}` },
        redirect: 'error',
      });
      expect([path, response.status]).toEqual([path, 200]);
    }
  });
});

describe('a hosted instance', () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp('sqlite', ['--role', 'hosted', '--metrics-token', 'prometheus-secret']);
  });
  afterAll(() => app.close());

  test('shows its metrics to the metrics token and to an ADMIN alone', async () => {
    const admin = await app.signUp({ role: 'ADMIN' });
    const owner = await app.signUp();
    const status = async (token?: string) =>
      (await fetch(`${app.base}/metrics`, token ? { headers: { Authorization: `Bearer ${token}` } } : {}))
        .status;
    expect({
      nobody: await status(),
      nonsense: await status('nonsense'),
      owner: await status(owner.token),
      admin: await status(admin.token),
      prometheus: await status('prometheus-secret'),
    }).toEqual({ nobody: 401, nonsense: 401, owner: 403, admin: 200, prometheus: 200 });
  });
});
