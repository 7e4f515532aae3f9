import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import BetterSqlite from 'better-sqlite3';
import { jwtTokens } from '#adapters/tokens/jwt-tokens.ts';
import type { RowOf } from '#contract/resource.ts';
import { user } from '#contract/resources/users.ts';
import { issueToken, newLogin } from '#features/people/accounts/issue-token.ts';
import { callHttp } from '#sim/fetch-firmware.ts';
import { createRowBuffer } from '../farm-data/grown.ts';
import { writeToSqlite } from '../farm-data/write-rows.ts';
import { type BenchOptions, type Finding, median, orderFigures } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import type { Beats, CrowdLoad } from './load/crowd.ts';
import type { HostileAnswers, HostilePeople } from './load/hostile-people.ts';
import { familyRssMb } from './process-usage.ts';
import { type ProvisionedOwner, provisionFolder } from './provision.ts';
import { type Remote, startRemote, stopAll } from './remote.ts';
import type { RunningServer } from './start-server.ts';

const MOST_TIMES_CALM = 3;
const TOKEN_LASTS_S = 3_600;
const HONEST_EVERY_MS = 250;
const PATIENCE_MS = 120_000;
/** How long the hostile ones are there before anything is measured. */
const SETTLE_MS = 3_000;

type Size = {
  controllers: number;
  people: number;
  bodies: number;
  silent: number;
  rounds: number;
  ms: number;
};
type Round = { beats: Beats; honest: Honest };
type Honest = { asked: number; refused: string[] };

