import { BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import { UsageError } from '#runtime/config.ts';
import { type Input, readPassword } from './read-password.ts';

/** What the backup and restore commands ask of the outside. */
export type Ask = {
  environment: Readonly<Record<string, string | undefined>>;
  print: (line: string) => void;
  input: Input;
};

/** The recovery key from RECOVERY_KEY or the first line of the input. */
export async function askKey({ environment, print, input }: Ask): Promise<string> {
  const given = environment['RECOVERY_KEY'];
  if (given !== undefined && given !== '') return given;
  if (input.isTTY) print('Recovery key:');
  const typed = await readPassword(() => undefined, input);
  if (typed === null || typed.trim() === '')
    throw new UsageError('Say the recovery key: in RECOVERY_KEY or as the first line of the input');
  return typed;
}

/** One sentence for whatever kept a command from its work. Answers the exit code. */
export async function tellOutcome(print: (line: string) => void, run: () => Promise<void>): Promise<number> {
  try {
    await run();
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      print(error.message);
      return 2;
    }
    if (!(error instanceof BackupTrouble)) throw error;
    print(error.message);
    return 1;
  }
}
