import { type InEach, inEach } from '#core/each-language.ts';
import { type JobContext, type JobOf, type JobResult, sentence } from './job.ts';
import { atConsole } from './provision-at-console.ts';
import { shown } from './provision-board.ts';
import type { BoardConsole } from './provision-console.ts';
import { askBoardInfo, type RelayState, switchRelay } from './sfprov-client.ts';
import { BenchTrouble } from './trouble.ts';

/**
 * Lets the relay click: on, what the motor draws, off again. A board lets go by itself after `for_s`, so that a pulled
 * cable leaves no motor running. Throws SELF_TEST_FAILED.
 */
export async function selfTestBoard(job: JobOf<'self_test'>, context: JobContext): Promise<JobResult> {
  return atConsole(job, context, async (console) => {
    const info = await askBoardInfo(console);
    if (info.device_id !== null && job.off_limits.includes(info.device_id)) {
      throw failed(
        inEach(
          `${info.device_id} está bloqueado: pode haver alguém no motor`,
          `${info.device_id} is locked out: somebody may be working at its motor`,
          `${info.device_id} está bloqueado: puede haber alguien en el motor`,
        ),
        inEach(
          'pergunte quem o bloqueou e teste quando o bloqueio sair',
          'ask who locked it out, and test it when the lock-out is lifted',
          'pregunte quién lo bloqueó y pruebe cuando el bloqueo se retire',
        ),
      );
    }
    context.tell(
      sentence('relay', inEach('ligando o relé', 'switching the relay on', 'encendiendo el relé')),
    );
    const on = await switchedOn(console, job);
    context.tell(
      sentence(
        'relay',
        inEach(
          `ligado${currentOf(on)}; desligando`,
          `on${currentOf(on)}; switching it off`,
          `encendido${currentOf(on)}; apagando`,
        ),
      ),
    );
    const off = await switchRelay(console, 'OFF', job.for_s);
    if (off.current_status !== 'OFF') {
      throw failed(
        inEach('o relé não desliga', 'the relay stays on', 'el relé no se apaga'),
        inEach(
          'corte a alimentação do motor: os contatos podem estar colados. Depois troque o relé',
          'take the supply off the motor: the contacts may be welded. Then replace the relay',
          'corte la alimentación del motor: los contactos pueden estar pegados. Después cambie el relé',
        ),
      );
    }
    const needed = job.min_current_ma;
    if (needed !== null && (on.motor_current_ma ?? 0) < needed) {
      throw failed(
        drewTooLittle(on.motor_current_ma, needed),
        inEach(
          'confira o disjuntor, o cabo do motor e a garra do sensor de corrente',
          'check the breaker, the cable to the motor and the clamp of the current sensor',
          'revise el breaker, el cable del motor y la pinza del sensor de corriente',
        ),
      );
    }
    context.tell(
      sentence(
        'relay',
        inEach('desligado; o relé obedece', 'off; the relay obeys', 'apagado; el relé obedece'),
      ),
    );
    return { ...shown(info), motor_current_ma: on.motor_current_ma };
  });
}

async function switchedOn(console: BoardConsole, { for_s }: JobOf<'self_test'>): Promise<RelayState> {
  try {
    const on = await switchRelay(console, 'ON', for_s);
    if (on.current_status === 'ON') return on;
  } catch (error) {
    // whatever the answer was, the relay may have heard
    await switchRelay(console, 'OFF', for_s).catch(() => undefined);
    throw error;
  }
  throw failed(
    inEach('o relé não liga', 'the relay does not go on', 'el relé no se enciende'),
    inEach(
      'veja se a chave manual está em automático e se a placa do relé tem alimentação',
      'see that the hand switch stands on automatic and the relay board has its supply',
      'vea si el selector manual está en automático y si la placa del relé tiene alimentación',
    ),
  );
}

const drewTooLittle = (mA: number | null, needed: number): InEach =>
  mA === null
    ? inEach(
        `o relé estalou, e a corrente do motor não foi medida (${needed} mA esperados)`,
        `the relay clicked, and what the motor draws was not measured (${needed} mA expected)`,
        `el relé sonó, y la corriente del motor no se midió (${needed} mA esperados)`,
      )
    : inEach(
        `o relé estalou, e o motor puxou ${mA} mA de ${needed} mA`,
        `the relay clicked, the motor drew ${mA} mA of ${needed} mA`,
        `el relé sonó, y el motor tomó ${mA} mA de ${needed} mA`,
      );

const currentOf = ({ motor_current_ma }: RelayState) =>
  motor_current_ma === null ? '' : `, ${motor_current_ma} mA`;

function failed(message: InEach, next: InEach): BenchTrouble {
  return new BenchTrouble('SELF_TEST_FAILED', { message, next });
}
