import { type EspFault, EspTrouble } from '#adapters/serial/esp-trouble.ts';
import { type PortFault, PortTrouble } from '#adapters/serial/open-port.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import { BenchTrouble, cancelled, type TroubleCode } from './trouble.ts';

const PORT_WORDS: Readonly<Record<PortFault, [code: TroubleCode, wrong: InEach, next: InEach]>> = {
  not_found: [
    'PORT_NOT_FOUND',
    inEach('não está lá', 'is not there', 'no está ahí'),
    inEach(
      'ligue a placa e procure as portas de novo; um cabo que só carrega não mostra porta',
      'plug the board in and look at the ports again; a cable that only charges shows no port',
      'conecte la placa y busque los puertos de nuevo; un cable que solo carga no muestra puerto',
    ),
  ],
  busy: [
    'PORT_BUSY',
    inEach('está em uso por outro programa', 'is in use by another program', 'está en uso por otro programa'),
    inEach(
      'feche o outro programa (um monitor serial, outro trabalho da bancada) e comece de novo',
      'close the other program (a serial monitor, another bench job) and start again',
      'cierre el otro programa (un monitor serial, otro trabajo del banco de trabajo) y comience de nuevo',
    ),
  ],
  denied: [
    'PORT_DENIED',
    inEach(
      'não pode ser aberta por este usuário',
      'may not be opened by this user',
      'no lo puede abrir este usuario',
    ),
    inEach(
      'ponha o usuário no grupo dialout (sudo adduser USUÁRIO dialout), saia, entre de novo e recomece',
      'add the user to the group dialout (sudo adduser USER dialout), log out and in again, and start again',
      'ponga el usuario en el grupo dialout (sudo adduser USUARIO dialout), salga, entre de nuevo y recomience',
    ),
  ],
  unplugged: [
    'UNPLUGGED',
    inEach(
      'sumiu: o cabo foi puxado ou a placa ficou sem energia',
      'is gone: the cable was pulled or the board lost its power',
      'desapareció: se soltó el cable o la placa se quedó sin energía',
    ),
    inEach(
      'ligue o cabo de novo e recomece: o que já está certo é pulado, e a placa não precisa de mais nada para voltar',
      'put the cable back and start the job again: what is already right is skipped, and nothing else is needed to recover the board',
      'conecte el cable de nuevo y recomience: lo que ya está bien se salta, y la placa no necesita nada más para volver',
    ),
  ],
  failed: [
    'NO_ANSWER',
    inEach('não pode ser usada', 'cannot be used', 'no se puede usar'),
    inEach(
      'puxe o cabo, espere cinco segundos, ligue-o em outra entrada e comece de novo',
      'pull the cable, wait five seconds, put it back into another socket and start again',
      'retire el cable, espere cinco segundos, conéctelo en otra entrada y comience de nuevo',
    ),
  ],
};

const BETTER_CABLE = inEach(
  'use um cabo mais curto ou melhor, longe de motores e contatores, ou a velocidade 115200, e comece de novo: o que já está certo é pulado',
  'take a shorter or better cable, away from motors and contactors, or the speed 115200, and start again: what is already right is skipped',
  'use un cable más corto o mejor, lejos de motores y contactores, o la velocidad 115200, y comience de nuevo: lo que ya está bien se salta',
);

/** The Portuguese, and the Spanish, for what a board did; in English the trouble says it itself. */
const ESP_WORDS: Readonly<Record<EspFault, [code: TroubleCode, pt: string, es: string, next: InEach]>> = {
  no_answer: [
    'NO_ANSWER',
    'a placa não responde ao carregador',
    'la placa no responde al cargador',
    inEach(
      'segure BOOT (IO0 ao terra), aperte e solte EN ou RST, solte BOOT e comece de novo; se ela continuar calada, tente outro cabo e outra entrada',
      'hold BOOT (IO0 to ground), press and let go EN or RST, let go BOOT, and start again; if it stays silent, try another cable and socket',
      'mantenga BOOT (IO0 a tierra), presione y suelte EN o RST, suelte BOOT y comience de nuevo; si sigue callada, pruebe otro cable y otra entrada',
    ),
  ],
  fell_silent: ['NO_ANSWER', 'a placa parou de responder', 'la placa dejó de responder', BETTER_CABLE],
  not_in_loader: [
    'NO_ANSWER',
    'a placa iniciou o programa em vez do carregador',
    'la placa arrancó el programa en vez del cargador',
    inEach(
      'esta placa não se reinicia sozinha: segure BOOT enquanto aperta e solta EN ou RST, depois solte BOOT e comece de novo',
      'this board does not reset itself: hold BOOT while you press and let go EN or RST, then let go BOOT and start again',
      'esta placa no se reinicia sola: mantenga BOOT mientras presiona y suelta EN o RST, después suelte BOOT y comience de nuevo',
    ),
  ],
  unknown_chip: [
    'WRONG_CHIP',
    'este chip não é conhecido',
    'este chip no se conoce',
    inEach(
      'use uma placa da família ESP32 para a qual o firmware foi feito',
      'take a board of the ESP32 family that the firmware is made for',
      'use una placa de la familia ESP32 para la que se hizo el firmware',
    ),
  ],
  locked: [
    'WRONG_CHIP',
    'este chip está trancado',
    'este chip está cerrado',
    inEach(
      'use outra placa: esta foi trancada por quem a fez e não pode ser gravada pelo cabo',
      'take another board: this one was locked by whoever made it and cannot be flashed over the cable',
      'use otra placa: a esta la cerró quien la hizo y no se puede grabar por el cable',
    ),
  ],
  disturbed: [
    'CHECKSUM_REFUSED',
    'os bytes chegam trocados ou incompletos',
    'los bytes llegan cambiados o incompletos',
    BETTER_CABLE,
  ],
  flash: [
    'FLASH_FAULT',
    'a memória da placa não fez o que foi pedido',
    'la memoria de la placa no hizo lo que se pidió',
    inEach(
      'comece de novo uma vez; se falhar no mesmo lugar, a memória desta placa está ruim: use outra placa',
      'start again once; if it fails at the same place, the flash of this board is broken: take another board',
      'comience de nuevo una vez; si falla en el mismo lugar, la memoria de esta placa está mala: use otra placa',
    ),
  ],
  refused: [
    'NO_ANSWER',
    'a placa recusou o comando',
    'la placa rechazó la orden',
    inEach(
      'aperte EN ou RST na placa e comece de novo',
      'press EN or RST on the board and start again',
      'presione EN o RST en la placa y comience de nuevo',
    ),
  ],
};

/** What a board did that it should not; the details stay as they came. */
export function espWords({ fault, message }: EspTrouble): InEach {
  return inEach(`${ESP_WORDS[fault][1]} (${message})`, message, `${ESP_WORDS[fault][2]} (${message})`);
}

/**
 * What a technician is told for whatever a job threw; what nobody foresaw stays what it is. An abort by the caller is
 * CANCELLED.
 */
export function asBenchTrouble(error: unknown): unknown {
  if (error instanceof PortTrouble) {
    const [code, wrong, next] = PORT_WORDS[error.fault];
    const message = inEach(
      `${error.port} ${wrong['pt-BR']}`,
      `${error.port} ${wrong.en}`,
      `${error.port} ${wrong.es}`,
    );
    return new BenchTrouble(code, { message, next }, error);
  }
  if (error instanceof EspTrouble) {
    const [code, , , next] = ESP_WORDS[error.fault];
    return new BenchTrouble(code, { message: espWords(error), next }, error);
  }
  return error instanceof Error && error.name === 'AbortError' ? cancelled() : error;
}
