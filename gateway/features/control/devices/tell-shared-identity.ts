import { audit } from '#core/audit.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import type { ControlView } from '../control-view.ts';

export type TellSharedDeps = Kernel & { notify: Notify };

const HOUR_LETTERS = 'YYYY-MM-DDTHH'.length;

/** Tells who may act that two boards use one identity, a cloned flash mostly; once an hour for each control point. */
export async function tellSharedIdentity(
  deps: TellSharedDeps,
  { row, farmName }: Pick<ControlView, 'row' | 'farmName'>,
  takeovers: number,
): Promise<void> {
  const cause = `shared_identity:${row.id}:${isoOf(deps.now()).slice(0, HOUR_LETTERS)}`;
  await perform(deps, null, async () => {
    const guard = await deps.guard('farm', row.farm_id);
    const notices = await deps.notify(
      { farmId: row.farm_id, who: 'operators' },
      {
        type: 'SYSTEM',
        severity: 'HIGH',
        title: (language) =>
          language === 'en'
            ? `${row.cod}: two controllers with one identity`
            : `${row.cod}: dois controladores com a mesma identidade`,
        message: (language) =>
          language === 'en'
            ? `On ${farmName} two boards connect as ${row.device_id} and throw each other out. One is a copy: give ${row.cod} a new key on the right board (rotate, or adopt again); the other one is then refused and shown in the queue.`
            : `Na ${farmName}, duas placas conectam como ${row.device_id} e derrubam uma à outra. Uma é cópia: dê uma chave nova à placa certa de ${row.cod} (trocar a chave ou adotar de novo); a outra será recusada e aparece na fila.`,
        data: { event: 'shared_identity', control_point_id: row.id, device_id: row.device_id, takeovers },
        cause,
      },
    );
    const entry = audit(deps, {
      farm_id: row.farm_id,
      entity_type: 'CONTROL_POINT',
      entity_id: row.id,
      entity_name: row.cod,
      action: 'shared_identity',
      user_id: null,
      details: { device_id: row.device_id, takeovers },
      cause,
    });
    return { answer: undefined, changes: [...notices, entry], guards: [guard] };
  });
}
