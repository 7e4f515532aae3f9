import type { Finding } from '#contract/resources/system-doctor.ts';
import { below, DAY, finding, MB, say, sizeOf } from './finding.ts';
import type { DoctorFacts, SerialPortFacts } from './ports.ts';

// What hangs on the box: its card, serial ports, probes in the water, the modem.

const CARD_YEARS = 5;
/** A common 32 GB card bears some 30 TB: at this rate it is worn out within five years. */
const WRITTEN_PER_DAY = 15_000 * MB;
const SIGNAL_DBM = { warn: -95, bad: -105 };

export function checkCard({ disk, now }: DoctorFacts): Finding[] {
  const health = disk?.health ?? null;
  if (disk === null || health === null) return [];
  const found: Finding[] = [];
  if (health.fileSystemErrors !== null && health.fileSystemErrors > 0) {
    found.push(
      finding(
        'disk_errors',
        'bad',
        say(
          `O sistema de arquivos notou ${health.fileSystemErrors} erros do disco: ele está falhando.`,
          `The file system noticed ${health.fileSystemErrors} errors of the disk: it is failing.`,
        ),
        {
          measured: [health.fileSystemErrors, 'errors'],
          next: say(
            'Faça um backup agora e troque o cartão (docs/pt-br/replace-a-box.md).',
            'Make a backup now and replace the card (docs/en/replace-a-box.md).',
          ),
        },
      ),
    );
  }
  const years = health.madeInYear === null ? null : new Date(now).getUTCFullYear() - health.madeInYear;
  if (disk.card === 'sd' && years !== null && years >= CARD_YEARS) {
    found.push(
      finding(
        'disk_card_old',
        'warn',
        say(
          `O cartão SD (${health.name ?? '?'}) é de ${health.madeInYear}.`,
          `The SD card (${health.name ?? '?'}) was made in ${health.madeInYear}.`,
        ),
        {
          measured: [years, 'a'],
          next: say('Troque o cartão antes que falhe.', 'Replace the card before it fails.'),
        },
      ),
    );
  }
  return [...found, ...checkWriting(health.writtenBytes, health.upS)];
}

function checkWriting(writtenBytes: number | null, upS: number | null): Finding[] {
  // the first hours after a start say little
  if (writtenBytes === null || upS === null || upS < 6 * 3_600) return [];
  const perDay = (writtenBytes / upS) * (DAY / 1000);
  const size = sizeOf(perDay);
  const isMuch = perDay > WRITTEN_PER_DAY;
  return [
    finding(
      'disk_written',
      isMuch ? 'warn' : 'ok',
      say(`O disco grava ${size['pt-BR']} por dia.`, `The disk takes ${size.en} of writing a day.`),
      {
        measured: [Math.round(perDay), 'B/d'],
        ...(isMuch
          ? {
              next: say(
                'Veja que programa grava tanto (o gateway grava menos de 1 GB por dia).',
                'See which program writes so much (the gateway writes less than 1 GB a day).',
              ),
            }
          : {}),
      },
    ),
  ];
}

export function checkSerialPorts({ serialPorts }: DoctorFacts): Finding[] {
  if (serialPorts === null) return [];
  const names = serialPorts.map(({ path }) => path.split('/').at(-1)).join(', ');
  const count = serialPorts.length;
  return [
    finding(
      'serial_ports',
      'ok',
      count === 0
        ? say('Nenhum cabo serial USB está ligado.', 'No USB serial cable is plugged in.')
        : say(`Portas seriais USB: ${names}.`, `USB serial ports: ${names}.`),
      { measured: [count, 'ports'] },
    ),
    ...serialPorts.flatMap(checkSerialPort),
  ];
}

function checkSerialPort({ path, mayOpen, usedBy }: SerialPortFacts): Finding[] {
  const found: Finding[] = [];
  if (!mayOpen) {
    found.push(
      finding(
        'serial_port_denied',
        'warn',
        say(`O gateway não tem direito à porta ${path}.`, `The gateway may not open the port ${path}.`),
        {
          measured: [path, null],
          next: say(
            'Ponha o usuário do gateway no grupo dialout e reinicie a caixa.',
            'Put the user of the gateway into the group dialout and restart the box.',
          ),
        },
      ),
    );
  }
  // it talks to every new port for half a minute, and confuses boards and probes
  if (usedBy.includes('ModemManager')) {
    found.push(
      finding(
        'serial_port_modemmanager',
        'warn',
        say(`O ModemManager usa a porta ${path}.`, `ModemManager uses the port ${path}.`),
        {
          measured: [path, null],
          next: say(
            'sudo systemctl disable --now ModemManager: o gateway fala com o modem por si.',
            'sudo systemctl disable --now ModemManager: the gateway talks to the modem by itself.',
          ),
        },
      ),
    );
  }
  return found;
}

export function checkProbes({ probes }: DoctorFacts): Finding[] {
  if (probes === null || probes.length === 0) return [];
  const silent = probes.filter(({ trouble }) => trouble !== null);
  const total = probes.length;
  const answering = total - silent.length;
  return [
    finding(
      'probes',
      'ok',
      say(`${answering} de ${total} sondas respondem.`, `${answering} of ${total} probes answer.`),
      { measured: [answering, 'probes'] },
    ),
    ...probes
      .filter(({ isCalibrationDue }) => isCalibrationDue)
      .map(({ name, pond }) =>
        finding(
          'probe_calibration_due',
          'note',
          say(
            `A sonda ${name} do viveiro ${pond} está com a calibração vencida.`,
            `The calibration of the probe ${name} of pond ${pond} is overdue.`,
          ),
          {
            measured: [name, null],
            next: say('Calibre a sonda e anote a data.', 'Calibrate it and note the date.'),
          },
        ),
      ),
    ...silent.map(({ name, pond, trouble }) =>
      finding(
        'probe_silent',
        'warn',
        say(
          `A sonda ${name} do viveiro ${pond} não é lida (${trouble}).`,
          `The probe ${name} of pond ${pond} cannot be read (${trouble}).`,
        ),
        {
          measured: [name, null],
          next: say(
            'Veja alimentação e cabo A/B da sonda, depois o endereço dela.',
            'See to the power and the A/B wires of the probe, then to its address.',
          ),
        },
      ),
    ),
  ];
}

export function checkModem({ modem }: DoctorFacts): Finding[] {
  if (modem === null) return [];
  const { signalDbm, state, words, operator } = modem;
  if (state === 'off') return [];
  const isWell = state === 'ready' || state === 'starting';
  const head = finding(`modem_${state}`, isWell ? 'ok' : 'bad', words.message, {
    measured: [state, null],
    ...(words.next === null ? {} : { next: words.next }),
  });
  if (state !== 'ready' || signalDbm === null) return [head];
  const severity = below(signalDbm, SIGNAL_DBM);
  return [
    head,
    finding(
      'modem_signal',
      severity,
      say(
        `Sinal do modem: ${signalDbm} dBm (${operator ?? '?'}).`,
        `Signal of the modem: ${signalDbm} dBm (${operator ?? '?'}).`,
      ),
      {
        measured: [signalDbm, 'dBm'],
        ...(severity === 'ok'
          ? {}
          : {
              next: say(
                'Ponha a antena mais alto, fora da caixa de metal.',
                'Put the antenna higher, outside of the metal box.',
              ),
            }),
      },
    ),
  ];
}
