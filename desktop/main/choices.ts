import type { App, PowerSaveBlocker } from 'electron';
import type { KeptSettings } from './settings.ts';
import { startWithSystem } from './start-with-system.ts';
import type { TrayChoices } from './tray.ts';
import { skewOf } from './versions.ts';
import type { Question, Words } from './words.ts';

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
