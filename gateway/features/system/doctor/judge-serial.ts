import type { Finding } from '#contract/resources/system-doctor.ts';
import { finding, named, say } from './finding.ts';
import type { DoctorFacts, SerialFacts, SerialPortFacts } from './ports.ts';

// The serial ports of the box, and who else wants them.

/** Port names in one sentence. */
const SHOWN_PORTS = 6;

export function checkSerialPorts({ serialPorts }: DoctorFacts): Finding[] {
  if (serialPorts === null) return [];
  const { ports } = serialPorts;
  const count = ports.length;
  const shown = ports.slice(0, SHOWN_PORTS).map(({ path }) => path.split('/').at(-1) ?? path);
  const names = [...shown, ...(count > SHOWN_PORTS ? ['…'] : [])].join(', ');
  return [
    finding(
      'serial_ports',
      'ok',
      count === 0
        ? say(
            'Nenhum cabo serial USB está ligado.',
            'No USB serial cable is plugged in.',
            'Ningún cable serial USB está conectado.',
          )
        : say(
            `Portas seriais USB (${count}): ${names}.`,
            `USB serial ports (${count}): ${names}.`,
            `Puertos seriales USB (${count}): ${names}.`,
          ),
      { measured: [count, 'ports'] },
    ),
    ...named(ports.filter(({ mayOpen }) => !mayOpen).map(denied), {
      id: 'serial_port_denied_more',
      what: say(
        'portas seriais sem direito',
        'serial ports that may not be opened',
        'puertos seriales sin derecho',
      ),
      unit: 'ports',
    }),
    ...checkModemManager(serialPorts),
  ];
}

function checkModemManager({ ports, modemManager }: SerialFacts): Finding[] {
  const held = ports.filter(({ usedBy }) => usedBy.includes('ModemManager'));
  if (held.length > 0) {
    return named(held.map(heldByModemManager), {
      id: 'serial_port_modemmanager_more',
      what: say(
        'portas ocupadas pelo ModemManager',
        'ports that ModemManager holds',
        'puertos ocupados por ModemManager',
      ),
      unit: 'ports',
    });
  }
  if (ports.length === 0 || modemManager === 'absent') return [];
  if (modemManager === 'runs') {
    return [
      finding(
        'serial_port_modemmanager',
        'warn',
        say(
          'O programa ModemManager está ligado nesta caixa, e atrapalha sondas e placas nas portas seriais.',
          'The program ModemManager runs on this box, and disturbs probes and boards at its serial ports.',
          'El programa ModemManager está activo en esta caja, y estorba a sondas y placas en los puertos seriales.',
        ),
        { next: SWITCH_OFF },
      ),
    ];
  }
  return [
    finding(
      'serial_port_modemmanager_unknown',
      'note',
      say(
        'Daqui não se vê se o programa ModemManager está ligado nesta máquina; ele atrapalha sondas e placas.',
        'Whether the program ModemManager runs on this machine cannot be seen from here; it disturbs probes and boards.',
        'Desde aquí no se ve si el programa ModemManager está activo en esta máquina; estorba a sondas y placas.',
      ),
      {
        next: say(
          'Veja na máquina: systemctl status ModemManager. Se ele está ligado, desligue-o: sudo systemctl disable --now ModemManager.',
          'See on the machine: systemctl status ModemManager. If it runs, switch it off: sudo systemctl disable --now ModemManager.',
          'Véalo en la máquina: systemctl status ModemManager. Si está activo, desactívelo: sudo systemctl disable --now ModemManager.',
        ),
      },
    ),
  ];
}

const SWITCH_OFF = say(
  'Desligue-o: sudo systemctl disable --now ModemManager. O gateway fala com o modem sem ele.',
  'Switch it off: sudo systemctl disable --now ModemManager. The gateway talks to the modem without it.',
  'Desactívelo: sudo systemctl disable --now ModemManager. El gateway habla con el módem sin él.',
);

function denied({ path }: SerialPortFacts): Finding {
  return finding(
    'serial_port_denied',
    'warn',
    say(
      `O gateway não tem direito à porta ${path}.`,
      `The gateway may not open the port ${path}.`,
      `El gateway no tiene derecho al puerto ${path}.`,
    ),
    {
      measured: [path, null],
      next: say(
        'Ponha o usuário do gateway no grupo dialout (sudo usermod -aG dialout shrimp-farm) e reinicie a caixa.',
        'Put the user of the gateway into the group dialout (sudo usermod -aG dialout shrimp-farm) and restart the box.',
        'Ponga el usuario del gateway en el grupo dialout (sudo usermod -aG dialout shrimp-farm) y reinicie la caja.',
      ),
    },
  );
}

function heldByModemManager({ path }: SerialPortFacts): Finding {
  return finding(
    'serial_port_modemmanager',
    'warn',
    say(
      `O programa ModemManager ocupa a porta ${path} e atrapalha sondas e placas.`,
      `The program ModemManager holds the port ${path}, and disturbs probes and boards.`,
      `El programa ModemManager ocupa el puerto ${path} y estorba a sondas y placas.`,
    ),
    {
      measured: [path, null],
      next: SWITCH_OFF,
    },
  );
}
