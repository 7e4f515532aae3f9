import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { beginsTrial, heardIn, isOver, type Word } from '#operations/update/health-gate.ts';
import {
  mainOf,
  programTrouble,
  readPublicKeys,
  textOf,
  versionIn,
} from '#operations/update/package-file.ts';
import {
  appliedVersions,
  lookAtState,
  makeWay,
  pointCurrent,
  previousFolder,
  programOf,
  tidyVersions,
  writeState,
} from '#operations/update/update-folder.ts';
import {
  atStart,
  failed,
  passed,
  returned,
  type Slot,
  type StartDecision,
  stoppedInTrial,
  trialMs,
  type UpdateState,
  unneeded,
} from '#operations/update/update-state.ts';

// What the system starts on a box that updates itself: chooses the version, proves that it is what was signed, and
// becomes it. A version that is tried runs below this process, which goes back when it does not prove itself.

const FLAGS = ['--max-semi-space-size=4', '--max-old-space-size=512', '--v8-pool-size=2'];
/** A version that is told to stop and does not. */
const STOP_WITHIN_MS = 6_000;
/** One that lives says every second what it still lacks; one that does not hears no wish to stop either. */
const HUNG_AFTER_MS = 5_000;
const PING_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 250;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    base: { type: 'string' },
    data: { type: 'string' },
    'gate-s': { type: 'string' },
  },
});
const base = values.base ?? resolve(fileURLToPath(new URL('..', import.meta.url)));
const data = values.data ?? process.env['DATA_DIR'] ?? './data';
const keyFile = join(base, 'update-keys.pem');
const iso = () => new Date().toISOString();
const say = (msg: string, more: object = {}) =>
  process.stdout.write(`${JSON.stringify({ level: 'info', time: iso(), ...more, msg })}\n`);

// signals are for the program, whose stop they are
const stop = { isAsked: false };

async function decide(): Promise<StartDecision> {
  const { state: before, found } = await lookAtState(data);
  if (found !== 'whole') say(`the state of updates is ${found}; the version of the package runs`);
  const troubles = await troublesOf(before);
  const decision = atStart(before, {
    packagedVersion: versionIn(base) ?? '0.0.0',
    previousVersion: versionIn(previousFolder(base)),
    troubleOf: (version) => (troubles.has(version) ? (troubles.get(version) ?? null) : 'it is not there'),
    now: iso(),
  });
  const { run, isTrial } = decision;
  const program = programOf(run, base, data);
  const state = isTrial ? decision.state : await withWayBack(decision.state, program);
  try {
    const isNew = JSON.stringify(state) !== JSON.stringify(before);
    if (isNew && found !== 'unreadable') await writeState(data, state);
    await pointCurrent(data, program);
    // of what could not be read nobody knows what it still needs
    if (found === 'whole') await tidyVersions(data, unneeded(state, await appliedVersions(data)));
  } catch (error) {
    say('the state of updates could not be written', { err: String(error) });
    // a trial that nobody can take back is none
    if (decision.isTrial) return { state: before, run: before.slot, isTrial: false };
  }
  if (state.last !== null && state.last.at !== before.last?.at)
    say('an update ended', { outcome: state.last });
  return { ...decision, state };
}

/** Before the version of before starts again on a database that another one had. */
async function withWayBack(state: UpdateState, program: string): Promise<UpdateState> {
  if (!state.isReturning) return state;
  try {
    const { isKnown, aside } = await makeWay(data, program, iso());
    if (aside !== null) say('the database was put aside', { aside });
    // asked again at the next start
    return isKnown ? returned(state, aside) : state;
  } catch (error) {
    say('nobody knows whether the version before can use the database', { err: String(error) });
    return state;
  }
}

/** Only what may run is looked at: reading a program to its last byte takes a second or two on a small box. */
async function troublesOf({ slot, before, step }: UpdateState): Promise<Map<string, string | null>> {
  const troubles = new Map<string, string | null>();
  const keys = readPublicKeys(textOf(keyFile));
  const look = async (candidate: Slot | null) => {
    if (candidate === null || typeof candidate === 'string') return null;
    const trouble = await programTrouble(programOf(candidate, base, data), keys);
    troubles.set(candidate.version, trouble);
    return trouble;
  };
  if ((await look(slot)) !== null) await look(before);
  if (step.at === 'trial') await look(step.target);
  return troubles;
}

function commandOf(program: string): { node: string; args: string[] } {
  const guard = join(program, 'scripts', 'require-node.mjs');
  return {
    node: join(program, 'bin', 'node'),
    args: [...FLAGS, '--import', guard, mainOf(program), ...positionals],
  };
}

const environment = (more: Record<string, string> = {}) => ({
  ...process.env,
  DATA_DIR: data,
  UPDATE_KEYS: keyFile,
  ...more,
});

