import type { BENCH_TROUBLES } from '#contract/resources/bench.ts';
import { dictionary } from '../../i18n/language.ts';

type Code = (typeof BENCH_TROUBLES)[number];

/** A cause in a word; the job itself says what is wrong there, and what a hand does about it. */
export const troubleWords = dictionary({
  'pt-BR': {
    BAD_INPUT: 'O pedido não serve.',
    PORT_NOT_FOUND: 'A porta sumiu.',
    PORT_BUSY: 'Outro programa usa a porta.',
    PORT_DENIED: 'O gateway não pode abrir a porta.',
    UNPLUGGED: 'O cabo saiu no meio do trabalho.',
    NO_ANSWER: 'A placa não responde.',
    WRONG_CHIP: 'Este firmware é de outro chip.',
    WRONG_IMAGE: 'O arquivo não é um firmware desta placa.',
    CHECKSUM_REFUSED: 'O firmware está danificado.',
    UNSIGNED: 'Ninguém conhecido assinou este firmware.',
    FLASH_FAULT: 'A memória da placa recusa a gravação.',
    VERIFY_FAILED: 'O que foi lido não é o que foi gravado.',
    IDENTITY_REFUSED: 'A placa não aceitou a identidade.',
    WIFI_REFUSED: 'A rede não aceitou a placa.',
    WIFI_TIMEOUT: 'A placa não chegou à rede.',
    NO_HEARTBEAT: 'A placa está na rede, mas não falou com o gateway.',
    SELF_TEST_FAILED: 'O relé foi ligado e o motor não respondeu como devia.',
    CANCELLED: 'Foi parado.',
    INTERNAL: 'O gateway falhou.',
  } satisfies Record<Code, string>,
  en: {
    BAD_INPUT: 'The request cannot be used.',
    PORT_NOT_FOUND: 'The port is gone.',
    PORT_BUSY: 'Another program uses the port.',
    PORT_DENIED: 'The gateway may not open the port.',
    UNPLUGGED: 'The cable came out in the middle.',
    NO_ANSWER: 'The board does not answer.',
    WRONG_CHIP: 'This firmware is for another chip.',
    WRONG_IMAGE: 'The file is no firmware of this board.',
    CHECKSUM_REFUSED: 'The firmware is damaged.',
    UNSIGNED: 'Nobody known signed this firmware.',
    FLASH_FAULT: 'The board’s memory refuses to be written.',
    VERIFY_FAILED: 'What was read is not what was written.',
    IDENTITY_REFUSED: 'The board did not take the identity.',
    WIFI_REFUSED: 'The network did not take the board.',
    WIFI_TIMEOUT: 'The board did not reach the network.',
    NO_HEARTBEAT: 'The board is in the network but did not speak to the gateway.',
    SELF_TEST_FAILED: 'The relay was on and the motor did not do as it should.',
    CANCELLED: 'It was stopped.',
    INTERNAL: 'The gateway failed.',
  },
});

/** Why a job does not even begin, beside the causes above. */
export const refusalWords = dictionary({
  'pt-BR': {
    PORT_BUSY: 'A porta está em uso, por outro programa ou por outro trabalho da bancada.',
    BENCH_BUSY: 'A bancada já tem trabalhos demais. Espere um deles acabar.',
    BACKUPS_FULL: 'A pasta bench/backups está cheia. Tire dela o que não precisa mais.',
  },
  en: {
    PORT_BUSY: 'The port is in use, by another program or another job of the bench.',
    BENCH_BUSY: 'The bench has enough jobs already. Wait for one to end.',
    BACKUPS_FULL: 'The folder bench/backups is full. Take out of it what is not needed any more.',
  },
});
