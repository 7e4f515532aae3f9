import type { Resource } from '#contract/resource.ts';
import type { SyncConflictAnswer } from '#contract/resources/sync-status.ts';
import { isoOf } from '#core/kernel.ts';
import type { Language, Words } from '#core/notifying.ts';
import { readHlc } from '#store/hlc.ts';
import { resourceOfEntity } from '#store/merge/shared-tables.ts';
import type { Conflict, FoundRow, ShownConflict } from './ports.ts';

const RULES: Readonly<Record<Conflict['rule'], Readonly<Record<Language, string>>>> = {
  last_writer: {
    en: 'Two people changed the same thing while gateway and cloud could not talk; the later change stands.',
    'pt-BR':
      'Duas pessoas mudaram a mesma coisa enquanto o gateway e a nuvem não se falavam; vale a mudança mais recente.',
    es: 'Dos personas cambiaron lo mismo mientras el gateway y la nube no se hablaban; vale el cambio más reciente.',
  },
  delete_wins: {
    en: 'It was changed on one side and deleted on the other; the deletion stands.',
    'pt-BR': 'Foi alterado de um lado e excluído do outro; vale a exclusão.',
    es: 'Se cambió de un lado y se eliminó del otro; vale la eliminación.',
  },
  renamed: {
    en: 'The same code was given on both sides; whoever gave it first keeps it, the other one got an ending.',
    'pt-BR':
      'O mesmo código foi usado dos dois lados; fica com quem usou primeiro, e o outro recebeu um complemento.',
    es: 'El mismo código se usó de los dos lados; se queda con él quien lo usó primero, y el otro recibió un complemento.',
  },
  unassigned: {
    en: 'Two have one device name at this gateway; the one named at the gateway keeps it, else the first.',
    'pt-BR':
      'Dois têm o mesmo nome de dispositivo neste gateway; fica com ele o que recebeu o nome no gateway, senão o primeiro.',
    es: 'Dos tienen el mismo nombre de dispositivo en este gateway; se queda con él el que recibió el nombre en el gateway, si no el primero.',
  },
  duplicate: {
    en: 'The same was entered on both sides, and it may stand once only; the first entry stands.',
    'pt-BR': 'O mesmo foi cadastrado dos dois lados e só pode existir uma vez; vale o primeiro cadastro.',
    es: 'Lo mismo se registró de los dos lados y solo puede existir una vez; vale el primer registro.',
  },
  overdrawn: {
    en: 'Both sides moved the same animals; all moves are kept, and the pond shows 0 until one of them is corrected or deleted.',
    'pt-BR':
      'Os dois lados moveram os mesmos camarões; todas as transferências ficam, e o viveiro mostra 0 até que uma seja corrigida ou excluída.',
    es: 'Los dos lados movieron los mismos camarones; todas las transferencias quedan, y la piscina muestra 0 hasta que una se corrija o se elimine.',
  },
};

const ruleText = (rule: Conflict['rule'], language: Language): string => RULES[rule][language];

