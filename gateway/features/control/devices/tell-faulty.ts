import { audit } from '#core/audit.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { Notify, Words } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import type { ControlView, ControlViews, DeviceTrouble } from '../control-view.ts';

type TellFaultyDeps = Kernel & { monotonic: () => number; notify: Notify };

/** folded: it says more than is stored line by line. version: it names a version of its level that was never sent. */
type Fault = 'folded' | 'version';

const DAY_MS = 86_400_000;
const DATE_LETTERS = 'YYYY-MM-DD'.length;

type Said = { action: string; title: Words; message: Words };

function said(fault: Fault, { row, farmName }: Pick<ControlView, 'row' | 'farmName'>): Said {
  const { cod, device_id: id } = row;
  if (fault === 'folded')
    return {
      action: 'reports_folded',
      title: (language) =>
        ({
          'pt-BR': `${cod}: relatos sem parar`,
          en: `${cod}: reports without end`,
          es: `${cod}: informes sin parar`,
        })[language],
      message: (language) =>
        ({
          'pt-BR': `O controlador ${id}, na ${farmName}, relata mudanças ou eventos sem parar. O controle e os alarmes seguem cada um; no registro fica um resumo a cada dez minutos. Veja o contator, a fiação e a alimentação.`,
          en: `The controller ${id} on ${farmName} reports changes or events without end. Control and alarms go by each of them; what is stored is a summary every ten minutes. Look at its contactor, wiring and supply.`,
          es: `El controlador ${id}, en ${farmName}, informa cambios o eventos sin parar. El control y las alarmas siguen cada uno; en el registro queda un resumen cada diez minutos. Vea el contactor, el cableado y la alimentación.`,
        })[language],
    };
  return {
    action: 'version_refused',
    title: (language) =>
      ({
        'pt-BR': `${cod}: versão desconhecida da ordem`,
        en: `${cod}: unknown version of its order`,
        es: `${cod}: versión desconocida de la orden`,
      })[language],
    message: (language) =>
      ({
        'pt-BR': `O controlador ${id}, na ${farmName}, diz seguir uma ordem que este gateway nunca enviou, e pode não obedecer a outra. Reinicie-o; se não resolver, adote-o de novo.`,
        en: `The controller ${id} on ${farmName} says that it follows an order that this gateway never sent, and may obey no other. Restart it; if that does not help, adopt it again.`,
        es: `El controlador ${id}, en ${farmName}, dice seguir una orden que este gateway nunca envió, y puede no obedecer a otra. Reinícielo; si no se resuelve, adóptelo de nuevo.`,
      })[language],
  };
}

/** Controllers that are told apart. Of one that fell out it may be told twice a day. */
const MOST_TOLD = 20_000;

/** Tells who may act that a controller is faulty: once a day of each, however often it is noticed. */
export function createFaultyTeller(deps: TellFaultyDeps) {
  const toldAt = new NewestMap<string, number>(MOST_TOLD);

  async function store(fault: Fault, view: ControlView, fields: Record<string, unknown>): Promise<void> {
    const { row } = view;
    const { action, title, message } = said(fault, view);
    const cause = `${action}:${row.id}:${isoOf(deps.now()).slice(0, DATE_LETTERS)}`;
    await perform(deps, null, async () => {
      const guard = await deps.guard('farm', row.farm_id);
      const notices = await deps.notify(
        { farmId: row.farm_id, who: 'operators' },
        {
          type: 'SYSTEM',
          severity: 'MEDIUM',
          title,
          message,
          data: { event: action, control_point_id: row.id, device_id: row.device_id, ...fields },
          cause,
        },
      );
      const entry = audit(deps, {
        farm_id: row.farm_id,
        entity_type: 'CONTROL_POINT',
        entity_id: row.id,
        entity_name: row.cod,
        action,
        user_id: null,
        details: { device_id: row.device_id, ...fields },
        cause,
      });
      return { answer: undefined, changes: [...notices, entry], guards: [guard] };
    });
  }

  return (fault: Fault, view: ControlView, fields: Record<string, unknown> = {}): void => {
    const key = `${fault} ${view.row.id}`;
    const now = deps.monotonic();
    if (now - (toldAt.get(key) ?? Number.NEGATIVE_INFINITY) < DAY_MS) return;
    toldAt.set(key, now);
    const { id, device_id: deviceId } = view.row;
    deps.log.warn({ controlPointId: id, deviceId, fault, ...fields }, 'a controller is faulty');
    store(fault, view, fields).catch((error: unknown) =>
      deps.log.warn({ err: error, controlPointId: id, fault }, 'that a controller is faulty was not told'),
    );
  };
}

type TellSharedDeps = Kernel & { notify: Notify };

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
          ({
            'pt-BR': `${row.cod}: dois controladores com a mesma identidade`,
            en: `${row.cod}: two controllers with one identity`,
            es: `${row.cod}: dos controladores con la misma identidad`,
          })[language],
        message: (language) =>
          ({
            'pt-BR': `Na ${farmName}, duas placas conectam como ${row.device_id} e derrubam uma à outra. Uma é cópia: dê uma chave nova à placa certa de ${row.cod} (trocar a chave ou adotar de novo); a outra será recusada e aparece na fila.`,
            en: `On ${farmName} two boards connect as ${row.device_id} and throw each other out. One is a copy: give ${row.cod} a new key on the right board (rotate, or adopt again); the other one is then refused and shown in the queue.`,
            es: `En ${farmName}, dos placas se conectan como ${row.device_id} y se tumban la una a la otra. Una es copia: dé una clave nueva a la placa correcta de ${row.cod} (cambiar la clave o adoptar de nuevo); la otra será rechazada y aparece en la cola.`,
          })[language],
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

/**
 * Notes what keeps a controller from its target. `isStateUnknown`: it was heard just now, and how it stands nobody can tell, so
 * what it told before is not believed any more: an order to it stands unconfirmed until it tells again.
 */
export function setTrouble(
  deps: {
    now: () => number;
    monotonic: () => number;
    views: Pick<ControlViews, 'byId' | 'unflushed'>;
    presenceChanged: (controlPointId: string) => void;
  },
  controlPointId: string,
  trouble: DeviceTrouble | null,
  { isStateUnknown }: { isStateUnknown: boolean },
): void {
  const presence = deps.views.byId(controlPointId)?.presence;
  if (presence === undefined) return;
  presence.trouble = trouble;
  if (isStateUnknown) {
    const heard = { lastReportAt: deps.now(), lastReportMonotonic: deps.monotonic() };
    Object.assign(presence, {
      ...heard,
      via: 'mqtt',
      isProved: true,
      isLost: false,
      current: null,
    });
    deps.views.unflushed.add(controlPointId);
  }
  deps.presenceChanged(controlPointId);
}
