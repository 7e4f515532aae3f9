import { createHash } from 'node:crypto';
import type { Database } from '#adapters/sql/database.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import type { Modem } from '#features/alarms/modem/ports.ts';
import type { Config } from '#runtime/config.ts';

const REFUSED_PIN = 'modem_refused_pin';

/** The GSM modem of a gateway; null without one. Its driver is loaded with its first use. */
export async function openModem(
  config: Pick<Config, 'role' | 'modem' | 'modemPin' | 'modemBaud'>,
  { kernel, database, tellChanged }: { kernel: Kernel; database: Database; tellChanged: TellChanged },
): Promise<Modem | null> {
  const { modem: port, modemPin: pin, modemBaud } = config;
  if (port === null || config.role !== 'gateway') return null;
  const { createModem } = await import('#adapters/modem/create-modem.ts');
  const trace = createHash('sha256').update(`sim pin ${pin}`).digest('hex');
  const known = { isRefused: false };
  return createModem({
    log: kernel.log,
    now: kernel.now,
    port,
    changed: () => tellChanged('modem', 'operators'),
    async open() {
      const { openPort } = await import('#adapters/serial/open-port.ts');
      return openPort(port, modemBaud);
    },
    pin: {
      pin,
      async isRefused() {
        const row = await database.read
          .selectFrom('instance_values')
          .select('value')
          .where('id', '=', REFUSED_PIN)
          .executeTakeFirst();
        return known.isRefused || row?.value === trace;
      },
      async noteRefused() {
        known.isRefused = true;
        // three wrong tries lock the SIM, and a box that is restarted must not spend them
        const changes = [put(instanceValue, { id: REFUSED_PIN, value: trace })];
        await kernel
          .commit({ changes, actor: null })
          .catch((error: unknown) => kernel.log.warn({ err: error }, 'the refused PIN was not noted'));
      },
    },
  });
}
