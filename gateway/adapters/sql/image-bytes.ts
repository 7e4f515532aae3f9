import { sql } from 'kysely';
import type { ImageStore } from '#features/production/photos/ports.ts';
import type { Db } from './database.ts';
import { isNamedByPhoto } from './queries/production/photos.ts';

/** Pictures in PostgreSQL, so that no process of a hosted instance has anything on its disk. */
export function imageBytes(db: Db): ImageStore {
  return {
    async write(name, bytes) {
      await sql`insert into image_bytes (id, bytes, stored_at) values (${name}, ${Buffer.from(bytes)}, ${hoursAgo(0)})
        on conflict (id) do update set stored_at = excluded.stored_at`.execute(db);
    },
    async read(name) {
      const { rows } = await sql<{
        bytes: Buffer;
      }>`select bytes from image_bytes where id = ${name}`.execute(db);
      return rows[0]?.bytes ?? null;
    },
    async remove(name) {
      await sql`delete from image_bytes where id = ${name}`.execute(db);
    },
    async has(name) {
      const { rows } = await sql`select 1 from image_bytes where id = ${name}`.execute(db);
      return rows.length > 0;
    },
    async sweep() {
      await sql`delete from image_bytes where stored_at < ${hoursAgo(1)}
        and not exists (select 1 from stored_images where stored_images.id = image_bytes.id)
        and not ${isNamedByPhoto(sql`image_bytes.id`)}`.execute(db);
    },
  };
}

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