/** Nothing of this process is left: the program has its number, which the system knows. */
function become(program: string): never {
  const { node, args } = commandOf(program);
  if (process.execve === undefined) throw new Error('a program cannot be replaced on this system');
  return process.execve(node, [node, ...args], environment());
}

/** `early`: it was told to stop and had not been at work yet. */
type Verdict = 'healthy' | 'stopped' | 'early' | { failed: string; isHung: boolean } | { fell: string };

async function tryOut(program: string, state: UpdateState): Promise<void> {
  const { step } = state;
  if (step.at !== 'trial') return;
  const allowMs =
    values['gate-s'] === undefined
      ? Math.min(step.allowMs, trialMs(Number.POSITIVE_INFINITY))
      : Number(values['gate-s']) * 1000;
  say('a new version is tried', { version: step.version, start: step.starts, allowMs });
  const { node, args } = commandOf(program);
  const child = spawn(node, args, {
    env: environment({ ON_TRIAL: '1' }),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const verdict = await pinging(() => watch(child, allowMs));
  if (verdict === 'healthy') {
    await settle(passed(state, iso()));
    process.exitCode = (await ended(child)) ?? 1;
    if (stop.isAsked) process.exit();
    return;
  }
  if (verdict === 'stopped' || verdict === 'early') {
    // a supervisor that waits for a version in vain stops it, too: that counts as a start that failed
    if (verdict === 'stopped') await settle(stoppedInTrial(state));
    else say('the new version was stopped before it was at work');
    await end(child, STOP_WITHIN_MS);
    process.exit(child.exitCode ?? 0);
  }
  const isHung = 'failed' in verdict && verdict.isHung;
  await pinging(() => end(child, isHung ? 0 : STOP_WITHIN_MS));
  if ('failed' in verdict) await settle(failed(state, verdict.failed, iso()));
  // one that fell gets a second start, which the next look at the state decides
  else say('the new version fell', { why: verdict.fell });
}

async function settle(state: UpdateState): Promise<void> {
  say('the trial of a version ended', { outcome: state.last, step: state.step.at });
  await writeState(data, state).catch((error: unknown) =>
    say('it could not be written', { err: String(error) }),
  );
}

function watch(child: ChildProcess, allowMs: number): Promise<Verdict> {
  const { promise, resolve } = Promise.withResolvers<Verdict>();
  const said = { isAtWork: false, missing: 'it said nothing', at: 0 };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop.isAsked = true;
      child.kill(signal);
      resolve(said.isAtWork ? 'stopped' : 'early');
    });
  }
  let trial = beginsTrial(performance.now(), allowMs);
  child.on('message', (word: Word) => {
    trial = heardIn(trial, word, performance.now());
    said.at = performance.now();
    if (word.isMigrating === undefined && !said.isAtWork) say('the new version is at work');
    said.isAtWork = word.isMigrating === undefined;
    if (word.isHealthy === true) resolve('healthy');
    said.missing = word.missing ?? said.missing;
  });
  child.once('error', (error) => resolve({ fell: error.message }));
  child.once('exit', (code, signal) => resolve({ fell: `it ended with ${signal ?? code}` }));
  const look = setInterval(() => {
    const now = performance.now();
    if (!isOver(trial, now)) return;
    const failed = `it did not prove itself within ${Math.round((now - trial.from) / 1000)} s: ${said.missing}`;
    resolve({ failed, isHung: now - said.at > HUNG_AFTER_MS });
  }, LOOK_EVERY_MS);
  return promise.finally(() => clearInterval(look));
}

/**
 * While this process is at work itself, the system need not watch: a version that was tried and fell has told it to, and
 * reading the one before to its last byte takes a while. One that is healthy speaks for itself.
 */
async function pinging<Answer>(run: () => Promise<Answer>): Promise<Answer> {
  const ping = setInterval(() => {
    if (process.env['NOTIFY_SOCKET'] !== undefined)
      execFile('systemd-notify', ['WATCHDOG=1'], () => undefined);
  }, PING_EVERY_MS);
  try {
    return await run();
  } finally {
    clearInterval(ping);
  }
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('exit', resolve));
}

async function end(child: ChildProcess, withinMs: number): Promise<void> {
  const gone = ended(child);
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await gone;
  clearTimeout(timer);
}

for (;;) {
  const { run, isTrial, state } = await pinging(decide);
  const program = programOf(run, base, data);
  if (stop.isAsked) process.exit(0);
  if (!isTrial) become(program);
  await tryOut(program, state);
  // the version that was tried had told systemd that it lives; who comes now has not yet, and would be shot for it
  if (process.env['NOTIFY_SOCKET'] !== undefined) process.exit(1);
}
