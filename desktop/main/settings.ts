import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { App, PowerSaveBlocker } from 'electron';
import * as z from 'zod';
import { skewOf } from './local-gateway.ts';
import { type Settings, settings } from './messages.ts';
import { startWithSystem, type TrayChoices } from './tray.ts';
import type { Question, Words } from './words.ts';

export type KeptSettings = { get(): Settings; set(part: Partial<Settings>): void };

type KeepDeps = {
  folder: string;
  failed: (error: unknown) => void;
  pause: (ms: number) => Promise<void>;
};

/** A virus scanner holds a file for a moment. */
const RETRY_MS = [100, 400, 1_500, 3_000] as const;

/**
 * Settings of this station. Of a file that is damaged whatever can be read holds, and a copy is put aside; one that the
 * system does not hand out is left as it is, and read before it is next written. What cannot be written is told, and holds
 * until the program ends: the watch goes on.
 */
export async function keptSettings({ folder, failed, pause }: KeepDeps): Promise<KeptSettings> {
  const file = path.join(folder, 'settings.json');
  // whoever has the data of a farm is its box, whatever became of the settings
  const isBox = existsSync(path.join(folder, 'gateway/farm.db'));
  let isRead = false;
  let known = settings.parse({ isLocal: isBox });
  /** Chosen since then: it comes before what the file says. */
  let chosen: Partial<Settings> = {};

  const read = () => {
    const text = textOf(file);
    isRead = true;
    if (text === null) return;
    const { kept, isWhole } = settingsIn(text, isBox);
    if (!isWhole) putAside(file);
    known = { ...kept, ...chosen };
  };
  const tries = [...RETRY_MS];
  while (!isRead) {
    try {
      read();
    } catch (error) {
      const waitMs = tries.shift();
      if (waitMs === undefined) {
        failed(error);
        break;
      }
      await pause(waitMs);
    }
  }
  return {
    get: () => known,
    set(part) {
      known = { ...known, ...part };
      chosen = { ...chosen, ...part };
      try {
        if (!isRead) read();
        write(file, JSON.stringify(known, null, 2));
      } catch (error) {
        failed(error);
      }
    },
  };
}

/** Whole or not at all: this station may lose power, too. */
function write(file: string, text: string): void {
  const handle = openSync(`${file}.new`, 'w', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(`${file}.new`, file);
}

/** null: there is none. Throws when the system does not hand it out. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** What fits of it, field by field; of text that is none of ours nothing. */
function settingsIn(text: string, isBox: boolean): { kept: Settings; isWhole: boolean } {
  const fields = fieldsIn(text);
  const told = fields ?? {};
  const fits = Object.entries(settings.shape).filter(
    ([name, field]) => name in told && field.safeParse(told[name]).success,
  );
  return {
    kept: settings.parse({ isLocal: isBox, ...Object.fromEntries(fits.map(([name]) => [name, told[name]])) }),
    isWhole: settings.safeParse(fields).success,
  };
}

const anyFields = z.record(z.string(), z.unknown());

function fieldsIn(text: string): Record<string, unknown> | null {
  try {
    return anyFields.parse(JSON.parse(text));
  } catch {
    // a power cut left something else
    return null;
  }
}

function putAside(file: string): void {
  try {
    copyFileSync(file, `${file}.broken`);
  } catch {
    // it is for whoever looks into it later
  }
}

type ChoicesDeps = {
  app: Pick<App, 'getVersion' | 'getPath' | 'setLoginItemSettings'>;
  kept: KeptSettings;
  words: Words;
  question: (what: Question) => Promise<boolean>;
  gatewayVersion: () => string | null;
  powerSaveBlocker: Pick<PowerSaveBlocker, 'start' | 'stop'>;
  /** What the system starts. */
  program: string;
  kioskChanged: (isKiosk: boolean) => void;
  changed: (shown: TrayChoices) => void;
  note: (line: string) => void;
};

/** What people choose for this station in the menu of the tray, and what follows from it. */
export function stationChoices(deps: ChoicesDeps) {
  const { app, kept, words, question, gatewayVersion, powerSaveBlocker, program, changed, note } = deps;
  const blockers: number[] = [];

  const show = () => {
    const own = app.getVersion();
    const skew = skewOf(own, gatewayVersion());
    const versions = words.versions(own, gatewayVersion());
    changed({ ...kept.get(), versions: skew === null ? versions : `${versions}: ${words[skew]}` });
  };
  const stayAwake = () => {
    for (const id of blockers.splice(0)) powerSaveBlocker.stop(id);
    const { isLocal, isKiosk } = kept.get();
    // a box that sleeps airs no pond, a wall that is dark warns nobody
    if (isLocal) blockers.push(powerSaveBlocker.start('prevent-app-suspension'));
    if (isKiosk) blockers.push(powerSaveBlocker.start('prevent-display-sleep'));
  };
  const setAutostart = (wanted: boolean) => {
    try {
      startWithSystem({ app, platform: process.platform, program }, wanted ? 'on' : 'off');
      kept.set({ startsWithSystem: wanted });
    } catch (error) {
      note(`the start with the system was not set: ${String(error)}`);
    }
  };
  const changeAutostart = async (wanted: boolean) => {
    if (wanted || !kept.get().isLocal || (await question('autostart'))) setAutostart(wanted);
    show();
  };
  stayAwake();
  return {
    show,
    startWithSystem: (wanted: boolean): void => void changeAutostart(wanted),
    beKiosk(isKiosk: boolean): void {
      kept.set({ isKiosk });
      stayAwake();
      show();
      deps.kioskChanged(isKiosk);
    },
    /** This machine became the box. After a power cut nobody may be there to start it. */
    becameBox(): void {
      setAutostart(true);
      stayAwake();
      show();
    },
    /** Another gateway was chosen. */
    paired(): void {
      stayAwake();
      show();
    },
  };
}
export type Choices = ReturnType<typeof stationChoices>;
