import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Resource } from '#contract/resource.ts';
import { allResources, sharedResources } from '#contract/resources/all.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { NO_PASSWORD, user } from '#contract/resources/users.ts';
import { PERSONAL, SCOPES } from '#contract/sync/scopes.ts';
import type { SnapshotAnswer, WireChange } from '#contract/sync/wire.ts';
import { SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { update } from '#core/changes.ts';
import { formatHlc } from '#core/hlc.ts';
import { type App, aControlPoint, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { bindFarm } from '../features/commands/a-bound-farm.ts';

// A gateway that nobody knows, in the hands of who made an account and read the protocol.

// rows of different tables; here only their being rows counts
const SHARED = Object.values(sharedResources) as unknown as readonly Resource[];
const GATEWAY_NODE = '0badbad0';

onBothEngines('what a gateway may know and say', (_open, engine) => {
  let app: App;
  let spy: SignedUp;
  let member: SignedUp;
  let former: SignedUp;
  let admin: SignedUp;
  let victim: SignedUp;
  let stream: { gatewayId: string; streamId: number };
  let spysFarm: string;
  let victimsFarm: string;
  let secrets: string[];
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
    await app.kernel.commit({ actor: null, changes: [update(subscription, id, money)] });
    return person;
  }
  const kept = (word: string) => [`9${word}`, `Rua ${word}`, `cus_${word}`, `sub_${word}`];

  async function hashes(): Promise<string[]> {
    const rows = await app.database.read.selectFrom('users').select('password_hash').execute();
    return rows.map(({ password_hash }) => password_hash).filter((text) => text !== NO_PASSWORD);
  }

  async function snapshot(): Promise<string> {
    const pages: unknown[] = [];
    let after: SnapshotAnswer['next'] = null;
    do {
      const reply = await app.sync?.server.ask(stream, 'snapshot', {
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
  async function feed(): Promise<string> {
    const rows = await app.database.read
      .selectFrom('sync_change')
      .selectAll()
      .where('stream_id', '=', stream.streamId)
      .execute();
    return JSON.stringify(rows);
  }

  beforeAll(async () => {
    app = await startApp(engine, ['--role', 'hosted']);
    [spy, member, former, admin, victim] = [
      await aPerson('espiao'),
      await aPerson('socio'),
      await aPerson('antigo'),
      await aPerson('gerencia', { role: 'ADMIN' }),
      await aPerson('vizinha'),
    ];
    spysFarm = await made(spy, '/farms/', { name: 'Fazenda do espião' });
    stream = await bindFarm(app, spysFarm, spy.user.id);
    await aControlPoint(app, { token: spy.token, farmId: spysFarm });
    for (const person of [member, former, admin])
      await joinFarm(app, { token: spy.token, farmId: spysFarm }, person, 'VIEWER');
    await call(former, 'DELETE', `/farms/${spysFarm}/members/${former.user.id}`);
    victimsFarm = await made(victim, '/farms/', { name: 'Fazenda Vizinha' });
    const pond = { farm_id: victimsFarm, cod: 'V-01', pond_type: 'FATTENING', size_m2: 3000, depth_m: 1.5 };
    const pondId = await made(victim, '/ponds/', { ...pond, aerator_count: 1 });
    await aControlPoint(app, { token: victim.token, farmId: victimsFarm });
    const at = new Date(app.clock.now()).toISOString();
    await call(victim, 'POST', '/measurements/', { pond_id: pondId, measured_at: at, dissolved_oxygen: 5 });
    secrets = [
      ...['espiao', 'socio', 'antigo', 'gerencia', 'vizinha'].flatMap(kept),
      'gerencia@casa.test',
      'Nome gerencia',
      'vizinha@casa.test',
      'Nome vizinha',
      'Fazenda Vizinha',
    ];
  });
  afterAll(() => app.close());

  it('is written down for every table, and for every group of one about people', () => {
    expect(Object.keys(SCOPES).toSorted()).toEqual(Object.keys(sharedResources).toSorted());
    const tables: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> = PERSONAL;
    for (const name of ['users', 'subscriptions'] as const)
      expect(Object.keys(tables[name] ?? {}).toSorted()).toEqual(
        Object.keys(sharedResources[name].groups).toSorted(),
      );
  });

  it('hears of its people their names and what they may do, and nothing that they own or sign in with', async () => {
    // what they change later is told no more than what they had
    for (const person of [spy, member, admin, victim]) {
      const name = person === member ? { name: 'Nome socio', language: 'en' } : {};
      await call(person, 'PUT', '/users/me', { phone_number: '+55 88 9novo', ...name });
      await call(person, 'PUT', '/users/me', { password: 'senha-nova-1' });
      const again = { email: person.user.email, password: 'senha-nova-1', remember_me: true };
      person.token = String(body(await call(person, 'POST', '/auth/login', again))['access_token']);
    }
    for (const told of [await snapshot(), await feed()]) {
      expect(told).toContain('socio@casa.test');
      expect(told).toContain('Nome socio');
      for (const secret of [...secrets, '9novo', ...(await hashes())])
        expect([secret, told]).not.toEqual([secret, expect.stringContaining(secret)]);
    }
    // who left is the name beside old records
    expect(await snapshot()).toContain('Nome antigo');
    expect(await snapshot()).not.toContain('antigo@casa.test');
  });

  it('is told the place of a farm, and no other address of its owner', async () => {
    const place = {
      street: 'Estrada da fazenda',
      number: 1,
      city: 'Aracati',
      state: 'CE',
      zip_code: '62800-000',
    };
    const id = await made(spy, '/addresses/', place);
    expect(await feed()).not.toContain('Estrada da fazenda');
    expect((await call(spy, 'PUT', `/farms/${spysFarm}`, { address_id: id })).status).toBe(200);
    expect(await feed()).toContain('Estrada da fazenda');
    expect(await snapshot()).toContain('Estrada da fazenda');
    await call(spy, 'PUT', `/addresses/${id}`, { street: 'Estrada nova' });
    expect(await feed()).toContain('Estrada nova');
  });

  it('knows an owner’s plan, and one who becomes an administrator no longer', async () => {
    expect(await snapshot()).toContain('ENTERPRISE');
    const promoted = await aPerson('promovida');
    await joinFarm(app, { token: spy.token, farmId: spysFarm }, promoted, 'VIEWER');
    expect(await snapshot()).toContain('promovida@casa.test');
    await app.kernel.commit({ actor: null, changes: [update(user, promoted.user.id, { role: 'ADMIN' })] });
    await call(promoted, 'PUT', '/users/me', { name: 'Nome de administradora' });
    expect(await snapshot()).not.toContain('promovida@casa.test');
    for (const told of [await snapshot(), await feed()]) expect(told).not.toContain('Nome de administradora');
  });

  type Rows = Map<string, string>;
  /** Every row of every table, as text; `mine`: those that the spy's gateway may rightly change. */
  async function everything(): Promise<Rows> {
    const rows: Rows = new Map();
    for (const { name } of allResources) {
      if (OF_THE_SYNC.has(name)) continue;
      const { rows: stored } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(
        app.database.read,
      );
      for (const row of stored) rows.set(`${name} ${String(row['id'])}`, JSON.stringify(row));
    }
    return rows;
  }
  /** What the sync notes of its own work, and counts of the farm's. */
  const OF_THE_SYNC = new Set([
    'sync_parked',
    'sync_conflicts',
    'local_users',
    'idempotent_answers',
    'presence',
  ]);
  let counter = 0;
  const nextHlc = () => {
    counter += 1;
    return formatHlc(app.clock.now() + counter, 0, GATEWAY_NODE);
  };

  /** Rows that stand below one of those farms, by the ids in them, or are the farm. */
  const isBelow = (ids: ReadonlySet<string>, text: string) => [...ids].some((id) => text.includes(id));

  const said = (changes: Omit<WireChange, 'seq' | 'chain' | 'tx' | 'sv'>[]) =>
    app.database.commit({
      actor: null,
      changes: [],
      incoming: {
        from: 'gateway',
        streamId: stream.streamId,
        lane: 'core',
        changes: changes.map((change, at) => ({
          ...change,
          seq: at + 1,
          tx: 1,
          sv: SYNC_SCHEMA,
          chain: 'a'.repeat(32),
        })),
      },
    });
  const anEdit = (entity: number, id: string, body: WireChange['body'], more: Partial<WireChange> = {}) => ({
    entity,
    id,
    op: 1 as const,
    cl: 1,
    hlc: nextHlc(),
    over: null,
    base: body === null ? null : Object.fromEntries(Object.keys(body).map((group) => [group, ''])),
    body,
    actor: victim.user.id,
    ...more,
  });
  const rowOf = async (table: Parameters<App['database']['read']['selectFrom']>[0] & string, id: string) =>
    (
      await sql<Record<string, unknown>>`select * from ${sql.table(table)} where id = ${id}`.execute(
        app.database.read,
      )
    ).rows[0];

  it.each([
    ['renames a member', () => anEdit(1, member.user.id, { name: { name: 'owned' } })],
    [
      'gives a member another phone',
      () => anEdit(1, member.user.id, { phone_number: { phone_number: '1' } }),
    ],
    ['ends the account of a member', () => anEdit(1, member.user.id, null, { op: 2, cl: 2 })],
    ['ends it by an edit', () => anEdit(1, member.user.id, { name: { name: 'x' } }, { cl: 2 })],
    ['speaks of a stranger', () => anEdit(1, victim.user.id, { name: { name: 'owned' } })],
    ['makes itself an administrator', () => anEdit(1, spy.user.id, { role: { role: 'ADMIN' } })],
  ] as const)('%s in vain', async (_what, attack) => {
    const people = [member, victim, spy].map(({ user: { id } }) => id);
    const before = await Promise.all(people.map((id) => rowOf('users', id)));
    await said([attack()]);
    const after = await Promise.all(people.map((id) => rowOf('users', id)));
    // a name is told again as it stands
    expect(after).toEqual(before);
  });

  it('plants nothing in an account, and brings nobody back', async () => {
    const { kernel, database } = app;
    const at = new Date(app.clock.now()).toISOString();
    const heard = async () =>
      (
        await sql`select id from notifications where user_id = ${victim.user.id} and type = 'SYSTEM' order by id`.execute(
          database.read,
        )
      ).rows;
    // of the password that the victim changed
    const heardBefore = await heard();
    expect(heardBefore).toHaveLength(1);
    const whole = (entity: number, row: Record<string, unknown> & { id: string }) =>
      anEdit(entity, row.id, row, { base: null });
    const place = {
      street: 'Falsa',
      number: 1,
      complement: null,
      city: 'X',
      state: 'CE',
      zip_code: '62800-000',
    };
    const forged = [member, former, victim].map(({ user: { id: user_id } }) => ({
      ...place,
      country: 'Brazil',
      lat: null,
      lng: null,
      is_primary: true,
      id: kernel.newId(),
      user_id,
      created_at: at,
      updated_at: null,
    }));
    const news = (user_id: string, farm_id: string | null) => ({
      id: kernel.newId(),
      user_id,
      farm_id,
      type: 'PAYMENT',
      title: 'Pague aqui',
      message: 'http://mal.test',
      data: null,
      is_read: false,
      read_at: null,
      created_at: at,
    });
    const membership = (user_id: string) => ({
      id: kernel.newId(),
      farm_id: spysFarm,
      user_id,
      role: 'VIEWER',
      created_at: at,
      updated_at: null,
    });
    const left = await database.read
      .selectFrom('farm_members')
      .selectAll()
      .where('user_id', '=', former.user.id)
      .executeTakeFirstOrThrow();
    const { rev: _rev, hidden: _hidden, ...formerMember } = left;
    await said([
      ...forged.map((row) => whole(2, row)),
      ...[member, former, victim].map(({ user }) => whole(12, news(user.id, null))),
      ...[former, victim].map(({ user }) => whole(12, news(user.id, spysFarm))),
      ...[former, victim].map(({ user }) => whole(4, membership(user.id))),
      whole(4, { ...formerMember, cl: 3 } as never),
      anEdit(4, left.id, { role: { role: 'MANAGER' } }, { cl: 3 }),
      whole(4, formerMember),
    ]);
    const { rows: people } = await sql<{
      user_id: string;
      farm_id: string;
    }>`select user_id, farm_id from farm_members where hidden = 0`.execute(database.read);
    expect(people.filter(({ user_id }) => [former.user.id, victim.user.id].includes(user_id))).toEqual([]);
    for (const { id } of forged) expect(await rowOf('addresses', id)).toBeUndefined();
    const { rows: told } = await sql`select id from notifications where title = 'Pague aqui'`.execute(
      database.read,
    );
    expect(told).toEqual([]);
    // whose private address a farm is said to lie at does not become known by that
    const own = await database.read
      .selectFrom('addresses')
      .select('id')
      .where('user_id', '=', spy.user.id)
      .where('street', '=', 'Rua espiao')
      .executeTakeFirstOrThrow();
    await said([anEdit(3, spysFarm, { address_id: { address_id: own.id } })]);
    expect(await snapshot()).not.toContain('Rua espiao');
    // nobody is told of what somebody else is said to have done
    expect(await heard()).toEqual(heardBefore);
  });

  it('changes nothing outside its own farms, whatever it sends', { timeout: 240_000 }, async () => {
    const before = await everything();
    const farm = JSON.parse(before.get(`farms ${spysFarm}`) ?? '{}') as { address_id?: string };
    const ours = new Set([spysFarm, ...(farm.address_id === undefined ? [] : [farm.address_id])]);
    // what hangs below a farm names it, or names what names it
    for (let grown = 0; grown !== ours.size; ) {
      grown = ours.size;
      for (const [key, text] of before) {
        const [table = '', id = ''] = key.split(' ');
        if (table !== 'users' && table !== 'addresses' && isBelow(ours, text)) ours.add(id);
      }
    }
    const outside = [...before].filter(([key]) => {
      const [table = '', id = ''] = key.split(' ');
      return !ours.has(id) && table !== 'numeric_ids' && !isBelow(ours, before.get(key) ?? '');
    });
    expect(outside.length).toBeGreaterThan(20);
    const known = [...before].flatMap(([key, text]) => {
      const [table = ''] = key.split(' ');
      const resource = SHARED.find(({ name }) => name === table);
      return resource === undefined ? [] : [{ resource, row: JSON.parse(text) as Record<string, unknown> }];
    });
    const ids = [...new Set(known.map(({ row }) => String(row['id'])))];
    const aRow = fc.constantFrom(...known);
    const anId = fc.oneof(fc.constantFrom(...ids), fc.constant(spysFarm), fc.uuid({ version: 4 }));
    const change = fc
      .record({
        of: aRow,
        like: aRow,
        id: fc.option(anId, { nil: undefined }),
        op: fc.constantFrom(1, 2, 3, 4),
        cl: fc.constantFrom(1, 1, 2, 3, 4, 9),
        kind: fc.constantFrom('whole', 'groups'),
        swaps: fc.array(fc.tuple(fc.nat(), anId), { maxLength: 3 }),
        word: fc.string({ minLength: 1, maxLength: 12 }),
        group: fc.nat(),
      })
      .map((told): Omit<WireChange, 'seq' | 'chain' | 'tx'> => {
        const { resource } = told.of;
        const stored = told.of.row;
        const fields: Record<string, unknown> = {};
        for (const field of Object.keys(resource.row.shape))
          fields[field] = wire(resource, field, stored[field]);
        const references = Object.keys(fields).filter(
          (field) => field.endsWith('_id') || field === 'issued_by',
        );
        for (const [at, other] of told.swaps) {
          const field = references[at % Math.max(1, references.length)];
          if (field !== undefined) fields[field] = other;
        }
        for (const field of [
          'name',
          'title',
          'message',
          'notes',
          'cod',
          'street',
          'phone_number',
          'password_hash',
        ])
          if (field in fields) fields[field] = told.word;
        const id = told.id ?? String(stored['id']);
        fields['id'] = id;
        const groups = Object.keys(resource.groups);
        const group = groups[told.group % Math.max(1, groups.length)];
        const isWhole = told.kind === 'whole' || group === undefined;
        const hlc = nextHlc();
        const part = Object.fromEntries(
          (resource.groups[group ?? '']?.fields ?? []).map((name) => [name, fields[name]]),
        );
        return {
          entity: resource.entity,
          id,
          op: told.op as WireChange['op'],
          cl: told.cl,
          hlc,
          over: null,
          base: isWhole ? null : { [group]: '' },
          body: told.op === 2 ? null : isWhole ? fields : { [group]: part },
          actor: victim.user.id,
          sv: SYNC_SCHEMA,
        };
      });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        await app.database.commit({
          actor: null,
          changes: [],
          incoming: {
            from: 'gateway',
            streamId: stream.streamId,
            lane: 'core',
            changes: changes.map((told, at) => ({ ...told, seq: at + 1, tx: 1, chain: 'a'.repeat(32) })),
          },
        });
      }),
      { numRuns: Number(process.env['ADVERSARY_RUNS'] ?? 100), seed: 20_261_126 },
    );
    const after = await everything();
    expect(
      outside
        .filter(([key, text]) => after.get(key) !== text)
        .map(([key]) => [key, before.get(key), after.get(key)]),
    ).toEqual([]);
    // what came anew is below the spy's farms, or somebody of the gateway's own
    const locals = await app.database.read.selectFrom('local_users').select('id').execute();
    const own = new Set([
      spysFarm,
      spy.user.id,
      member.user.id,
      admin.user.id,
      ...ours,
      ...locals.map(({ id }) => id),
    ]);
    const farms = await app.database.read.selectFrom('sync_farms').select('id').execute();
    for (const { id } of farms) own.add(id);
    const anew = [...after].filter(([key]) => !before.has(key));
    for (let grown = 0; grown !== own.size; ) {
      grown = own.size;
      for (const [key, text] of anew) if (isBelow(own, text)) own.add(key.split(' ')[1] ?? '');
    }
    expect(anew.filter(([key]) => !own.has(key.split(' ')[1] ?? ''))).toEqual([]);
    // nobody is made a member, or given an address; who works on no farm of theirs hears nothing of it
    const of = (people: SignedUp[], text: string) => {
      const { user_id: id } = JSON.parse(text) as { user_id?: string };
      return people.some(({ user: { id: known } }) => known === id);
    };
    const planted = anew.filter(
      ([key, text]) =>
        (/^(farm_members|subscriptions|notifications) /.test(key) && of([victim, former], text)) ||
        (key.startsWith('addresses ') && of([victim, former, member, admin], text)),
    );
    expect(planted).toEqual([]);
    for (const told of [await snapshot(), await feed()])
      for (const secret of [...secrets, ...(await hashes())])
        expect([secret, told.includes(secret)]).toEqual([secret, false]);
  });

  /** A stored column as the wire has it. */
  function wire(resource: Resource, field: string, value: unknown): unknown {
    const schema = resource.row.shape[field];
    if (value === null || value === undefined) return null;
    if (schema?.safeParse(value).success === true) return value;
    if (value === 0 || value === 1) return value === 1;
    if (typeof value === 'string') {
      try {
        return JSON.parse(value);
      } catch {
        return value;
      }
    }
    return value;
  }
});