/** What people call a row of a table. */
const THINGS: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  users: { en: 'account', 'pt-BR': 'conta', es: 'cuenta' },
  addresses: { en: 'address', 'pt-BR': 'endereço', es: 'dirección' },
  farms: { en: 'farm', 'pt-BR': 'fazenda', es: 'camaronera' },
  farm_members: { en: 'member', 'pt-BR': 'membro', es: 'miembro' },
  farm_science: {
    en: 'settings of the farm',
    'pt-BR': 'configurações da fazenda',
    es: 'ajustes de la camaronera',
  },
  farm_console: {
    en: 'arrangement of the screens',
    'pt-BR': 'arrumação das telas',
    es: 'orden de las pantallas',
  },
  ponds: { en: 'pond', 'pt-BR': 'viveiro', es: 'piscina' },
  aerators: { en: 'aerator', 'pt-BR': 'aerador', es: 'aireador' },
  control_points: { en: 'control point', 'pt-BR': 'ponto de controle', es: 'punto de control' },
  schedules: { en: 'schedule', 'pt-BR': 'horário', es: 'horario' },
  alerts: { en: 'alert', 'pt-BR': 'alerta', es: 'alerta' },
  batches: { en: 'batch', 'pt-BR': 'lote', es: 'lote' },
  biometries: { en: 'biometry', 'pt-BR': 'biometria', es: 'muestreo' },
  feeding_records: { en: 'feeding', 'pt-BR': 'alimentação', es: 'alimentación' },
  transfers: { en: 'transfer', 'pt-BR': 'transferência', es: 'transferencia' },
  expenses: { en: 'expense', 'pt-BR': 'despesa', es: 'gasto' },
  measurements: { en: 'measurement', 'pt-BR': 'medição', es: 'medición' },
  farm_records: {
    en: 'treatment, water exchange or note',
    'pt-BR': 'tratamento, troca de água ou anotação',
    es: 'tratamiento, recambio de agua o anotación',
  },
  feed_stock: {
    en: 'delivery or count of feed',
    'pt-BR': 'entrega ou contagem de ração',
    es: 'entrega o conteo de balanceado',
  },
  tasks: { en: 'task', 'pt-BR': 'tarefa', es: 'tarea' },
  task_marks: { en: 'mark of a task', 'pt-BR': 'marcação de tarefa', es: 'marca de tarea' },
  photos: { en: 'photo', 'pt-BR': 'foto', es: 'foto' },
  harvest_lots: { en: 'harvest lot', 'pt-BR': 'lote de despesca', es: 'lote de cosecha' },
};

export const thingOf = (table: string, language: Language): string => THINGS[table]?.[language] ?? table;

export const conflictTitle: Words = (language) =>
  ({
    'pt-BR': 'Uma alteração foi substituída',
    en: 'A change was overwritten',
    es: 'Un cambio fue sustituido',
  })[language];

export function conflictMessage(tables: readonly string[]): Words {
  return (language) => {
    const things = [...new Set(tables)].map((table) => thingOf(table, language)).join(', ');
    const n = tables.length;
    if (tables.every((table) => table === 'farm_members'))
      return {
        'pt-BR':
          'Enquanto o gateway e a nuvem não se falavam, o gateway mudou quem trabalha na fazenda, a favor de alguém que já saiu dela. Isso não foi aceito: quem deve voltar precisa de um novo convite. Veja em Sincronização.',
        en: 'While gateway and cloud could not talk, the gateway changed who works on the farm, for somebody who has left it. That was not taken: whoever shall come back is invited again. See it under Sync.',
        es: 'Mientras el gateway y la nube no se hablaban, el gateway cambió quién trabaja en la camaronera, a favor de alguien que ya salió de ella. Eso no se aceptó: quien deba volver necesita una nueva invitación. Véalo en Sincronización.',
      }[language];
    if (language === 'en')
      return `${n === 1 ? 'A change' : `${n} changes`} (${things}) made while gateway and cloud could not talk lost against another one. Nothing is gone: look at it under Sync and restore it if it was right.`;
    if (language === 'es')
      return `${n === 1 ? 'Un cambio hecho' : `${n} cambios hechos`} (${things}) mientras el gateway y la nube no se hablaban ${n === 1 ? 'perdió' : 'perdieron'} frente a otro. No se perdió nada: véalo en Sincronización y restáurelo si era el correcto.`;
    return `${n === 1 ? 'Uma alteração feita' : `${n} alterações feitas`} (${things}) enquanto o gateway e a nuvem não se falavam perdeu para outra. Nada se perdeu: veja em Sincronização e restaure se era a certa.`;
  };
}

export const overdrawnTitle: Words = (language) =>
  ({
    'pt-BR': 'Transferência de camarões que não havia',
    en: 'A transfer of more shrimp than there were',
    es: 'Transferencia de camarones que no había',
  })[language];

