import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { newRecoveryKey } from '#adapters/backup/recovery-key.ts';
import { runDoctor } from '#cli/doctor.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { insert } from '#core/changes.ts';
import { secretsOf, shownConfig, strikeOut } from '#operations/doctor/support-bundle.ts';
import { readConfig } from '#runtime/config.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { aProgram } from '#test/programs.ts';
import { readBundle } from '#test/read-bundle.ts';
import { aBrowser } from '#test/receivers.ts';

const GIVEN = {
  'jwt-secret': 'a-jwt-secret-of-at-least-32-characters',
  'metrics-token': 'a-metrics-token-1234',
  'smtp-url': 'smtps://post%40farm:mail-pass-w0rd@mail.example:465',
  'modem-pin': '4711',
  // short, and written differently in JSON
  'home-assistant-password': String.raw`pa"s\9`,
  'stripe-secret-key': 'sk_test_abcDEF0123456789',
  'stripe-webhook-secret': 'whsec_abcDEF0123456789',
};
const flags = Object.entries(GIVEN).flatMap(([name, value]) => [`--${name}`, value]);
const PASSWORD = 'a-Very-secret-password-77';
/** Known to nobody but the board: in the log it could only stand under its name. */
const WIFI = 'rede da "fazenda" 7';
const PHONE = '+5585912345678';

