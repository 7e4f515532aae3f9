import { farmMember } from '#contract/resources/farms.ts';
import { NO_PASSWORD, standInEmail, user } from '#contract/resources/users.ts';
import { type Change, insert, remove, tell, update } from '#core/changes.ts';
import type { Violation } from './check.ts';
import { OWNER, STREAM } from './paired-farm.ts';
import { type KnownRow, keyOf, type ReplicaState } from './replica-state.ts';
import type { World } from './world.ts';

// Members of the farms: they come and go in the cloud, change their password or end their account there, and meanwhile
// work at a box that may not have heard of it.

const ACTS = {
  'somebody joins': 4,
  'somebody signs in at the box': 4,
  'a member is removed': 3,
  'a password is changed in the cloud': 3,
  'an account is ended': 1,
  'a password is changed at the box': 1,
  'somebody is made a member at the box': 1.5,
} as const;
export type PeopleAct = keyof typeof ACTS;

type Stored = Record<string, unknown>;

/** One of it happens; null: there was nobody for it. */
export async function peopleAct(world: World): Promise<PeopleAct | null> {
  return peopleDo(world, world.chance.weighted(ACTS));
}

export async function peopleDo(world: World, act: PeopleAct): Promise<PeopleAct | null> {
  const [side, changes] = await changesOf(world, act);
  return changes.length > 0 && (await world.commit(side, changes)) !== null ? act : null;
}

async function changesOf(world: World, act: PeopleAct): Promise<['gateway' | 'hosted', Change[]]> {
  const { chance } = world;
  const word = `p${world.nextWord()}`;
  const [members, known] = await Promise.all([membersIn(world), knownAtBox(world)]);
  const member = chance.pickOrNull(members);
  const box = chance.pickOrNull(known);
  switch (act) {
    case 'somebody joins':
      return ['hosted', await joining(world, word)];
    case 'a member is removed':
      return ['hosted', member === null ? [] : [remove(farmMember, String(member['id']))]];
    case 'a password is changed in the cloud':
      return ['hosted', member === null ? [] : [passwordInCloud(member, word)]];
    case 'an account is ended':
      return [
        'hosted',
        member === null ? [] : endOf(String(member['user_id']), Number(member['version']), world),
      ];
    case 'somebody signs in at the box': {
      const account = box === null ? null : await accountOf(world, String(box['id']));
      // the box asks the hosted instance, which answers with the version of the password
      if (box === null || account === null || !isAnswered(world)) return ['gateway', []];
      const version = Number(account['password_version']);
      return [
        'gateway',
        [passwordAtBox(box, version, Math.max(version, Number(box['password_version'])), word)],
      ];
    }
    case 'a password is changed at the box': {
      const old = Number(/^box:(\d+):/.exec(String(box?.['password_hash']))?.[1]);
      if (box === null || Number.isNaN(old)) return ['gateway', []];
      return ['gateway', [passwordAtBox(box, old, Number(box['password_version']) + 1, word)]];
    }
    case 'somebody is made a member at the box': {
      const farm = chance.pickOrNull(
        await world.gateway.replica.read('select id from farms where hidden = 0 order by id'),
      );
      if (box === null || farm === null) return ['gateway', []];
      const [there] = await world.gateway.replica.read(
        `select id from farm_members where hidden = 0 and farm_id = '${String(farm['id'])}' and user_id = '${String(box['id'])}'`,
      );
      return [
        'gateway',
        there === undefined ? [memberOf(world, String(farm['id']), String(box['id']), 'gateway')] : [],
      ];
    }
  }
}

/** Of a password in the cloud only that it changed is told: the verifier of a box names the version that opened it. */
const passwordAtBox = ({ id }: Stored, opened: number, version: number, word: string): Change =>
  update(user, String(id), { password_hash: `box:${opened}:${word}`, password_version: version });

const passwordInCloud = ({ user_id, version }: Stored, word: string): Change =>
  update(user, String(user_id), { password_hash: `cloud:${word}`, password_version: Number(version) + 1 });

async function joining(world: World, word: string): Promise<Change[]> {
  const farms = await world.hosted.replica.read('select id from farms where hidden = 0 order by id');
  const farm = world.chance.pickOrNull(farms);
  if (farm === null) return [];
  const away = await peopleAway(world);
  const back = world.chance.of(0.4) ? world.chance.pickOrNull(away) : null;
  const id = back === null ? world.chance.uuid() : String(back['id']);
  const [there] = await world.hosted.replica.read(
    `select id from farm_members where hidden = 0 and farm_id = '${String(farm['id'])}' and user_id = '${id}'`,
  );
  if (there !== undefined) return [];
  const member = memberOf(world, String(farm['id']), id, 'hosted');
  return back === null ? [insert(user, personRow(world, id, word)), member] : [member];
}

