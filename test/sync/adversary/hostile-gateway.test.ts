import fc from 'fast-check';
import { expect, it } from 'vitest';
import { epochHead } from '#contract/resources/local-tables.ts';
import { StaleError } from '#core/errors.ts';
import { formatHlc } from '#store/hlc.ts';
import type { SignedUp } from '#test/app.ts';
import { onBothEngines } from '#test/databases.ts';
import { aSpysGateway, GATEWAY_NODE, type SpysGateway } from './a-spys-gateway.ts';
import { aHostileGateway } from './hostile-gateway.ts';
import { draw, type RandomChange, type Rows, randomChanges, rowsIn, sharedRows } from './random-changes.ts';

// Whatever a gateway in other hands sends, nothing of another tenant is read or changed by it, and nothing falls.
// ADVERSARY_MESSAGES: so many of them; ADVERSARY_SEED: others.

const isLong = process.env['ADVERSARY_MESSAGES'] !== undefined;
const MESSAGES = Number(process.env['ADVERSARY_MESSAGES'] ?? 700);
const SEED = Number(process.env['ADVERSARY_SEED'] ?? 20_261_126);
const A_ROUND = 2_500;
/** Gateways of the spy's that speak at the same time: an instance writes what comes together. */
const LANES = 6;
const FOR_HOURS = 12 * 3_600_000;

/** What the sync notes of its own work, and counts of the farm's. */
const OF_THE_SYNC: ReadonlySet<string> = new Set([
  'sync_parked',
  'sync_conflicts',
  'local_users',
  'lost_people',
  'idempotent_answers',
  'presence',
]);

/** Six commits at once may deadlock in PostgreSQL, which ends one of them: it is tried again, as whoever receives rows does. */
async function whenFree(commit: () => Promise<unknown>, tries = 5): Promise<void> {
  try {
    await commit();
  } catch (error) {
    if (tries === 1 || !(error instanceof StaleError)) throw error;
    await whenFree(commit, tries - 1);
  }
}

/** Rows that stand below one of those farms, by the ids in them, or are the farm. */
const isBelow = (ids: ReadonlySet<string>, text: string) => [...ids].some((id) => text.includes(id));

