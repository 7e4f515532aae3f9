import type { Finding } from '#contract/resources/system-doctor.ts';
import { above, agoOf, finding, say, written } from './finding.ts';
import type { DoctorFacts, RunFacts, StartCause } from './ports.ts';

// The program: how it runs, its versions, its event loop.

/** From here on a person notices, and a controller's answer comes late. */
const DELAY_MS = { warn: 250, bad: 1_000 };
const NODE_MAJOR = '24';

const CAUSES: Readonly<Record<StartCause, [string, string]>> = {
  first: ['primeira partida', 'first start'],
  stopped: ['parado e iniciado em ordem', 'stopped and started in order'],
  updated: ['versão nova', 'another version'],
  power: [
    'a máquina ligou de novo sem despedida: queda de energia',
    'the machine came back without a farewell: power cut',
  ],
  killed: ['o processo foi encerrado à força', 'the process was killed'],
  fault: ['uma falha do programa', 'a fault of the program'],
};
const SEVERITY_OF_CAUSE = {
  first: 'ok',
  stopped: 'ok',
  updated: 'ok',
  power: 'note',
  killed: 'warn',
  fault: 'warn',
} as const;

export function checkRun({ run, now }: DoctorFacts): Finding[] {
  if (run === null) return [];
  if (run.state === 'stopped') {
    return [
      finding(
        'gateway_stopped',
        'bad',
        say(
          'O gateway está parado: os controladores seguem sozinhos.',
          'The gateway is stopped: controllers go on alone.',
        ),
        { next: say('Inicie o serviço e veja o log dele.', 'Start the service and look at its log.') },
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
          'O processo do gateway vive, mas não responde.',
          'The process of the gateway lives, but does not answer.',
        ),
        {
          next: say(
            'Reinicie o serviço; guarde um pacote de suporte.',
            'Restart the service; keep a support bundle.',
          ),
        },
      ),
    ];
  }
  const upMs = run.startedAt === null ? 0 : Math.max(0, now - run.startedAt);
  const cause = run.cause ?? 'first';
  const [portuguese, english] = CAUSES[cause];
  return [
    finding(
      'last_start',
      SEVERITY_OF_CAUSE[cause],
      say(
        `Em operação há ${agoOf(upMs)['pt-BR']}; última partida: ${portuguese}.`,
        `Running for ${agoOf(upMs).en}; last start: ${english}.`,
      ),
      { measured: [Math.round(upMs / 1000), 's'], ...nextOf(cause) },
    ),
    ...checkFault(run),
  ];
}

function nextOf(cause: StartCause): { next?: Finding['next_step'] & object } {
  if (cause === 'killed')
    return {
      next: say('Veja se faltou memória (journalctl -k).', 'See whether memory ran out (journalctl -k).'),
    };
  if (cause === 'power') return { next: say('Um nobreak evita isto.', 'A UPS avoids this.') };
  return {};
}

function checkFault({ fault }: RunFacts): Finding[] {
  if (fault === null) return [];
  return [
    finding(
      'last_fault',
      'warn',
      say(
        `A execução anterior terminou por uma falha: ${fault}`,
        `The run before ended by a fault: ${fault}`,
      ),
      { next: say('Envie um pacote de suporte.', 'Send a support bundle.'), measured: [fault, null] },
    ),
  ];
}

export function checkVersions({ versions }: DoctorFacts): Finding[] {
  if (versions === null) return [];
  const { program, node, platform, schemaDue, schemaTrouble } = versions;
  const found = [
    finding(
      'versions',
      node.startsWith(`v${NODE_MAJOR}.`) ? 'ok' : 'warn',
      say(
        `Programa ${program}, Node ${node}, ${platform}.`,
        `Program ${program}, Node ${node}, ${platform}.`,
      ),
      {
        measured: [program, null],
        ...(node.startsWith(`v${NODE_MAJOR}.`)
          ? {}
          : {
              next: say(
                `Use o Node ${NODE_MAJOR} que vem com o programa.`,
                `Use the Node ${NODE_MAJOR} that comes with the program.`,
              ),
            }),
      },
    ),
  ];
  if (schemaTrouble !== null) {
    found.push(
      finding(
        'schema_refused',
        'bad',
        say(
          `Este programa não trabalha com este banco de dados: ${schemaTrouble}`,
          `This program does not work on this database: ${schemaTrouble}`,
        ),
        { next: say('Instale a versão que gravou o banco.', 'Install the version that wrote the database.') },
      ),
    );
  } else if (schemaDue.length > 0) {
    found.push(
      finding(
        'schema_due',
        'note',
        say(`Migrações pendentes: ${schemaDue.join(', ')}.`, `Migrations are due: ${schemaDue.join(', ')}.`),
        { next: say('A próxima partida as aplica.', 'The next start applies them.') },
      ),
    );
  }
  return found;
}

export function checkEventLoop({ eventLoop }: DoctorFacts): Finding[] {
  if (eventLoop === null) return [];
  const severity = above(eventLoop.p99Ms, DELAY_MS);
  const delay = written(eventLoop.p99Ms);
  return [
    finding(
      'event_loop',
      severity,
      say(
        `Atraso interno (p99 de um minuto): ${delay['pt-BR']} ms.`,
        `Delay inside (p99 of a minute): ${delay.en} ms.`,
      ),
      {
        measured: [eventLoop.p99Ms, 'ms'],
        ...(severity === 'ok'
          ? {}
          : {
              next: say(
                'Algo ocupa a máquina; envie um pacote de suporte.',
                'Something keeps the machine busy; send a support bundle.',
              ),
            }),
      },
    ),
  ];
}
