import type { Finding, InEach } from '#contract/resources/system-doctor.ts';
import { finding, say } from './finding.ts';
import type { CloudFacts, DoctorFacts } from './ports.ts';

// The way to the cloud, and the time that controllers get from this box.

const STEPS: Readonly<Record<Exclude<CloudFacts['step'], 'open'>, { what: InEach; next: InEach }>> = {
  no_network: {
    what: say(
      'Esta caixa não está ligada a nenhuma rede.',
      'This box is on no network.',
      'Esta caja no está conectada a ninguna red.',
    ),
    next: say(
      'Veja o cabo de rede ou o Wi-Fi da caixa.',
      'See to the network cable or the Wi-Fi of the box.',
      'Vea el cable de red o el Wi-Fi de la caja.',
    ),
  },
  no_name: {
    what: say(
      'O endereço da nuvem não é encontrado: não há internet, ou o DNS falha.',
      'The address of the hosted instance is not found: there is no internet, or DNS fails.',
      'La dirección de la nube no se encuentra: no hay internet, o el DNS falla.',
    ),
    next: say(
      'Reinicie o roteador e veja se um celular navega pela mesma rede.',
      'Restart the router, and see whether a phone gets to the internet by the same network.',
      'Reinicie el router y vea si un celular navega por la misma red.',
    ),
  },
  no_connection: {
    what: say(
      'A nuvem não aceita a conexão.',
      'The hosted instance takes no connection.',
      'La nube no acepta la conexión.',
    ),
    next: say(
      'Veja se um celular navega pela mesma rede e se o roteador bloqueia esta porta; se não, avise o suporte.',
      'See whether a phone gets to the internet by the same network, and whether the router blocks this port; if neither, tell support.',
      'Vea si un celular navega por la misma red y si el router bloquea este puerto; si no, avise al soporte.',
    ),
  },
};

export function checkCloud({ cloud }: DoctorFacts): Finding[] {
  if (cloud === null) return [];
  const { host, port, step, ms, why } = cloud;
  if (step === 'open') {
    return [
      finding(
        'cloud_path',
        'ok',
        say(
          `O caminho até ${host}:${port} está aberto.`,
          `The way to ${host}:${port} is open.`,
          `El camino hasta ${host}:${port} está abierto.`,
        ),
        { measured: [ms ?? 0, 'ms'] },
      ),
    ];
  }
  const { what, next } = STEPS[step];
  const detail = `${host}:${port}${why === null ? '' : `: ${why}`}`;
  return [
    finding(
      `cloud_${step}`,
      'warn',
      say(`${what['pt-BR']} (${detail})`, `${what.en} (${detail})`, `${what.es} (${detail})`),
      {
        measured: [detail, null],
        next,
      },
    ),
  ];
}

export function checkSntp({ sntp }: DoctorFacts): Finding[] {
  if (sntp === null) return [];
  const { port, trouble, isTrusted } = sntp;
  if (port === null) {
    const why = trouble === null ? '' : ` (${trouble})`;
    return [
      finding(
        'sntp_off',
        'note',
        say(
          `Esta caixa não serve a hora pela rede, por SNTP${why}; os controladores a recebem do broker.`,
          `This box serves no time over the network, by SNTP${why}; controllers get it from the broker.`,
          `Esta caja no sirve la hora por la red, por SNTP${why}; los controladores la reciben del broker.`,
        ),
        {
          next: say(
            'Se nada na fazenda usa SNTP, nada falta. Senão instale o gateway pelo pacote, ou escolha outra porta com --ntp-port.',
            'If nothing on the farm uses SNTP, nothing is missing. Else install the gateway from the package, or choose another port with --ntp-port.',
            'Si nada en la camaronera usa SNTP, no falta nada. Si no, instale el gateway con el paquete, o elija otro puerto con --ntp-port.',
          ),
        },
      ),
    ];
  }
  const measured: [number, string] = [port, 'port'];
  if (isTrusted) {
    const serves = say(
      `A porta ${port} serve a hora à rede da fazenda (SNTP).`,
      `Port ${port} serves the time to the farm network (SNTP).`,
      `El puerto ${port} sirve la hora a la red de la camaronera (SNTP).`,
    );
    return [finding('sntp', 'ok', serves, { measured })];
  }
  return [
    finding(
      'sntp_untrusted',
      'warn',
      say(
        'A hora desta caixa não é confiável: ela não é passada aos controladores por SNTP.',
        'The time of this box is not to be trusted: it is not passed on to controllers over SNTP.',
        'La hora de esta caja no es confiable: no se pasa a los controladores por SNTP.',
      ),
      {
        measured,
        next: say(
          'Acerte a hora no console, em Sistema → Diagnóstico.',
          'Set the time in the console, at System → Diagnostics.',
          'Ajuste la hora en el panel, en Sistema → Diagnóstico.',
        ),
      },
    ),
  ];
}
