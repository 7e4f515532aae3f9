import type { IpcMain, IpcMainInvokeEvent } from 'electron';
import type * as z from 'zod';
import { CHANNELS, type Channel, CONSOLE_CHANNELS } from '../ipc.ts';

export type Answers = Partial<
  Record<Channel, { takes: z.ZodType | null; answer: (message: unknown) => unknown }>
>;

/** A handler whose message has been checked. */
export function taking<Shape extends z.ZodType>(
  takes: Shape,
  answer: (message: z.infer<Shape>) => unknown,
): NonNullable<Answers[Channel]> {
  // parsed with this very shape before it gets here
  return { takes, answer: answer as (message: unknown) => unknown };
}

export const plain = (answer: () => unknown): NonNullable<Answers[Channel]> => ({ takes: null, answer });

/**
 * Answers pages. A message counts only when the top frame of a page that may say it sent it, and when it has its shape:
 * the console's few verbs for the paired gateway's pages, the rest for our own.
 */
export function answerPages(
  ipc: Pick<IpcMain, 'handle' | 'on'>,
  answers: Answers,
  deps: {
    isConsole: (url: string) => boolean;
    isShell: (url: string) => boolean;
    refused: (channel: string, url: string) => void;
  },
): void {
  // only what a page finds of us hangs on it, and our own script says where it runs; each message later is judged by itself
  ipc.on(CHANNELS.isPaired, (event, origin: unknown) => {
    event.returnValue = typeof origin === 'string' && deps.isConsole(origin);
  });
  for (const [channel, handler] of Object.entries(answers) as [Channel, NonNullable<Answers[Channel]>][]) {
    ipc.handle(channel, (event, message: unknown) => {
      const url = senderOf(event);
      const may = url !== null && (CONSOLE_CHANNELS.has(channel) ? deps.isConsole(url) : deps.isShell(url));
      if (!may) {
        deps.refused(channel, url ?? 'a frame');
        throw new Error('this page may not ask that');
      }
      if (handler.takes === null) return handler.answer(undefined);
      const parsed = handler.takes.safeParse(message);
      if (!parsed.success) throw new Error('the message has not the shape it must have');
      return handler.answer(parsed.data);
    });
  }
}

/** The address of the page that sent it; null for a frame inside a page. */
function senderOf({ senderFrame, sender }: IpcMainInvokeEvent): string | null {
  return senderFrame !== null && senderFrame === sender.mainFrame ? senderFrame.url : null;
}
