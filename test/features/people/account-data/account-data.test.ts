import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountDataQueries } from '#adapters/sql/queries/people/account-data.ts';
import { EXPORTED } from '#adapters/sql/queries/people/account-sections.ts';
import { decodeRow } from '#adapters/sql/tables.ts';
import type { RowOf } from '#contract/resource.ts';
import { allResources } from '#contract/resources/all.ts';
import { farm as farmTable } from '#contract/resources/farms.ts';
import { outgoingLetter } from '#contract/resources/local-tables.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { notification } from '#contract/resources/notifications.ts';
import { pond } from '#contract/resources/ponds.ts';
import { user } from '#contract/resources/users.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { insert, remove, update } from '#core/changes.ts';
import { eraseLeftovers } from '#features/people/account-data/delete-account.ts';
import { aBatch } from '#test/a-batch.ts';
import { type App, aControlPoint, aFarmWith, body, joinFarm, type SignedUp, startApp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aFarm } from '#test/farm-rows.ts';
import { aProgram } from '#test/programs.ts';
import { tablesThatSay } from '#test/tables-that-say.ts';

/** Tables that hold nothing of a person, or only what stands elsewhere, too. */
const NOT_EXPORTED = {
  users: 'the account itself: the head of the export',
  instance_values: 'of the instance',
  revoked_tokens: 'ids of logged-out tokens',
  session_generations: 'how often all other sessions were ended',
  presence: 'last contact of controllers, in control_points',
  device_keys: 'secrets of controllers',
  second_factors: 'secrets of the person, sealed or hashed: that one is on says GET /auth/second-factor',
  first_key_uses: 'when a key of a control point was first used',
  idempotent_answers: 'answers of a day, of rows that are exported',
  numeric_ids: 'numbers of rows that are exported',
  invitation_letters: 'sealed, until they are sent: the address and the code of somebody who is invited',
  arrived_news: 'for moments, ids of notifications that are exported',
  payment_events: 'ids of the payment provider, of nobody',
  sync_parked: 'rows on their way to a table that is exported',
  sync_farms: 'which gateway runs a farm',
  pairings: 'a quarter of an hour, codes as hashes',
  lost_people: 'name and address of the account again, until an administrator decided; erased with it',
  local_users: 'accounts that stand on a gateway, which exports them',
  commands_taken: 'ids of orders that are exported',
  leases: 'of the processes of the instance',
  device_marks: 'boards that were ignored or replaced, of the box',
  board_labels: 'codes of the boards that control points have, of the box',
  relays: 'keys and settings of relays, in control_points',
  relay_meters: 'energy counters of relays',
  probe_buses: 'ports and addresses of the box; who set them up stands in logs',
  probes: 'where a probe hangs; what it measured is exported with the measurements',
  probe_profiles: 'register tables of probes',
  siren_settings: 'minutes of a farm, set on its gateway',
  imports: 'files of a week, to take them back; who brought what stands in logs',
  import_chunks: 'ids of rows that are exported',
  import_layouts: 'how sheets of a farm are read',
  firmware_images: 'programs of controllers, signed by their publisher',
  firmware_rollouts: 'which controllers got which program; who began it stands in logs',
  firmware_targets: 'controllers of a rollout, in control_points',
  password_resets: 'a code of half an hour, as a hash',
  push_actions: 'what a notification of an hour opens, as hashes; what was done stands in logs',
  stored_images: 'which bytes of exported photos are here',
  address_proofs: 'whether the address that stands in the account is confirmed',
};

describe('an export', () => {
  test('has every table that could hold something of a person, or a reason why not', () => {
    const told = new Set([...EXPORTED.map(({ table }) => table), ...Object.keys(NOT_EXPORTED)]);
    expect(allResources.map(({ name }) => name).filter((name) => !told.has(name))).toEqual([]);
  });
});

