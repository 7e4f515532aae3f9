import { expect } from 'vitest';
import { passkey } from '#contract/resources/local-tables.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { NO_PASSWORD } from '#contract/resources/users.ts';
import type { SnapshotAnswer } from '#contract/sync/wire.ts';
import { insert, update } from '#core/changes.ts';
import { type App, aControlPoint, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import type { Engine } from '#test/databases.ts';
import { bindFarm } from '../../features/control/commands/a-bound-farm.ts';

// A gateway that nobody knows, in the hands of who made an account and read the protocol, and who else is on its instance.

export const GATEWAY_NODE = '0badbad0';

export type SpysGateway = Awaited<ReturnType<typeof aSpysGateway>>;

export async function aSpysGateway(engine: Engine) {
  const app: App = await startApp(engine, ['--role', 'hosted']);
  const call = (who: SignedUp, method: string, path: string, sent?: unknown) =>
    app.call(method, path, { token: who.token, ...(sent === undefined ? {} : { body: sent }) });
  const made = async (who: SignedUp, path: string, sent: unknown) => {
    const reply = await call(who, 'POST', path, sent);
    expect([path, reply.status]).toEqual([path, 201]);
    return String(body(reply)['id']);
  };

  /** Somebody with all that an account holds. */
  async function aPerson(word: string, fields: Parameters<App['signUp']>[0] = {}): Promise<SignedUp> {
    const person = await app.signUp({ email: `${word}@casa.test`, ...fields });
    const phone_number = `+55 88 9${word}`;
    await call(person, 'PUT', '/users/me', { name: `Nome ${word}`, phone_number });
    const place = { number: 7, city: 'Aracati', state: 'CE', zip_code: '62800-000' };
    await made(person, '/addresses/', { ...place, street: `Rua ${word}` });
    const { read } = app.database;
    const known = read.selectFrom('subscriptions').selectAll().where('user_id', '=', person.user.id);
    const { id } = await known.executeTakeFirstOrThrow();
    const money = {
      payment_provider: 'stripe',
      payment_customer_id: `cus_${word}`,
      payment_subscription_id: `sub_${word}`,
    } as const;
    const key = {
      id: app.kernel.newId(),
      user_id: person.user.id,
      rp_id: 'casa.test',
      credential_id: `chave_${word}`,
      public_key: `publica_${word}`,
      counter: 1,
      transports: [],
      name: `Celular ${word}`,
      created_at: new Date(app.clock.now()).toISOString(),
      last_used_at: null,
    };
    const changes = [update(subscription, id, money), insert(passkey, key)];
    await app.kernel.commit({ actor: null, changes });
    return person;
  }
  const kept = (word: string) =>
    [`9${word}`, `Rua ${word}`, `cus_${word}`, `sub_${word}`].concat(
      ['chave_', 'publica_', 'Celular '].map((key) => key + word),
    );

  async function hashes(): Promise<string[]> {
    const rows = await app.database.read.selectFrom('users').select('password_hash').execute();
    return rows.map(({ password_hash }) => password_hash).filter((text) => text !== NO_PASSWORD);
  }

  type Stream = Awaited<ReturnType<typeof bindFarm>>;

  async function snapshot(of: Stream = stream): Promise<string> {
    const pages: unknown[] = [];
    let after: SnapshotAnswer['next'] = null;
    do {
      const reply = await app.sync?.server.ask(of, 'snapshot', {
        resync: null,
        epoch: 1,
        after,
        limit: 500,
        history_from: null,
      });
      if (reply?.ok !== true) throw new Error(`no snapshot: ${JSON.stringify(reply)}`);
      const answer = reply.answer as SnapshotAnswer;
      pages.push(answer.rows);
      after = answer.next;
    } while (after !== null);
    return JSON.stringify(pages);
  }

  /** Everything that was ever written to the feed of the gateway. */
  async function feed(of: Stream = stream): Promise<string> {
    const rows = await app.database.read
      .selectFrom('sync_change')
      .selectAll()
      .where('stream_id', '=', of.streamId)
      .execute();
    return JSON.stringify(rows);
  }

  const [spy, member, former, admin, victim] = [
    await aPerson('espiao'),
    await aPerson('socio'),
    await aPerson('antigo'),
    await aPerson('gerencia', { role: 'ADMIN' }),
    await aPerson('vizinha'),
  ];
  /** A farm of the spy's, with a gateway of its own. */
  async function another(name: string) {
    const farmId = await made(spy, '/farms/', { name });
    const bound = await bindFarm(app, farmId, spy.user.id);
    await aControlPoint(app, { token: spy.token, farmId });
    return { farmId, ...bound };
  }
  const { farmId: spysFarm, ...stream } = await another('Fazenda do espião');
  for (const person of [member, former, admin])
    await joinFarm(app, { token: spy.token, farmId: spysFarm }, person, 'VIEWER');
  await call(former, 'DELETE', `/farms/${spysFarm}/members/${former.user.id}`);
  const victimsFarm = await made(victim, '/farms/', { name: 'Fazenda Vizinha' });
  const pond = { farm_id: victimsFarm, cod: 'V-01', pond_type: 'FATTENING', size_m2: 3000, depth_m: 1.5 };
  const pondId = await made(victim, '/ponds/', { ...pond, aerator_count: 1 });
  await aControlPoint(app, { token: victim.token, farmId: victimsFarm });
  const at = new Date(app.clock.now()).toISOString();
  await call(victim, 'POST', '/measurements/', { pond_id: pondId, measured_at: at, dissolved_oxygen: 5 });
  const secrets = [
    ...['espiao', 'socio', 'antigo', 'gerencia', 'vizinha'].flatMap(kept),
    'gerencia@casa.test',
    'Nome gerencia',
    'vizinha@casa.test',
    'Nome vizinha',
    'Fazenda Vizinha',
  ];
  return {
    app,
    spy,
    member,
    former,
    admin,
    victim,
    stream,
    spysFarm,
    victimsFarm,
    secrets,
    call,
    made,
    aPerson,
    another,
    hashes,
    snapshot,
    feed,
  };
}
