import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '#adapters/sql/database.ts';
import { updateFactsOf } from '#adapters/sql/update-facts.ts';
import type { HostedPackagesDeps } from '#adapters/sync/hosted-compare.ts';
import { programVersion } from '#adapters/system/machine-facts.ts';
import type { Language } from '#contract/words.ts';
import { AppError } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { Paired } from '#features/cloud/pairing/on-paired.ts';
import { type UpdateAnswer, updateRoutes } from '#features/system/system/update-routes.ts';
import { type LocalPairingParts, unreachable } from '#operations/pairing/local-pairing.ts';
import { type HostedEntrance, stageDeps } from '#operations/staging/stage-deps.ts';
import { newestOffered, packageAt, sourceOf } from '#operations/update/fetch-package.ts';
import { requireFitNow } from '#operations/update/stage-update.ts';
import { isUpdating, readState, writeState } from '#operations/update/update-folder.ts';
import { abandoned, type Before, type Outcome, switched } from '#operations/update/update-state.ts';
import { UpdateRefused } from '#operations/update/update-trouble.ts';
import { type Config, databaseFile } from '#runtime/config.ts';

export type UpdateDeps = {
  config: Config;
  kernel: Kernel;
  database: Database;
  notify: Notify;
  /** Ends this process in order; whoever started it starts the new version. Absent: nobody would. */
  restart: (() => void) | undefined;
  /** null: this instance is paired with nobody, ever. */
  pairing: Pick<LocalPairingParts, 'paired' | 'sessionToken'> | null;
};

const NOT_PAIRED = 'this gateway is not paired with a hosted instance that could hand out a package';

