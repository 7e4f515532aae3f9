import type { BENCH_TROUBLES } from '#contract/resources/bench.ts';
import { dictionary } from '../../i18n/language.ts';

type Code = (typeof BENCH_TROUBLES)[number];
type Said = { what: string; next: string };

/** A cause and what a hand does about it; the job's own words stand below, with their figures. */
export const troubleWords = dictionary({
  'pt-BR': {
    BAD_INPUT: { what: 'O pedido não serve.', next: 'Confira os campos deste passo.' },
    PORT_NOT_FOUND: { what: 'A porta sumiu.', next: 'Ligue o cabo de novo e procure as portas.' },
    PORT_BUSY: { what: 'Outro programa usa a porta.', next: 'Feche-o e tente de novo.' },
    PORT_DENIED: {
      what: 'O gateway não pode abrir a porta.',
      next: 'Ponha o usuário do gateway no grupo dialout e reinicie-o.',
    },
    UNPLUGGED: {
      what: 'O cabo saiu no meio do trabalho.',
      next: 'Ligue-o de novo e repita: o que já está certo é pulado. A placa não se perdeu.',
    },
    NO_ANSWER: {
      what: 'A placa não responde.',
      next: 'Segure BOOT, aperte e solte EN (RST), solte BOOT e tente de novo. Confira se o cabo é de dados.',
    },
    WRONG_CHIP: { what: 'Este firmware é de outro chip.', next: 'Escolha o firmware do chip mostrado.' },
    WRONG_IMAGE: {
      what: 'O arquivo não é um firmware desta placa.',
      next: 'Baixe-o de novo de quem o publica; nada foi gravado.',
    },
    CHECKSUM_REFUSED: {
      what: 'O firmware está danificado.',
      next: 'Copie-o de novo para o gateway; nada foi gravado.',
    },
    FLASH_FAULT: {
      what: 'A memória da placa recusa a gravação.',
      next: 'Tente de novo mais devagar, com um cabo curto; se repetir, troque a placa.',
    },
    VERIFY_FAILED: {
      what: 'O que foi lido não é o que foi gravado.',
      next: 'Grave de novo, com um cabo curto; se repetir, troque a placa.',
    },
    IDENTITY_REFUSED: {
      what: 'A placa não aceitou a identidade.',
      next: 'Grave o firmware da fazenda (passo 2) e tente de novo.',
    },
    WIFI_REFUSED: {
      what: 'A rede não aceitou a placa.',
      next: 'Confira nome e senha da rede; ela precisa ser de 2,4 GHz.',
    },
    WIFI_TIMEOUT: {
      what: 'A placa não chegou à rede.',
      next: 'Leve-a para mais perto do roteador e tente de novo.',
    },
    NO_HEARTBEAT: {
      what: 'A placa está na rede, mas não falou com o gateway.',
      next: 'Confira se a rede é a do gateway e se ele é alcançado nela.',
    },
    SELF_TEST_FAILED: {
      what: 'O relé foi ligado e o motor não respondeu como devia.',
      next: 'Confira disjuntor, contator e fios do motor.',
    },
    CANCELLED: {
      what: 'Foi parado.',
      next: 'Deixe o cabo e comece de novo: o que já está certo é pulado.',
    },
    INTERNAL: { what: 'O gateway falhou.', next: 'Tente de novo; se repetir, veja o diagnóstico.' },
  } satisfies Record<Code, Said>,
  en: {
    BAD_INPUT: { what: 'The request cannot be used.', next: 'Check the fields of this step.' },
    PORT_NOT_FOUND: { what: 'The port is gone.', next: 'Plug the cable in again and look for ports.' },
    PORT_BUSY: { what: 'Another program uses the port.', next: 'Close it and try again.' },
    PORT_DENIED: {
      what: 'The gateway may not open the port.',
      next: 'Put the gateway’s user into the group dialout and restart it.',
    },
    UNPLUGGED: {
      what: 'The cable came out in the middle.',
      next: 'Plug it in and do it again: what is right already is skipped. The board is not lost.',
    },
    NO_ANSWER: {
      what: 'The board does not answer.',
      next: 'Hold BOOT, press and let go of EN (RST), let go of BOOT, try again. Check that the cable carries data.',
    },
    WRONG_CHIP: {
      what: 'This firmware is for another chip.',
      next: 'Choose the firmware of the chip shown.',
    },
    WRONG_IMAGE: {
      what: 'The file is no firmware of this board.',
      next: 'Get it again from its publisher; nothing was written.',
    },
    CHECKSUM_REFUSED: {
      what: 'The firmware is damaged.',
      next: 'Copy it to the gateway again; nothing was written.',
    },
    FLASH_FAULT: {
      what: 'The board’s memory refuses to be written.',
      next: 'Try again slower, with a short cable; if it comes back, replace the board.',
    },
    VERIFY_FAILED: {
      what: 'What was read is not what was written.',
      next: 'Flash again, with a short cable; if it comes back, replace the board.',
    },
    IDENTITY_REFUSED: {
      what: 'The board did not take the identity.',
      next: 'Flash the farm’s firmware (step 2) and try again.',
    },
    WIFI_REFUSED: {
      what: 'The network did not take the board.',
      next: 'Check name and password; the network must be 2.4 GHz.',
    },
    WIFI_TIMEOUT: {
      what: 'The board did not reach the network.',
      next: 'Take it nearer to the router and try again.',
    },
    NO_HEARTBEAT: {
      what: 'The board is in the network but did not speak to the gateway.',
      next: 'Check that it is the gateway’s network and that it is reached there.',
    },
    SELF_TEST_FAILED: {
      what: 'The relay was on and the motor did not do as it should.',
      next: 'Check breaker, contactor and wires of the motor.',
    },
    CANCELLED: {
      what: 'It was stopped.',
      next: 'Leave the cable in and begin again: what is right already is skipped.',
    },
    INTERNAL: { what: 'The gateway failed.', next: 'Try again; if it comes back, look at the diagnostics.' },
  },
});
