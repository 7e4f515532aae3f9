import { atTheBox } from '#contract/commands.ts';
import type { Finding, InEach } from '#contract/resources/system-doctor.ts';
import { above, ageOf, agoOf, finding, say, unlessOk, written } from './finding.ts';
import type { DoctorFacts, EventLoopFacts, RunFacts, StartCause } from './ports.ts';

// The program: how it runs, its versions, its event loop.

/** From here on a person notices, and a controller's answer comes late. */
const DELAY_MS = { warn: 250, bad: 1_000 };
/** The service is given up on by then. */
const START_MS = 15 * 60_000;
/** A computer that sleeps, or a card that hangs. */
const OFTEN_A_DAY = 3;
const NODE_MAJOR = '24';

const CAUSES: Readonly<Record<StartCause, [pt: string, en: string, es: string]>> = {
  first: ['primeira partida', 'first start', 'primer arranque'],
  stopped: ['parado e iniciado em ordem', 'stopped and started in order', 'parado y arrancado en orden'],
  updated: ['atualização do programa', 'update of the program', 'actualización del programa'],
  power: ['depois de uma queda de energia', 'after a power cut', 'después de un corte de energía'],
  killed: [
    'o programa foi encerrado à força',
    'the program was killed',
    'el programa fue cerrado a la fuerza',
  ],
  fault: [
    'depois de uma falha do programa',
    'after a fault of the program',
    'después de una falla del programa',
  ],
};
const SEVERITY_OF_CAUSE = {
  first: 'ok',
  stopped: 'ok',
  updated: 'ok',
  power: 'note',
  killed: 'warn',
  fault: 'warn',
} as const;

const START = say(
  'Inicie-o (sudo systemctl start shrimp-farm-gateway); se não ficar no ar, veja o log (journalctl -u shrimp-farm-gateway -n 50).',
  'Start it (sudo systemctl start shrimp-farm-gateway); if it does not stay up, see the log (journalctl -u shrimp-farm-gateway -n 50).',
  'Arránquelo (sudo systemctl start shrimp-farm-gateway); si no se mantiene, vea el log (journalctl -u shrimp-farm-gateway -n 50).',
);
const SEND_BUNDLE = say(
  `Envie ao suporte um pacote: ${atTheBox('doctor --bundle ARQUIVO')}.`,
  `Send support a bundle: ${atTheBox('doctor --bundle FILE')}.`,
  `Envíe al soporte un paquete: ${atTheBox('doctor --bundle ARCHIVO')}.`,
);
const NEXT_OF_CAUSE: Readonly<Record<StartCause, InEach | null>> = {
  first: null,
  stopped: null,
  updated: null,
  power: say(
    'Um nobreak na caixa e no roteador evita isto.',
    'A UPS for the box and the router avoids this.',
    'Un UPS en la caja y en el router evita esto.',
  ),
  killed: say(
    'Veja se faltou memória (journalctl -k | grep -i memory) e feche outros programas.',
    'See whether memory ran out (journalctl -k | grep -i memory), and close other programs.',
    'Vea si faltó memoria (journalctl -k | grep -i memory) y cierre otros programas.',
  ),
  fault: SEND_BUNDLE,
};

