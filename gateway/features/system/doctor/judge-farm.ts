import type { Finding } from '#contract/resources/system-doctor.ts';
import { ageOf, agoOf, finding, named, say } from './finding.ts';
import type { ControllerFacts, DoctorFacts } from './ports.ts';

// The farm behind the box: its controllers.

/** Below this a controller loses messages; −67 dBm is what voice needs, −75 the end of what is steady. */
const WEAK_DBM = -75;
const LOST_DBM = -85;

export function checkControllers({ controllers, now }: DoctorFacts): Finding[] {
  if (controllers === null) return [];
  const online = controllers.filter(({ isOnline }) => isOnline === true);
  return [
    summary(controllers, online.length),
    ...named(
      // of a stopped gateway nobody knows who is silent
      controllers.filter(({ isOnline }) => isOnline === false).map((one) => silent(one, now)),
      {
        id: 'controller_silent_more',
        what: say('controladores sem notícia', 'silent controllers', 'controladores sin noticias'),
        unit: 'controllers',
      },
    ),
    ...named(online.flatMap(weak), {
      id: 'controller_weak_wifi_more',
      what: say(
        'controladores com Wi-Fi fraco',
        'controllers with weak Wi-Fi',
        'controladores con Wi-Fi débil',
      ),
      unit: 'controllers',
    }),
    ...named(
      controllers.filter(({ hasKey, takesUnkeyed }) => !hasKey && takesUnkeyed !== false).map(unkeyed),
      {
        id: 'controller_unkeyed_more',
        what: say('controladores sem chave', 'controllers without a key', 'controladores sin clave'),
        unit: 'controllers',
      },
    ),
    ...named(
      olderFirmware(controllers).map(({ one, newest }) => oldFirmware(one, newest)),
      {
        id: 'controller_old_firmware_more',
        what: say(
          'controladores com firmware antigo',
          'controllers with older firmware',
          'controladores con firmware antiguo',
        ),
        unit: 'controllers',
      },
    ),
    ...named(
      controllers.flatMap((one) => noisy(one, now)),
      {
        id: 'controller_folded_more',
        what: say(
          'controladores que relatam sem parar',
          'controllers that report without end',
          'controladores que informan sin parar',
        ),
        unit: 'controllers',
      },
    ),
  ];
}

function noisy(one: ControllerFacts, now: number): Finding[] {
  if (one.folded === null) return [];
  const { since, count } = one.folded;
  const ago = agoOf(ageOf(now, since));
  const name = `${one.cod} (${one.deviceId})`;
  return [
    finding(
      'controller_folded',
      'warn',
      say(
        `${name} relata sem parar há ${ago['pt-BR']}: ${count} mudanças ou eventos; o registro guarda um resumo a cada dez minutos.`,
        `${name} has been reporting without end for ${ago.en}: ${count} changes or events; a summary is stored every ten minutes.`,
        `${name} informa sin parar desde hace ${ago.es}: ${count} cambios o eventos; el registro guarda un resumen cada diez minutos.`,
      ),
      {
        about: one,
        next: say(
          'Veja contator, fiação e alimentação do controlador; se outro aparelho usa a mesma chave, troque-a.',
          'Look at contactor, wiring and supply of the controller; if another board uses its key, change the key.',
          'Vea contactor, cableado y alimentación del controlador; si otro dispositivo usa la misma clave, cámbiela.',
        ),
        measured: [count, 'reports'],
      },
    ),
  ];
}

function summary(controllers: readonly ControllerFacts[], online: number): Finding {
  const isHeard = controllers.every(({ isOnline }) => isOnline !== null);
  const sentence = isHeard
    ? say(
        `Controladores ligados ao gateway: ${online} de ${controllers.length}.`,
        `Controllers online: ${online} of ${controllers.length}.`,
        `Controladores conectados al gateway: ${online} de ${controllers.length}.`,
      )
    : say(
        `Controladores cadastrados: ${controllers.length}; só o gateway ligado sabe quais respondem.`,
        `Controllers known: ${controllers.length}; only a running gateway knows which are online.`,
        `Controladores registrados: ${controllers.length}; solo el gateway encendido sabe cuáles responden.`,
      );
  return finding('controllers', 'ok', sentence, { measured: [online, 'controllers'] });
}

