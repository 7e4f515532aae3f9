import type { DoctorReport, Finding, InEach } from '#contract/resources/system-doctor.ts';
import { isoOf } from '#core/kernel.ts';
import { below, finding, named, say, unlessOk, worstFirst } from './finding.ts';
import { checkBackup } from './judge-backup.ts';
import { checkClock } from './judge-clock.ts';
import { checkBroker, checkCertificates, checkLogs, checkPorts } from './judge-connections.ts';
import { checkDatabase } from './judge-database.ts';
import { checkCard, checkDisk } from './judge-disk.ts';
import { checkControllers } from './judge-farm.ts';
import { checkMachine, checkMemory } from './judge-machine.ts';
import { checkCloud, checkSntp } from './judge-network.ts';
import { checkEventLoop, checkRun, checkVersions } from './judge-program.ts';
import { checkSerialPorts } from './judge-serial.ts';
import { checkSync } from './judge-sync.ts';
import { checkUpdate } from './judge-update.ts';
import type { DoctorFacts, ModemFacts, ProbeFacts, Section } from './ports.ts';

// What hangs on the box: probes in the water, the modem.

const SIGNAL_DBM = { warn: -95, bad: -105 };

function checkProbes({ probes }: DoctorFacts): Finding[] {
  if (probes === null || probes.length === 0) return [];
  const answering = probes.filter(({ trouble }) => trouble === null).length;
  return [
    finding(
      'probes',
      'ok',
      say(
        `Sondas que respondem: ${answering} de ${probes.length}.`,
        `Probes that answer: ${answering} of ${probes.length}.`,
        `Sondas que responden: ${answering} de ${probes.length}.`,
      ),
      { measured: [answering, 'probes'] },
    ),
    ...named(probes.flatMap(silent), {
      id: 'probe_silent_more',
      what: say('sondas que não são lidas', 'probes that cannot be read', 'sondas que no se leen'),
      unit: 'probes',
    }),
    ...named(probes.filter(({ isCalibrationDue }) => isCalibrationDue).map(uncalibrated), {
      id: 'probe_calibration_due_more',
      what: say(
        'sondas com a calibração vencida',
        'probes with overdue calibration',
        'sondas con la calibración vencida',
      ),
      unit: 'probes',
    }),
  ];
}

function silent({ name, pond, trouble }: ProbeFacts): Finding[] {
  if (trouble === null) return [];
  const { message, next } = trouble;
  return [
    finding(
      'probe_silent',
      'warn',
      say(
        `A sonda ${name} do viveiro ${pond} não é lida: ${message['pt-BR']}`,
        `The probe ${name} of pond ${pond} cannot be read: ${message.en}`,
        `La sonda ${name} de la piscina ${pond} no se lee: ${message.es}`,
      ),
      { measured: [name, null], next },
    ),
  ];
}

function uncalibrated({ name, pond }: ProbeFacts): Finding {
  return finding(
    'probe_calibration_due',
    'note',
    say(
      `A sonda ${name} do viveiro ${pond} está com a calibração vencida.`,
      `The calibration of the probe ${name} of pond ${pond} is overdue.`,
      `La sonda ${name} de la piscina ${pond} tiene la calibración vencida.`,
    ),
    {
      measured: [name, null],
      next: say(
        'Calibre a sonda e registre a calibração no console, em Sistema → Sondas (docs/pt-br/probes.md).',
        'Calibrate it and record that in the console, at System → Probes (docs/en/probes.md).',
        'Calibre la sonda y registre la calibración en el panel, en Sistema → Sondas (docs/es/probes.md).',
      ),
    },
  );
}

function checkModem({ modem }: DoctorFacts): Finding[] {
  if (modem === null) return [];
  const { state, words } = modem;
  const { message, next } = words;
  const more = { measured: [state, null] as [string, null], next };
  switch (state) {
    case 'off':
      return [];
    case 'starting':
      return [finding('modem_starting', 'ok', message, more)];
    case 'ready':
      return [finding('modem_ready', 'ok', message, more), ...checkSignal(modem)];
    default:
      return [finding(`modem_${state}`, 'bad', message, more)];
  }
}

