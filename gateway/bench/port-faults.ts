import { type EspFault, EspTrouble } from '#adapters/serial/esp-trouble.ts';
import { type PortFault, PortTrouble } from '#adapters/serial/open-port.ts';
import { type InBoth, inBoth } from '#core/both-languages.ts';
import { BenchTrouble, cancelled, type TroubleCode } from './trouble.ts';

const PORT_WORDS: Readonly<Record<PortFault, [code: TroubleCode, wrong: InBoth, next: InBoth]>> = {
  not_found: [
    'PORT_NOT_FOUND',
    inBoth('não está lá', 'is not there'),
    inBoth(
      'ligue a placa e procure as portas de novo; um cabo que só carrega não mostra porta',
      'plug the board in and look at the ports again; a cable that only charges shows no port',
    ),
  ],
  busy: [
    'PORT_BUSY',
    inBoth('está em uso por outro programa', 'is in use by another program'),
    inBoth(
      'feche o outro programa (um monitor serial, outro trabalho da bancada) e comece de novo',
      'close the other program (a serial monitor, another bench job) and start again',
    ),
  ],
  denied: [
    'PORT_DENIED',
    inBoth('não pode ser aberta por este usuário', 'may not be opened by this user'),
    inBoth(
      'ponha o usuário no grupo dialout (sudo adduser USUÁRIO dialout), saia, entre de novo e recomece',
      'add the user to the group dialout (sudo adduser USER dialout), log out and in again, and start again',
    ),
  ],
  unplugged: [
    'UNPLUGGED',
    inBoth(
      'sumiu: o cabo foi puxado ou a placa ficou sem energia',
      'is gone: the cable was pulled or the board lost its power',
    ),
    inBoth(
      'ligue o cabo de novo e recomece: o que já está certo é pulado, e a placa não precisa de mais nada para voltar',
      'put the cable back and start the job again: what is already right is skipped, and nothing else is needed to recover the board',
    ),
  ],
  failed: [
    'NO_ANSWER',
    inBoth('não pode ser usada', 'cannot be used'),
    inBoth(
      'puxe o cabo, espere cinco segundos, ligue-o em outra entrada e comece de novo',
      'pull the cable, wait five seconds, put it back into another socket and start again',
    ),
  ],
};

const BETTER_CABLE = inBoth(
  'use um cabo mais curto ou melhor, longe de motores e contatores, ou a velocidade 115200, e comece de novo: o que já está certo é pulado',
  'take a shorter or better cable, away from motors and contactors, or the speed 115200, and start again: what is already right is skipped',
);

/** The Portuguese for what a board did; in English the trouble says it itself. */
const ESP_WORDS: Readonly<Record<EspFault, [code: TroubleCode, wrong: string, next: InBoth]>> = {
  no_answer: [
    'NO_ANSWER',
    'a placa não responde ao carregador',
    inBoth(
      'segure BOOT (IO0 ao terra), aperte e solte EN ou RST, solte BOOT e comece de novo; se ela continuar calada, tente outro cabo e outra entrada',
      'hold BOOT (IO0 to ground), press and let go EN or RST, let go BOOT, and start again; if it stays silent, try another cable and socket',
    ),
  ],
  fell_silent: ['NO_ANSWER', 'a placa parou de responder', BETTER_CABLE],
  not_in_loader: [
    'NO_ANSWER',
    'a placa iniciou o programa em vez do carregador',
    inBoth(
      'esta placa não se reinicia sozinha: segure BOOT enquanto aperta e solta EN ou RST, depois solte BOOT e comece de novo',
      'this board does not reset itself: hold BOOT while you press and let go EN or RST, then let go BOOT and start again',
    ),
  ],
  unknown_chip: [
    'WRONG_CHIP',
    'este chip não é conhecido',
    inBoth(
      'use uma placa da família ESP32 para a qual o firmware foi feito',
      'take a board of the ESP32 family that the firmware is made for',
    ),
  ],
  locked: [
    'WRONG_CHIP',
    'este chip está trancado',
    inBoth(
      'use outra placa: esta foi trancada por quem a fez e não pode ser gravada pelo cabo',
      'take another board: this one was locked by whoever made it and cannot be flashed over the cable',
    ),
  ],
  disturbed: ['CHECKSUM_REFUSED', 'os bytes chegam trocados ou incompletos', BETTER_CABLE],
  flash: [
    'FLASH_FAULT',
    'a memória da placa não fez o que foi pedido',
    inBoth(
      'comece de novo uma vez; se falhar no mesmo lugar, a memória desta placa está ruim: use outra placa',
      'start again once; if it fails at the same place, the flash of this board is broken: take another board',
    ),
  ],
  refused: [
    'NO_ANSWER',
    'a placa recusou o comando',
    inBoth('aperte EN ou RST na placa e comece de novo', 'press EN or RST on the board and start again'),
  ],
};

/** What a board did that it should not; the details stay as they came. */
export function espWords({ fault, message }: EspTrouble): InBoth {
  return inBoth(`${ESP_WORDS[fault][1]} (${message})`, message);
}

/**
 * What a technician is told for whatever a job threw; what nobody foresaw stays what it is. An abort by the caller is
 * CANCELLED.
 */
export function asBenchTrouble(error: unknown): unknown {
  if (error instanceof PortTrouble) {
    const [code, wrong, next] = PORT_WORDS[error.fault];
    const message = inBoth(`${error.port} ${wrong['pt-BR']}`, `${error.port} ${wrong.en}`);
    return new BenchTrouble(code, { message, next }, error);
  }
  if (error instanceof EspTrouble) {
    const [code, , next] = ESP_WORDS[error.fault];
    return new BenchTrouble(code, { message: espWords(error), next }, error);
  }
  return error instanceof Error && error.name === 'AbortError' ? cancelled() : error;
}