function silent(one: ControllerFacts, now: number): Finding {
  const name = `${one.cod} (${one.deviceId})`;
  if (one.heardAt === null) {
    return finding(
      'controller_silent',
      'note',
      say(
        `${name} nunca se apresentou ao gateway.`,
        `${name} never reported to the gateway.`,
        `${name} nunca se presentó al gateway.`,
      ),
      {
        about: one,
        next: say(
          'Ligue-o e dê a ele a rede e o endereço deste gateway (docs/pt-br/adoption.md).',
          'Switch it on, and give it the network and the address of this gateway (docs/en/adoption.md).',
          'Enciéndalo y dele la red y la dirección de este gateway (docs/es/adoption.md).',
        ),
      },
    );
  }
  const age = ageOf(now, one.heardAt);
  const ago = agoOf(age);
  return finding(
    'controller_silent',
    'bad',
    say(
      `${name} não dá notícia há ${ago['pt-BR']}.`,
      `${name} has been silent for ${ago.en}.`,
      `${name} no da noticias desde hace ${ago.es}.`,
    ),
    {
      about: one,
      next: say(
        'Vá ao painel dele e veja energia e Wi-Fi; o motor segue o programa do próprio controlador.',
        'Go to its panel and see to power and Wi-Fi; the motor follows the program of the controller.',
        'Vaya a su tablero y vea la energía y el Wi-Fi; el motor sigue el programa del propio controlador.',
      ),
      measured: [Math.round(age / 1000), 's'],
    },
  );
}

function weak(one: ControllerFacts): Finding[] {
  const { rssiDbm: rssi } = one;
  if (rssi === null || rssi >= WEAK_DBM) return [];
  return [
    finding(
      'controller_weak_wifi',
      rssi < LOST_DBM ? 'bad' : 'warn',
      say(
        `${one.cod} (${one.deviceId}) tem sinal de Wi-Fi fraco: ${rssi} dBm.`,
        `${one.cod} (${one.deviceId}) has a weak Wi-Fi signal: ${rssi} dBm.`,
        `${one.cod} (${one.deviceId}) tiene señal de Wi-Fi débil: ${rssi} dBm.`,
      ),
      {
        about: one,
        next: say(
          'Aproxime um ponto de acesso ou use antena externa.',
          'Bring an access point nearer, or use an outside antenna.',
          'Acerque un punto de acceso o use una antena externa.',
        ),
        measured: [rssi, 'dBm'],
      },
    ),
  ];
}

function unkeyed(one: ControllerFacts): Finding {
  return finding(
    'controller_unkeyed',
    'warn',
    say(
      `${one.cod} (${one.deviceId}) não tem chave: quem está na rede pode se passar por ele.`,
      `${one.cod} (${one.deviceId}) has no key: whoever is on the network can pretend to be it.`,
      `${one.cod} (${one.deviceId}) no tiene clave: quien está en la red puede hacerse pasar por él.`,
    ),
    {
      about: one,
      next: say(
        'Gere uma chave no console, em Sistema → Dispositivos, e grave-a no controlador (docs/pt-br/adoption.md).',
        'Make a key in the console, at System → Devices, and put it into the controller (docs/en/adoption.md).',
        'Genere una clave en el panel, en Sistema → Dispositivos, y grábela en el controlador (docs/es/adoption.md).',
      ),
    },
  );
}

/** Those behind the newest firmware of the same farm; only versions of numbers can be compared. */
function olderFirmware(controllers: readonly ControllerFacts[]) {
  const newestByFarm = new Map<string, string>();
  for (const { farmId, firmware } of controllers) {
    if (firmware === null || numbersOf(firmware) === null) continue;
    const known = newestByFarm.get(farmId);
    if (known === undefined || compare(firmware, known) > 0) newestByFarm.set(farmId, firmware);
  }
  return controllers.flatMap((one) => {
    const newest = newestByFarm.get(one.farmId);
    const isOlder =
      newest !== undefined &&
      one.firmware !== null &&
      numbersOf(one.firmware) !== null &&
      compare(one.firmware, newest) < 0;
    return isOlder ? [{ one, newest }] : [];
  });
}

function oldFirmware(one: ControllerFacts, newest: string): Finding {
  return finding(
    'controller_old_firmware',
    'note',
    say(
      `${one.cod} (${one.deviceId}) tem o firmware ${one.firmware}; outros têm ${newest}.`,
      `${one.cod} (${one.deviceId}) has firmware ${one.firmware}; others have ${newest}.`,
      `${one.cod} (${one.deviceId}) tiene el firmware ${one.firmware}; otros tienen ${newest}.`,
    ),
    {
      about: one,
      next: say(
        'Atualize-o num dia sem risco, no console em Sistema → Firmware (docs/pt-br/firmware.md).',
        'Update it on a day without risk, in the console at System → Firmware (docs/en/firmware.md).',
        'Actualícelo en un día sin riesgo, en el panel en Sistema → Firmware (docs/es/firmware.md).',
      ),
      measured: [one.firmware ?? '', null],
    },
  );
}

function numbersOf(version: string): number[] | null {
  const found = /^v?(\d{1,6}(?:\.\d{1,6}){0,3})/.exec(version)?.[1];
  return found === undefined ? null : found.split('.').map(Number);
}

function compare(one: string, other: string): number {
  const [a, b] = [numbersOf(one) ?? [], numbersOf(other) ?? []];
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
