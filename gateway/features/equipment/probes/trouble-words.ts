import type { BusKind, ProbeTroubleCode, QualityReason } from '#contract/resources/probes.ts';
import { unreachable } from '#contract/words.ts';
import { isoOf } from '#core/kernel.ts';
import type { Language } from '#core/notifying.ts';

export type Told = { code: ProbeTroubleCode; message: string; next: string; since: string };

type Words = { message: string; next: string };
type Facts = { place: string; kind: BusKind; unitId: number | null; exception: number | null };

/** What is wrong and what to do next with the hands. `since` on the wall clock, ms. */
export function troubleTold(
  trouble: { code: ProbeTroubleCode; since: number; exception?: number | null } | null,
  { place, kind, unitId }: Omit<Facts, 'exception'>,
  language: Language,
): Told | null {
  if (trouble === null) return null;
  const facts = { place, kind, unitId, exception: trouble.exception ?? null };
  const words = {
    'pt-BR': inPortuguese(trouble.code, facts),
    en: inEnglish(trouble.code, facts),
    es: inSpanish(trouble.code, facts),
  }[language];
  return { code: trouble.code, ...words, since: isoOf(trouble.since) };
}

function inEnglish(code: ProbeTroubleCode, { place, kind, unitId, exception }: Facts): Words {
  switch (code) {
    case 'PORT_NOT_FOUND':
      return {
        message: `There is no serial port ${place}.`,
        next: 'Plug the RS-485 adapter in, then choose its port again.',
      };
    case 'PORT_BUSY':
      return {
        message: `Another program uses ${place}.`,
        next: 'End the other program or the job at this port; it is tried again by itself.',
      };
    case 'PORT_DENIED':
      return {
        message: `This program may not open ${place}.`,
        next: 'Give the gateway’s user access to serial ports (group dialout), or allow its service this kind of port (DeviceAllow), then restart it.',
      };
    case 'NOT_A_SERIAL_PORT':
      return {
        message: `${place} is not a serial port that can be opened.`,
        next: 'Choose a port from the list, for example /dev/ttyUSB0.',
      };
    case 'SERIAL_MISSING':
      return {
        message: 'This installation cannot open serial ports.',
        next: 'Install the program with its serial part, or reach the probe over the network.',
      };
    case 'UNPLUGGED':
      return {
        message: `The line to ${place} was lost.`,
        next:
          kind === 'serial'
            ? 'Check the USB plug of the RS-485 adapter; it goes on by itself.'
            : 'Check power and network cable of the serial server; it goes on by itself.',
      };
    case 'NOT_ON_FARM_NETWORK':
      return {
        message: `${place} is not an address of the farm network.`,
        next: 'Enter a private address, for example 192.168.1.50.',
      };
    case 'UNREACHABLE':
      return {
        message: `Nobody answers at ${place}.`,
        next: 'Check power, network cable and address of the probe or serial server.',
      };
    case 'NO_ANSWER':
      return {
        message: `No answer from address ${unitId ?? '?'}.`,
        next: 'Check the probe’s power (12–24 V), the wires A and B (swap them), its address and the baud rate.',
      };
    case 'GARBLED':
      return {
        message: `Garbled answers from address ${unitId ?? '?'}.`,
        next: 'Check baud rate and parity, the 120 Ω at both ends, and that no two probes have the same address.',
      };
    case 'REFUSED':
      return {
        message: `The probe at address ${unitId ?? '?'} refuses to be read (exception ${exception ?? '?'}).`,
        next: 'Choose the profile of this model; it has other registers.',
      };
    default:
      return unreachable(code);
  }
}

function inPortuguese(code: ProbeTroubleCode, { place, kind, unitId, exception }: Facts): Words {
  switch (code) {
    case 'PORT_NOT_FOUND':
      return {
        message: `Não há porta serial ${place}.`,
        next: 'Conecte o adaptador RS-485 e escolha a porta de novo.',
      };
    case 'PORT_BUSY':
      return {
        message: `Outro programa usa ${place}.`,
        next: 'Encerre o outro programa ou o trabalho nesta porta; a tentativa se repete sozinha.',
      };
    case 'PORT_DENIED':
      return {
        message: `Este programa não pode abrir ${place}.`,
        next: 'Dê ao usuário do gateway acesso às portas seriais (grupo dialout), ou permita ao serviço dele este tipo de porta (DeviceAllow), e reinicie-o.',
      };
    case 'NOT_A_SERIAL_PORT':
      return {
        message: `${place} não é uma porta serial que se possa abrir.`,
        next: 'Escolha uma porta da lista, por exemplo /dev/ttyUSB0.',
      };
    case 'SERIAL_MISSING':
      return {
        message: 'Esta instalação não abre portas seriais.',
        next: 'Instale o programa com a parte serial, ou ligue a sonda pela rede.',
      };
    case 'UNPLUGGED':
      return {
        message: `A linha para ${place} caiu.`,
        next:
          kind === 'serial'
            ? 'Verifique o plugue USB do adaptador RS-485; continua sozinho.'
            : 'Verifique energia e cabo de rede do servidor serial; continua sozinho.',
      };
    case 'NOT_ON_FARM_NETWORK':
      return {
        message: `${place} não é um endereço da rede da fazenda.`,
        next: 'Informe um endereço privado, por exemplo 192.168.1.50.',
      };
    case 'UNREACHABLE':
      return {
        message: `Ninguém responde em ${place}.`,
        next: 'Verifique energia, cabo de rede e endereço da sonda ou do servidor serial.',
      };
    case 'NO_ANSWER':
      return {
        message: `O endereço ${unitId ?? '?'} não responde.`,
        next: 'Verifique a alimentação da sonda (12–24 V), os fios A e B (inverta-os), o endereço e a velocidade.',
      };
    case 'GARBLED':
      return {
        message: `Respostas truncadas do endereço ${unitId ?? '?'}.`,
        next: 'Verifique velocidade e paridade, os 120 Ω nas duas pontas, e se não há duas sondas com o mesmo endereço.',
      };
    case 'REFUSED':
      return {
        message: `A sonda no endereço ${unitId ?? '?'} recusa a leitura (exceção ${exception ?? '?'}).`,
        next: 'Escolha o perfil deste modelo; ele tem outros registradores.',
      };
    default:
      return unreachable(code);
  }
}

