import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Options } from './options.ts';

export type Terminal = {
  print: (line: string) => void;
  complain: (line: string) => void;
  interrupted: AbortSignal;
  /** Absent where nobody sits before it. */
  askHidden?: (question: string) => Promise<string>;
};

/** The password of the user, asked for where a person sits before the terminal. Throws UsageError where nobody does. */
export async function passwordOf(
  { askHidden }: Pick<Terminal, 'askHidden'>,
  options: Options,
): Promise<string> {
  const given = options.text('password');
  if (given !== undefined || askHidden === undefined) return options.need('password');
  return askHidden(`Password of ${options.need('email')}: `);
}

/** Reads a line of the terminal that is not shown while it is typed. */
export async function askHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(question);
  try {
    return await line.question('');
  } finally {
    line.close();
    process.stderr.write('\n');
  }
}