/** Every kind of secret that this instance makes or holds, by what it is. */
async function allSecrets(app: Awaited<ReturnType<typeof startApp>>): Promise<Map<string, string>> {
  const secrets = new Map<string, string>(Object.entries(GIVEN));
  secrets.set('mail password', 'mail-pass-w0rd');
  secrets.set('recovery key', newRecoveryKey().text);
  const { token, farmId } = await aFarmWith(app);
  secrets.set('session', token);
  const owner = await app.signUp({ password: PASSWORD });
  const farm = await app.call('POST', '/farms/', { token: owner.token, body: { name: 'Leste' } });
  secrets.set('access token', (await aProgram(app, owner, ['read'], { current_password: PASSWORD })).token);
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
  const relay = await app.call('PUT', `/control-points/${id}/relay`, { token, body: { kind: 'tasmota' } });
  secrets.set(
    'relay password',
    String((body(relay)['settings'] as Record<string, unknown>)['mqtt_password']),
  );
  const { subscription } = aBrowser('https://push.example/send/dGVsbCBub2JvZHk6MQ');
  const push = await app.call('POST', '/notification-channels/', {
    token,
    body: { kind: 'WEB_PUSH', subscription },
  });
  expect([relay.status, push.status]).toEqual([200, 201]);
  secrets.set('push key', subscription.keys.p256dh);
  secrets.set('push secret', subscription.keys.auth);
  secrets.set('push address', 'dGVsbCBub2JvZHk6MQ');
  await aPhone(app, (await app.signUp()).user.id);
  secrets.set('phone', PHONE);
  secrets.set('phone without its plus', PHONE.slice(1));
  secrets.set('phone as people write it', '(85) 91234-5678');
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

/** As of a box whose modem was taken off since. */
async function aPhone(app: App, user_id: string): Promise<void> {
  const at = new Date(app.clock.now()).toISOString();
  const wishes = { types: ['ALERT' as const], min_severity: 'HIGH' as const, is_active: true };
  const times = { timezone: 'Etc/UTC', quiet_from: null, quiet_to: null };
  const dates = { verified_at: at, created_at: at, updated_at: null };
  const channel = { id: app.kernel.newId(), user_id, kind: 'SMS' as const, address: PHONE, keys: null };
  const row = { ...channel, ...wishes, ...times, ...dates };
  await app.kernel.commit({ actor: null, changes: [insert(notificationChannel, row)] });
}

/** Every secret in a line of the log, as text and as JSON within it. */
function linesWith(secrets: Iterable<[string, string]>): { fields: Record<string, unknown>; text: string }[] {
  return [...secrets].map(([what, secret]) => ({
    fields:
      what === 'password' || what === 'wifi password'
        ? { password: secret, body: JSON.stringify({ wifi_password: secret }) }
        : { detail: `${what} was ${secret}, look`, body: JSON.stringify({ given: secret }) },
    text: `the secret ${what} slipped into the log`,
  }));
}

/** What of these secrets stands in a text, as it is or as JSON writes it. */
function leaked(text: string, secrets: Iterable<[string, string]>): [string, string][] {
  const inJson = (value: string) => JSON.stringify(value).slice(1, -1);
  return [...secrets].filter(([, secret]) =>
    [secret, inJson(secret), inJson(inJson(secret))].some((form) => secret !== '' && text.includes(form)),
  );
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  folders.push(folder);
  return folder;
}

const textOf = (packed: Uint8Array) => [...readBundle(packed).values()].join('\n');

/** The bundle that the doctor's command writes where no gateway answers. `journal` null: its user may not read it. */
async function bundleOfStopped(data: string, journal: string[] | null): Promise<Map<string, string>> {
  const tools = newFolder();
  const lines = join(tools, 'lines');
  writeFileSync(lines, `${(journal ?? []).join('\n')}\n`);
  const hint =
    journal === null ? 'echo "Hint: you are not in the group systemd-journal" >&2' : `cat ${lines}`;
  writeFileSync(join(tools, 'journalctl'), `#!/bin/sh\n${hint}\n`, { mode: 0o755 });
  const file = join(tools, 'support.tar.gz');
  const environment = { PATH: `${tools}:${process.env['PATH']}` };
  const ports = ['http', 'mqtt', 'https', 'mqtts'].flatMap((name) => [`--${name}-port`, '0']);
  const args = ['--data', data, ...ports, ...flags, '--bundle', file];
  await runDoctor(args, { environment, print: () => undefined }, Date.now);
  return readBundle(readFileSync(file));
}

describe('a support bundle', () => {
  it('holds none of the secrets of the box, though every one stood in the log, running and stopped', async () => {
    const app = await startApp('sqlite', flags);
    try {
      const secrets = await allSecrets(app);
      const admin = await app.signUp({ role: 'ADMIN' });
      secrets.set('password', PASSWORD).set('wifi password', WIFI).set('admin session', admin.token);
      const lines = linesWith(secrets);
      for (const { fields, text } of lines) app.kernel.log.warn(fields, text);
      app.kernel.log.warn({ to: 'ana@farm.example' }, 'an address slipped into the log');
      secrets.set('mail', 'ana@farm.example');
      const response = await fetch(`${app.base}/api/v1/system/support-bundle`, {
        headers: { Authorization: `Bearer ${admin.token}` },
      });
      const running = textOf(new Uint8Array(await response.arrayBuffer()));
      expect(running).toContain('slipped into the log');
      expect(secrets.size).toBeGreaterThan(22);
      expect(leaked(running, secrets)).toEqual([]);
      expect(running).not.toContain('BEGIN');

      // the same lines in the journal of a gateway that does not answer
      const journal = lines.map(({ fields, text }) =>
        JSON.stringify({ level: 'warn', ...fields, msg: text }),
      );
      const stopped = await bundleOfStopped(app.config.data, journal);
      expect(stopped.get('support/log.txt')).toContain('slipped into the log');
      expect(leaked([...stopped.values()].join('\n'), secrets)).toEqual([]);
    } finally {
      await app.close();
    }
  });

  it('of a gateway whose database cannot be read leaves out what the program said, and says so', async () => {
    const data = newFolder();
    writeFileSync(join(data, 'farm.db'), 'no database');
    const note = { format: 1, process: 2 ** 30, machine: null, version: '1.0.0', address: '', key: '' };
    const ended = {
      started_at: 1,
      cause: 'first',
      fault_before: null,
      stopped_at: null,
      fault: 'Error: k3y-7',
    };
    writeFileSync(join(data, 'run.json'), JSON.stringify({ ...note, ...ended }));
    const files = await bundleOfStopped(data, ['the secret k3y-7 slipped into the log']);
    expect(files.get('support/log.txt')).toContain('the log is left out');
    expect([...files.values()].join('\n')).not.toContain('k3y-7');
    expect(files.get('support/doctor.json')).toContain('database_damaged');
  });

  it('says why the journal of a stopped gateway is not in it', async () => {
    const app = await startApp('sqlite');
    const files = await bundleOfStopped(app.config.data, null);
    expect(files.get('support/log.txt')).toMatch(
      /^No line of the journal could be read \(Hint: .*As root: journalctl/,
    );
    await app.close();
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
  const strike = strikeOut({ values: [], words: [] });
  it.each([
    ['a login', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123'],
    ['a token of a program', 'sfat_0123456789abcdefghijABCDEFGHIJ0123456789abcdefghi'],
    ['a key of Stripe', 'sk_live_51abcDEF'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END PRIVATE KEY-----'],
    ['a recovery key', newRecoveryKey().text],
    ['a key of a controller', 'qJ3nB5l0ZpXw7VtYc2R9sKf8mHd1gTuEaQoLiNvMxC0'],
    ['a key of a relay', 'tDV8LxpBjvBcSBbRXnHqwR7SVvuw_8Pr'],
    ['a bearer', 'Bearer abc.def'],
    ['a named password', '"password":"hunter22"'],
    ['a short password with a quote in it', String.raw`"password":"hu\"hunter22"`],
    ['a password in JSON within JSON', String.raw`{"body":"{\"psk\":\"a b hunter22\"}"}`],
    ['a phone', '+55 (85) 91234-5678'],
    ['a phone as people write it', '(85) 91234-5678'],
    ['an address with a password', 'postgres://farm:hunter22@db.example/farm'],
  ])('never has %s in it', (_what, secret) => {
    const struck = strike(`before ${secret} behind`);
    const core = /hunter22|[\w-]{8,}(?=\W*$)/.exec(secret)?.[0] ?? secret;
    expect(struck).not.toContain(secret);
    expect(struck).not.toContain(core);
    expect(struck).toMatch(/^before .* behind$/s);
  });

  it('never has a short one that it knows, and keeps the numbers and words around it', () => {
    const known = strikeOut({ values: ['4711', 'sal'], words: [] });
    const around = 'port 14711, 0.4711 s, 2026-03-02, 4711-03-02T10:00, sal e salina';
    expect(known(`${around}: AT+CPIN=4711, "4711"`)).toBe(`${around}: AT+CPIN=[struck out], "[struck out]"`);
  });

  it('is looked through in a moment, however odd a line of the log is', () => {
    const odd = ['a', 'a.', '/a', 'eyJ', '+1 ', 'password:"', String.raw`token:\"`, '4711'];
    const text = odd.map((part) => part.repeat(100_000)).join('\n');
    const known = strikeOut({ values: ['4711'], words: [] });
    const before = performance.now();
    known(text);
    // minutes, where every letter is a start of its own
    expect(performance.now() - before).toBeLessThan(20_000);
  });

  it('keeps what support needs: ids, sums, versions, pins of controllers that are names', () => {
    const line =
      '{"order_id":"019b0000-0000-7000-8000-000000000001","hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","path":"/api/v1/control-points/{control_point_id}/device-key","at":"2026-03-02T12:00:00.000Z"}';
    expect(strike(line)).toBe(line);
  });

  it('does not print an address that is refused where it names an account', () => {
    const refusal = (address: string) => {
      try {
        readConfig(['--database-url', address], {});
      } catch (error) {
        return String(error);
      }
      return 'taken';
    };
    expect(refusal('mysql://farm:pass-w0rd-9@db.example/farm')).toMatch(/must be a postgres:\/\/ address$/);
    expect(refusal('db.example')).toContain('not "db.example"');
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
