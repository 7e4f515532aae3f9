import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATS, type NatsServer, startNats } from '#test/nats-server.ts';
import { freshDatabase, type TestDatabase } from '#test/postgres.ts';
import { whyNoPostgres } from '#test/postgres-cluster.ts';
import { openLinkProxy } from '../../scripts/hosted/link-proxy.ts';
import { type StartedGateway, startGateway, until } from './started-gateway.ts';

// Processes of a hosted instance that tell each other what changed through a NATS server, as who hosts many of them has it.

const NOTICED_WITHIN_MS = 60_000;
const AT_ONCE_MS = 3_000;

const hosted = (database: TestDatabase, busUrl: string): Promise<StartedGateway> =>
  startGateway({
    args: ['--role', 'hosted', '--rate-limits', 'no', '--database-url', database.url, '--bus-url', busUrl],
  });

const readiness = async (one: StartedGateway) => (await one.call('GET', '/readyz')).status;

describe.skipIf(NATS === undefined || whyNoPostgres() !== null)('processes that speak through NATS', () => {
  let database: TestDatabase;
  let nats: NatsServer;
  beforeAll(async () => {
    database = await freshDatabase();
    nats = await startNats();
  });
  afterAll(async () => {
    await nats?.stop();
    await database?.drop();
  });

  /** Signs in at one, out at the other, and waits until the one refuses the token. */
  async function signOutIsHeard(here: StartedGateway, there: StartedGateway, withinMs: number) {
    const login = { email: `ana-${Math.random()}@nuvem.example`, password: 'lagoa-do-norte-9' };
    await here.call('POST', '/auth/register', { body: { ...login, name: 'Ana', role: 'OWNER' } });
    const answer = await there.call('POST', '/auth/login', { body: login });
    const token = String((answer.body as { access_token: unknown }).access_token);
    expect((await there.call('GET', '/users/me', { token })).status).toBe(200);
    expect((await here.call('POST', '/auth/logout', { token })).status).toBeLessThan(300);
    await until(
      async () => (await there.call('GET', '/users/me', { token })).status,
      (status) => status === 401,
      withinMs,
    );
  }

  it('hear each other at once, also after the server was away, and are not ready meanwhile', async () => {
    const [here, there] = await Promise.all([hosted(database, nats.url), hosted(database, nats.url)]);
    try {
      for (const one of [here, there]) expect(await readiness(one)).toBe(200);
      await signOutIsHeard(here, there, AT_ONCE_MS);
      await nats.stop();
      for (const one of [here, there])
        await until(
          () => readiness(one),
          (status) => status === 503,
          NOTICED_WITHIN_MS,
        );
      // control and records go on without it
      expect((await here.call('GET', '/healthz')).status).toBe(200);
      await nats.start();
      for (const one of [here, there])
        await until(
          () => readiness(one),
          (status) => status === 200,
          NOTICED_WITHIN_MS,
        );
      await signOutIsHeard(here, there, AT_ONCE_MS);
    } finally {
      for (const one of [here, there]) await one.close();
    }
  });

  it('notice a line that stands and carries nothing, and hear each other again when it carries', async () => {
    const line = await openLinkProxy({ port: nats.port });
    const behind = nats.url.replace(`:${nats.port}`, `:${line.port}`);
    const [here, there] = await Promise.all([hosted(database, nats.url), hosted(database, behind)]);
    try {
      line.swallow();
      await until(
        () => readiness(there),
        (status) => status === 503,
        NOTICED_WITHIN_MS,
      );
      expect(await readiness(here)).toBe(200);
      line.restore();
      await until(
        () => readiness(there),
        (status) => status === 200,
        2 * NOTICED_WITHIN_MS,
      );
      await signOutIsHeard(here, there, AT_ONCE_MS);
    } finally {
      for (const one of [here, there]) await one.close();
      await line.close();
    }
  });

  it('believe nobody else who may speak there: neither a sentence made up nor one said again about another stream', async () => {
    const [here, there] = await Promise.all([hosted(database, nats.url), hosted(database, nats.url)]);
    const stranger = await connect({ servers: `127.0.0.1:${nats.port}`, user: 'farm', pass: 'agua-salobra' });
    const heard: { subject: string; text: string }[] = [];
    stranger.subscribe('farm.>', {
      callback: (_error, message) => void heard.push({ subject: message.subject, text: message.string() }),
    });
    try {
      await signOutIsHeard(here, there, AT_ONCE_MS);
      const all = heard.find(({ subject }) => subject.endsWith('.all'));
      if (all === undefined) throw new Error('nothing was said');
      expect(all.text).not.toContain('lagoa-do-norte');
      const forged = JSON.stringify({
        from: 'stranger',
        messages: [{ is: 'gap' }, { is: 'rows', rows: null }],
      });
      for (const text of [
        '',
        'x',
        '\u0000',
        forged,
        `${all.text.slice(0, 43)}${forged}`,
        'x'.repeat(900_000),
      ])
        stranger.publish(all.subject, text);
      stranger.publish(all.subject.replace('.all', '.stream.1'), all.text);
      await stranger.flush();
      await signOutIsHeard(here, there, AT_ONCE_MS);
      for (const one of [here, there]) {
        expect(await readiness(one)).toBe(200);
        expect(one.lines.filter((text) => text.includes('could not be followed'))).toEqual([]);
      }
    } finally {
      await stranger.close();
      for (const one of [here, there]) await one.close();
    }
  });

  it('are not ready with a wrong password, and say nothing of the right one', async () => {
    const one = await hosted(database, nats.url.replace('agua-salobra', 'agua-doce'));
    try {
      expect(await readiness(one)).toBe(503);
      expect(one.lines.join('')).toContain('do not hear each other');
      expect(one.lines.join('')).not.toContain('agua-doce');
    } finally {
      await one.close();
    }
  });

  it.each(['http://nats.example', 'nats://a:4222,tls://b:4222', 'nats://', 'agua-salobra'])(
    'do not start with an address that is none, and keep it to themselves: %s',
    async (address) => {
      const why = await hosted(database, address).then(
        async (one) => one.close().then(() => 'started'),
        (error: unknown) => String(error),
      );
      expect(why).toContain('must be nats:// addresses');
      expect(why).not.toContain(`not "${address}"`);
    },
  );
});
