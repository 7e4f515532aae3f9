import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RealFarm, startFarm } from './a-farm.ts';
import { until } from './started-gateway.ts';

// Whoever has shown who it is holds connections for as long as it likes. Controllers need places, too.

describe('somebody', () => {
  let farm: RealFarm;
  beforeAll(async () => {
    farm = await startFarm({ args: ['--registration', 'open'] });
  });
  afterAll(() => farm?.close());

  async function aToken(): Promise<string> {
    const account = { email: 'nobody@fazenda.example', password: 'camarao-do-norte' };
    await farm.call('POST', '/auth/register', { body: { ...account, name: 'Rui', role: 'VIEWER' } });
    const login = await farm.call('POST', '/auth/login', { body: account });
    return (login.body as { access_token: string }).access_token;
  }

  /** Asks on as many connections as that, one after the other, and leaves them open; answers how many stay. */
  async function hold(count: number, lines: string): Promise<void> {
    const held: Socket[] = [];
    for (let n = 0; n < count; n += 1) {
      const socket = connect(farm.ports.http, '127.0.0.1');
      socket.on('error', () => undefined);
      held.push(socket);
      socket.write(`${lines}\r\n\r\n`);
      await new Promise<void>((resolve) => {
        socket.once('data', () => resolve());
        socket.once('close', () => resolve());
      });
    }
    await until(
      () => held.filter(({ closed }) => !closed).length,
      (open) => open <= 400,
    );
    for (const socket of held) socket.destroy();
  }

  it('with an account and no farm holds so many connections and no more', async () => {
    await hold(450, `GET /api/v1/users/me HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer ${await aToken()}`);
    expect((await farm.ask('GET', '/users/me')).status).toBe(200);
  });

  it('who knows the name of a controller holds no more than so many in that name', async () => {
    const { device_id: name } = await farm.point();
    await hold(450, `GET /api/v1/devices/status/${name} HTTP/1.1\r\nHost: box`);
    expect((await farm.ask('GET', '/users/me')).status).toBe(200);
  });
});
