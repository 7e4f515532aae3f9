import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, getPriority, setPriority } from 'node:os';
import { hash, verify } from 'argon2';
import { AppError } from '#core/errors.ts';
import { placeOf } from '#core/network.ts';
import type { Passwords } from '#features/people/accounts/ports.ts';

/** `work` is told how many wait behind it. */
type Line = <Answer>(source: string, work: (behind: number) => Promise<Answer>) => Promise<Answer>;

/**
 * Runs at most `parallel` works at a time. The others wait, sources taking turns, so that one that sends many keeps
 * nobody else waiting for long; who finds the line full is refused.
 */
export function takeTurns(bounds: {
  parallel: number;
  waiting: number;
  waitingPerSource: number;
  refuse: () => Error;
}): Line {
  const waitingBySource = new Map<string, (() => void)[]>();
  let running = 0;
  let waiting = 0;

  function next(): void {
    const first = waitingBySource.entries().next().value;
    if (first === undefined) {
      running -= 1;
      return;
    }
    const [source, starts] = first;
    const start = starts.shift();
    waitingBySource.delete(source);
    if (starts.length > 0) waitingBySource.set(source, starts);
    waiting -= 1;
    start?.();
  }

  function turn(source: string): Promise<void> {
    if (running < bounds.parallel) {
      running += 1;
      return Promise.resolve();
    }
    const starts = waitingBySource.get(source) ?? [];
    if (waiting >= bounds.waiting || starts.length >= bounds.waitingPerSource)
      return Promise.reject(bounds.refuse());
    waiting += 1;
    waitingBySource.set(source, starts);
    return new Promise((resolve) => starts.push(resolve));
  }

  return async (source, work) => {
    await turn(placeOf(source));
    try {
      return await work(waiting);
    } finally {
      next();
    }
  };
}

/**
 * A tenth of the weight of a thread at 0: control goes before, and on a box whose cores are all taken a login still ends
 * within seconds. Less does not help: hashing in the idle class, or at 19 in a process of its own, made the p99 of heartbeats
 * while fifty log in three to seven times that of calm in place of two, and with both cores busy a login took a minute:
 * whoever comes to stop an alarm must get in.
 */
const LOW_PRIORITY = 10;

const POOL_THREAD = 'libuv-worker';

const isOfPool = (thread: number): boolean =>
  readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim() === POOL_THREAD;

export type PasswordCost = {
  /** KiB that one hash fills. */
  memoryCost: number;
  /** How often it goes over them. */
  timeCost: number;
};

export type Hashing = {
  text: string;
  /** Of argon2id. */
  options: PasswordCost & { parallelism: number; hashLength: number };
};
export type Verifying = { text: string; digest: string };

/** Hashes where it takes the processor from nobody. */
export type HashBeside = {
  /** Null: not done; whoever asked does it. Never rejects. */
  hash: (work: Hashing) => Promise<string | null>;
  verify: (work: Verifying) => Promise<boolean | null>;
};

/**
 * argon2id with 68 MiB, 3 passes and one lane. It is not one of the two options that RFC 9106 (section 4) names: it has the
 * passes of the second (64 MiB, 3 passes, 4 lanes), a little more memory, and one lane, because a hash must leave the other
 * cores to aeration. OWASP's Password Storage Cheat Sheet asks for at least 46 MiB and 1 pass, or 19 MiB and 2: less than a
 * fourth of this work. On servers of two cores it takes 155 to 250 ms; a login shall take 150 to 300 ms
 * (`npm run bench -- --only logins`).
 */
export const PASSWORD_COST: PasswordCost = { memoryCost: 69_632, timeCost: 3 };
const SHAPE = { parallelism: 1, hashLength: 32 } as const;
/** So many in line are a crowd: whoever comes alone waits for no process to start. */
const CROWD = 3;
/** What a login takes, for those who are told when to come again. */
const USUAL_MS = 250;

/**
 * Short codes are found by their hash, so all have the same salt and the same work, whatever a password costs: a code
 * that one instance made must be the same on the other.
 */
const CODE_HASH = {
  ...SHAPE,
  memoryCost: 19_456,
  timeCost: 2,
  salt: Buffer.from('shrimp-farm codes'),
  raw: true,
} as const;

