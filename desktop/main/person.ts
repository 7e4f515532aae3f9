import type { Dialog, Notification as SystemNotification, BrowserWindow as Window } from 'electron';
import type { Notice } from '../ipc.ts';
import type { Question, Words } from './words.ts';

type PersonDeps = {
  window: Window;
  words: Words;
  dialog: Pick<Dialog, 'showMessageBox'>;
  Notification: typeof SystemNotification;
  quit: () => void;
};

/** The person at this PC: the window before them, a message of the system's own, a question with what follows from it. */
export function reachPerson({ window, words, dialog, Notification, quit }: PersonDeps) {
  const open = () => {
    // the system took the window away, and went on: the next start brings another
    if (window.isDestroyed()) return quit();
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  };
  return {
    open,
    say({ title, body, isCritical }: Notice): void {
      const shown = new Notification({ title, body, urgency: isCritical ? 'critical' : 'normal' });
      shown.on('click', open);
      shown.show();
    },
    /** True: the person read what follows, and wants it. Closing the question, or Enter, keeps all as it is. */
    async question(what: Question): Promise<boolean> {
      const { title, text, button } = words.end[what];
      const asked = await dialog.showMessageBox({
        type: 'warning',
        title,
        message: title,
        detail: text,
        buttons: [words.keep, button],
        defaultId: 0,
        cancelId: 0,
        noLink: true,
      });
      return asked.response === 1;
    },
  };
}
export type Person = ReturnType<typeof reachPerson>;
