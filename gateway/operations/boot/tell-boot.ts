import * as z from 'zod';
import type { Db } from '#adapters/sql/database.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { purge } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Language, Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { BOOT_NOTICE } from './new-history.ts';

const notice = z.object({ rung: z.string(), detail: z.string(), at: z.string() });

const NOT_RESTORED: Readonly<Record<Language, string>> = {
  'pt-BR': 'O backup não foi restaurado',
  en: 'The backup was not restored',
  es: 'El respaldo no se restauró',
};
const TITLES: Readonly<Record<Language, string>> = {
  'pt-BR': 'O banco de dados do gateway foi recuperado',
  en: 'The database of the gateway was recovered',
  es: 'La base de datos del gateway se recuperó',
};

const PORTUGUESE: Readonly<Record<string, string>> = {
  restore: 'Os dados voltaram de um backup.',
  restore_failed: 'O backup não foi restaurado; tudo está como antes.',
  rolled_back: 'As últimas mudanças antes da queda se perderam. Confira horários e ordens.',
  snapshot:
    'O banco de dados estava danificado e voltou da última cópia verificada. Confira horários e ordens.',
  last_good:
    'O banco de dados estava danificado. O controle segue com a última configuração salva, sem o histórico; ele volta de um backup.',
};

const SPANISH: typeof PORTUGUESE = {
  restore: 'Los datos volvieron de un respaldo.',
  restore_failed: 'El respaldo no se restauró; todo está como antes.',
  rolled_back: 'Los últimos cambios antes de la caída se perdieron. Revise horarios y órdenes.',
  snapshot:
    'La base de datos estaba dañada y volvió de la última copia verificada. Revise horarios y órdenes.',
  last_good:
    'La base de datos estaba dañada. El control sigue con la última configuración guardada, sin el historial; este vuelve de un respaldo.',
};

const messageIn = (language: Language, rung: string, detail: string): string =>
  (language === 'en' ? undefined : { 'pt-BR': PORTUGUESE, es: SPANISH }[language][rung]) ?? detail;

/** Tells the people of each farm, once, that their data came from an older state. */
export async function tellBoot(
  deps: Pick<Kernel, 'commit' | 'pause' | 'random'> & { db: Db; notify: Notify },
): Promise<void> {
  const stored = await deps.db
    .selectFrom('instance_values')
    .select('value')
    .where('id', '=', BOOT_NOTICE)
    .executeTakeFirst();
  if (stored === undefined) return;
  const { rung, detail, at } = notice.parse(JSON.parse(stored.value));
  const farms = await deps.db.selectFrom('farms').select('id').where('hidden', '=', 0).execute();
  const told = await Promise.all(
    farms.map(({ id }) =>
      deps.notify(
        { farmId: id, who: 'operators' },
        {
          type: 'SYSTEM',
          title: (language) => (rung === 'restore_failed' ? NOT_RESTORED : TITLES)[language],
          message: (language) => messageIn(language, rung, detail),
          data: { event: 'restore', rung },
          cause: `boot:${rung}:${at}:${id}`,
        },
      ),
    ),
  );
  await perform(deps, null, async () => ({
    answer: undefined,
    changes: [...told.flat(), purge(instanceValue, BOOT_NOTICE)],
  }));
}