/** Updates of the program itself, as a running instance sees them. */
export function createUpdates({ config, kernel, database, notify, restart, pairing }: UpdateDeps) {
  const isManaged =
    restart !== undefined &&
    config.updateKeys !== null &&
    config.role === 'gateway' &&
    config.databaseUrl === null;
  const told = { outcome: null as string | null, waitsFor: null as string | null };

  async function updateState(): Promise<UpdateAnswer> {
    const { step, last } = await readState(config.data);
    return {
      version: programVersion(),
      is_managed: isManaged,
      step: step.at,
      target_version: 'version' in step ? step.version : null,
      last,
    };
  }

  async function beginUpdate(wish: { from: string; allowOlder: boolean }): Promise<void> {
    try {
      const deps = stageDeps(
        { ...config, updateKeys: isManaged ? config.updateKeys : null },
        () => undefined,
        kernel.now,
      );
      const source = sourceOf(wish.from);
      if (source.kind === 'hosted') await requirePaired();
      const { step } = await readState(config.data);
      if (step.at === 'staged' || step.at === 'trial' || (await isUpdating(config.data)))
        throw new UpdateRefused('ALREADY_RUNNING', 'another update is under way; wait for it');
      if (source.kind === 'path')
        await requireFitNow(deps, await packageAt(source.path, deps.keys, deps.arch), wish);
    } catch (error) {
      if (!(error instanceof UpdateRefused)) throw error;
      throw new AppError(409, error.message, { code: error.code });
    }
    startProcess(wish);
  }

  async function requirePaired(): Promise<Paired> {
    const known = await pairing?.paired();
    if (known?.state === 'paired') return known;
    throw new UpdateRefused('NOT_PAIRED', NOT_PAIRED);
  }

  /** For the command of this very box, which fetches a package with it. */
  async function hostedEntrance(): Promise<HostedEntrance> {
    try {
      const { hosted_url } = await requirePaired();
      return { hosted_url, token: (await pairing?.sessionToken()) ?? '' };
    } catch (error) {
      if (error instanceof UpdateRefused) throw new AppError(409, error.message, { code: error.code });
      throw unreachable(error);
    }
  }

  /** Unpacking and rehearsing in a process of its own: control does not notice. */
  function startProcess({ from, allowOlder }: { from: string; allowOlder: boolean }): void {
    const main = fileURLToPath(new URL('../../main.ts', import.meta.url));
    const guard = new URL('../../../scripts/require-node.mjs', import.meta.url).href;
    const options = ['--from', from, '--data', config.data, ...(allowOlder ? ['--allow-older'] : [])];
    const child = spawn(
      process.execPath,
      ['--max-old-space-size=128', '--import', guard, main, 'update', ...options],
      {
        env: { ...process.env, UPDATE_KEYS: config.updateKeys ?? '' },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    child.once('error', (error) => kernel.log.error({ err: error }, 'an update could not be started'));
  }

  /** Every few seconds: an update that lies ready is switched to in a calm moment, and how one ended is told. */
  async function look(farm: () => Before): Promise<void> {
    const state = await readState(config.data);
    if (state.last !== null) await tell(state.last);
    if (state.step.at === 'fetching' || state.step.at === 'staging') await clearAbandoned();
    if (state.step.at !== 'staged' || (await isUpdating(config.data))) return;
    const { oxygenAlarms } = updateFactsOf(databaseFile(config));
    const waitsFor = oxygenAlarms.join(', ');
    if (waitsFor !== '') {
      if (told.waitsFor !== waitsFor)
        kernel.log.warn({ waitsFor }, 'an update waits until the alarm is over');
      told.waitsFor = waitsFor;
      return;
    }
    const next = switched(state, farm());
    if (next === null) return;
    await writeState(config.data, next);
    kernel.log.info({ step: next.step }, 'restarting into a new version');
    restart?.();
  }

  /** Whoever was at it was killed, and would have said so otherwise. */
  async function clearAbandoned(): Promise<void> {
    if (await isUpdating(config.data)) return;
    // read again: it may just have ended well
    const state = await readState(config.data);
    const next = abandoned(state, isoOf(kernel.now()));
    if (next !== null && !(await isUpdating(config.data))) await writeState(config.data, next);
  }

  async function tell(outcome: Outcome): Promise<void> {
    const cause = `update:${outcome.result}:${outcome.version}:${outcome.at}`;
    if (told.outcome === cause) return;
    const farms = await database.read.selectFrom('farms').select('id').where('hidden', '=', 0).execute();
    const changes = await Promise.all(
      farms.map(({ id }) =>
        notify(
          { farmId: id, who: 'operators' },
          {
            ...wordsOf(outcome),
            type: 'SYSTEM',
            data: { event: 'update', ...outcome },
            cause: `${cause}:${id}`,
          },
        ),
      ),
    );
    if (changes.flat().length > 0) await kernel.commit({ changes: changes.flat(), actor: null });
    told.outcome = cause;
  }

  return {
    routes: updateRoutes({ updateState, beginUpdate }),
    hostedEntrance,
    look: isManaged ? look : null,
  };
}

/** What a hosted instance hands out to its gateways. */
export const packagesOf = (
  { updatesDir }: Pick<Config, 'updatesDir'>,
  gatewayByToken: HostedPackagesDeps['gatewayByToken'],
): HostedPackagesDeps => ({
  gatewayByToken,
  folder: updatesDir === null ? null : resolve(updatesDir),
  newest: (folder, { arch, version }) => newestOffered(folder, { arch, than: version }),
});

function wordsOf({ result, version, detail }: Outcome) {
  const isDone = result === 'updated';
  return {
    title: (language: Language) =>
      ({
        'pt-BR': isDone ? 'O gateway foi atualizado' : 'O gateway não foi atualizado',
        en: isDone ? 'The gateway was updated' : 'The gateway was not updated',
        es: isDone ? 'El gateway se actualizó' : 'El gateway no se actualizó',
      })[language],
    message: (language: Language) =>
      ({
        'pt-BR': isDone
          ? `A versão ${version} está em uso.`
          : `A atualização${to(version, 'para a versão')} não foi feita: ${detail}. O controle segue com a versão anterior.`,
        en: isDone
          ? `Version ${version} runs.`
          : `The update${to(version, 'to version')} was not carried out: ${detail}. Control goes on with the version before.`,
        es: isDone
          ? `La versión ${version} está en uso.`
          : `La actualización${to(version, 'a la versión')} no se hizo: ${detail}. El control sigue con la versión anterior.`,
      })[language],
  };
}

/** Of a package that never came nobody knows the version. */
const to = (version: string, words: string) => (version === '' ? '' : ` ${words} ${version}`);
