import { buildConsole } from '../../scripts/build-console.mjs';
import { buildChildren, buildProgram } from '../../scripts/build-program.mjs';
import { chromiumPath } from './chromium.ts';

/** The console as it is served and the program as it is started, built from the sources as they stand; the browser is whole. */
export async function setup(): Promise<void> {
  // where there is none, the tests that need it say so
  const unpacked = chromiumPath().catch(() => undefined);
  await buildConsole();
  await buildProgram();
  await buildChildren();
  await unpacked;
}
