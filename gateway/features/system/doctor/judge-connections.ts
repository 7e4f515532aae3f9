import { atTheBox } from '#contract/commands.ts';
import type { Finding, InEach } from '#contract/resources/system-doctor.ts';
import { unreachable } from '#contract/words.ts';
import { agoOf, below, DAY, finding, say, unlessOk } from './finding.ts';
import type { DoctorFacts, PortFacts } from './ports.ts';

// What goes in and out: ports, the broker, certificates, the log.

/** It is renewed 130 days before its end: where less is left, renewing fails. */
const SERVER_DAYS = { warn: 60, bad: 7 };
/** An authority begins its rotation three years before. */
const AUTHORITY_DAYS = { warn: 2 * 365, bad: 90 };

export function checkPorts({ ports }: DoctorFacts): Finding[] {
  return (ports ?? []).map(checkPort);
}

function checkPort({ name, port, state, by }: PortFacts): Finding {
  const id = `port_${name}` as const;
  const measured: [number, string] = [port, 'port'];
  const who = by === null ? say('outro programa', 'another program', 'otro programa') : say(by, by, by);
  switch (state) {
    case 'ours':
      return finding(
        id,
        'ok',
        say(
          `A porta ${port} (${name}) atende.`,
          `Port ${port} (${name}) answers.`,
          `El puerto ${port} (${name}) atiende.`,
        ),
        {
          measured,
        },
      );
    case 'free':
      return finding(
        id,
        'ok',
        say(
          `A porta ${port} (${name}) está livre.`,
          `Port ${port} (${name}) is free.`,
          `El puerto ${port} (${name}) está libre.`,
        ),
        { measured },
      );
    case 'closed':
      return finding(
        id,
        'bad',
        say(
          `A porta ${port} (${name}) não atende.`,
          `Port ${port} (${name}) does not answer.`,
          `El puerto ${port} (${name}) no atiende.`,
        ),
        {
          measured,
          next: say(
            'Reinicie o gateway; se ficar assim, veja o porquê no log (journalctl -u shrimp-farm-gateway -n 50).',
            'Restart the gateway; if it stays so, see in the log why (journalctl -u shrimp-farm-gateway -n 50).',
            'Reinicie el gateway; si queda así, vea por qué en el log (journalctl -u shrimp-farm-gateway -n 50).',
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
          `El puerto ${port} (${name}) lo usa ${who.es}.`,
        ),
        {
          measured,
          next: say(
            `Pare esse programa, ou escolha outra porta com --${name}-port.`,
            `Stop that program, or choose another port with --${name}-port.`,
            `Pare ese programa, o elija otro puerto con --${name}-port.`,
          ),
        },
      );
    default:
      return unreachable(state);
  }
}

export function checkBroker({ broker }: DoctorFacts): Finding[] {
  if (broker === null) return [];
  const measured: [number, string] = [broker.restarts, 'restarts'];
  if (!broker.isWell) {
    return [
      finding(
        'broker_silent',
        'bad',
        say(
          'O broker (troca de mensagens com os controladores) não responde.',
          'The broker, which carries messages to and from the controllers, does not answer.',
          'El broker (intercambio de mensajes con los controladores) no responde.',
        ),
        {
          next: say(
            'Ele se reinicia sozinho em segundos; se voltar a ocorrer, envie um pacote de suporte.',
            'It starts anew by itself within seconds; if it comes again, send a support bundle.',
            'Se reinicia solo en segundos; si vuelve a ocurrir, envíe un paquete de soporte.',
          ),
          measured,
        },
      ),
    ];
  }
  const severity = broker.restarts > 0 ? 'note' : 'ok';
  const next = say(
    'Se o número crescer, envie um pacote de suporte.',
    'If that number grows, send a support bundle.',
    'Si el número crece, envíe un paquete de soporte.',
  );
  return [
    finding(
      'broker_loop',
      severity,
      say(
        `O broker responde; controladores ligados: ${broker.clients}, reinícios do broker: ${broker.restarts}.`,
        `The broker answers; controllers connected: ${broker.clients}, restarts of the broker: ${broker.restarts}.`,
        `El broker responde; controladores conectados: ${broker.clients}, reinicios del broker: ${broker.restarts}.`,
      ),
      { measured, ...unlessOk(severity, next) },
    ),
  ];
}

export function checkCertificates({ certificates, now }: DoctorFacts): Finding[] {
  if (certificates === null) return [];
  const { authorityTrouble, serverTrouble, serverEndsAt, authorityEndsAt, isAuthorityLimited } = certificates;
  const found: Finding[] = [];
  if (authorityTrouble !== null) {
    found.push(
      finding(
        'certificate_authority_lost',
        'bad',
        say(
          `A autoridade da fazenda não pode ser lida: ${authorityTrouble}`,
          `The farm authority cannot be read: ${authorityTrouble}`,
          `La autoridad de la camaronera no se puede leer: ${authorityTrouble}`,
        ),
        {
          next: say(
            `Traga a autoridade do backup: ${atTheBox('restore --from PASTA --authority-only')}.`,
            `Bring it back from the backup: ${atTheBox('restore --from FOLDER --authority-only')}.`,
            `Traiga la autoridad del respaldo: ${atTheBox('restore --from CARPETA --authority-only')}.`,
          ),
        },
      ),
    );
  }
  if (isAuthorityLimited === false) {
    found.push(
      finding(
        'certificate_authority_unlimited',
        'warn',
        say(
          'A autoridade da fazenda é de uma versão anterior e pode assinar por qualquer site: num celular que a instalou, quem a roubar se passa por um banco.',
          'The farm authority is of an earlier version and may sign for any site: on a phone that installed it, whoever steals it can pass for a bank.',
          'La autoridad de la camaronera es de una versión anterior y puede firmar por cualquier sitio: en un celular que la instaló, quien la robe se hace pasar por un banco.',
        ),
        {
          next: say(
            `Faça outra (${atTheBox('admin rotate-authority')}); controladores e consoles passam sozinhos. Nos celulares, apague o /ca.crt antigo já e instale o novo depois da troca.`,
            `Make another one (${atTheBox('admin rotate-authority')}); controllers and consoles follow by themselves. On phones delete the old /ca.crt now, and install the new one after the cross-over.`,
            `Haga otra (${atTheBox('admin rotate-authority')}); controladores y paneles pasan solos. En los celulares, elimine ya el /ca.crt antiguo e instale el nuevo después del cambio.`,
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
        say(
          `O certificado desta caixa não está em ordem: ${serverTrouble}`,
          `The certificate of this box is not in order: ${serverTrouble}`,
          `El certificado de esta caja no está en orden: ${serverTrouble}`,
        ),
        {
          next: say(
            'Veja se há espaço no disco e se o gateway pode gravar na pasta tls dos seus dados.',
            'See whether the disk has room and the gateway may write into the folder tls of its data.',
            'Vea si hay espacio en el disco y si el gateway puede grabar en la carpeta tls de sus datos.',
          ),
        },
      ),
    );
  }
  return [
    ...found,
    ...checkEnd(
      'certificate_server',
      say('O certificado desta caixa', 'The certificate of this box', 'El certificado de esta caja'),
      {
        endsAt: serverEndsAt,
        now,
        days: SERVER_DAYS,
      },
    ),
    ...checkEnd(
      'certificate_authority',
      say('A autoridade da fazenda', 'The farm authority', 'La autoridad de la camaronera'),
      {
        endsAt: authorityEndsAt,
        now,
        days: AUTHORITY_DAYS,
      },
    ),
  ];
}

function checkEnd(
  id: 'certificate_server' | 'certificate_authority',
  what: InEach,
  { endsAt, now, days }: { endsAt: number | null; now: number; days: { warn: number; bad: number } },
): Finding[] {
  if (endsAt === null) return [];
  const left = Math.floor((endsAt - now) / DAY);
  const severity = below(left, days);
  const next = say(
    'A renovação é automática e não aconteceu: acerte o relógio, reinicie o gateway e veja o log (journalctl -u shrimp-farm-gateway -n 50).',
    'Renewing is automatic and did not happen: set the clock, restart the gateway and see the log (journalctl -u shrimp-farm-gateway -n 50).',
    'La renovación es automática y no ocurrió: ajuste el reloj, reinicie el gateway y vea el log (journalctl -u shrimp-farm-gateway -n 50).',
  );
  const time = agoOf(Math.abs(endsAt - now));
  const ended = say(
    `${what['pt-BR']} venceu há ${time['pt-BR']}.`,
    `${what.en} ended ${time.en} ago.`,
    `${what.es} venció hace ${time.es}.`,
  );
  const holds = say(
    `${what['pt-BR']} vale por mais ${time['pt-BR']}.`,
    `${what.en} holds for ${time.en} more.`,
    `${what.es} vale por ${time.es} más.`,
  );
  return [
    finding(id, severity, left < 0 ? ended : holds, { measured: [left, 'd'], ...unlessOk(severity, next) }),
  ];
}

const LOG_PLACES = {
  journal: say(
    'O log vai ao journal do sistema, que limita o tamanho dele.',
    'The log goes to the journal of the system, which bounds its size.',
    'El log va al journal del sistema, que limita su tamaño.',
  ),
  terminal: say(
    'O log vai ao terminal e não fica guardado.',
    'The log goes to the terminal and is not kept.',
    'El log va a la terminal y no queda guardado.',
  ),
  file: say(
    'O log vai a um arquivo ou outro programa; o gateway não o limita.',
    'The log goes to a file or another program; the gateway does not bound it.',
    'El log va a un archivo u otro programa; el gateway no lo limita.',
  ),
} as const;

export function checkLogs({ logs }: DoctorFacts): Finding[] {
  if (logs === null) return [];
  const severity = logs.to === 'file' ? 'note' : 'ok';
  const next = say(
    'Limite o arquivo com logrotate, ou instale o gateway como serviço (docs/pt-br/install.md).',
    'Bound that file with logrotate, or install the gateway as a service (docs/en/install.md).',
    'Limite el archivo con logrotate, o instale el gateway como servicio (docs/es/install.md).',
  );
  return [
    finding('logs', severity, LOG_PLACES[logs.to], {
      measured: [logs.to, null],
      ...unlessOk(severity, next),
    }),
  ];
}
