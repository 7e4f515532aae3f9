import { audit } from '#core/audit.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';

export type TellRestartDeps = Pick<
  Kernel,
  'now' | 'newId' | 'idOf' | 'clockQuality' | 'commit' | 'pause' | 'random' | 'guard'
> & { notify: Notify };

const HOUR_LETTERS = 'YYYY-MM-DDTHH'.length;

/** Tells the people of a farm that the broker was started anew, once an hour however often it was. */
export async function tellBrokerRestart(
  deps: TellRestartDeps,
  farm: { id: string; name: string },
): Promise<void> {
  const cause = `broker_restarted:${farm.id}:${isoOf(deps.now()).slice(0, HOUR_LETTERS)}`;
  await perform(deps, null, async () => {
    const guard = await deps.guard('farm', farm.id);
    const notices = await deps.notify(
      { farmId: farm.id, who: 'operators' },
      {
        type: 'SYSTEM',
        title: (language) =>
          ({
            'pt-BR': 'Conexão com os controladores reiniciada',
            en: 'Connection to the controllers restarted',
            es: 'Conexión con los controladores reiniciada',
          })[language],
        message: (language) =>
          ({
            'pt-BR':
              'O gateway deixou de alcançar os controladores e reiniciou a conexão sozinho. A aeração continuou.',
            en: 'The gateway no longer reached the controllers and restarted the connection by itself. Aeration went on.',
            es: 'El gateway dejó de alcanzar a los controladores y reinició la conexión solo. La aireación continuó.',
          })[language],
        data: { event: 'broker_restarted' },
        cause,
      },
    );
    const entry = audit(deps, {
      farm_id: farm.id,
      entity_type: 'SYSTEM',
      entity_id: farm.id,
      entity_name: farm.name,
      action: 'broker_restarted',
      user_id: null,
      cause,
    });
    return { answer: undefined, changes: [...notices, entry], guards: [guard] };
  });
}
