import { notification } from '#contract/resources/notifications.ts';
import type { NotificationType } from '#contract/words.ts';
import { type Change, insertIfAbsent } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { ReadersOf } from './ports.ts';

export type Language = 'pt-BR' | 'en';

export type Notice = {
  farmId: string;
  type: NotificationType;
  /** The words in the reader's language. */
  text: (language: Language) => { title: string; message: string };
  /** For ALERT: pond_id, pond_cod, parameter, value, threshold. */
  data: Record<string, unknown>;
  /** Names the event: the same cause tells each reader once, on every instance. */
  cause: string;
  /** When it happened, if not now. */
  at?: number;
};

/** Changes that tell the owner of a farm and the members who may act; for the commit that makes the news true. */
export async function notificationsFor(
  deps: Pick<Kernel, 'now' | 'idOf'> & { readersOf: ReadersOf },
  notice: Notice,
): Promise<Change[]> {
  const readers = await deps.readersOf(notice.farmId);
  return readers.map(({ userId, language }) =>
    insertIfAbsent(notification, {
      id: deps.idOf(`notification:${notice.cause}:${userId}`),
      user_id: userId,
      farm_id: notice.farmId,
      type: notice.type,
      ...notice.text(languageOf(language)),
      data: notice.data,
      is_read: false,
      read_at: null,
      created_at: isoOf(notice.at ?? deps.now()),
    }),
  );
}

/** Farms of this product speak Portuguese unless a person chose English. */
function languageOf(chosen: string | null): Language {
  return chosen?.toLowerCase().startsWith('en') ? 'en' : 'pt-BR';
}