export const overdrawnMessage: Words = (language) =>
  ({
    'pt-BR': `${ruleText('overdrawn', 'pt-BR')} Veja em Sincronização.`,
    en: `${ruleText('overdrawn', 'en')} See it under Sync.`,
    es: `${ruleText('overdrawn', 'es')} Véalo en Sincronización.`,
  })[language];

/** Nobody is shown what others log in with. */
const SECRET = new Set(['password_hash', 'password_version', 'email_key', 'numeric_id', 'rev', 'hidden']);
const NAMES = ['name', 'cod', 'batch_code', 'description', 'title'];

export function conflictAnswer(
  conflict: ShownConflict,
  found: FoundRow | null,
  { language, role }: { language: Language; role: 'gateway' | 'hosted' },
): SyncConflictAnswer {
  const resource = resourceOfEntity(conflict.entity);
  const [kept, dropped] = [valuesOf(conflict.kept_json), valuesOf(conflict.dropped_json)];
  return {
    id: conflict.id,
    farm_id: conflict.farm_id,
    state: conflict.state,
    rule: conflict.rule,
    rule_text: ruleText(conflict.rule, language),
    table: resource?.name ?? `table ${conflict.entity} of a newer version`,
    row_id: conflict.row_id,
    row_name: nameOf(found),
    fields: [...new Set([...Object.keys(kept), ...Object.keys(dropped)])],
    kept: version(kept, conflict.kept_by, conflict.kept_by_name, conflict.kept_hlc),
    dropped: version(dropped, conflict.dropped_by, conflict.dropped_by_name, conflict.dropped_hlc),
    is_restorable:
      conflict.state === 'open' &&
      resource !== null &&
      whyNotRestorable(resource as Resource, conflict, role) === null,
    found_at: conflict.found_at,
    settled_at: conflict.settled_at,
    settled_by: conflict.settled_by,
  };
}

const version = (
  values: Record<string, unknown>,
  by: string | null,
  name: string | null,
  hlc: string,
): SyncConflictAnswer['kept'] => ({ values, by, by_name: name, at: isoOf(hlc === '' ? 0 : readHlc(hlc).ms) });

function valuesOf(json: string): Record<string, unknown> {
  // core/sync/conflicts.ts writes objects of fields
  const values = JSON.parse(json) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(values).filter(([field]) => !SECRET.has(field)));
}

export function nameOf(found: FoundRow | null): string | null {
  for (const field of NAMES) {
    const value = found?.row[field];
    if (typeof value === 'string' && value !== '') return value.slice(0, 255);
  }
  return null;
}

/** States that only an order or a person at the machine makes true: an old value would claim what is not so. */
const OF_MACHINES: Readonly<Record<string, readonly string[]>> = {
  aerators: ['status'],
};

/** Why a losing edit cannot be made again from here, in a sentence; null: it can, as far as the rules go. */
export function whyNotRestorable(
  { name, groups }: Pick<Resource, 'name' | 'groups'>,
  { rule, field_group }: Pick<Conflict, 'rule' | 'field_group'>,
  role: 'gateway' | 'hosted',
): string | null {
  if (rule === 'overdrawn') return 'Nothing was dropped; correct or delete one of the transfers instead';
  if (rule === 'duplicate')
    return 'The first entry stands for both; change that one instead, or delete it and enter yours again';
  if (rule === 'delete_wins' && name === 'farm_members')
    return 'Nobody becomes a member again without accepting it; invite the person instead';
  if (rule === 'delete_wins') return null;
  const group = groups[field_group];
  if (group === undefined) return 'This version does not know what was changed; upgrade it first';
  if (group.owner === 'gateway')
    return 'Only the gateway at the farm says this; give the order again instead';
  if (group.owner === 'hosted' && role === 'gateway')
    return 'Only the hosted instance says this; change it there';
  if (OF_MACHINES[name]?.includes(field_group) === true)
    return 'This tells how a machine stood; give the order again instead';
  return null;
}
