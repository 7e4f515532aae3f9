import { afterAll } from 'vitest';
import { closeLeftRunning } from '../real/started-gateway.ts';

// Runs for each file: modules are shared by the files of a worker, and a hook of theirs would run after the first alone.
afterAll(closeLeftRunning);
