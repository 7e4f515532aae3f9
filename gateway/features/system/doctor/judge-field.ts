import type { Finding } from '#contract/resources/system-doctor.ts';
import { below, finding, named, say, unlessOk } from './finding.ts';
import type { DoctorFacts, ModemFacts, ProbeFacts } from './ports.ts';

// What hangs on the box: probes in the water, the modem.

const SIGNAL_DBM = { warn: -95, bad: -105 };

export function checkProbes({ probes }: DoctorFacts): Finding[] {
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
        'Calibre la sonda y registre la calibración en el panel, en Sistema → Sondas (docs/pt-br/probes.md).',
      ),
    },
  );
}

export function checkModem({ modem }: DoctorFacts): Finding[] {
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
