import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Services on a machine where the package was installed. */
const UNITS = { gateway: 'shrimp-farm-gateway', hosted: 'shrimp-farm-hosted' } as const;
const LINES = '500';
const WITHIN_MS = 5_000;

const execute = promisify(execFile);
type Environment = Readonly<Record<string, string | undefined>>;

/** Last lines of the service where systemd keeps them; where they cannot be had, a line that says why. */
export async function journal(role: keyof typeof UNITS, environment: Environment): Promise<string[]> {
  const unit = UNITS[role];
  const asked = ['-u', unit, '-n', LINES, '-o', 'cat', '--no-pager'];
  const options = { timeout: WITHIN_MS, env: { ...environment }, maxBuffer: 16 * 1024 * 1024 };
  try {
    const { stdout, stderr } = await execute('journalctl', asked, options);
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('-- '));
    return lines.length > 0 ? lines : [missing(unit, stderr)];
  } catch (error) {
    return [missing(unit, error instanceof Error ? error.message : String(error))];
  }
}

/** Most often the user is not in the group that may read it. */
const missing = (unit: string, why: string): string =>
  `No line of the journal could be read (${why.trim().replaceAll(/\s+/g, ' ').slice(0, 400) || 'it holds none'}). ` +
  `As root: journalctl -u ${unit} -n ${LINES}`;