function personRow(world: World, id: string, word: string) {
  return {
    id,
    numeric_id: world.chance.between(2, 2 ** 47),
    email: `${word}@fazenda.br`,
    email_key: `${word}@fazenda.br`,
    name: word,
    phone_number: '+55 88 99999-0000',
    role: 'TECHNICIAN' as const,
    is_active: true,
    password_hash: `cloud:${word}`,
    password_version: 1,
    language: null,
    created_at: new Date(world.wallTime('hosted')).toISOString(),
    updated_at: null,
  };
}

function memberOf(world: World, farm_id: string, user_id: string, side: 'gateway' | 'hosted'): Change {
  return insert(farmMember, {
    id: world.chance.uuid(),
    farm_id,
    user_id,
    role: 'TECHNICIAN',
    created_at: new Date(world.wallTime(side)).toISOString(),
    updated_at: null,
  });
}

/** What the end of an account does to its row, its memberships go with it. */
function endOf(id: string, version: number, world: World): Change[] {
  const nobody = `deleted-${id}@account.invalid`;
  return [
    update(user, id, {
      email: nobody,
      email_key: nobody,
      name: '',
      phone_number: null,
      language: null,
      is_active: false,
      password_hash: '',
      password_version: version + 1,
      updated_at: new Date(world.wallTime('hosted')).toISOString(),
    }),
    remove(user, id),
    tell(user, id, STREAM),
  ];
}

const membersIn = ({ hosted }: World) =>
  hosted.replica.read(`select farm_members.id, user_id, password_version as version from farm_members
    join users on users.id = user_id where farm_members.hidden = 0 and users.hidden = 0 and user_id <> '${OWNER}'
    and users.is_active = 1 order by farm_members.id`);

/** Who has an account and is on no farm. */
const peopleAway = ({ hosted }: World) =>
  hosted.replica.read(`select id from users where hidden = 0 and is_active = 1 and id <> '${OWNER}'
    and id not in (select user_id from farm_members where hidden = 0) order by id`);

const knownAtBox = ({ gateway }: World) =>
  gateway.replica.read(
    `select id, password_hash, password_version from users where hidden = 0 and is_active = 1 and id <> '${OWNER}' order by id`,
  );

async function accountOf({ hosted }: World, id: string): Promise<Stored | null> {
  const [found] = await hosted.replica.read(
    `select password_version from users where hidden = 0 and is_active = 1 and id = '${id}'`,
  );
  return found ?? null;
}

const isAnswered = ({ network, hosted }: World): boolean =>
  !network.isHalfOpen() && !hosted.run().breakable.isDead();

/** Who is on a farm of the gateway, as the hosted instance has it. */
export function peopleOn({ rows }: ReplicaState, farms: ReadonlySet<string>): Set<string> {
  const present = new Set<string>();
  for (const { resource, row, isHidden } of rows.values()) {
    if (resource.name === 'farm_members' && !isHidden && farms.has(String(row['farm_id'])))
      present.add(String(row['user_id']));
    if (resource.name === 'farms' && farms.has(row.id)) present.add(String(row['owner_id']));
  }
  return present;
}

/**
 * Of the people whom the gateway knew: who left is a name there that opens nothing, and whose password was changed in the
 * cloud gets in by no older one.
 */
export function leavers(
  gateway: ReplicaState,
  hosted: ReplicaState,
  farms: ReadonlySet<string>,
): Violation[] {
  const present = peopleOn(hosted, farms);
  return [...gateway.rows.values()].flatMap((here): Violation[] => {
    if (here.resource.name !== 'users' || here.row.id === OWNER) return [];
    const there = hosted.rows.get(keyOf('users', here.row.id));
    if (there === undefined) return [];
    const wrong = there.isHidden || !present.has(here.row.id) ? stillThere(here) : oldPassword(here, there);
    return wrong === null
      ? []
      : [{ rule: 'who left is gone from the box', what: `${here.row.id}: ${wrong}` }];
  });
}

function stillThere({ row, isHidden }: KnownRow): string | null {
  if (row['is_active'] === true) return `${isHidden ? 'hidden, but ' : ''}may sign in`;
  if (row['password_hash'] !== NO_PASSWORD && row['password_hash'] !== '')
    return `keeps ${String(row['password_hash'])}`;
  const email = String(row['email']);
  return email === standInEmail(row.id) || email.endsWith('@account.invalid') ? null : `keeps ${email}`;
}

function oldPassword(here: KnownRow, there: KnownRow): string | null {
  const opened = Number(/^box:(\d+):/.exec(String(here.row['password_hash']))?.[1] ?? Number.NaN);
  const version = Number(there.row['password_version']);
  return Number.isNaN(opened) || opened >= version
    ? null
    : `opens by the password of version ${opened}, in the cloud it is ${version}`;
}
