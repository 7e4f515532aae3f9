import type { Both, Finding } from '#contract/resources/system-doctor.ts';
import { below, DAY, finding, say } from './finding.ts';
import type { DoctorFacts, PortFacts } from './ports.ts';

// What goes in and out: ports, the broker, certificates, the log.

/** It is renewed 130 days before its end: where less is left, renewing fails. */
const SERVER_DAYS = { warn: 60, bad: 7 };
/** An authority begins its rotation three years before. */
const AUTHORITY_DAYS = { warn: 2 * 365, bad: 90 };

export function checkPorts({ ports, run }: DoctorFacts): Finding[] {
  return (ports ?? []).map((port) => checkPort(port, run?.state !== 'stopped'));
}

function checkPort({ name, port, state, by }: PortFacts, isRunning: boolean): Finding {
  const id = `port_${name}`;
  const measured: [number, string] = [port, 'port'];
  const who = by === null ? say('outro programa', 'another program') : say(by, by);
  switch (state) {
    case 'ours':
      return finding(id, 'ok', say(`A porta ${port} (${name}) atende.`, `Port ${port} (${name}) answers.`), {
        measured,
      });
    case 'free':
      return finding(
        id,
        'ok',
        say(`A porta ${port} (${name}) está livre.`, `Port ${port} (${name}) is free.`),
        { measured },
      );
    case 'closed':
      return finding(
        id,
        isRunning ? 'bad' : 'note',
        say(`A porta ${port} (${name}) não atende.`, `Port ${port} (${name}) does not answer.`),
        {
          measured,
          next: say(
            'Veja o log e um firewall nesta máquina.',
            'Look at the log, and for a firewall on this machine.',
          ),
        },
      );
    case 'taken':
      return finding(
        id,
        'bad',
        say(
          `A porta ${port} (${name}) é usada por ${who['pt-BR']}.`,
          `Port ${port} (${name}) is used by ${who.en}.`,
        ),
        {
          measured,
          next: say(
            `Pare esse programa, ou escolha outra porta com --${name}-port.`,
            `Stop that program, or choose another port with --${name}-port.`,
          ),
        },
      );
    default:
      return state satisfies never;
  }
}

export function checkBroker({ broker }: DoctorFacts): Finding[] {
  if (broker === null) return [];
  const clients = say(`${broker.clients} controladores ligados`, `${broker.clients} controllers connected`);
  const measured: [number, string] = [broker.restarts, 'restarts'];
  if (!broker.isWell) {
    return [
      finding(
        'broker_silent',
        'bad',
        say('Mensagens não passam pelo broker.', 'Messages do not get through the broker.'),
        {
          next: say(
            'Ele se reinicia por si em segundos; se voltar a ocorrer, envie um pacote de suporte.',
            'It starts anew by itself within seconds; if it comes again, send a support bundle.',
          ),
          measured,
        },
      ),
    ];
  }
  return [
    finding(
      'broker_loop',
      broker.restarts > 0 ? 'note' : 'ok',
      say(
        `O broker responde à própria prova; ${clients['pt-BR']}, ${broker.restarts} reinícios.`,
        `The broker answers its own test; ${clients.en}, ${broker.restarts} restarts.`,
      ),
      {
        measured,
        ...(broker.restarts > 0
          ? { next: say('Veja o que houve no log.', 'See in the log what happened.') }
          : {}),
      },
    ),
  ];
}

export function checkCertificates({ certificates, now }: DoctorFacts): Finding[] {
  if (certificates === null) return [];
  const { authorityTrouble, serverTrouble, serverEndsAt, authorityEndsAt } = certificates;
  const found: Finding[] = [];
  if (authorityTrouble !== null) {
    found.push(
      finding(
        'certificate_authority_lost',
        'bad',
        say(
          `A autoridade da fazenda não pode ser lida: ${authorityTrouble}`,
          `The farm authority cannot be read: ${authorityTrouble}`,
        ),
        {
          next: say(
            'npm run restore -- --from PASTA --authority-only traz a autoridade de um backup.',
            'npm run restore -- --from FOLDER --authority-only brings it back from a backup.',
          ),
        },
      ),
    );
  }
  if (serverTrouble !== null) {
    found.push(
      finding(
        'certificate_trouble',
        'warn',
        say(`O certificado desta caixa: ${serverTrouble}`, `The certificate of this box: ${serverTrouble}`),
        { next: say('Veja espaço e direitos de data/tls.', 'See to room and rights of data/tls.') },
      ),
    );
  }
  return [
    ...found,
    ...checkEnd('certificate_server', say('O certificado desta caixa', 'The certificate of this box'), {
      endsAt: serverEndsAt,
      now,
      days: SERVER_DAYS,
    }),
    ...checkEnd('certificate_authority', say('A autoridade da fazenda', 'The farm authority'), {
      endsAt: authorityEndsAt,
      now,
      days: AUTHORITY_DAYS,
    }),
  ];
}

function checkEnd(
  id: string,
  what: Both,
  { endsAt, now, days }: { endsAt: number | null; now: number; days: { warn: number; bad: number } },
): Finding[] {
  if (endsAt === null) return [];
  const left = Math.floor((endsAt - now) / DAY);
  const severity = below(left, days);
  return [
    finding(
      id,
      severity,
      say(`${what['pt-BR']} vale por mais ${left} dias.`, `${what.en} holds for ${left} more days.`),
      {
        measured: [left, 'd'],
        ...(severity === 'ok'
          ? {}
          : {
              next: say(
                'Ele se renova por si: veja o relógio, e o log por causa da falha.',
                'It renews itself: look at the clock, and in the log for why it fails.',
              ),
            }),
      },
    ),
  ];
}

const LOG_PLACES = {
  journal: say(
    'O log vai ao journal do sistema, que limita o tamanho dele.',
    'The log goes to the journal of the system, which bounds its size.',
  ),
  terminal: say(
    'O log vai ao terminal e não fica guardado.',
    'The log goes to the terminal and is not kept.',
  ),
  file: say(
    'O log vai a um arquivo ou outro programa; o gateway não o limita.',
    'The log goes to a file or another program; the gateway does not bound it.',
  ),
} as const;

export function checkLogs({ logs }: DoctorFacts): Finding[] {
  if (logs === null) return [];
  return [
    finding('logs', logs.to === 'file' ? 'note' : 'ok', LOG_PLACES[logs.to], {
      measured: [logs.to, null],
      ...(logs.to === 'file'
        ? {
            next: say('Use logrotate, ou o serviço do systemd.', 'Use logrotate, or the service of systemd.'),
          }
        : {}),
    }),
  ];
}
