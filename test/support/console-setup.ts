import { buildConsole } from '../../scripts/build-console.mjs';

/** The console as it is served, built from the sources as they stand. */
export const setup = buildConsole;
