import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import express from 'express';
import * as z from 'zod';

// The baseline of requests: express as it comes, one row read by its key, and one row checked by zod and on disk before it is
// answered. `<folder> <pond as JSON>`: a pond that it answers as the gateway does.

const [folder = '', pond = '{}'] = process.argv.slice(2);
const given = z.record(z.string(), z.union([z.string(), z.number(), z.null()])).parse(JSON.parse(pond));

const VALUES = [
  'temperature',
  'dissolved_oxygen',
  'ph',
  'salinity',
  'alkalinity',
  'ammonia',
  'nitrite',
  'nitrate',
  'transparency',
] as const;
const value = z.number().min(0).max(1_000).nullish();
const measured = z.object({
  pond_id: z.uuid(),
  measurement_date: z.iso.datetime().nullish(),
  ...Object.fromEntries(VALUES.map((name) => [name, value])),
  notes: z.string().max(5_000).nullish(),
});
const COLUMNS = ['id', 'pond_id', 'measurement_date', ...VALUES, 'notes', 'created_at'];

const connection = new Database(join(folder, 'bare.db'));
connection.pragma('journal_mode = wal');
connection.pragma('synchronous = full');
const names = Object.keys(given);
connection.exec(`create table ponds (${names.map((name) => `${name} any`).join(', ')}, primary key (id)) strict;
  create table measurements (${COLUMNS.map((name) => `${name} any`).join(', ')}, primary key (id)) strict;
  create index measurements_by_pond on measurements (pond_id, measurement_date)`);
connection.prepare(`insert into ponds values (${names.map((name) => `@${name}`).join(', ')})`).run(given);
const read = connection.prepare('select * from ponds where id = ?');
const insert = connection.prepare(
  `insert into measurements values (${COLUMNS.map((name) => `@${name}`).join(', ')})`,
);

const app = express();
app.get('/api/v1/ponds/:id', (request, response) => {
  response.json(read.get(request.params.id));
});
app.post('/api/v1/water-quality/', express.json(), (request, response) => {
  const sent = measured.parse(request.body);
  const now = new Date().toISOString();
  const row: Record<string, unknown> = {
    ...Object.fromEntries(COLUMNS.map((name) => [name, null])),
    ...sent,
  };
  Object.assign(row, { id: randomUUID(), measurement_date: sent.measurement_date ?? now, created_at: now });
  insert.run(row);
  response.status(201).json(row);
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ msg: 'ready', http: `http://127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