function inSpanish(code: ProbeTroubleCode, { place, kind, unitId, exception }: Facts): Words {
  switch (code) {
    case 'PORT_NOT_FOUND':
      return {
        message: `No hay un puerto serial ${place}.`,
        next: 'Conecte el adaptador RS-485 y elija el puerto de nuevo.',
      };
    case 'PORT_BUSY':
      return {
        message: `Otro programa usa ${place}.`,
        next: 'Cierre el otro programa o el trabajo en este puerto; el intento se repite solo.',
      };
    case 'PORT_DENIED':
      return {
        message: `Este programa no puede abrir ${place}.`,
        next: 'Dé al usuario del gateway acceso a los puertos seriales (grupo dialout), o permita a su servicio este tipo de puerto (DeviceAllow), y reinícielo.',
      };
    case 'NOT_A_SERIAL_PORT':
      return {
        message: `${place} no es un puerto serial que se pueda abrir.`,
        next: 'Elija un puerto de la lista, por ejemplo /dev/ttyUSB0.',
      };
    case 'SERIAL_MISSING':
      return {
        message: 'Esta instalación no abre puertos seriales.',
        next: 'Instale el programa con la parte serial, o conecte la sonda por la red.',
      };
    case 'UNPLUGGED':
      return {
        message: `La línea hacia ${place} se cayó.`,
        next:
          kind === 'serial'
            ? 'Revise el enchufe USB del adaptador RS-485; continúa solo.'
            : 'Revise la energía y el cable de red del servidor serial; continúa solo.',
      };
    case 'NOT_ON_FARM_NETWORK':
      return {
        message: `${place} no es una dirección de la red de la camaronera.`,
        next: 'Indique una dirección privada, por ejemplo 192.168.1.50.',
      };
    case 'UNREACHABLE':
      return {
        message: `Nadie responde en ${place}.`,
        next: 'Revise la energía, el cable de red y la dirección de la sonda o del servidor serial.',
      };
    case 'NO_ANSWER':
      return {
        message: `La dirección ${unitId ?? '?'} no responde.`,
        next: 'Revise la alimentación de la sonda (12–24 V), los cables A y B (inviértalos), la dirección y la velocidad.',
      };
    case 'GARBLED':
      return {
        message: `Respuestas truncadas de la dirección ${unitId ?? '?'}.`,
        next: 'Revise la velocidad y la paridad, los 120 Ω en las dos puntas, y que no haya dos sondas con la misma dirección.',
      };
    case 'REFUSED':
      return {
        message: `La sonda en la dirección ${unitId ?? '?'} rechaza la lectura (excepción ${exception ?? '?'}).`,
        next: 'Elija el modelo correcto; este tiene otros registros.',
      };
    default:
      return unreachable(code);
  }
}

/** Why a value is not believed, for a sentence. */
export function reasonTold(reason: QualityReason, language: Language): string {
  switch (reason) {
    case 'NO_ANSWER':
      return { 'pt-BR': 'ela não responde', en: 'it does not answer', es: 'no responde' }[language];
    case 'NOT_MEASURED':
      return {
        'pt-BR': 'ela mesma diz não ter valor',
        en: 'it says itself that it has no value',
        es: 'ella misma dice no tener valor',
      }[language];
    case 'OUT_OF_RANGE':
      return {
        'pt-BR': 'o valor está fora da sua faixa',
        en: 'its value is beyond its range',
        es: 'el valor está fuera de su rango',
      }[language];
    case 'LEAP':
      return { 'pt-BR': 'o valor salta', en: 'its value leaps', es: 'el valor salta' }[language];
    case 'STANDS_STILL':
      return {
        'pt-BR': 'o valor não muda há horas',
        en: 'its value has not moved for hours',
        es: 'el valor no cambia desde hace horas',
      }[language];
    case 'IMPLAUSIBLE':
      return {
        'pt-BR': 'nenhum viveiro tem tal valor',
        en: 'no pond has such a value',
        es: 'ninguna piscina tiene tal valor',
      }[language];
    default:
      return unreachable(reason);
  }
}
