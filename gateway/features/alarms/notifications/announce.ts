import * as z from 'zod';
import { instanceValue } from '#contract/resources/local-tables.ts';
import type { announcementCreate } from '#contract/resources/notifications.ts';
import type { Language } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { type Change, purge, put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { type Decision, perform } from '#core/use-case.ts';
import type { AnnouncementQueries } from './ports.ts';

export const ANNOUNCEMENT_KEY = 'announcement:';

/** What is being told to everybody; kept until the last one was told, so that a restart goes on where it was. */
const pending = z.object({
  kind: z.enum(['MAINTENANCE', 'UPDATE']),
  title: z.object({ 'pt-BR': z.string(), en: z.string(), es: z.string().optional() }),
  message: z.object({ 'pt-BR': z.string(), en: z.string(), es: z.string().optional() }),
  data: z.record(z.string(), z.unknown()),
  at: z.string(),
  /** Id of the last user who was told. */
  after: z.string(),
});
export type Announcement = z.infer<typeof pending>;

export type AnnounceDeps = Pick<Kernel, 'now' | 'commit' | 'pause' | 'random'> & {
  notify: Notify;
  queries: AnnouncementQueries;
};

/** Accounts told in one commit: control waits no longer than for that. */
const SLICE = 70;
const BREATH_MS = 1;

/** Decides to tell every account of this instance. It is told in slices, right after. */
export function announce(
  deps: Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>,
  adminId: string,
  input: z.infer<typeof announcementCreate>,
): Decision<{ id: string }> {
  const id = deps.newId();
  const { kind, title, message, starts_at = null, ends_at = null } = input;
  const entry = audit(deps, {
    farm_id: null,
    entity_type: 'SYSTEM',
    entity_id: id,
    entity_name: title,
    action: 'announcement',
    user_id: adminId,
  });
  const row: Announcement = {
    kind,
    title: { 'pt-BR': title, en: input.title_en ?? title, es: input.title_es ?? title },
    message: { 'pt-BR': message, en: input.message_en ?? message, es: input.message_es ?? message },
    data: { event: kind === 'UPDATE' ? 'update' : 'maintenance', announcement_id: id, starts_at, ends_at },
    at: isoOf(deps.now()),
    after: '',
  };
  return { answer: { id }, changes: [announcementRow(id, row), entry] };
}

export function announcementRow(id: string, row: Announcement): Change {
  return put(instanceValue, { id: `${ANNOUNCEMENT_KEY}${id}`, value: JSON.stringify(row) });
}

/** Tells everybody what is still to be told; answers how many were. */
export async function tellAnnouncements(deps: AnnounceDeps): Promise<number> {
  let told = 0;
  for (const { id, value } of await deps.queries.announcements()) {
    let row = pending.parse(JSON.parse(value));
    for (;;) {
      const userIds = await deps.queries.usersAfter(row.after, SLICE);
      const last = userIds.at(-1);
      const next = last === undefined ? row : { ...row, after: last };
      await perform(deps, null, async () => ({
        answer: undefined,
        changes: [
          ...(await deps.notify({ userIds }, newsOf(id, row))),
          userIds.length < SLICE
            ? purge(instanceValue, id)
            : put(instanceValue, { id, value: JSON.stringify(next) }),
        ],
      }));
      told += userIds.length;
      if (userIds.length < SLICE) break;
      row = next;
      await deps.pause(BREATH_MS);
    }
  }
  return told;
}

function newsOf(id: string, { title, message, data, at }: Announcement) {
  return {
    type: 'SYSTEM' as const,
    title: (language: Language) => title[language] ?? title['pt-BR'],
    message: (language: Language) => message[language] ?? message['pt-BR'],
    data,
    cause: id,
    farmId: null,
    at: Date.parse(at),
    placedAt: Date.parse(at),
  };
}

/** Changes that tell everybody of a new version of the program; the first version of all is only noted. */
export function versionChanged(
  deps: Pick<Kernel, 'now'>,
  versions: { before: string | null; now: string },
): Change[] {
  const { before, now } = versions;
  if (before === now) return [];
  const noted = put(instanceValue, { id: VERSION_KEY, value: now });
  if (before === null) return [noted];
  const row: Announcement = {
    kind: 'UPDATE',
    title: { 'pt-BR': 'Sistema atualizado', en: 'System updated', es: 'Sistema actualizado' },
    message: {
      'pt-BR': `O gateway passou da versão ${before} para a ${now}. Seus dados e horários continuam como estavam.`,
      en: `The gateway went from version ${before} to ${now}. Your data and schedules are as they were.`,
      es: `El gateway pasó de la versión ${before} a la ${now}. Sus datos y horarios siguen como estaban.`,
    },
    data: { event: 'update', version: now, previous_version: before },
    at: isoOf(deps.now()),
    after: '',
  };
  return [noted, announcementRow(`update:${before}:${now}`, row)];
}

export const VERSION_KEY = 'program_version';