onBothEngines('a gateway in other hands', (_open, engine) => {
  let its: SpysGateway;
  let lanes: (SpysGateway['stream'] & { farmId: string })[] = [];
  let counter = 0;
  const nextHlc = () => {
    counter += 1;
    return formatHlc(its.app.clock.now() + counter, 0, GATEWAY_NODE);
  };

  /** Everything as it stands, and what of it is not the spy's. */
  async function standing() {
    const { app, spysFarm } = its;
    const before = await rowsIn(app, OF_THE_SYNC);
    const farm = JSON.parse(before.get(`farms ${spysFarm}`) ?? '{}') as { address_id: string };
    // how far the feed went that it was told is noted of its own streams
    const notes = lanes.map(({ streamId }) => epochHead(streamId));
    const ours = new Set([farm.address_id, ...notes, ...lanes.map(({ farmId }) => farmId)]);
    const gateways: ReadonlySet<string> = new Set(lanes.map(({ gatewayId }) => gatewayId));
    // what hangs below a farm names it, or names what names it
    for (let grown = 0; grown !== ours.size; ) {
      grown = ours.size;
      for (const [key, text] of before) {
        const [table = '', id = ''] = key.split(' ');
        if (table !== 'users' && table !== 'addresses' && isBelow(ours, text)) ours.add(id);
      }
    }
    const outside = [...before].filter(([key, text]) => {
      const [table = '', id = ''] = key.split(' ');
      const isOfTheSpy = ours.has(id) || gateways.has(id) || isBelow(ours, text);
      return !isOfTheSpy && table !== 'numeric_ids';
    });
    expect(outside.length).toBeGreaterThan(20);
    return { before, ours, outside };
  }

  const changesOf = (before: Rows): fc.Arbitrary<RandomChange> =>
    randomChanges({ known: sharedRows(before), ids: [its.spysFarm], actor: its.victim.user.id, nextHlc });

  async function nothingCrossed({ before, ours, outside }: Awaited<ReturnType<typeof standing>>) {
    const { app, spysFarm, spy, member, admin, victim, former, snapshot, feed, secrets, hashes } = its;
    const after = await rowsIn(app, OF_THE_SYNC);
    expect(
      outside
        .filter(([key, text]) => after.get(key) !== text)
        .map(([key]) => [key, before.get(key), after.get(key)]),
    ).toEqual([]);
    // what came anew is below the spy's farms, or somebody of the gateway's own
    const locals = await app.database.read.selectFrom('local_users').select('id').execute();
    // whom it says that this instance lost: offered to an administrator, and a row that opens nothing until then
    const lost = await app.database.read
      .selectFrom('lost_people')
      .select('user_id as id')
      .where('kind', '=', 'account')
      .execute();
    const people = [spy, member, admin].map(({ user }) => user.id);
    const own = new Set([spysFarm, ...people, ...ours, ...[...locals, ...lost].map(({ id }) => id)]);
    const farms = await app.database.read.selectFrom('sync_farms').select('id').execute();
    for (const { id } of farms) own.add(id);
    const anew = [...after].filter(([key]) => !before.has(key) && !MADE_BY_KNOCKING.test(key));
    for (let grown = 0; grown !== own.size; ) {
      grown = own.size;
      for (const [key, text] of anew) if (isBelow(own, text)) own.add(key.split(' ')[1] ?? '');
    }
    expect(anew.filter(([key]) => !own.has(key.split(' ')[1] ?? ''))).toEqual([]);
    // nobody is made a member, or given an address; who works on no farm of theirs hears nothing of it
    const of = (persons: SignedUp[], text: string) => {
      const { user_id: id } = JSON.parse(text) as { user_id?: string };
      return persons.some(({ user: { id: known } }) => known === id);
    };
    const planted = anew.filter(
      ([key, text]) =>
        (/^(farm_members|subscriptions|notifications) /.test(key) &&
          isShown(text) &&
          of([victim, former], text)) ||
        (key.startsWith('addresses ') && of([victim, former, member, admin], text)),
    );
    expect(planted).toEqual([]);
    const kept = [...secrets, ...(await hashes())];
    const texts: string[] = [];
    for (const lane of lanes) texts.push(await snapshot(lane), await feed(lane));
    for (const told of texts)
      for (const secret of kept) expect([secret, told.includes(secret)]).toEqual([secret, false]);
  }
  /** One that was refused stands deleted. */
  const isShown = (text: string) => (JSON.parse(text) as { hidden?: number }).hidden !== 1;
  /**
   * Whoever knocks without a token leaves a nonce, a count or a ceremony that nobody claimed; the mark of a notification is its
   * id alone, and the notification is looked at itself.
   */
  const MADE_BY_KNOCKING = /^(pairings|revoked_tokens|request_counts|attempts|arrived_news) /;

  const began = { wall: performance.now(), cpu: process.cpuUsage() };
  function progress(done: number, most: number): void {
    const { user, system } = process.cpuUsage(began.cpu);
    const took = `${Math.round(performance.now() - began.wall)} ms, of the processor ${Math.round((user + system) / 1000)} ms`;
    process.stdout.write(`${engine}: ${done} of ${most} from seed ${SEED}, ${took}\n`);
  }

  /** Many messages are sent in rounds, each to an instance of its own: what one grew does not slow the next. */
  async function inRounds(most: number, round: (count: number, seed: number) => Promise<void>) {
    for (let done = 0; done < most; done += A_ROUND) {
      its = await aSpysGateway(engine);
      const { spy, spysFarm, made, call } = its;
      const place = { street: 'Estrada', number: 1, city: 'Aracati', state: 'CE', zip_code: '62800-000' };
      await call(spy, 'PUT', `/farms/${spysFarm}`, { address_id: await made(spy, '/addresses/', place) });
      lanes = [{ farmId: spysFarm, ...its.stream }];
      while (lanes.length < LANES) lanes.push(await its.another(`Fazenda ${lanes.length}`));
      try {
        await round(Math.min(A_ROUND, most - done), SEED + done);
        if (isLong) progress(Math.min(most, done + A_ROUND), most);
      } finally {
        await its.app.close();
      }
    }
  }

  /** So many in all, by as many at once as there are lanes, each with what is drawn for it alone. */
  async function inLanes<Value>(
    { of, count, seed }: { of: fc.Arbitrary<Value>; count: number; seed: number },
    open: (lane: (typeof lanes)[number]) => Promise<(value: Value) => Promise<void>>,
  ): Promise<void> {
    let left = count;
    const run = async (lane: (typeof lanes)[number], at: number) => {
      const say = await open(lane);
      const next = draw(of, seed + at * 1_000_000);
      for (let n = 0; left > 0; n += 1) {
        left -= 1;
        const value = next();
        try {
          await say(value);
        } catch (error) {
          const which = `ADVERSARY_SEED=${seed}, lane ${at}, message ${n}`;
          throw new Error(`${which}: ${JSON.stringify(value).slice(0, 4_000)}`, { cause: error });
        }
      }
    };
    await Promise.all(lanes.map(run));
  }

  it('changes nothing outside its own farms, whatever rows it sends', { timeout: FOR_HOURS }, () =>
    inRounds(Math.ceil(MESSAGES / 7), async (count, seed) => {
      const { app } = its;
      const stood = await standing();
      const of = fc.array(changesOf(stood.before), { minLength: 1, maxLength: 12 });
      await inLanes({ of, count, seed }, async ({ streamId }) => async (told) => {
        const changes = told.map((change, at) => ({ ...change, seq: at + 1, tx: 1, chain: 'a'.repeat(32) }));
        const incoming = { from: 'gateway', streamId, lane: 'core', changes } as const;
        await whenFree(() => app.database.commit({ actor: null, changes: [], incoming }));
      });
      await nothingCrossed(stood);
    }),
  );

  it('fells nothing and reads nothing of others, whatever it says', { timeout: FOR_HOURS }, async () => {
    const statuses = new Map<string, number>();
    await inRounds(MESSAGES, async (count, seed) => {
      const stood = await standing();
      const secrets = [...its.secrets, ...(await its.hashes())];
      const ids = [...stood.before.keys()].map((key) => key.split(' ')[1] ?? '');
      const gateways = await Promise.all(lanes.map((lane) => aHostileGateway(its, lane)));
      const [first] = gateways;
      if (first === undefined) throw new Error('no lanes');
      const of = first.messages(changesOf(stood.before), ids);
      await inLanes({ of, count, seed }, async (lane) => {
        const gateway = gateways[lanes.indexOf(lane)] ?? first;
        let sent = 0;
        return async (message) => {
          sent += 1;
          // a token lives for a quarter of an hour
          if (sent % 500 === 0) await gateway.signIn();
          const reply = await gateway.send(message);
          const kind = `${message.to} ${reply?.status ?? 'frame'}`;
          statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
          if (reply === null) return;
          const told = secrets.find((secret) => reply.text.includes(secret));
          if (reply.status >= 500 || told !== undefined)
            throw new Error(`${message.to}: ${reply.status} ${told ?? ''} ${reply.text.slice(0, 500)}`);
        };
      });
      for (const gateway of gateways) {
        gateway.close();
        for (const text of gateway.heard) for (const secret of secrets) expect(text).not.toContain(secret);
      }
      await nothingCrossed(stood);
      expect((await its.app.call('GET', '/farms/', { token: its.victim.token })).status).toBe(200);
    });
    // what is said well is heard: or nothing would have been tried
    for (const kind of ['hello', 'push', 'pull', 'snapshot', 'digest', 'repair', 'session/nonce'])
      expect([kind, statuses.get(`${kind} 200`) ?? 0]).not.toEqual([kind, 0]);
    const told = [...statuses].map(([kind, count]) => `${kind}: ${count}`);
    if (isLong) process.stdout.write(`${engine}: ${told.join(', ')}\n`);
  });
});
