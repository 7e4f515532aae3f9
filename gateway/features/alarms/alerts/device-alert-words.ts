import type { SwitchState } from '#contract/words.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import type { Language, Words } from '#core/notifying.ts';
import type { DeviceTrouble } from '#features/control/control-view.ts';
import type { WhyUnconfirmed } from './confirm-rules.ts';
import type { Unsteady } from './device-alert-rules.ts';

// What alerts of controllers say: what happened, by its true name, and what to do.

export type Named = { cod: string; ponds: readonly { cod: string }[] };

const MAX_NAMES = 20;

/** `CP-1 (V-01, V-02)` */
function nameOf({ cod, ponds }: Named): string {
  return ponds.length === 0 ? cod : `${cod} (${ponds.map((pond) => pond.cod).join(', ')})`;
}

function listOf(devices: readonly Named[], language: Language): string {
  const shown = devices.slice(0, MAX_NAMES).map(nameOf).join(', ');
  const more = devices.length - MAX_NAMES;
  if (more <= 0) return shown;
  return {
    'pt-BR': `${shown} e mais ${more}`,
    en: `${shown} and ${more} more`,
    es: `${shown} y ${more} más`,
  }[language];
}

const said =
  (words: InEach): Words =>
  (language) =>
    words[language];

export const STATE: Readonly<Record<SwitchState, InEach>> = {
  ON: inEach('ligado', 'on', 'encendido'),
  OFF: inEach('desligado', 'off', 'apagado'),
};
const other = (state: SwitchState): SwitchState => (state === 'ON' ? 'OFF' : 'ON');

export function offlineWords(device: Named, silentMinutes: number): Words {
  const name = nameOf(device);
  return said(
    inEach(
      `O controlador ${name} está sem comunicação há mais de ${silentMinutes} minutos. Verifique a energia e a rede.`,
      `Controller ${name} has been silent for more than ${silentMinutes} minutes. Check its power and network.`,
      `El controlador ${name} está sin comunicación desde hace más de ${silentMinutes} minutos. Revise la energía y la red.`,
    ),
  );
}

type Unconfirmed = {
  why: WhyUnconfirmed;
  target: SwitchState;
  /** How long it was waited for, or for a deferral: how long its settings allow. */
  seconds: number;
  /** What the controller gave as its reason. */
  reason: string | null;
  /** What a relay says of itself. */
  trouble: DeviceTrouble | null;
};

export function unconfirmedWords(device: Named, { trouble, ...facts }: Unconfirmed): Words {
  const words = whyWords(nameOf(device), facts);
  return (language) =>
    trouble === null ? words[language] : `${words[language]} ${trouble.sentence[language]}`;
}

