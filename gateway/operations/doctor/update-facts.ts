import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { updateFactsOf } from '#adapters/sql/update-facts.ts';
import type { UpdateFacts } from '#features/system/doctor/ports.ts';
import { type Config, databaseFile } from '#runtime/config.ts';
import { readState, updateFolder } from '../update/update-folder.ts';

type Step = Awaited<ReturnType<typeof readState>>['step'];

/** What is still on its way has no version yet. */
function factsOf(step: Step): Pick<UpdateFacts, 'step' | 'version'> {
  if (step.at === 'rest') return { step: 'rest', version: '' };
  return step.at === 'fetching' ? { step: 'staging', version: '' } : { step: step.at, version: step.version };
}

/** How far an update of the program is, by its own notes; null for an instance that does not update itself. */
export async function updateFacts(
  config: Pick<Config, 'role' | 'data' | 'databaseUrl'>,
): Promise<UpdateFacts | null> {
  if (config.role !== 'gateway' || config.databaseUrl !== null) return null;
  const { step, last } = await readState(config.data);
  const noted = await stat(join(updateFolder(config.data), 'state.json')).catch(() => null);
  return {
    ...factsOf(step),
    since: noted === null ? null : noted.mtimeMs,
    waitsFor: step.at === 'staged' ? updateFactsOf(databaseFile(config)).oxygenAlarms : [],
    last: last === null ? null : { ...last, at: Date.parse(last.at) },
  };
}
