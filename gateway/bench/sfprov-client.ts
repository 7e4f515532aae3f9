import { z } from 'zod';
import { type InEach, inEach } from '#core/each-language.ts';
import type { Identity } from './identity.ts';
import { type BoardConsole, type Heard, SFPROV_TYPE, sfprovFrame } from './provision-console.ts';
import { BenchTrouble } from './trouble.ts';

const text = z.string().max(255);

/** Who the board says it is. Key and claim code are never told back, only whether there is one. */
const boardInfo = z.object({
  device_id: text.nullable(),
  mqtt_id: text.nullable(),
  has_key: z.boolean(),
  /** null: a firmware that knows none */
  has_claim: z.boolean().nullable().default(null),
  firmware_version: text,
  mac: text,
  chip: text,
  gw_host: text.nullable(),
  wifi: z.enum(['ready', 'provisioned']),
});
export type BoardInfo = z.output<typeof boardInfo>;

const relayState = z.object({
  current_status: z.enum(['ON', 'OFF']),
  motor_current_ma: z.number().min(0).max(1_000_000).nullable(),
});
export type RelayState = z.output<typeof relayState>;

const answered = z.discriminatedUnion('ok', [
  z.looseObject({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), error: z.string().max(1_000).default('no reason given') }),
]);
type Answered = z.output<typeof answered>;

const TRIES = 5;
const ANSWER_MS = 1_000;
/** Writing to flash and switching a relay take their time. */
const SLOW_MS = 6_000;
const QUIET_MS = 150;

type Command = { op: string } & Readonly<Record<string, unknown>>;

// Answers do not name their question, and one that comes late must not pass for that to the next.
const isInfo = (said: Answered) => !said.ok || 'firmware_version' in said;
const isRelay = (said: Answered) => !said.ok || 'current_status' in said;
const isPlain = (said: Answered) => !said.ok || !(isInfo(said) || isRelay(said));

/** Asks five times: a board that has just been plugged in is still starting. Throws NO_ANSWER. */
export async function askBoardInfo(console: BoardConsole): Promise<BoardInfo> {
  const said = await command(console, { op: 'info' }, { ms: ANSWER_MS, isIts: isInfo });
  const { success, data } = boardInfo.safeParse(said);
  if (success) return data;
  throw noAnswer(
    inEach(
      'o firmware desta placa não diz quem ela é',
      'the firmware on this board does not tell who it is',
      'el firmware de esta placa no dice quién es',
    ),
  );
}

/**
 * Writes who the board is from now on, and asks it to tell: an answer that was meant for another question proves nothing.
 * Throws IDENTITY_REFUSED, NO_ANSWER. The key is in no message.
 */
export async function writeIdentity(console: BoardConsole, identity: Identity): Promise<BoardInfo> {
  const said = await command(console, { op: 'identity', ...identity }, { ms: SLOW_MS, isIts: isPlain });
  if (!said.ok)
    throw identityRefused(
      inEach(
        `a placa recusou a identidade: ${said.error}`,
        `the board refused its identity: ${said.error}`,
        `la placa rechazó la identidad: ${said.error}`,
      ),
    );
  const info = await askBoardInfo(console);
  const isWritten =
    info.has_key && info.device_id === identity.device_id && info.mqtt_id === identity.mqtt_id;
  if (isWritten && info.gw_host === identity.gw_host) return info;
  throw identityRefused(
    inEach(
      `a placa aceitou a identidade e não a tem: diz ${info.device_id ?? 'que não tem nenhuma'}`,
      `the board took its identity and does not have it: it says ${info.device_id ?? 'it has none'}`,
      `la placa aceptó la identidad y no la tiene: dice ${info.device_id ?? 'que no tiene ninguna'}`,
    ),
  );
}

/** Switches the relay for `forS` seconds at most; then the board lets go by itself. Throws SELF_TEST_FAILED, NO_ANSWER. */
export async function switchRelay(
  console: BoardConsole,
  level: 'ON' | 'OFF',
  forS: number,
): Promise<RelayState> {
  const said = await command(console, { op: 'relay', level, for_s: forS }, { ms: SLOW_MS, isIts: isRelay });
  const { success, data } = relayState.safeParse(said);
  if (said.ok && success) return data;
  throw new BenchTrouble('SELF_TEST_FAILED', {
    message: said.ok
      ? inEach(
          'a placa não diz como está o relé',
          'the board does not tell how its relay stands',
          'la placa no dice cómo está el relé',
        )
      : inEach(
          `a placa não acionou o relé: ${said.error}`,
          `the board did not switch its relay: ${said.error}`,
          `la placa no accionó el relé: ${said.error}`,
        ),
    next: inEach(
      'confira a placa do relé e a alimentação dela, e repita o teste',
      'check the relay board and its supply, then start the self test again',
      'revise la placa del relé y su alimentación, y repita la prueba',
    ),
  });
}

/** Starts the firmware anew. A board that goes at once may never answer: that is as well. */
export async function rebootBoard(console: BoardConsole): Promise<void> {
  await console.ask({ send: frameOf({ op: 'reboot' }), pick: answerIn, ms: ANSWER_MS });
}

async function command(
  console: BoardConsole,
  question: Command,
  { ms, isIts }: { ms: number; isIts: (said: Answered) => boolean },
): Promise<Answered> {
  const pick = (heard: Heard) => {
    const said = answerIn(heard);
    return said !== undefined && isIts(said) ? said : undefined;
  };
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const said = await console.ask({ send: frameOf(question), pick, ms });
    if (said === null) continue;
    // every try may be answered late
    if (tries > 1) await console.quiet(QUIET_MS);
    return said;
  }
  throw noAnswer(
    inEach(
      'a placa não responde no console',
      'the board does not answer on its console',
      'la placa no responde en la consola',
    ),
  );
}

const frameOf = (question: Command) => sfprovFrame(SFPROV_TYPE.command, question);

function answerIn(heard: Heard): Answered | undefined {
  if (heard.kind !== 'sfprov' || heard.type !== SFPROV_TYPE.answer) return undefined;
  return answered.safeParse(heard.body).data;
}

function noAnswer(message: InEach): BenchTrouble {
  return new BenchTrouble('NO_ANSWER', {
    message,
    next: inEach(
      'aperte reset na placa e comece de novo; se ela continuar calada, grave antes o firmware desta fazenda',
      'press reset on the board and start again; if it stays silent, flash the firmware of this farm first',
      'presione reset en la placa y comience de nuevo; si sigue callada, grabe antes el firmware de esta camaronera',
    ),
  });
}

function identityRefused(message: InEach): BenchTrouble {
  return new BenchTrouble('IDENTITY_REFUSED', {
    message,
    next: inEach(
      'apague a identidade da placa, aperte reset e provisione-a de novo',
      'erase the identity of the board, press reset and provision it again',
      'borre la identidad de la placa, presione reset y aprovisiónela de nuevo',
    ),
  });
}