onBothEngines('the data of an account', (_open, engine) => {
  let app: App;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.close());

  const end = (who: Pick<SignedUp, 'token'>, password = 'camarao-123', query = '') =>
    app.call('DELETE', `/users/me${query}`, { token: who.token, body: { password } });

  async function aPerson({ name = 'Ana Pessoa' } = {}) {
    const person = await app.signUp({ email: `ana-${app.kernel.newId()}@farm.test` });
    await app.call('PUT', '/users/me', {
      token: person.token,
      body: { name, phone_number: '+55 88 99999-0000' },
    });
    await app.call('POST', '/addresses/', {
      token: person.token,
      body: { street: 'Rua das Flores', number: 7, city: 'Aracati', state: 'CE', zip_code: '62800000' },
    });
    return person;
  }

  /** Somebody who looked at a checkout and left it. */
  async function aLooker() {
    const person = await app.signUp({ plan: null });
    const reply = await app.call('POST', '/payment/create-checkout-session', {
      token: person.token,
      body: { plan: 'BASIC', success_url: 'https://farm.example/ok', cancel_url: 'https://farm.example/no' },
    });
    expect(reply.status).toBe(200);
    return person;
  }

  describe('exported', () => {
    test('is whole, and has no secret in it', async () => {
      const person = await aPerson();
      const ids = await aFarm(app.kernel, person.user.id);
      const { token, id: tokenId } = await aProgram(app, person, ['read']);
      expect((await app.call('GET', '/farms/', { token })).status).toBe(200);
      const usedAt = async () =>
        body(await app.call('GET', `/access-tokens/${tokenId}`, { token: person.token }))['last_used_at'];
      await expect.poll(usedAt).not.toBeNull();
      const bystander = await app.signUp();
      const others = await aFarm(app.kernel, bystander.user.id);
      const reply = await app.call('GET', '/users/me/export', { token: person.token });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="account-.*\.json"$/);
      const data = body(reply) as Record<string, { id: string }[]>;
      expect(data['account']).toMatchObject({ id: person.user.id, name: 'Ana Pessoa' });
      const idsIn = (section: string) => data[section]?.map(({ id }) => id);
      for (const [section, id] of [
        ['access_tokens', tokenId],
        ['access_token_uses', tokenId],
        ['farms', ids.farm],
        ['ponds', ids.pond],
        ['aerators', ids.aerator],
        ['control_points', ids.control_point],
        ['schedules', ids.schedule],
        ['alerts', ids.alert],
        ['batches', ids.batch],
        ['harvests', ids.harvest],
        ['biometries', ids.biometry],
        ['feeding_records', ids.feeding_record],
        ['expenses', ids.expense],
        ['transfers', ids.transfer],
        ['measurements', ids.measurement],
      ] as const) {
        expect([section, idsIn(section)]).toEqual([section, [id]]);
      }
      expect(data['addresses']).toMatchObject([{ street: 'Rua das Flores', is_primary: false }]);
      expect(data['subscription']).toMatchObject([{ plan: 'ENTERPRISE' }]);
      const text = JSON.stringify(data);
      for (const secret of ['argon2', token, 'token_hash', 'code_hash', others.farm, bystander.user.email])
        expect(text).not.toContain(secret);
    });

    test('holds what the person did on the farms of others, and nothing else of them', async () => {
      const { token, farmId } = await aFarmWith(app);
      const worker = await app.signUp();
      await joinFarm(app, { token, farmId }, worker, 'TECHNICIAN');
      const point = await aControlPoint(app, { token, farmId });
      await app.call('POST', `/control-points/${point.id}/turn-on`, { token: worker.token });
      const left = await aFarmWith(app);
      const { code } = body(
        await app.call('POST', `/farms/${left.farmId}/invitations`, {
          token: left.token,
          body: { role: 'TECHNICIAN', email: worker.user.email },
        }),
      );
      await app.call('POST', '/invitations/accept', { token: worker.token, body: { code } });
      const there = await aControlPoint(app, left);
      await app.call('POST', `/control-points/${there.id}/turn-on`, { token: worker.token });
      await app.call('DELETE', `/farms/${left.farmId}/members/${worker.user.id}`, { token: left.token });
      const data = body(await app.call('GET', '/users/me/export', { token: worker.token }));
      expect(data).toMatchObject({
        farms: [],
        control_points: [],
        memberships: [{ farm_id: farmId, role: 'TECHNICIAN' }],
        invitations_answered: [
          { farm_id: farmId, state: 'ACCEPTED' },
          { farm_id: left.farmId, state: 'ACCEPTED' },
        ],
      });
      const acts = data['acts_on_other_farms'] as { farm_id: string; action: string; user_id: string }[];
      expect(acts).toHaveLength(4);
      // the invitations they accepted
      expect(acts).toContainEqual(expect.objectContaining({ farm_id: left.farmId, action: 'update' }));
      for (const id of [farmId, left.farmId])
        expect(acts).toContainEqual(
          expect.objectContaining({ farm_id: id, action: 'turn_on', user_id: worker.user.id }),
        );
    });

    test('is read page by page', async () => {
      const { token, farmId } = await aFarmWith(app);
      const pond = await app.call('POST', '/ponds/', { token, body: { farm_id: farmId, cod: 'V-1' } });
      const pondId = String(body(pond)['id']);
      for (let from = 0; from < 1_203; from += 401) {
        // three at each instant: pages break between rows of one time, too
        await app.kernel.commit({
          actor: null,
          changes: Array.from({ length: 401 }, (_, n) =>
            insert(measurement, aMeasurement(app, pondId, Math.floor((from + n) / 3))),
          ),
        });
      }
      const data = body(await app.call('GET', '/users/me/export', { token }));
      const ids = (data['measurements'] as { id: string }[]).map(({ id }) => id);
      expect([ids.length, new Set(ids).size]).toEqual([1_203, 1_203]);
    });

    test('holds also what the payment provider here knows of somebody who never bought', async () => {
      const person = await aLooker();
      const data = body(await app.call('GET', '/users/me/export', { token: person.token }));
      expect(data['payment_customers']).toMatchObject([
        { kind: 'customer', body: { user_id: person.user.id, email: person.user.email } },
      ]);
      expect(data['payments']).toMatchObject([
        { kind: 'checkout_session', body: { user_id: person.user.id } },
      ]);
    });

    test('may be asked for ten times an hour', async () => {
      const person = await app.signUp();
      const ask = () => app.call('GET', '/users/me/export', { token: person.token });
      for (let n = 0; n < 10; n += 1) expect((await ask()).status).toBe(200);
      expect(await ask()).toMatchObject({ status: 429, body: { code: 'TOO_MANY_ATTEMPTS' } });
    });
  });

  function aMeasurement(app: App, pondId: string, second: number): RowOf<typeof measurement> {
    return {
      id: app.kernel.newId(),
      pond_id: pondId,
      measurement_date: new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString(),
      temperature: 27,
      dissolved_oxygen: null,
      ph: null,
      salinity: null,
      alkalinity: null,
      ammonia: null,
      nitrite: null,
      nitrate: null,
      transparency: null,
      source: 'probe',
      notes: null,
      created_by: null,
      clock_quality: 'trusted',
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: null,
    };
  }

  describe('deleted', () => {
    test('takes the right password, ten tries in a quarter of an hour', async () => {
      const person = await app.signUp();
      for (let n = 0; n < 10; n += 1)
        expect(await end(person, `wrong-password-${n}`)).toMatchObject({ status: 422 });
      expect(await end(person)).toMatchObject({ status: 429 });
      expect((await app.call('GET', '/users/me', { token: person.token })).status).toBe(200);
    });

    test('leaves nothing personal behind, and ends logins and tokens at once', async () => {
      const person = await aPerson({ name: 'Iracema Unica' });
      const program = await aProgram(app, person, ['read']);
      const host = await aFarmWith(app);
      await joinFarm(app, host, person, 'MANAGER');
      await app.call('POST', `/farms/${host.farmId}/invitations`, {
        token: host.token,
        body: { role: 'VIEWER', email: person.user.email },
      });
      const point = await aControlPoint(app, host);
      await app.call('POST', `/control-points/${point.id}/turn-on`, { token: person.token });
      expect((await end(person)).status).toBe(204);

      for (const token of [person.token, program.token])
        expect((await app.call('GET', '/users/me', { token })).status).toBe(401);
      const login = { email: person.user.email, password: 'camarao-123' };
      expect((await app.call('POST', '/auth/login', { body: login })).status).toBe(401);
      const members = await app.call('GET', `/farms/${host.farmId}/members`, { token: host.token });
      expect(members.body).toEqual([]);

      expect(await tablesThatSay(app, person.user.email)).toEqual([]);
      expect(await tablesThatSay(app, 'Iracema Unica')).toEqual([]);
      const stored = await app.database.read
        .selectFrom('users')
        .innerJoin('addresses', 'addresses.user_id', 'users.id')
        .select(['users.phone_number', 'users.password_hash', 'addresses.street', 'addresses.hidden'])
        .where('users.id', '=', person.user.id)
        .execute();
      expect(stored).toEqual([{ phone_number: null, password_hash: '', street: '', hidden: 1 }]);
      const notifications = await app.database.read
        .selectFrom('notifications')
        .select('id')
        .where('user_id', '=', person.user.id)
        .execute();
      expect(notifications).toEqual([]);
      const acts = await app.database.read
        .selectFrom('logs')
        .select(['action', 'user_id'])
        .where('user_id', '=', person.user.id)
        .orderBy('action')
        .execute();
      // the order, and that they joined
      expect(acts.map(({ action }) => action)).toEqual(['turn_on', 'update']);
      // the address is free again
      expect((await app.call('POST', '/auth/register', { body: { ...login, name: 'Nova' } })).status).toBe(
        201,
      );
    });

    test('leaves no offer behind that would be for anybody now', async () => {
      const person = await aPerson();
      const host = await aFarmWith(app);
      const handover = body(
        await app.call('POST', `/farms/${host.farmId}/invitations`, {
          token: host.token,
          body: { kind: 'HANDOVER', email: person.user.email, password: 'camarao-123' },
        }),
      );
      const sealed = {
        kind: 'INVITATION' as const,
        sealed: 'x',
        language: 'pt-BR',
        attempts: 0,
        next_at: '2126-01-01T00:00:00.000Z',
      };
      const letter = { id: String(handover['id']), ...sealed, created_at: sealed.next_at };
      await app.kernel.commit({ actor: null, changes: [insert(outgoingLetter, letter)] });
      expect((await end(person)).status).toBe(204);
      // who finds the note with the code gets no farm
      const finder = await app.signUp();
      const tried = await app.call('POST', '/invitations/accept', {
        token: finder.token,
        body: { code: handover['code'] },
      });
      expect([tried.status, body(tried)['code']]).toEqual([409, 'INVITATION_REVOKED']);
      const letters = await app.database.read.selectFrom('invitation_letters').select('id').execute();
      expect(letters).toEqual([]);
    });

    test('leaves nothing of what was deleted before either, nor of farms that went with it', async () => {
      const person = await aPerson();
      const ask = async (method: string, path: string, sent?: unknown) => {
        const reply = await app.call(method, path, {
          token: person.token,
          ...(sent === undefined ? {} : { body: sent }),
        });
        expect(reply.status).toBeLessThan(300);
        return body(reply);
      };
      const address = await ask('POST', '/addresses/', {
        street: 'Travessa Singular',
        number: 9,
        city: 'Aracati',
        state: 'CE',
        zip_code: '62811000',
      });
      await ask('DELETE', `/addresses/${String(address['id'])}`);
      const channel = await ask('POST', '/notification-channels/', {
        kind: 'WEBHOOK',
        address: 'https://example.com/singular-hook',
        types: ['ALERT'],
      });
      await ask('DELETE', `/notification-channels/${String(channel['id'])}`);
      // the hourly look does not wait for the account's end
      await app.people.eraseLeftovers();
      expect(await tablesThatSay(app, 'singular-hook')).toEqual([]);
      const gone = await aFarmWith(app);
      await app.call('POST', `/farms/${gone.farmId}/invitations`, {
        token: gone.token,
        body: { role: 'VIEWER', email: person.user.email },
      });
      await app.call('DELETE', `/farms/${gone.farmId}`, { token: gone.token });
      const place = { lat: '-4.5612345', lng: '-37.7712345' };
      const farm = await ask('POST', '/farms/', { name: 'Fazenda Singular', ...place });
      const pond = await ask('POST', '/ponds/', {
        farm_id: farm['id'],
        cod: 'V-1',
        size_m2: 3_000,
        ...place,
      });
      await aBatch(
        app,
        { token: person.token, pondId: String(pond['id']) },
        { notes: 'larvas do primo singular' },
      );
      expect((await end(person, 'camarao-123', '?force=true')).status).toBe(204);
      // the zip code whole, as it was typed and as it is kept: five digits stand in many an id
      for (const said of ['Singular', 'singular', person.user.email, '62811000', '62811-000', place.lat])
        expect([said, await tablesThatSay(app, said)]).toEqual([said, []]);
    });

    test('leaves nothing at the payment provider here, also of somebody who never bought', async () => {
      const person = await aLooker();
      expect(await tablesThatSay(app, person.user.email)).toContain('payment_objects');
      expect((await end(person)).status).toBe(204);
      expect(await tablesThatSay(app, person.user.email)).toEqual([]);
      expect(await tablesThatSay(app, person.user.id)).not.toContain('payment_objects');
    });

    test('is refused while the account owns farms, unless they go with it', async () => {
      const person = await app.signUp();
      const made = await app.call('POST', '/farms/', { token: person.token, body: { name: 'Norte' } });
      const farmId = body(made)['id'];
      expect(await end(person)).toMatchObject({
        status: 409,
        body: { code: 'OWNS_FARMS', detail: expect.stringContaining('owns a farm (Norte)') },
      });
      expect((await app.call('GET', `/farms/${farmId}`, { token: person.token })).status).toBe(200);
      const pond = await app.call('POST', '/ponds/', {
        token: person.token,
        body: { farm_id: farmId, cod: 'V-1', size_m2: 3_000 },
      });
      await aBatch(app, { token: person.token, pondId: String(body(pond)['id']) });
      const point = await aControlPoint(app, { token: person.token, farmId: String(farmId) });
      expect((await end(person, 'camarao-123', '?force=true')).status).toBe(204);
      const farms = await app.database.read
        .selectFrom('farms')
        .select('hidden')
        .where('id', '=', String(farmId))
        .execute();
      expect(farms).toEqual([{ hidden: 1 }]);
      const beat = { device_id: point.device_id, current_status: 'ON' };
      expect((await app.call('POST', '/devices/heartbeat', { body: beat })).status).toBe(404);
    });

    test('the last administrator stays; of the last two who go at the same moment one stays', async () => {
      const admins = [await app.signUp({ role: 'ADMIN' }), await app.signUp({ role: 'ADMIN' })];
      const answers = await Promise.all(admins.map((one) => end(one)));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
      expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'LAST_ADMIN' });
      const left = admins[answers.findIndex(({ status }) => status === 409)];
      if (left) {
        const rows = [update(user, left.user.id, { role: 'OWNER' })];
        await app.kernel.commit({ actor: null, changes: rows });
      }
    });

    test('against a handover at the same moment: the farm has an owner, or none of them was there', async () => {
      const rounds = await Promise.all(
        Array.from({ length: 6 }, async () => {
          const [giver, taker] = [await app.signUp(), await app.signUp()];
          const made = await app.call('POST', '/farms/', { token: giver.token, body: { name: 'Leste' } });
          const farmId = String(body(made)['id']);
          const offered = await app.call('POST', `/farms/${farmId}/invitations`, {
            token: giver.token,
            body: { kind: 'HANDOVER', former_owner: 'NONE' },
          });
          const [taken, gone] = await Promise.all([
            app.call('POST', '/invitations/accept', {
              token: taker.token,
              body: { code: body(offered)['code'] },
            }),
            end(taker),
          ]);
          const farm = await app.database.read
            .selectFrom('farms')
            .innerJoin('users', 'users.id', 'farms.owner_id')
            .select(['farms.owner_id', 'users.hidden'])
            .where('farms.id', '=', farmId)
            .executeTakeFirstOrThrow();
          return {
            isOwned: farm.hidden === 0,
            isTaken: farm.owner_id === taker.user.id,
            statuses: [taken.status, gone.status],
          };
        }),
      );
      for (const { isOwned, isTaken, statuses } of rounds) {
        expect(isOwned).toBe(true);
        expect(statuses[1]).toBe(isTaken ? 409 : 204);
      }
    });

    test('against a farm made at the same moment: no farm is left without an owner', async () => {
      for (let round = 0; round < 5; round += 1) {
        const person = await app.signUp();
        const [made, gone] = await Promise.all([
          app.call('POST', '/farms/', { token: person.token, body: { name: 'Oeste' } }),
          end(person),
        ]);
        const left = await app.database.read
          .selectFrom('farms')
          .innerJoin('users', 'users.id', 'farms.owner_id')
          .select('farms.id')
          .where('farms.owner_id', '=', person.user.id)
          .where('farms.hidden', '=', 0)
          .where('users.hidden', '=', 1)
          .execute();
        expect([left, made.status === 201 && gone.status === 204]).toEqual([[], false]);
      }
    });

    test('what a stop cut off is erased by the next look', async () => {
      const person = await aPerson();
      await aProgram(app, person, ['read']);
      await app.kernel.commit({ actor: null, changes: [remove(user, person.user.id)] });
      const left = () =>
        app.database.read
          .selectFrom('notifications')
          .select('id')
          .where('user_id', '=', person.user.id)
          .execute();
      // of the subscription, which was deleted, and of the token
      expect(await left()).toHaveLength(2);
      await app.people.eraseLeftovers();
      expect(await left()).toEqual([]);
    });

    test('is cleared in commits that are small together, and those that overwrite smaller still', async () => {
      const person = await aPerson();
      const farm = await aFarm(app.kernel, person.user.id);
      const at = new Date(app.clock.now()).toISOString();
      const words = { title: 'a', message: 'a', data: {}, is_read: false, read_at: null, created_at: at };
      const note = { user_id: person.user.id, farm_id: null, type: 'SYSTEM' as const, ...words };
      const stored = await app.database.read
        .selectFrom('ponds')
        .selectAll()
        .where('id', '=', farm.pond)
        .executeTakeFirstOrThrow();
      const { rev: _, ...like } = decodeRow(pond, stored);
      const many = Array.from({ length: 130 }, (_one, n) => ({
        ...like,
        id: app.kernel.newId(),
        numeric_id: like.numeric_id + 10_000 + n,
        cod: `N-${n}`,
        lat: '-4',
        lng: '-37',
      }));
      const notes = many.map(() => insert(notification, { id: app.kernel.newId(), ...note }));
      const channel = {
        user_id: person.user.id,
        kind: 'WEBHOOK' as const,
        address: 'https://farm.test',
        keys: null,
        types: ['ALERT' as const],
        min_severity: 'LOW' as const,
        quiet_from: null,
        quiet_to: null,
        timezone: 'Etc/UTC',
        is_active: true,
        verified_at: at,
        created_at: at,
        updated_at: null,
      };
      const channels = many.map(() => insert(notificationChannel, { id: app.kernel.newId(), ...channel }));
      await app.kernel.commit({
        actor: null,
        changes: [...many.map((row) => insert(pond, row)), ...notes, ...channels],
      });
      await app.kernel.commit({ actor: null, changes: [remove(farmTable, farm.farm)] });
      await app.kernel.commit({ actor: null, changes: [remove(user, person.user.id)] });
      const sizes: { all: number; blanked: number }[] = [];
      const { read } = app.database;
      await eraseLeftovers({
        ...app.kernel,
        queries: accountDataQueries(read, read),
        commit(unit) {
          const blanked = unit.changes.filter(({ op }) => op === 'blank').length;
          sizes.push({ all: unit.changes.length, blanked });
          return app.kernel.commit(unit);
        },
      });
      expect(Math.max(...sizes.map(({ all }) => all))).toBe(200);
      expect(Math.max(...sizes.map(({ blanked }) => blanked))).toBe(50);
      const left = await read.selectFrom('ponds').select('id').where('lat', 'is not', null).execute();
      expect(left.filter(({ id }) => many.some((row) => row.id === id))).toEqual([]);
    });
  });
});