export function checkRun({ run, now }: DoctorFacts): Finding[] {
  if (run === null) return [];
  if (run.state === 'stopped') {
    return [
      finding(
        'gateway_stopped',
        'bad',
        say(
          'O gateway está parado: cada controlador segue sozinho, e ninguém avisa de nada.',
          'The gateway is stopped: each controller goes on alone, and nobody is told of anything.',
          'El gateway está parado: cada controlador sigue solo, y nadie avisa de nada.',
        ),
        { next: START },
      ),
      ...checkFault(run),
    ];
  }
  if (run.state === 'silent') {
    return [
      finding(
        'gateway_silent',
        'bad',
        say(
          'O gateway está travado: o processo existe, mas não responde.',
          'The gateway hangs: its process is there, but does not answer.',
          'El gateway está trabado: el proceso existe, pero no responde.',
        ),
        {
          next: say(
            'Grave um pacote de suporte, depois sudo systemctl restart shrimp-farm-gateway.',
            'Write a support bundle, then sudo systemctl restart shrimp-farm-gateway.',
            'Grabe un paquete de soporte, después sudo systemctl restart shrimp-farm-gateway.',
          ),
        },
      ),
    ];
  }
  const upMs = run.startedAt === null ? 0 : ageOf(now, run.startedAt);
  if (run.state === 'starting') return [starting(upMs), ...checkFault(run)];
  const cause = run.cause ?? 'first';
  const [portuguese, english, spanish] = CAUSES[cause];
  return [
    finding(
      'last_start',
      SEVERITY_OF_CAUSE[cause],
      say(
        `Em operação há ${agoOf(upMs)['pt-BR']}; última partida: ${portuguese}.`,
        `Running for ${agoOf(upMs).en}; last start: ${english}.`,
        `En marcha desde hace ${agoOf(upMs).es}; último arranque: ${spanish}.`,
      ),
      { measured: [Math.round(upMs / 1000), 's'], next: NEXT_OF_CAUSE[cause] },
    ),
    ...checkFault(run),
  ];
}

function starting(sinceMs: number): Finding {
  const shown = agoOf(sinceMs);
  const isLate = sinceMs > START_MS;
  return finding(
    'gateway_starting',
    isLate ? 'bad' : 'warn',
    say(
      `O gateway está partindo há ${shown['pt-BR']}: abre e confere o banco de dados; até lá cada controlador segue sozinho.`,
      `The gateway has been starting for ${shown.en}: it opens and checks its database; until then each controller goes on alone.`,
      `El gateway está arrancando desde hace ${shown.es}: abre y revisa la base de datos; hasta entonces cada controlador sigue solo.`,
    ),
    {
      measured: [Math.round(sinceMs / 1000), 's'],
      next: isLate
        ? say(
            'Veja no log o que a segura (journalctl -u shrimp-farm-gateway -n 50) e avise o suporte.',
            'See in the log what holds it up (journalctl -u shrimp-farm-gateway -n 50), and tell support.',
            'Vea en el log qué lo detiene (journalctl -u shrimp-farm-gateway -n 50) y avise al soporte.',
          )
        : say(
            'Espere: depois de uma atualização ou de uma queda de energia isto pode levar 15 minutos. Não o reinicie nem desligue a caixa.',
            'Wait: after an update or a power cut this may take 15 minutes. Do not restart it, and do not switch the box off.',
            'Espere: después de una actualización o de un corte de energía esto puede tardar 15 minutos. No lo reinicie ni apague la caja.',
          ),
    },
  );
}

function checkFault({ fault }: RunFacts): Finding[] {
  if (fault === null) return [];
  return [
    finding(
      'last_fault',
      'warn',
      say(
        `O programa terminou da última vez por uma falha dele: ${fault}`,
        `The program ended last time by a fault of its own: ${fault}`,
        `El programa terminó la última vez por una falla suya: ${fault}`,
      ),
      { next: SEND_BUNDLE, measured: [fault, null] },
    ),
  ];
}

