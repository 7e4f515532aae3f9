import { buildConsole } from '../../scripts/build-console.mjs';
import { buildChildren, buildProgram } from '../../scripts/build-program.mjs';

/** The console as it is served and the program as it is started, built from the sources as they stand. */
export async function setup(): Promise<void> {
  await buildConsole();
  await buildProgram();
  await buildChildren();
}
