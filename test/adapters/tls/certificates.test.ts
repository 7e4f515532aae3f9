import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  addressBytes,
  integer,
  certificateMaker as maker,
  oid,
  time,
} from '#adapters/tls/make-certificate.ts';

const DAY = 24 * 3_600_000;
const LONG = { notBefore: Date.UTC(2000, 0, 1), notAfter: Date.UTC(2056, 0, 1) };
const NOW = { notBefore: Date.now() - 365 * DAY, notAfter: Date.now() + 397 * DAY };
const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const openssl = (...args: string[]) => execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' });

describe('certificates of the farm', () => {
  const first = maker.authority(['gw', 'painel.fazenda.example'], LONG);
  const second = maker.authority(['gw', 'painel.fazenda.example'], LONG);
  const names = ['gw.local', '192.168.0.10', 'fd00::12', '::1'];
  const bySecond = maker.server({ names, commonName: 'gw' }, second, NOW);

  it('hold before the strictest rules of OpenSSL', () => {
    const ca = file('second.pem', second.certificate);
    const leaf = file('leaf.pem', bySecond.certificate);
    expect(openssl('verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', ca, leaf)).toContain(': OK');
    for (const [how, name] of [
      ['-verify_hostname', 'gw.local'],
      ['-verify_ip', '192.168.0.10'],
      ['-verify_ip', 'fd00::12'],
    ]) {
      expect(openssl('verify', how ?? '', name ?? '', '-CAfile', ca, leaf)).toContain(': OK');
    }
    expect(() => openssl('verify', '-verify_ip', '192.168.0.11', '-CAfile', ca, leaf)).toThrow();
  });

  it('of the next authority hold for who knows only the present one, through its word for it', () => {
    const ca = file('first.pem', first.certificate);
    const cross = file('cross.pem', maker.cross(second, first, { names: ['gw'], ...LONG }));
    const leaf = file('leaf.pem', bySecond.certificate);
    expect(openssl('verify', '-x509_strict', '-CAfile', ca, '-untrusted', cross, leaf)).toContain(': OK');
    expect(() => openssl('verify', '-CAfile', ca, leaf)).toThrow();
  });

  it('say what they are: an authority signs, a server does not', () => {
    const authority = new X509Certificate(first.certificate);
    const leaf = new X509Certificate(bySecond.certificate);
    expect([authority.ca, leaf.ca, authority.subject === authority.issuer]).toEqual([true, false, true]);
    expect(authority.validFromDate.getUTCFullYear()).toBe(2000);
    expect(authority.validToDate.getUTCFullYear()).toBe(2056);
    expect(authority.subject).not.toBe(new X509Certificate(second.certificate).subject);
  });

  it.each(['www.google.com', 'gw.example', 'notlocal', '8.8.8.8', '2001:4860::8888'])(
    'do not hold for %s, whoever has the key of the authority',
    (name) => {
      const ca = file('limited.pem', second.certificate);
      const leaf = file(
        'foreign.pem',
        maker.server({ names: [name], commonName: name }, second, NOW).certificate,
      );
      const how = /^[\d:.]+$|:/.test(name) ? '-verify_ip' : '-verify_hostname';
      expect(() => openssl('verify', how, name, '-CAfile', ca, leaf)).toThrow(/permitted subtree violation/);
      // through what the former authority says for the next one, neither
      const cross = file('limited-cross.pem', maker.cross(second, first, { names: ['gw'], ...LONG }));
      const root = file('limited-first.pem', first.certificate);
      expect(() => openssl('verify', '-CAfile', root, '-untrusted', cross, leaf)).toThrow(
        /permitted subtree violation/,
      );
      expect(maker.permits(second.certificate, name)).toBe(false);
    },
  );

  it('hold for the names of the box, those below .local and private networks', () => {
    const own = [
      'gw',
      'a.local',
      'painel.fazenda.example',
      '10.1.2.3',
      '172.31.0.1',
      '169.254.9.9',
      '127.0.0.1',
    ];
    const all = [...own, '192.168.0.1', 'fd12::1', 'fe80::1', '::1'];
    const ca = file('own.pem', second.certificate);
    const leaf = file(
      'own-leaf.pem',
      maker.server({ names: all, commonName: 'gw' }, second, NOW).certificate,
    );
    expect(openssl('verify', '-x509_strict', '-CAfile', ca, leaf)).toContain(': OK');
    expect(all.filter((name) => !maker.permits(second.certificate, name))).toEqual([]);
    expect(maker.permits(second.certificate, '172.32.0.1')).toBe(false);
    expect(maker.facts(second.certificate).isLimited).toBe(true);
    expect(maker.facts(bySecond.certificate).isLimited).toBe(false);
  });

  it('have the pin that OpenSSL computes', () => {
    const ca = file('pin.pem', first.certificate);
    const der = execFileSync('sh', [
      '-c',
      `openssl x509 -in ${ca} -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64`,
    ]);
    expect(maker.facts(first.certificate).pin).toBe(der.toString().trim());
  });

  it('belong to their own keys alone', () => {
    expect(maker.isPair(first)).toBe(true);
    expect(maker.isPair({ certificate: first.certificate, key: second.key })).toBe(false);
    expect(maker.isPair({ certificate: 'none', key: second.key })).toBe(false);
  });
});

describe('DER', () => {
  it.each([
    ['a number whose first bit is set', integer(Buffer.from([0x80])), '02020080'],
    ['a number with needless zeros', integer(Buffer.from([0, 0, 5])), '020105'],
    ['zero', integer(Buffer.from([0, 0])), '020100'],
    ['an object identifier', oid('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
    [
      'the last second with two digits of the year',
      time(Date.UTC(2050, 0, 1) - 1000),
      '170d3439313233313233353935395a',
    ],
    ['the first with four', time(Date.UTC(2050, 0, 1)), '180f32303530303130313030303030305a'],
  ])('of %s', (_what, bytes, hex) => {
    expect(bytes.toString('hex')).toBe(hex);
  });

  it.each([
    ['10.0.0.5', '0a000005'],
    ['::', '0'.repeat(32)],
    ['::1', `${'0'.repeat(31)}1`],
    ['fd00::12', `fd00${'0'.repeat(26)}12`],
    ['2001:db8::1:0:0:1', '20010db8000000000001000000000001'],
    ['::ffff:192.168.0.10', `${'0'.repeat(20)}ffffc0a8000a`],
  ])('of the address %s', (address, hex) => {
    expect(addressBytes(address)?.toString('hex')).toBe(hex);
  });

  it.each(['gw.local', 'fe80::1%eth0', '256.1.1.1', ''])('%s is no address', (text) => {
    expect(addressBytes(text)).toBeNull();
  });
});
