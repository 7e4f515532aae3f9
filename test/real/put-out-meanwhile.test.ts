import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPicture, told } from '#test/a-picture.ts';
import { type RealFarm, startFarm } from './a-farm.ts';
import { until } from './started-gateway.ts';

// Who may is asked when a request comes; a file behind it may come for minutes.

const PASSWORD = 'camarao-do-norte';

describe('at a farm', () => {
  let farm: RealFarm;
  beforeAll(async () => {
    farm = await startFarm({ args: ['--registration', 'open'] });
  });
  afterAll(() => farm?.close());

  async function anAccount(email: string) {
    const made = await farm.call('POST', '/auth/register', {
      body: { email, password: PASSWORD, name: 'Rui', role: 'VIEWER' },
    });
    const login = await farm.call('POST', '/auth/login', { body: { email, password: PASSWORD } });
    const [{ id }, { access_token: token }] = [made.body, login.body] as [
      { id: string },
      { access_token: string },
    ];
    return { id, token };
  }

  async function aMember(role: string) {
    const account = await anAccount(`${role.toLowerCase()}@fazenda.example`);
    const { code } = await farm.post(`/farms/${farm.farmId}/invitations`, { kind: 'MEMBER', role });
    await farm.call('POST', '/invitations/accept', { token: account.token, body: { code } });
    return {
      ...account,
      leave: async () => void (await farm.ask('DELETE', `/farms/${farm.farmId}/members/${account.id}`)),
    };
  }

  /** Sends a file whose last bytes come after `meanwhile`; answers the status. */
  async function sendSlowly(
    [method, path]: [string, string],
    { token, type, bytes }: { token: string; type: string; bytes: Uint8Array },
    meanwhile: () => Promise<void>,
  ): Promise<number> {
    const socket = connect(farm.ports.http, '127.0.0.1');
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
    });
    const head = [
      `${method} /api/v1${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${token}`,
      `Content-Type: ${type}`,
      `Content-Length: ${bytes.length}`,
      'Connection: close',
      '\r\n',
    ];
    socket.write(head.join('\r\n'));
    socket.write(bytes.subarray(0, -5));
    // it is looked at who asks before the first answer of another request that came later
    await farm.call('GET', '/users/me', { token });
    await meanwhile();
    socket.write(bytes.subarray(-5));
    await until(
      () => heard,
      (words) => /HTTP\/1\.1 \d{3}/.test(words),
    );
    return Number(/HTTP\/1\.1 (\d{3})/.exec(heard)?.[1]);
  }

  it('who is put out while a photo comes leaves none', async () => {
    const operator = await aMember('OPERATOR');
    const { pond_id: pond } = await farm.point();
    const picture = aPicture();
    const announced = await farm.call('POST', `/ponds/${pond}/photos`, {
      token: operator.token,
      body: told(picture),
    });
    const { id } = announced.body as { id: string };
    const file = { token: operator.token, type: 'image/jpeg', bytes: picture };
    const status = await sendSlowly(['PUT', `/photos/${id}/image`], file, operator.leave);
    const [photo] = await farm.list(`/ponds/${pond}/photos`);
    expect([status, photo?.['is_here']]).toEqual([404, false]);
  });

  it('who is put out while a sheet comes imports nothing, and the next sheet has its turn', async () => {
    const manager = await aMember('MANAGER');
    const { pond_id: pond, cod } = await farm.point();
    const days = Array.from({ length: 9 }, (_, n) => `V-${cod.slice(3)};2026-02-0${n + 1};28`);
    const sheet = Buffer.from(`pond;measurement_date;temperature\n${days.join('\n')}\n`);
    const path = `/imports/measurements?farm_id=${farm.farmId}&dry_run=false`;
    const file = { token: manager.token, type: 'text/csv', bytes: sheet };
    const measured = async () => (await farm.get(`/water-quality/pond/${pond}`))['measurements'];
    const status = await sendSlowly(['POST', path], file, manager.leave);
    expect([status, await measured()]).toEqual([404, []]);
    expect(await sendSlowly(['POST', path], { ...file, token: farm.token }, async () => undefined)).toBe(200);
    expect(await measured()).toHaveLength(9);
  });
});
