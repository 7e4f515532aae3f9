import type { Finding } from '#contract/resources/system-doctor.ts';
import { unreachable } from '#contract/words.ts';
import { ageOf, agoOf, finding, say } from './finding.ts';
import type { DoctorFacts, UpdateFacts } from './ports.ts';

// Updates of the program: one that goes on, one that waits, and how the last one ended.

/** Unpacking and rehearsing on a slow card; switching, proving or going back takes a minute. */
const LONGEST_MS = { staging: 60 * 60_000, staged: 15 * 60_000, trial: 15 * 60_000 } as const;

export function checkUpdate({ update, run, now }: DoctorFacts): Finding[] {
  if (update === null) return [];
  const { step, version, since, waitsFor } = update;
  if (step === 'rest') return checkLast(update, now);
  // of a stopped gateway nothing goes on, and that it is stopped is told
  if (run?.state !== 'running') return [];
  if (step === 'staged' && waitsFor.length > 0) return [waiting(version)];
  const forMs = since === null ? 0 : ageOf(now, since);
  return [forMs > LONGEST_MS[step] ? stuck(update, forMs) : underWay(update)];
}

function underWay({ step, version }: UpdateFacts): Finding {
  const where =
    step === 'trial'
      ? say('está em prova', 'is being tried', 'está a prueba')
      : step === 'staged'
        ? say(
            'está pronta e entra em uso em instantes',
            'lies ready and is switched to in a moment',
            'está lista y entra en uso en unos instantes',
          )
        : say('está sendo preparada', 'is being made ready', 'se está preparando');
  return finding(
    'update_under_way',
    'note',
    version === ''
      ? say(
          'Uma nova versão está sendo preparada.',
          'A new version is being made ready.',
          'Se está preparando una nueva versión.',
        )
      : say(
          `A versão ${version} ${where['pt-BR']}.`,
          `Version ${version} ${where.en}.`,
          `La versión ${version} ${where.es}.`,
        ),
    {
      measured: [version, null],
      next: say(
        'Espere alguns minutos e não desligue a caixa; se a versão não se firmar, a anterior volta por si.',
        'Wait some minutes and do not switch the box off; if it does not prove itself, the one before comes back by itself.',
        'Espere unos minutos y no apague la caja; si la versión no se afirma, la anterior vuelve sola.',
      ),
    },
  );
}

function waiting(version: string): Finding {
  return finding(
    'update_waiting',
    'note',
    say(
      `A versão ${version} está pronta e espera o fim de um alarme de oxigênio ou de energia.`,
      `Version ${version} lies ready and waits for the end of an alarm of oxygen or power.`,
      `La versión ${version} está lista y espera el fin de una alarma de oxígeno o de energía.`,
    ),
    {
      measured: [version, null],
      next: say(
        'Cuide do alarme; a troca vem depois por si.',
        'See to the alarm; the switch comes afterwards by itself.',
        'Atienda la alarma; el cambio viene después solo.',
      ),
    },
  );
}

function stuck({ version }: UpdateFacts, forMs: number): Finding {
  const shown = agoOf(forMs);
  return finding(
    'update_stuck',
    'warn',
    say(
      `A atualização para a versão ${version} não avança há ${shown['pt-BR']}.`,
      `The update to version ${version} has not moved on for ${shown.en}.`,
      `La actualización a la versión ${version} no avanza desde hace ${shown.es}.`,
    ),
    {
      measured: [Math.round(forMs / 1000), 's'],
      next: say(
        'Reinicie o gateway numa hora calma e atualize de novo; se repetir, envie ao suporte um pacote.',
        'Restart the gateway in a quiet hour and update again; if it comes again, send support a bundle.',
        'Reinicie el gateway a una hora tranquila y actualice de nuevo; si se repite, envíe al soporte un paquete.',
      ),
    },
  );
}

const NOTHING_LOST = say(
  'Nada se perdeu. Envie ao suporte um pacote antes de tentar esta versão de novo.',
  'Nothing is lost. Send support a bundle before this version is tried again.',
  'No se perdió nada. Envíe al soporte un paquete antes de intentar esta versión de nuevo.',
);
const lostSince = (file: string) =>
  say(
    `Confira os registros feitos durante a troca e digite de novo os que faltam; eles estão só em ${file}, na pasta de dados: não apague, e peça ajuda ao suporte.`,
    `Look at what was entered during the switch and enter again what is missing; it is in ${file} of the data folder alone: keep that file, and ask support.`,
    `Revise los registros hechos durante el cambio y escriba de nuevo los que faltan; están solo en ${file}, en la carpeta de datos: no los elimine, y pida ayuda al soporte.`,
  );

function checkLast({ last }: UpdateFacts, now: number): Finding[] {
  if (last === null) return [];
  const { result, version, detail } = last;
  const ago = agoOf(ageOf(now, last.at));
  const measured: [string, null] = [version, null];
  switch (result) {
    case 'updated':
      return [];
    case 'rolled_back':
      return [
        finding(
          'update_rolled_back',
          last.aside === undefined ? 'warn' : 'bad',
          say(
            `A versão ${version} não se firmou há ${ago['pt-BR']}, e a anterior segue (${detail}).`,
            `Version ${version} did not prove itself ${ago.en} ago, and the one before goes on (${detail}).`,
            `La versión ${version} no se afirmó hace ${ago.es}, y la anterior sigue (${detail}).`,
          ),
          {
            measured,
            next: last.aside === undefined ? NOTHING_LOST : lostSince(last.aside),
          },
        ),
      ];
    case 'damaged':
      return [
        finding(
          'update_damaged',
          'warn',
          say(
            `A versão ${version} estava danificada no disco há ${ago['pt-BR']}; a do pacote está em uso (${detail}).`,
            `Version ${version} was found damaged on the disk ${ago.en} ago; that of the package runs (${detail}).`,
            `La versión ${version} estaba dañada en el disco hace ${ago.es}; la del paquete está en uso (${detail}).`,
          ),
          {
            measured,
            next: say(
              'Veja o que o doutor diz do cartão ou disco, e atualize de novo (docs/pt-br/install.md).',
              'See what the doctor says of the card or disk, and update again (docs/en/install.md).',
              'Vea lo que el doctor dice de la tarjeta o el disco, y actualice de nuevo (docs/es/install.md).',
            ),
          },
        ),
      ];
    case 'refused':
    case 'interrupted':
      return [
        finding(
          'update_not_made',
          'note',
          say(
            `A atualização para a versão ${version} não foi feita há ${ago['pt-BR']} (${detail}).`,
            `The update to version ${version} was not carried out ${ago.en} ago (${detail}).`,
            `La actualización a la versión ${version} no se hizo hace ${ago.es} (${detail}).`,
          ),
          {
            measured,
            next: say(
              'O gateway segue como estava. Veja o motivo e atualize de novo (docs/pt-br/install.md).',
              'The gateway goes on as it was. See the reason and update again (docs/en/install.md).',
              'El gateway sigue como estaba. Vea el motivo y actualice de nuevo (docs/es/install.md).',
            ),
          },
        ),
      ];
    default:
      return unreachable(result);
  }
}
