import type { Both, Finding } from '#contract/resources/system-doctor.ts';
import { finding, say } from './finding.ts';
import type { CloudFacts, DoctorFacts } from './ports.ts';

// The way to the cloud, and the time that controllers get from this box.

const STEPS: Readonly<Record<Exclude<CloudFacts['step'], 'open'>, { what: Both; next: Both }>> = {
  no_network: {
    what: say('Esta caixa não está em rede nenhuma.', 'This box is in no network.'),
    next: say(
      'Veja o cabo de rede ou o Wi-Fi da caixa.',
      'See to the network cable or the Wi-Fi of the box.',
    ),
  },
  no_name: {
    what: say('A internet não responde por nomes (DNS).', 'The internet answers for no names (DNS).'),
    next: say(
      'Reinicie o roteador e veja se outro aparelho navega.',
      'Restart the router, and see whether another device gets out.',
    ),
  },
  no_connection: {
    what: say('A nuvem não aceita a conexão.', 'The hosted instance takes no connection.'),
    next: say(
      'Veja se o roteador bloqueia a porta; se outros sites abrem, avise o suporte.',
      'See whether the router blocks the port; if other sites open, tell support.',
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
        say(`O caminho até ${host}:${port} está aberto.`, `The way to ${host}:${port} is open.`),
        { measured: [ms ?? 0, 'ms'] },
      ),
    ];
  }
  const { what, next } = STEPS[step];
  const detail = `${host}:${port}${why === null ? '' : `: ${why}`}`;
  return [
    finding(`cloud_${step}`, 'warn', say(`${what['pt-BR']} (${detail})`, `${what.en} (${detail})`), {
      measured: [detail, null],
      next,
    }),
  ];
}

export function checkSntp({ sntp }: DoctorFacts): Finding[] {
  if (sntp === null) return [];
  const { port, trouble, stratum } = sntp;
  if (port === null) {
    return [
      finding(
        'sntp_off',
        'note',
        say(
          `Esta caixa não dá a hora por SNTP (${trouble ?? 'desligado'}); os controladores a recebem do broker.`,
          `This box serves no time over SNTP (${trouble ?? 'switched off'}); controllers get it from the broker.`,
        ),
        {
          next: say(
            'A porta 123 pede um direito: instale pelo pacote, ou escolha outra com --ntp-port.',
            'Port 123 wants a privilege: install by the package, or choose another with --ntp-port.',
          ),
        },
      ),
    ];
  }
  const isServing = stratum !== null;
  return [
    finding(
      isServing ? 'sntp' : 'sntp_untrusted',
      isServing ? 'ok' : 'warn',
      isServing
        ? say(`A porta ${port} dá a hora (SNTP).`, `Port ${port} serves the time (SNTP).`)
        : say(
            'A hora desta caixa não é confiável: ela não é dada aos controladores.',
            'The time of this box is not to be trusted: it is not served to controllers.',
          ),
      {
        measured: [stratum ?? 16, 'stratum'],
        ...(isServing
          ? {}
          : { next: say('Acerte a hora (POST /system/clock).', 'Set the time (POST /system/clock).') }),
      },
    ),
  ];
}
