import { describe, expect, test } from 'vitest';
import { clientAddresses, parseNetwork } from '#adapters/http/client-address.ts';
import { readConfig, UsageError } from '#runtime/config.ts';

/** A request as it arrives: the other end of its connection, and what it says of whom it is for. */
const arriving = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as never;
const behind = (...proxies: string[]) => clientAddresses(proxies.flatMap((one) => parseNetwork(one) ?? []));

const STRANGER = '203.0.113.9';

describe('where a request comes from', () => {
  test('is the other end of its connection, whatever it says, as long as nobody is trusted', () => {
    const { of } = behind();
    expect(of(arriving(STRANGER, '192.168.1.7'))).toBe(STRANGER);
    expect(of(arriving('127.0.0.1', STRANGER))).toBe('127.0.0.1');
    // as node names it where both protocols are heard
    expect(of(arriving('::ffff:192.168.1.7'))).toBe('192.168.1.7');
  });

  test.each([
    ['whom the proxy names', '127.0.0.1', STRANGER, STRANGER],
    ['whom the proxy names, not what was sent to it', '127.0.0.1', `192.168.1.7, ${STRANGER}`, STRANGER],
    ['whom the outer of two proxies names', '127.0.0.1', `198.51.100.1, ${STRANGER}, 10.0.0.2`, STRANGER],
    ['of the farm network behind a proxy there', '127.0.0.1', '192.168.1.7', '192.168.1.7'],
    ['over IPv6, mapped or not', '::ffff:127.0.0.1', '::ffff:203.0.113.9', STRANGER],
    ['over IPv6', '::1', '2001:db8::5', '2001:db8::5'],
    ['who is not trusted, whatever is said', '192.168.1.8', STRANGER, '192.168.1.8'],
    ['the proxy, when it names nobody', '127.0.0.1', undefined, '127.0.0.1'],
    ['the proxy, when what it names is no address', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['the proxy, when nothing stands at the end', '127.0.0.1', `${STRANGER}, `, '127.0.0.1'],
    ['the last that can be read', '127.0.0.1', `${STRANGER}, _hidden, 10.0.0.2`, '10.0.0.2'],
    ['a proxy that calls for itself', '127.0.0.1', '10.0.0.2', '10.0.0.2'],
  ])('%s', (_who, remote, forwarded, wanted) => {
    expect(behind('127.0.0.1', '::1', '10.0.0.0/24').of(arriving(remote, forwarded))).toBe(wanted);
  });
});

describe('the farm network', () => {
  test('no header makes a stranger look near', () => {
    // a proxy of the street, for example of a provider that lets its customers send what they like
    const { of, isNear } = behind('127.0.0.1', '198.51.100.0/24');
    for (const forwarded of [
      '192.168.1.7',
      `192.168.1.7, ${STRANGER}`,
      `${STRANGER}, 192.168.1.7`,
      '127.0.0.1',
      '::1',
      'nonsense',
      '192.168.1.7, 127.0.0.1, 198.51.100.3',
    ]) {
      expect([forwarded, isNear(of(arriving('198.51.100.2', forwarded)))]).toEqual([forwarded, false]);
      expect([forwarded, isNear(of(arriving(STRANGER, forwarded)))]).toEqual([forwarded, false]);
    }
  });

  test('a proxy of our own is never near: it stands there for the whole world', () => {
    const { of, isNear } = behind('127.0.0.1');
    expect(
      [undefined, '', 'unknown', `${STRANGER}, x`].map((said) => isNear(of(arriving('127.0.0.1', said)))),
    ).toEqual([false, false, false, false]);
    expect(isNear(of(arriving('127.0.0.1', '192.168.1.7')))).toBe(true);
    expect(isNear(of(arriving('192.168.1.7')))).toBe(true);
    expect(behind().isNear('127.0.0.1')).toBe(true);
  });

  test('who is not believed is told, once it names others', () => {
    const told: string[] = [];
    const { of } = clientAddresses([], (proxy) => told.push(proxy));
    for (const [remote, said] of [
      ['127.0.0.1', undefined],
      ['127.0.0.1', STRANGER],
      [STRANGER, '192.168.1.7'],
    ] as const)
      of(arriving(remote, said));
    expect(told).toEqual(['127.0.0.1']);
  });
});

describe('--trusted-proxies', () => {
  const trusted = (text: string) => readConfig(['--trusted-proxies', text], {}).trustedProxies;

  test('are addresses and networks; by default nobody is', () => {
    expect(readConfig([], {}).trustedProxies).toEqual([]);
    expect(trusted('127.0.0.1, ::1 10.0.0.0/24')).toEqual([
      { address: '127.0.0.1', family: 'ipv4', bits: 32 },
      { address: '::1', family: 'ipv6', bits: 128 },
      { address: '10.0.0.0', family: 'ipv4', bits: 24 },
    ]);
  });

  test.each([
    'nginx',
    '10.0.0.0/33',
    '::/0',
    '0.0.0.0/0',
    '10.0.0',
    '010.0.0.1',
    '127.0.0.1;::1',
    '::ffff:10.0.0.1',
    Array.from({ length: 51 }, (_, n) => `10.0.0.${n}`).join(),
  ])('%s is refused in one sentence', (text) => {
    expect(() => trusted(text)).toThrow(UsageError);
    expect(() => trusted(text)).toThrow(/^--trusted-proxies must be up to 50 addresses or networks/);
  });
});
