import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { describe, inject } from 'vitest';
import { whyNoPostgres } from './postgres-cluster.ts';

export type TestDatabase = { url: string; drop(): Promise<void> };

/** Made once per run by whichever file asks first; every database made from it starts as a copy. */
export type Template = { name: string; fill(url: string): Promise<void> };

/** Facts that hold on PostgreSQL: skipped, and counted as such, on a machine that has none. */
export const describeOnPostgres = whyNoPostgres() === null ? describe : describe.skip;

/** A database of its own, empty or a copy of `template`, on the PostgreSQL of this run. */
export async function freshDatabase(template?: Template): Promise<TestDatabase> {
  const clusterUrl = await urlOfTheRun();
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await onServer(clusterUrl, async (client) => {
    if (template) await ensureTemplate(client, clusterUrl, template);
    const from = template ? `"${template.name}"` : 'template0';
    // as files: page by page through the log it costs the server twice as much
    await client.query(`create database ${name} template ${from} strategy file_copy`);
  });
  return {
    url: databaseUrl(clusterUrl, name),
    drop: () =>
      onServer(clusterUrl, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

async function ensureTemplate(client: Client, clusterUrl: string, template: Template): Promise<void> {
  // Test files run in several processes: the first fills, the others wait here.
  await client.query('select pg_advisory_lock(hashtext($1))', [template.name]);
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [template.name]);
    if (found.rowCount !== 0) return;
    const unfinished = `${template.name}_unfinished`;
    await client.query(`drop database if exists "${unfinished}" with (force)`);
    await client.query(`create database "${unfinished}" template template0`);
    await template.fill(databaseUrl(clusterUrl, unfinished));
    await client.query(`alter database "${unfinished}" rename to "${template.name}"`);
  } finally {
    await client.query('select pg_advisory_unlock(hashtext($1))', [template.name]);
  }
}

async function urlOfTheRun(): Promise<string> {
  const port = inject('postgresPort');
  if (port === null) throw new Error(`${whyNoPostgres()}; use describeOnPostgres`);
  const answer: { url?: string; error?: string } = JSON.parse(await text(connect(port, '127.0.0.1')));
  if (answer.url === undefined) throw new Error(answer.error);
  return answer.url;
}

async function onServer(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}