/** Heartbeats, and what an honest person is answered, while hundreds want all of the gateway for themselves. */
export async function hostileCrowd({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: Size = isQuick
    ? { controllers: 10, people: 5, bodies: 4, silent: 100, rounds: 1, ms: 500 }
    : {
        controllers: 100,
        people: 500,
        bodies: 200,
        silent: 10_000,
        rounds: 5,
        ms: 8_000,
      };
  const data = await newDataFolder();
  const crowd = startRemote<CrowdLoad>(new URL('load/crowd.ts', import.meta.url));
  const hostile = startRemote<HostilePeople>(new URL('load/hostile-people.ts', import.meta.url));
  try {
    const owner = await provisionFolder(data, { count: size.controllers, prefix: 'crowd' });
    const tokens = strangers(data, size.people);
    // as a farm with a small plan has it
    const gateway = await startGatewayOn(data, ['--local-plan', 'BASIC']);
    try {
      await crowd.call('arrive', { mqttUrl: gateway.mqtt, clients: owner.controllers, atOnce: 20 });
      const round = () => aRound({ gateway, owner, crowd }, size.ms);
      await round();
      const calm: Round[] = [];
      const busy: Round[] = [];
      const answers: HostileAnswers[] = [];
      for (let n = 1; n <= size.rounds; n += 1) {
        tell(`round ${n} of ${size.rounds}`);
        calm.push(await round());
        const { http, mqtt } = gateway;
        const wanted = { http, mqtt, tokens, inFlight: 4, bodiesAtOnce: size.bodies, silent: size.silent };
        await hostile.call('start', wanted);
        await pause(SETTLE_MS);
        busy.push(await round());
        answers.push(await hostile.call('stop', undefined));
        await pause(SETTLE_MS);
      }
      return [crowdFinding(size, { calm, busy, answers, rssMb: familyRssMb(gateway.pid) })];
    } finally {
      await gateway.stop();
    }
  } finally {
    await stopAll([crowd, hostile]);
    await rm(data, { recursive: true, force: true });
  }
}

/** People with an account and no farm, written into the database of a gateway that is stopped; the tokens of their logins. */
function strangers(data: string, count: number): string[] {
  const connection = new BetterSqlite(join(data, 'farm.db'), { fileMustExist: true });
  try {
    const secret = connection.prepare("select value from instance_values where id = 'jwt_secret'").pluck();
    const deps = { tokens: jwtTokens(String(secret.get())), now: Date.now, newId: randomUUID };
    const rows = createRowBuffer();
    const tokens = Array.from({ length: count }, (_each, n) => {
      const email = `crowd-${n}@longe.example`;
      const person: RowOf<typeof user> = {
        id: randomUUID(),
        numeric_id: n + 1,
        email,
        email_key: email,
        name: 'Longe',
        phone_number: null,
        role: 'OWNER',
        is_active: true,
        // nobody logs in with it
        password_hash: '',
        password_version: 1,
        language: null,
        created_at: new Date().toISOString(),
        updated_at: null,
      };
      rows.emit(user, person);
      return issueToken(deps, person, TOKEN_LASTS_S, newLogin(deps, 0, false)).access_token;
    });
    writeToSqlite(connection, rows.taken());
    return tokens;
  } finally {
    connection.close();
  }
}

type Farm = { gateway: RunningServer; owner: ProvisionedOwner; crowd: Remote<CrowdLoad> };

async function aRound({ gateway, owner, crowd }: Farm, forMs: number): Promise<Round> {
  const state = { isOver: false };
  const honest = askHonestly(gateway, owner, state);
  const beats = await crowd.call('beat', { everyMs: 1_000, forMs });
  state.isOver = true;
  return { beats, honest: await honest };
}

/** The owner looks at the farm and switches a motor, again and again. */
async function askHonestly(
  { http }: RunningServer,
  { token, farms, controllers }: ProvisionedOwner,
  state: { isOver: boolean },
): Promise<Honest> {
  const refused: string[] = [];
  const [farm = ''] = farms;
  const point = controllers[0]?.controlPointId ?? '';
  let asked = 0;
  const ask = async (path: string, body?: object) => {
    asked += 1;
    const given = { bearer: token, withinMs: PATIENCE_MS, ...(body === undefined ? {} : { body }) };
    const { status } = await callHttp(http, `/api/v1${path}`, given).catch(() => ({ status: 0 }));
    if (status !== 200) refused.push(`${status} ${path}`);
  };
  for (let n = 0; !state.isOver; n += 1) {
    await ask(`/alerts/?farm_id=${farm}&limit=20`);
    await ask(`/control-points/${point}/turn-${n % 2 === 0 ? 'on' : 'off'}`, {});
    await pause(HONEST_EVERY_MS);
  }
  return { asked, refused };
}

type Measured = { calm: Round[]; busy: Round[]; answers: HostileAnswers[]; rssMb: number };

function crowdFinding(size: Size, { calm, busy, answers, rssMb }: Measured): Finding {
  const ratios = busy.map(({ beats }, n) => beats.p99Ms / (calm[n]?.beats.p99Ms ?? Number.NaN));
  const ratio = median(ratios);
  const rounds = [...calm, ...busy];
  const missed = rounds.reduce((sum, { beats }) => sum + beats.missed + beats.closed, 0);
  const refused = rounds.flatMap(({ honest }) => honest.refused);
  const told = new Map<string, number>();
  for (const { answered } of answers)
    for (const [what, count] of Object.entries(answered)) told.set(what, (told.get(what) ?? 0) + count);
  const figures = (name: string, of: readonly Round[]) => ({
    ...orderFigures(name, [], null),
    p50Ms: median(of.map(({ beats }) => beats.p50Ms)),
    p99Ms: median(of.map(({ beats }) => beats.p99Ms)),
  });
  return {
    measure: `heartbeats beside ${size.people} greedy accounts, ${size.bodies} hostile bodies, ${size.silent} silent connections`,
    subject: { ...figures('beside them', busy), rssMb },
    baseline: figures('calm', calm),
    ratioOf: 'p99',
    ratio,
    cpuRatio: null,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    must: `p99 ≤ ${MOST_TIMES_CALM} × calm, nobody honest refused`,
    isMet: ratio <= MOST_TIMES_CALM && missed === 0 && refused.length === 0,
    rounds: size.rounds,
    notes: [
      `${missed} heartbeats unanswered or controllers cut; ${refused.length} of ${rounds.reduce((sum, { honest }) => sum + honest.asked, 0)} honest requests refused${refused.length === 0 ? '' : `: ${[...new Set(refused)].slice(0, 5).join(', ')}`}`,
      `the hostile ones were answered ${[...told].map(([what, count]) => `${what} × ${count}`).join(', ')}; ${answers.reduce((sum, { silentOpened }) => sum + silentOpened, 0)} silent connections opened`,
      `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
    ],
  };
}
