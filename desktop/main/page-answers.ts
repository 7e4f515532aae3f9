import type {
  Dialog,
  IpcMain,
  IpcMainInvokeEvent,
  Notification as SystemNotification,
  BrowserWindow as Window,
} from 'electron';
import type * as z from 'zod';
import {
  type AppInfo,
  CHANNELS,
  type Channel,
  CONSOLE_CHANNELS,
  type LastKnown,
  type Notice,
} from '../ipc.ts';
import { findGateways, oncePerGateway } from './find-gateways.ts';
import { type gatewayPlace, offered, urlOfTyped, withFarm } from './gateway-place.ts';
import { canBeBox, type ProgramFolders, skewOf } from './local-gateway.ts';
import { alarmsTold, farmTold, foundGateway, notice, typedAddress } from './messages.ts';
import type { Choices, KeptSettings } from './settings.ts';
import type { AskGateway, watchFarm } from './watch.ts';
import type { keepShowing } from './window.ts';
import type { Question, Words } from './words.ts';

type PageDeps = {
  version: string;
  folders: ProgramFolders;
  kept: KeptSettings;
  ask: AskGateway;
  place: Awaited<ReturnType<typeof gatewayPlace>>;
  watch: ReturnType<typeof watchFarm>;
  screen: ReturnType<typeof keepShowing>;
  choices: Choices;
  person: Person;
};

/** What a page may ask, and what is answered. Who may ask is judged before, by the page that sent it. */
export function pageAnswers(deps: PageDeps): Answers {
  const { version, kept, ask, place, watch, screen, choices, person } = deps;
  return {
    [CHANNELS.alive]: plain(watch.alive),
    [CHANNELS.appInfo]: plain(
      (): AppInfo => ({
        version,
        platform: process.platform,
        isKiosk: kept.get().isKiosk,
        gatewayVersion: place.version(),
        skew: skewOf(version, place.version()),
      }),
    ),
    [CHANNELS.alarms]: taking(alarmsTold, watch.heard),
    [CHANNELS.notify]: taking(notice, person.say),
    [CHANNELS.farm]: taking(farmTold, (told) => {
      const farm = withFarm(kept.get().farm, told);
      if (farm !== kept.get().farm) kept.set({ farm });
    }),
    [CHANNELS.findGateways]: plain(async () => oncePerGateway(await findGateways()).map(offered)),
    [CHANNELS.lookAt]: taking(typedAddress, async (typed) => {
      const url = urlOfTyped(typed);
      const asked = url === null ? null : await ask(url, null);
      return asked?.at === 'there' ? offered(asked.gateway) : null;
    }),
    [CHANNELS.chooseGateway]: taking(foundGateway, async (gateway) => {
      if (place.ownsLocal() && !(await person.question('box'))) return;
      await place.stopLocal();
      place.pair(gateway);
      choices.paired();
      await screen.begin();
    }),
    [CHANNELS.startLocal]: plain(() => {
      kept.set({ isLocal: true });
      choices.becameBox();
      place.runLocal();
    }),
    [CHANNELS.lastKnown]: plain(() => lastKnown(deps)),
    [CHANNELS.retry]: plain(() => screen.show()),
  };
}

function lastKnown({ folders, kept, place, watch, screen }: PageDeps): LastKnown {
  const { gateway, farm, isLocal } = kept.get();
  return {
    gateway: isLocal || gateway === null ? null : { name: gateway.name, url: gateway.url },
    farm,
    alarms: watch.seen(),
    since: screen.lostSince(),
    why: place.why(),
    local: place.local(),
    canBeBox: canBeBox(folders),
  };
}

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
type Person = ReturnType<typeof reachPerson>;

type Answers = Partial<Record<Channel, { takes: z.ZodType | null; answer: (message: unknown) => unknown }>>;

/** A handler whose message has been checked. */
function taking<Shape extends z.ZodType>(
  takes: Shape,
  answer: (message: z.infer<Shape>) => unknown,
): NonNullable<Answers[Channel]> {
  // parsed with this very shape before it gets here
  return { takes, answer: answer as (message: unknown) => unknown };
}

const plain = (answer: () => unknown): NonNullable<Answers[Channel]> => ({ takes: null, answer });

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