function whyWords(name: string, { why, target, seconds, reason }: Omit<Unconfirmed, 'trouble'>): InEach {
  const { 'pt-BR': pt, en, es } = STATE[target];
  const { 'pt-BR': ptOther, en: enOther, es: esOther } = STATE[other(target)];
  switch (why) {
    case 'unconfirmed':
      return inEach(
        `O controlador ${name} recebeu ordem de ficar ${pt} e não confirmou em ${seconds} s.`,
        `Controller ${name} was ordered ${en} and has not confirmed it within ${seconds} s.`,
        `El controlador ${name} recibió la orden de quedar ${es} y no la confirmó en ${seconds} s.`,
      );
    case 'refused':
      return inEach(
        `O controlador ${name} recusou a ordem de ficar ${pt}${reason === null ? '' : `: ${reason}`}. Ele continua ${ptOther}; resolva a causa no painel ou acione à mão.`,
        `Controller ${name} refused the order to be ${en}${reason === null ? '' : `: ${reason}`}. It stays ${enOther}; mend the cause at the panel or switch by hand.`,
        `El controlador ${name} rechazó la orden de quedar ${es}${reason === null ? '' : `: ${reason}`}. Sigue ${esOther}; resuelva la causa en el tablero o accione a mano.`,
      );
    case 'never_seen':
      return inEach(
        `O controlador ${name} deve ficar ${pt} e nunca deu sinal: ninguém sabe como o motor está. Instale ou ligue o controlador, ou acione à mão.`,
        `Controller ${name} is wanted ${en} and was never heard: nobody knows how its motor stands. Install or power the controller, or switch by hand.`,
        `El controlador ${name} debe quedar ${es} y nunca dio señal: nadie sabe cómo está el motor. Instale o encienda el controlador, o accione a mano.`,
      );
    case 'absent':
      return inEach(
        `O controlador ${name} deve ficar ${pt}, mas está sem comunicação, e da última vez estava ${ptOther}. Ele só recebe a ordem quando voltar: acione à mão e verifique a energia e a rede.`,
        `Controller ${name} is wanted ${en}, but it is silent, and was ${enOther} when it was last heard. It gets the order only when it is back: switch by hand, and check its power and network.`,
        `El controlador ${name} debe quedar ${es}, pero está sin comunicación, y la última vez estaba ${esOther}. Solo recibe la orden cuando vuelva: accione a mano y revise la energía y la red.`,
      );
    case 'deferred':
      return inEach(
        `O controlador ${name} deve ficar ${pt} e adia a ordem além do que permitem seus tempos mínimos e sua vez na partida (${seconds} s). Acione à mão e verifique o controlador.`,
        `Controller ${name} is wanted ${en} and puts the order off beyond what its minimum times and its start slot allow (${seconds} s). Switch by hand, and check the controller.`,
        `El controlador ${name} debe quedar ${es} y aplaza la orden más allá de lo que permiten sus tiempos mínimos y su turno de arranque (${seconds} s). Accione a mano y revise el controlador.`,
      );
    case 'fell_out':
      return inEach(
        `${name} deve ficar ${pt}, confirmou, e depois ficou ${ptOther} por si, sem ordem. Veja no painel o relé térmico, o disjuntor e o contator.`,
        `${name} is wanted ${en}, confirmed it, and then went ${enOther} by itself, without an order. Look at thermal relay, breaker and contactor at the panel.`,
        `${name} debe quedar ${es}, lo confirmó, y después quedó ${esOther} por sí solo, sin orden. Vea en el tablero el relé térmico, el breaker y el contactor.`,
      );
  }
}

export function unstableWords(device: Named, causes: readonly Unsteady[]): Words {
  const name = nameOf(device);
  return (language) => {
    const list = causes.map((cause) => unsteadyWords(cause)[language]).join('; ');
    return {
      'pt-BR': `O controlador ${name} está instável, nos últimos 15 minutos: ${list}.`,
      en: `Controller ${name} is unstable, in the last 15 minutes: ${list}.`,
      es: `El controlador ${name} está inestable, en los últimos 15 minutos: ${list}.`,
    }[language];
  };
}

function unsteadyWords({ kind, times }: Unsteady): InEach {
  const [pt, en, es] = [`${times} vezes`, `${times} times`, `${times} veces`];
  switch (kind) {
    case 'two_boards':
      return inEach(
        'duas placas falam com a mesma chave, uma por cima da outra (dê uma chave nova à placa certa; a outra será recusada e aparece na fila)',
        'two boards speak with one key, one over the other (give the right board a new key; the other one is then refused and shown in the queue)',
        'dos placas hablan con la misma clave, una por encima de la otra (dé una clave nueva a la placa correcta; la otra será rechazada y aparece en la cola)',
      );
    case 'restarts':
      return inEach(
        `reiniciou ${pt} (verifique a fonte, e se a tensão cai quando o motor parte)`,
        `it restarted ${en} (check its power supply, and whether the voltage drops when the motor starts)`,
        `se reinició ${es} (revise la fuente, y si el voltaje cae cuando el motor arranca)`,
      );
    case 'changes':
      return inEach(
        `mudou de estado ${pt} sem ordem (verifique contator, relé térmico e bobina)`,
        `it changed its state ${en} without an order (check contactor, thermal relay and coil)`,
        `cambió de estado ${es} sin orden (revise contactor, relé térmico y bobina)`,
      );
    case 'deferrals':
      return inEach(
        `adiou ${pt} o que tinha prometido (veja os tempos mínimos e a partida, e o firmware)`,
        `it put off ${en} what it had promised (look at minimum times and start slot, and at its firmware)`,
        `aplazó ${es} lo que había prometido (vea los tiempos mínimos y el arranque, y el firmware)`,
      );
    case 'connections':
      return inEach(
        `a conexão caiu ${pt} (verifique sinal, antena e cabo)`,
        `its connection broke ${en} (check signal, antenna and cable)`,
        `la conexión se cayó ${es} (revise señal, antena y cable)`,
      );
  }
}