export function checkVersions({ versions }: DoctorFacts): Finding[] {
  if (versions === null) return [];
  const { program, node, platform, schemaDue, schemaTrouble } = versions;
  const severity = node.startsWith(`v${NODE_MAJOR}.`) ? 'ok' : 'warn';
  const next = say(
    `Use o Node ${NODE_MAJOR} que vem com o programa.`,
    `Use the Node ${NODE_MAJOR} that comes with the program.`,
    `Use el Node ${NODE_MAJOR} que viene con el programa.`,
  );
  const found = [
    finding(
      'versions',
      severity,
      say(
        `Programa ${program}, Node ${node}, ${platform}.`,
        `Program ${program}, Node ${node}, ${platform}.`,
        `Programa ${program}, Node ${node}, ${platform}.`,
      ),
      {
        measured: [program, null],
        ...unlessOk(severity, next),
      },
    ),
  ];
  if (schemaTrouble !== null) {
    found.push(
      finding(
        'schema_refused',
        'bad',
        say(
          `Este programa é mais velho que o banco de dados, ou não combina com ele: ${schemaTrouble}`,
          `This program is older than the database, or does not fit it: ${schemaTrouble}`,
          `Este programa es más viejo que la base de datos, o no concuerda con ella: ${schemaTrouble}`,
        ),
        {
          next: say(
            'Instale de novo a versão que gravou o banco de dados, ou uma mais nova.',
            'Install the version that wrote the database again, or a newer one.',
            'Instale de nuevo la versión que grabó la base de datos, o una más nueva.',
          ),
        },
      ),
    );
  } else if (schemaDue.length > 0) {
    found.push(
      finding(
        'schema_due',
        'note',
        say(
          `O banco de dados é de uma versão anterior: migrações por aplicar: ${schemaDue.length}, a partir de ${schemaDue[0]}.`,
          `The database is of an earlier version: migrations that are due: ${schemaDue.length}, from ${schemaDue[0]} on.`,
          `La base de datos es de una versión anterior: migraciones por aplicar: ${schemaDue.length}, a partir de ${schemaDue[0]}.`,
        ),
        {
          next: say(
            'Nada a fazer: a próxima partida do gateway as aplica.',
            'Nothing to do: the next start of the gateway applies them.',
            'Nada que hacer: el próximo arranque del gateway las aplica.',
          ),
          measured: [schemaDue.length, 'migrations'],
        },
      ),
    );
  }
  return found;
}

export function checkEventLoop({ eventLoop }: DoctorFacts): Finding[] {
  if (eventLoop === null) return [];
  const severity = above(eventLoop.p99Ms, DELAY_MS);
  const delay = written(eventLoop.p99Ms);
  const next = say(
    'Algo ocupa a caixa: pare outros programas nela; se ficar assim, envie um pacote de suporte.',
    'Something keeps the box busy: stop other programs on it; if it stays so, send a support bundle.',
    'Algo ocupa la caja: pare otros programas en ella; si queda así, envíe un paquete de soporte.',
  );
  return [
    finding(
      'event_loop',
      severity,
      say(
        `O gateway responde com atraso de até ${delay['pt-BR']} ms (p99 do último minuto).`,
        `The gateway answers with a delay of up to ${delay.en} ms (p99 of the last minute).`,
        `El gateway responde con un retraso de hasta ${delay.es} ms (p99 del último minuto).`,
      ),
      {
        measured: [eventLoop.p99Ms, 'ms'],
        ...unlessOk(severity, next),
      },
    ),
    ...checkPauses(eventLoop),
  ];
}

/** Nobody is blamed for what was not heard meanwhile; whoever looks why a motor was late finds it here. */
function checkPauses({ stoodStill }: EventLoopFacts): Finding[] {
  if (stoodStill === null) return [];
  const { times, longestMs, lastAgoMs } = stoodStill;
  const [longest, ago] = [Math.round(longestMs / 1000), agoOf(lastAgoMs)];
  return [
    finding(
      'stood_still',
      times >= OFTEN_A_DAY ? 'warn' : 'note',
      say(
        `O programa ficou parado ${times} vez(es) nas últimas 24 horas, até ${longest} s, a última há ${ago['pt-BR']}: nesse tempo não ouviu nem comandou ninguém.`,
        `The program stood still ${times} time(s) in the last 24 hours, for up to ${longest} s, last ${ago.en} ago: it neither heard nor ordered anybody then.`,
        `El programa se quedó parado ${times} vez/veces en las últimas 24 horas, hasta ${longest} s, la última hace ${ago.es}: en ese tiempo no oyó ni mandó a nadie.`,
      ),
      {
        measured: [longest, 's'],
        next: say(
          'Desligue a suspensão do computador; numa máquina virtual não a pause; se o cartão trava, troque-o.',
          'Switch off the sleep of the computer; do not pause a virtual machine; replace a card that hangs.',
          'Desactive la suspensión de la computadora; en una máquina virtual no la pause; si la tarjeta se traba, cámbiela.',
        ),
      },
    ),
  ];
}
