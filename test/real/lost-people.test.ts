import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres, freshDatabase, type TestDatabase } from '#test/postgres.ts';
import { MAIN_FILE } from '../../scripts/built-program.ts';
import { pairGateway } from '../../scripts/hosted/pair-gateway.ts';
import { type StartedGateway, startGateway, until } from './started-gateway.ts';

// The database of a hosted instance is lost, and an old dump of it is restored, while a gateway still knows who came
// since. Nobody of them is let in by the gateway's word alone, and nobody is forgotten: an administrator decides.

type Json = Record<string, unknown>;
type Person = { email: string; password: string; id: string };

describeOnPostgres('people of a hosted instance whose old dump was restored', () => {
  let database: TestDatabase;
  let hosted: StartedGateway;
  let gateway: StartedGateway;
  beforeAll(async () => {
    database = await freshDatabase();
    hosted = await startGateway({
      args: ['--role', 'hosted', '--database-url', database.url, '--rate-limits', 'no'],
    });
    gateway = await startGateway();
  });
  afterAll(async () => {
    await gateway?.close();
    await hosted?.close();
    await database?.drop();
  });

  async function aPerson(name: string): Promise<Person> {
    const login = { email: `${name.toLowerCase()}@nuvem.example`, password: `lagoa-da-${name}-7` };
    const made = await hosted.call('POST', '/auth/register', { body: { ...login, name, role: 'OWNER' } });
    expect(made.status).toBe(201);
    return { ...login, id: String((made.body as Json)['id']) };
  }
  const logIn = (at: StartedGateway, { email, password }: Pick<Person, 'email' | 'password'>) =>
    at.call('POST', '/auth/login', { body: { email, password } });
  const tokenOf = async (person: Pick<Person, 'email' | 'password'>) => {
    const answer = await logIn(hosted, person);
    expect(answer).toMatchObject({ status: 200 });
    return String((answer.body as Json)['access_token']);
  };

  async function joins(person: Person, farmId: string, owner: Person, role: string): Promise<void> {
    const path = `/farms/${farmId}/invitations`;
    const body = { role, email: person.email };
    const invited = await hosted.call('POST', path, { token: await tokenOf(owner), body });
    expect(invited).toMatchObject({ status: 201 });
    const { code } = invited.body as Json;
    const accepted = await hosted.call('POST', '/invitations/accept', {
      token: await tokenOf(person),
      body: { code },
    });
    expect(accepted).toMatchObject({ status: 200 });
  }

  const admin = async (...args: string[]): Promise<unknown> => {
    const command = [MAIN_FILE, 'admin', ...args, '--database-url', database.url, '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, command);
    return JSON.parse(stdout) as unknown;
  };

  it('are shown to an administrator, who takes them back one by one', { timeout: 300_000 }, async () => {
    const [owner, antonia, beto] = [await aPerson('Dona'), await aPerson('Antonia'), await aPerson('Beto')];
    const diva = await aPerson('Diva');
    const chief = { email: 'chefe@nuvem.example', password: 'viveiro-da-chefia-3' };
    await admin('create-admin', '--email', chief.email, '--password', chief.password);
    const ownersToken = await tokenOf(owner);
    const made = await hosted.call('POST', '/farms/', {
      token: ownersToken,
      body: { name: 'Norte', timezone: 'America/Fortaleza' },
    });
    const farmId = String((made.body as Json)['id']);
    const gatewayId = await pairGateway({
      data: gateway.data,
      link: hosted.http,
      hosted: hosted.http,
      ownerToken: ownersToken,
    });
    await hosted.call('POST', `/sync/gateways/${gatewayId}/farms`, {
      token: ownersToken,
      body: { farm_id: farmId },
    });
    await joins(antonia, farmId, owner, 'TECHNICIAN');
    // asked without a pause the farm does nothing but hash passwords that are not there yet
    const opensAtTheFarm = (person: Pick<Person, 'email' | 'password'>, status = 200) =>
      expect
        .poll(async () => (await logIn(gateway, person)).status, { timeout: 120_000, interval: 1_000 })
        .toBe(status);
    await joins(diva, farmId, owner, 'TECHNICIAN');
    for (const person of [antonia, diva]) await opensAtTheFarm(person);

    const restore = await dumped(database.url);
    const carla = await aPerson('Carla');
    await joins(carla, farmId, owner, 'MANAGER');
    await joins(beto, farmId, owner, 'VIEWER');
    const newer = { ...antonia, password: 'outra-lagoa-da-Antonia-8' };
    await hosted.call('PUT', '/users/me', {
      token: await tokenOf(antonia),
      body: { password: newer.password, current_password: antonia.password },
    });
    const moved = { ...diva, email: 'diva.nova@nuvem.example' };
    const divaToken = await tokenOf(diva);
    for (const change of [{ email: moved.email, current_password: diva.password }, { name: 'Diva Nova' }])
      expect(await hosted.call('PUT', '/users/me', { token: divaToken, body: change })).toMatchObject({
        status: 200,
      });
    for (const person of [carla, beto, newer, moved]) await opensAtTheFarm(person);

    await hosted.stop();
    await restore();
    await hosted.start();
    const token = await tokenOf(chief);
    const offers = async () =>
      (await hosted.call('GET', '/sync/lost-people', { token })).body as (Json & { id: string })[];
    const lost = await until(offers, (rows) => rows.length === 5, 120_000);
    expect(lost).toEqual([
      expect.objectContaining({ kind: 'password', user_id: antonia.id, email: antonia.email }),
      expect.objectContaining({
        kind: 'membership',
        user_id: beto.id,
        role: 'VIEWER',
        farm_name: 'Norte',
        gateway_owner: owner.email,
      }),
      expect.objectContaining({ kind: 'account', user_id: carla.id, email: carla.email, role: 'OWNER' }),
      expect.objectContaining({ kind: 'email', user_id: diva.id, email: moved.email, stands: diva.email }),
      expect.objectContaining({ kind: 'name', user_id: diva.id, name: 'Diva Nova', stands: 'Diva' }),
    ]);
    // erasing what another account left behind, they are not taken for deleted ones
    const eva = await aPerson('Eva');
    const erased = await hosted.call('DELETE', '/users/me', {
      token: await tokenOf(eva),
      body: { password: eva.password },
    });
    expect(erased.status).toBeLessThan(300);
    // a gateway may say the same again meanwhile
    const said = (rows: readonly Json[]) => rows.map((row) => ({ ...row, seen_at: null }));
    expect(said((await admin('lost-people')) as Json[])).toEqual(said(lost));

    // by itself nothing was let in here, and nobody was turned away at the farm
    expect((await logIn(hosted, carla)).status).toBe(401);
    expect((await hosted.call('GET', `/farms/${farmId}`, { token: await tokenOf(beto) })).status).not.toBe(
      200,
    );
    expect((await logIn(gateway, newer)).status).toBe(200);
    expect((await logIn(gateway, antonia)).status).toBe(401);
    // the owner of the farm decides nothing of it
    expect(await hosted.call('GET', '/sync/lost-people', { token: await tokenOf(owner) })).toMatchObject({
      status: 403,
    });

    const [password, membership, account, address, name] = lost.map(({ id }) => id);
    const taken = await hosted.call('POST', `/sync/lost-people/${account}/take-back`, { token });
    expect(taken).toMatchObject({ status: 200, body: { email: carla.email } });
    const chosen = { ...carla, password: 'terceira-lagoa-da-Carla-9' };
    const choose = (code: unknown, given: string) =>
      hosted.call('POST', '/auth/first-password', { body: { code, password: given } });
    expect(await choose((taken.body as Json)['code'], chosen.password)).toMatchObject({ status: 200 });
    expect(await hosted.call('GET', `/farms/${farmId}`, { token: await tokenOf(chosen) })).toMatchObject({
      status: 200,
    });

    await admin('take-back', '--id', String(membership));
    expect(await hosted.call('GET', `/farms/${farmId}`, { token: await tokenOf(beto) })).toMatchObject({
      status: 200,
    });

    // the old password opens the cloud until then, and nothing any more afterwards
    expect((await logIn(hosted, antonia)).status).toBe(200);
    const ended = (await admin('take-back', '--id', String(password))) as Json;
    expect((await logIn(hosted, antonia)).status).toBe(401);
    expect(await choose(ended['code'], newer.password)).toMatchObject({ status: 200 });
    expect((await logIn(hosted, newer)).status).toBe(200);

    // the later address opens the farm as before, and the cloud once it was taken back
    expect((await logIn(gateway, moved)).status).toBe(200);
    expect((await logIn(hosted, moved)).status).toBe(401);
    await admin('take-back', '--id', String(address));
    const renamed = await hosted.call('POST', `/sync/lost-people/${name}/take-back`, { token });
    expect(renamed).toMatchObject({ status: 200, body: { kind: 'name', code: null } });
    const shown = await hosted.call('GET', '/users/me', { token: await tokenOf(moved) });
    expect(shown.body).toMatchObject({ email: moved.email, name: 'Diva Nova' });
    expect((await logIn(hosted, diva)).status).toBe(401);

    expect(await offers()).toEqual([]);
    // no word but an administrator's is one, at the command line as here
    const refusal = async (...args: string[]) =>
      admin(...args).then(
        () => 'done',
        (error: { stderr?: string; stdout?: string }) => `${error.stderr ?? ''}${error.stdout ?? ''}`,
      );
    for (const command of ['take-back', 'leave-lost']) {
      expect(await refusal(command)).toContain('--id');
      expect(await refusal(command, '--id', randomUUID())).toContain('not found');
      expect(await refusal(command, '--id', String(membership))).toContain('decided already');
    }
    const ofGateway = ['admin', 'lost-people', '--data', gateway.data, '--json'];
    await expect(promisify(execFile)(process.execPath, [MAIN_FILE, ...ofGateway])).rejects.toMatchObject({
      stdout: expect.stringContaining('Only a hosted instance'),
    });
    for (const person of [chosen, beto, newer, moved]) await opensAtTheFarm(person);
    await opensAtTheFarm(antonia, 401);
    await until(
      () => keptAside(database.url),
      (kept) => kept.length === 0,
      120_000,
    );
  });
});

/** Answers what puts the database back as it is now; nobody is connected to it then. */
async function dumped(url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1);
  const server = new URL(url);
  server.pathname = '/postgres';
  const run = async (...statements: string[]) => {
    const client = new Client({ connectionString: server.href });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const others = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
  for (;;) {
    try {
      await run(others, `create database "${name}_dump" template "${name}"`);
      break;
    } catch (error) {
      // 55006: the instance was faster to connect again
      if ((error as { code?: string }).code !== '55006') throw error;
    }
  }
  return () =>
    run(`drop database "${name}" with (force)`, `alter database "${name}_dump" rename to "${name}"`);
}

async function keptAside(url: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query('select reason, change_json from sync_parked')).rows;
  } finally {
    await client.end();
  }
}
