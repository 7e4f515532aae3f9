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
  const words = language === 'en' ? inEnglish(trouble.code, facts) : inPortuguese(trouble.code, facts);
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

/** Why a value is not believed, for a sentence. */
export function reasonTold(reason: QualityReason, language: Language): string {
  const isEnglish = language === 'en';
  switch (reason) {
    case 'NO_ANSWER':
      return isEnglish ? 'it does not answer' : 'ela não responde';
    case 'NOT_MEASURED':
      return isEnglish ? 'it says itself that it has no value' : 'ela mesma diz não ter valor';
    case 'OUT_OF_RANGE':
      return isEnglish ? 'its value is beyond its range' : 'o valor está fora da sua faixa';
    case 'LEAP':
      return isEnglish ? 'its value leaps' : 'o valor salta';
    case 'STANDS_STILL':
      return isEnglish ? 'its value has not moved for hours' : 'o valor não muda há horas';
    case 'IMPLAUSIBLE':
      return isEnglish ? 'no pond has such a value' : 'nenhum viveiro tem tal valor';
    default:
      return unreachable(reason);
  }
}