type HeldOff = {
  /** Local time of the farm. */
  since: string;
  /** When the order ends by itself, likewise; null: with the next event of the schedule, or never. */
  until: string | null;
  /** The order was for a time, and that is over. */
  isOverdue: boolean;
};

export function heldOffWords(device: Named, { since, until, isOverdue }: HeldOff): Words {
  const name = nameOf(device);
  const end =
    until === null
      ? inEach(
          'e não volta por si antes da agenda',
          'and does not come back before its schedule',
          'y no vuelve por sí solo antes de la programación',
        )
      : isOverdue
        ? inEach(
            `e devia ter voltado às ${until}`,
            `and should have come back at ${until}`,
            `y debía haber vuelto a las ${until}`,
          )
        : inEach(`e só volta às ${until}`, `and comes back at ${until} only`, `y solo vuelve a las ${until}`);
  return (language) =>
    ({
      'pt-BR': `${name} foi desligado por uma pessoa às ${since} ${end['pt-BR']}; há animais no viveiro. Ligue, ou reconheça que deve ficar desligado.`,
      en: `${name} was switched off by a person at ${since} ${end.en}; animals live in its pond. Switch it on, or acknowledge that it is meant to stay off.`,
      es: `${name} fue apagado por una persona a las ${since} ${end.es}; hay animales en la piscina. Enciéndalo, o reconozca que debe quedar apagado.`,
    })[language];
}

export function noCurrentWords(device: Named, currentMa: number): Words {
  const name = nameOf(device);
  return said(
    inEach(
      `O controlador ${name} está ligado, mas o motor consome só ${currentMa} mA. Verifique motor, contator e fusíveis.`,
      `Controller ${name} is on but its motor draws only ${currentMa} mA. Check motor, contactor and fuses.`,
      `El controlador ${name} está encendido, pero el motor consume solo ${currentMa} mA. Revise motor, contactor y fusibles.`,
    ),
  );
}

/**
 * `online` is how many controllers of the farm were online; null when a controller itself told of it: then `telling` are
 * those that did, and the others only fell silent with them.
 */
export function powerFailureWords(
  devices: readonly Named[],
  online: number | null,
  telling: readonly Named[] = devices,
): Words {
  const n = devices.length;
  return (language) => {
    const list = listOf(devices, language);
    if (online === null) {
      const tellers = telling.length === 0 ? devices : telling;
      const others = devices.filter((device) => !tellers.includes(device));
      const told = listOf(tellers, language);
      const silent = others.length === 0 ? '' : listOf(others, language);
      return powerToldWords(told, silent)(language);
    }
    return powerGuessedWords(n, online, list)(language);
  };
}

/** `silent`: empty, or those that were not heard since. */
export const powerToldWords = (told: string, silent: string): Words =>
  said(
    inEach(
      `Sem energia da rede, informado por: ${told}${silent === '' ? '' : `; sem comunicação desde então: ${silent}`}`,
      `No mains power, reported by: ${told}${silent === '' ? '' : `; silent since then: ${silent}`}`,
      `Sin energía de la red, informado por: ${told}${silent === '' ? '' : `; sin comunicación desde entonces: ${silent}`}`,
    ),
  );

export const powerGuessedWords = (n: number, online: number, list: string): Words =>
  said(
    inEach(
      `${n} de ${online} controladores ficaram sem comunicação em 60 s: ${list}`,
      `${n} of ${online} controllers fell silent within 60 s: ${list}`,
      `${n} de ${online} controladores quedaron sin comunicación en 60 s: ${list}`,
    ),
  );

export function silentGatewayWords(name: string, minutes: number): Words {
  return said(
    inEach(
      `O gateway ${name} está sem comunicação há ${minutes} minutos. Daqui não se vê nem se comanda a fazenda; lá os controladores continuam sozinhos. Verifique a energia e a internet.`,
      `Nothing was heard of the gateway ${name} for ${minutes} minutes. The farm cannot be seen or switched from here; on the farm the controllers go on by themselves. Check its power and internet.`,
      `El gateway ${name} está sin comunicación desde hace ${minutes} minutos. Desde aquí no se ve ni se manda en la camaronera; allá los controladores continúan solos. Revise la energía y el internet.`,
    ),
  );
}
