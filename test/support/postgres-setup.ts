import { createServer } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type Cluster, postgresForRun, whyNoPostgres } from './postgres-cluster.ts';

declare module 'vitest' {
  // biome-ignore lint: vitest's own name, which this adds to
  interface ProvidedContext {
    /** Loopback port that answers `{ url }` of the run's PostgreSQL or `{ error }`; null when there is none. */
    postgresPort: number | null;
  }
}

/**
 * One PostgreSQL for a whole run, started when the first test file asks for a database: a run that needs none
 * does not pay for one.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const reason = whyNoPostgres();
  project.provide('postgresPort', null);
  if (reason !== null) {
    project.vitest.logger.warn(`Tests that need PostgreSQL are skipped: ${reason}.`);
    return async () => undefined;
  }
  let started: Promise<Cluster> | undefined;
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // a worker that went away
    started ??= postgresForRun();
    started.then(
      ({ url }) => socket.end(JSON.stringify({ url })),
      (error: Error) => socket.end(JSON.stringify({ error: `${error.message}: ${String(error.cause)}` })),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address !== null && typeof address === 'object') project.provide('postgresPort', address.port);
  return async () => {
    await new Promise((resolve) => server.close(resolve));
    const cluster = await started?.catch(() => undefined);
    await cluster?.stop();
  };
}
