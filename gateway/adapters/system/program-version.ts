import { readFileSync } from 'node:fs';

/** Version of this program, as its package says. */
export function programVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  // our own file, in our own form
  return (JSON.parse(text) as { version: string }).version;
}
