import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

export type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** The first line of the input, without showing what is typed; null when the input ends without one. */
export async function readPassword(print: (line: string) => void, input: Input): Promise<string | null> {
  if (input.isTTY) print('Password (not shown):');
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: unseen, terminal: input.isTTY ?? false });
  try {
    for await (const line of lines) return line;
    return null;
  } finally {
    lines.close();
  }
}