function checkSignal({ signalDbm, operator }: ModemFacts): Finding[] {
  if (signalDbm === null) return [];
  const severity = below(signalDbm, SIGNAL_DBM);
  const next = say(
    'Ponha a antena do modem mais alto, fora da caixa de metal.',
    'Put the antenna of the modem higher, outside of the metal box.',
    'Ponga la antena del módem más alto, fuera de la caja de metal.',
  );
  return [
    finding(
      'modem_signal',
      severity,
      say(
        `Sinal do modem: ${signalDbm} dBm (${operator ?? '?'}).`,
        `Signal of the modem: ${signalDbm} dBm (${operator ?? '?'}).`,
        `Señal del módem: ${signalDbm} dBm (${operator ?? '?'}).`,
      ),
      {
        measured: [signalDbm, 'dBm'],
        ...unlessOk(severity, next),
      },
    ),
  ];
}

/** Every check: facts in, findings out. A check without its facts finds nothing. Another one is a line here. */
const CHECKS: readonly ((facts: DoctorFacts) => Finding[])[] = [
  checkRun,
  checkClock,
  checkDisk,
  checkCard,
  checkMemory,
  checkMachine,
  checkDatabase,
  checkBackup,
  checkCertificates,
  checkPorts,
  checkBroker,
  checkControllers,
  checkProbes,
  checkModem,
  checkSerialPorts,
  checkSync,
  checkCloud,
  checkSntp,
  checkEventLoop,
  checkVersions,
  checkUpdate,
  checkLogs,
  checkUnknown,
];

/** What all checks find, worst first. */
export function examine(facts: DoctorFacts): DoctorReport {
  const findings = CHECKS.flatMap((check) => check(facts)).sort(worstFirst);
  return {
    made_at: isoOf(facts.now),
    version: facts.version,
    role: facts.role,
    is_running: facts.run?.state === 'running',
    worst: findings[0]?.severity ?? 'ok',
    findings,
  };
}

const SECTION_WORDS: Readonly<Record<Section, InEach>> = {
  run: say('como o gateway funciona', 'how the gateway runs', 'cómo funciona el gateway'),
  clock: say('o relógio', 'the clock', 'el reloj'),
  disk: say('o disco', 'the disk', 'el disco'),
  memory: say('a memória', 'the memory', 'la memoria'),
  database: say('o banco de dados', 'the database', 'la base de datos'),
  certificates: say('os certificados', 'the certificates', 'los certificados'),
  ports: say('as portas de rede', 'the network ports', 'los puertos de red'),
  broker: say('o broker', 'the broker', 'el broker'),
  controllers: say('os controladores', 'the controllers', 'los controladores'),
  backup: say('os backups', 'the backups', 'los respaldos'),
  versions: say('as versões', 'the versions', 'las versiones'),
  update: say('as atualizações', 'the updates', 'las actualizaciones'),
  eventLoop: say('a folga do programa', 'the slack of the program', 'la holgura del programa'),
  machine: say(
    'o calor e a energia da caixa',
    'heat and power of the box',
    'el calor y la energía de la caja',
  ),
  logs: say('o log', 'the log', 'el log'),
  sync: say('a sincronização', 'the sync', 'la sincronización'),
  serialPorts: say('as portas seriais', 'the serial ports', 'los puertos seriales'),
  probes: say('as sondas', 'the probes', 'las sondas'),
  modem: say('o modem', 'the modem', 'el módem'),
  cloud: say('o caminho até a nuvem', 'the way to the hosted instance', 'el camino hasta la nube'),
  sntp: say('o servidor de hora', 'the time server', 'el servidor de hora'),
};

/** What could not be looked at is told, never taken for well. */
function checkUnknown({ unknown }: DoctorFacts): Finding[] {
  return unknown.map(({ section, reason }) => {
    const what = SECTION_WORDS[section];
    return finding(
      `${section}_unknown`,
      'warn',
      say(
        `Não foi possível examinar ${what['pt-BR']}: ${reason}`,
        `It was not possible to look at ${what.en}: ${reason}`,
        `No se pudo examinar ${what.es}: ${reason}`,
      ),
      {
        next: say(
          'Tente de novo em um minuto; se ficar assim, envie um pacote de suporte.',
          'Try again in a minute; if it stays so, send a support bundle.',
          'Intente de nuevo en un minuto; si queda así, envíe un paquete de soporte.',
        ),
      },
    );
  });
}
