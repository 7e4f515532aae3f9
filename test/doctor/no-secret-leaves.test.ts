import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newRecoveryKey } from '#adapters/backup/recovery-key.ts';
import { aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { aProgram } from '#test/programs.ts';
import { readBundle } from '#test/read-bundle.ts';
import { readConfig } from '../../gateway/config.ts';
import { secretsOf, shownConfig, strikeOut } from '../../gateway/doctor/strike-out.ts';

const GIVEN = {
  'jwt-secret': 'a-jwt-secret-of-at-least-32-characters',
  'metrics-token': 'a-metrics-token-1234',
  'smtp-url': 'smtps://post%40farm:mail-pass-w0rd@mail.example:465',
  'stripe-secret-key': 'sk_test_abcDEF0123456789',
  'stripe-webhook-secret': 'whsec_abcDEF0123456789',
};
const flags = Object.entries(GIVEN).flatMap(([name, value]) => [`--${name}`, value]);
const PASSWORD = 'a-Very-secret-password-77';

/** Every kind of secret that this instance makes or holds, by what it is. */
async function allSecrets(app: Awaited<ReturnType<typeof startApp>>): Promise<Map<string, string>> {
  const secrets = new Map<string, string>(Object.entries(GIVEN));
  secrets.set('mail password', 'mail-pass-w0rd');
  secrets.set('recovery key', newRecoveryKey().text);
  const { token, farmId } = await aFarmWith(app);
  secrets.set('session', token);
  const owner = await app.signUp({ password: PASSWORD });
  const farm = await app.call('POST', '/farms/', { token: owner.token, body: { name: 'Leste' } });
  secrets.set('access token', (await aProgram(app, owner, ['read'])).token);
  const invited = await app.call('POST', `/farms/${String(body(farm)['id'])}/invitations`, {
    token: owner.token,
    body: { email: 'bia@farm.test', role: 'MANAGER' },
  });
  const { id } = await aControlPoint(app, { token, farmId });
  const made = await app.call('POST', `/control-points/${id}/device-key`, { token });
  secrets.set('controller key', String(body(made)['key']));
  const channel = await app.call('POST', '/notification-channels/', {
    token,
    body: { kind: 'WEBHOOK', address: 'https://example.com/hook?token=hook-t0ken-1', types: ['ALERT'] },
  });
  secrets.set('channel secret', String(body(channel)['secret']));
  expect([made.status, channel.status, invited.status]).toEqual([201, 201, 201]);
  secrets.set('invitation', String(body(invited)['code']));
  for (const { id: name, value } of await app.database.read
    .selectFrom('instance_values')
    .selectAll()
    .execute())
    if (!['good_time', 'authority_pin', 'target_epoch'].includes(name)) secrets.set(name, value);
  const tls = join(app.config.data, 'tls');
  for (const name of readdirSync(tls)) {
    const keys = [
      ...readFileSync(join(tls, name), 'utf8').matchAll(/-----BEGIN PRIVATE KEY-----\\n(\S{40,}?)\\n/g),
    ];
    keys.forEach(([, line], n) => secrets.set(`${name} ${n}`, line ?? ''));
  }
  expect([...secrets].filter(([, secret]) => secret === 'undefined')).toEqual([]);
  return secrets;
}

describe('a support bundle', () => {
  it('holds none of the secrets of the box, though every one stood in the log', async () => {
    const app = await startApp('sqlite', flags);
    try {
      const secrets = await allSecrets(app);
      const admin = await app.signUp({ role: 'ADMIN' });
      for (const [what, secret] of [...secrets, ['password', PASSWORD]]) {
        const fields = what === 'password' ? { password: secret } : { detail: `${what} was ${secret}, look` };
        app.kernel.log.warn({ what, ...fields }, `the secret ${what} slipped into the log`);
      }
      app.kernel.log.warn({ to: 'ana@farm.example' }, 'an address slipped into the log');
      const response = await fetch(`${app.base}/api/v1/system/support-bundle`, {
        headers: { Authorization: `Bearer ${admin.token}` },
      });
      const text = [...readBundle(new Uint8Array(await response.arrayBuffer())).values()].join('\n');
      expect(text).toContain('slipped into the log');
      expect(secrets.size).toBeGreaterThan(12);
      const leaked = [
        ...secrets,
        ['password', PASSWORD],
        ['admin session', admin.token],
        ['mail', 'ana@farm.example'],
      ].filter(
        ([, secret = '']) =>
          secret !== '' && (text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1))),
      );
      expect(leaked).toEqual([]);
      expect(text).not.toContain('BEGIN');
    } finally {
      await app.close();
    }
  });

  it('is bounded, whatever the log holds', async () => {
    const app = await startApp('sqlite');
    try {
      const admin = await app.signUp({ role: 'ADMIN' });
      // words that do not pack well
      const noise = (n: number) =>
        Array.from({ length: 400 }, (_, at) => ((n * 7_919 + at * 104_729) % 9_973).toString(36)).join(' ');
      for (let n = 0; n < 3_000; n += 1) app.kernel.log.warn({ text: noise(n) }, `sentence ${n}`);
      const response = await fetch(`${app.base}/api/v1/system/support-bundle`, {
        headers: { Authorization: `Bearer ${admin.token}` },
      });
      const packed = new Uint8Array(await response.arrayBuffer());
      expect(packed.length).toBeLessThan(1_500_000);
      for (const text of readBundle(packed).values()) expect(text.length).toBeLessThan(1_200_000);
    } finally {
      await app.close();
    }
  });
});

describe('what leaves the box', () => {
  const strike = strikeOut([]);
  it.each([
    ['a login', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123'],
    ['a token of a program', 'sfat_0123456789abcdefghijABCDEFGHIJ0123456789abcdefghi'],
    ['a key of Stripe', 'sk_live_51abcDEF'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END PRIVATE KEY-----'],
    ['a recovery key', newRecoveryKey().text],
    ['a key of a controller', 'qJ3nB5l0ZpXw7VtYc2R9sKf8mHd1gTuEaQoLiNvMxC0'],
    ['a bearer', 'Bearer abc.def'],
    ['a named password', '"password":"hunter22"'],
    ['an address with a password', 'postgres://farm:hunter22@db.example/farm'],
  ])('never has %s in it', (_what, secret) => {
    const struck = strike(`before ${secret} behind`);
    const core = /hunter22|[\w-]{8,}(?=\W*$)/.exec(secret)?.[0] ?? secret;
    expect(struck).not.toContain(secret);
    expect(struck).not.toContain(core);
    expect(struck).toMatch(/^before .* behind$/s);
  });

  it('keeps what support needs: ids, sums, versions, pins of controllers that are names', () => {
    const line =
      '{"order_id":"019b0000-0000-7000-8000-000000000001","hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","path":"/api/v1/control-points/{control_point_id}/device-key","at":"2026-03-02T12:00:00.000Z"}';
    expect(strike(line)).toBe(line);
  });

  it('shows of the configuration whether a secret is given, and addresses without their user', () => {
    const config = readConfig(
      [...flags, '--database-url', 'postgres://farm:pass-w0rd-9@db.example/farm?sslmode=require'],
      {},
    );
    const shown = shownConfig(config);
    expect(shown).toMatchObject({
      'jwt-secret': '[given]',
      'smtp-url': '[given]',
      'stripe-secret-key': '[given]',
      'database-url': 'postgres://[struck out]@db.example/farm?sslmode=require',
      'http-port': 8080,
    });
    expect(secretsOf(config)).toEqual(expect.arrayContaining(['pass-w0rd-9', 'mail-pass-w0rd']));
  });
});
