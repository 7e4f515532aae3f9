import type { RowOf } from '#contract/resource.ts';
import { accountLetter } from '#contract/resources/local-tables.ts';
import { purge } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { type LetterQueue, type SendLetter, sendDueLetters } from '#core/letters.ts';
import { languageOf } from '#core/notifying.ts';
import { addressLeftLetter } from './account-news.ts';

export type SendAccountLettersDeps = Pick<Kernel, 'now' | 'clockQuality' | 'commit' | 'log'> & {
  queue: LetterQueue<RowOf<typeof accountLetter>>;
  /** null: this instance sends no mail any more. */
  send: SendLetter | null;
};

/** Sends what is due to addresses that accounts had. One that is given up is told to nobody: the notification is there. */
export async function sendAccountLetters(deps: SendAccountLettersDeps): Promise<void> {
  const erase = async (id: string) =>
    void (await deps.commit({ changes: [purge(accountLetter, id)], actor: null }));
  await sendDueLetters(deps, deps.queue, {
    send: async ({ id, address, language, created_at }) =>
      deps.send === null
        ? { is: 'refused', why: 'this instance sends no mail' }
        : deps.send({ id, ...addressLeftLetter(languageOf(language), address, created_at) }),
    erase: ({ id }) => erase(id),
    giveUp: async ({ id, user_id }, why) => {
      deps.log.warn({ userId: user_id, why }, 'nobody could be told at the address that an account had');
      await erase(id);
    },
  });
}