/**
 * argon2id, few at a time and at a lower priority than control: each fills 68 MiB and a core, and aeration runs on
 * the same box. The others wait in a line of bounded length, in which sources take turns; while a crowd is there it is
 * served `beside`, where it takes the processor from nobody.
 */
export function argon2Passwords(
  cost: PasswordCost = PASSWORD_COST,
  bounds: { parallel?: number; waiting?: number; waitingPerSource?: number } = {},
  beside: HashBeside | null = null,
): Passwords {
  const { parallel = Math.max(1, Math.min(2, availableParallelism() - 1)), waiting = 128 } = bounds;
  const line = takeTurns({
    parallel,
    waiting,
    waitingPerSource: bounds.waitingPerSource ?? 64,
    refuse: () =>
      new AppError(503, 'Too many people log in at this moment; please try again', {
        code: 'BUSY',
        headers: { 'Retry-After': String(Math.max(1, Math.ceil((waiting * USUAL_MS) / parallel / 2000))) },
      }),
  });
  const state = { doesYield: false };
  const low = async <Made>(work: Promise<Made>): Promise<Made> => {
    const made = await work;
    // after the first work all its threads are there
    state.doesYield ||= yieldToControl();
    return made;
  };
  const aside = (behind: number) => (behind >= CROWD ? beside : null);
  const make = async (password: string, work: PasswordCost, behind: number) => {
    const hashing = { text: composed(password), options: { ...SHAPE, ...work } };
    return (await aside(behind)?.hash(hashing)) ?? (await low(hashed(hashing)));
  };
  const fits = async (digest: string, password: string, behind: number) => {
    const verifying = { text: composed(password), digest };
    return (await aside(behind)?.verify(verifying)) ?? (await low(verified(verifying)));
  };
  const nobody = hashOfNobody(cost);
  return {
    hash: (password, source) => line(source, (behind) => make(password, cost, behind)),
    verify: (digest, password, source) =>
      line(source, async (behind) => {
        const isRight = await fits(digest ?? nobody, password, behind);
        const missing = digest === null || isRight ? 0 : workOf(cost) - workOf(costIn(digest));
        // an old hash is tried faster: the rest of the time is spent too, or it would tell which emails are registered
        if (missing > 0) await make('', costOf(missing, cost), behind);
        return isRight;
      }),
    isOutdated: (digest) => workOf(costIn(digest)) < workOf(cost),
    codeHash: (code, source) =>
      line(source, async () => {
        const raw = await low(hash(code, CODE_HASH));
        return raw.toString('hex');
      }),
  };
}

/** In this process, on its threads. Rejects when the memory is not there. */
export const hashed = ({ text, options }: Hashing): Promise<string> => hash(text, options);

/** Rejects, too, for a digest that is none. */
export const verified = ({ text, digest }: Verifying): Promise<boolean> => verify(digest, text);

/** The same characters are the same password, whichever keyboard composed them. */
const composed = (password: string): string => password.normalize('NFKC');

/** Costs as much to check as a real one, and no password fits it. */
function hashOfNobody({ memoryCost, timeCost }: PasswordCost): string {
  const { parallelism } = SHAPE;
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;
}

const workOf = ({ memoryCost, timeCost }: PasswordCost): number => memoryCost * timeCost;

function costIn(digest: string): PasswordCost {
  const number = (name: string) => Number(new RegExp(`[$,]${name}=(\\d+)`).exec(digest)?.[1] ?? 0);
  return { memoryCost: number('m'), timeCost: number('t') };
}

/** The smallest memory argon2 takes with one lane, KiB. */
const LEAST_MEMORY = 8;

function costOf(work: number, { timeCost }: PasswordCost): PasswordCost {
  return { timeCost, memoryCost: Math.max(LEAST_MEMORY, Math.round(work / timeCost)) };
}

/**
 * Lets heartbeats and orders go before the threads that hash. Linux knows priorities per thread; elsewhere nothing is
 * done. Answers false as long as there are no such threads: node makes them at the first work for them. Never throws.
 */
function yieldToControl(): boolean {
  if (process.platform !== 'linux') return true;
  try {
    const threads = readdirSync('/proc/self/task').map(Number).filter(isOfPool);
    for (const thread of threads) {
      if (getPriority(thread) < LOW_PRIORITY) setPriority(thread, LOW_PRIORITY);
    }
    return threads.length > 0;
  } catch {
    // a system that hides its threads or forbids it: hashing goes on as it is
    return true;
  }
}
