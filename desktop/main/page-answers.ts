import { type AppInfo, CHANNELS, type LastKnown } from '../ipc.ts';
import { type Answers, plain, taking } from './answers.ts';
import type { AskGateway } from './ask-gateway.ts';
import { findGateways, oncePerGateway } from './find-gateways.ts';
import { type gatewayPlace, offered, urlOfTyped, withFarm } from './gateway-place.ts';
import { canBeBox, type ProgramFolders, skewOf } from './local-gateway.ts';
import { alarmsTold, farmTold, foundGateway, notice, typedAddress } from './messages.ts';
import type { Person } from './person.ts';
import type { Choices, KeptSettings } from './settings.ts';
import type { watchFarm } from './watch.ts';
import type { keepShowing } from './window.ts';

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
