import { atTheBox } from '#contract/commands.ts';
import type { Kernel } from '#core/kernel.ts';
import type { News, Notify } from '#core/notifying.ts';
import { type PerformDeps, perform } from '#core/use-case.ts';
import type { Paired } from './on-paired.ts';

// Gateway: two boxes use its key, and the hosted instance lets neither in. The owner is told there; the people of the farm
// are told here, at each of the two boxes, because one of them is to be switched off by somebody who stands before it.

export type TellFencedDeps = PerformDeps &
  Pick<Kernel, 'log'> & {
    gatewayId: string;
    paired: () => Promise<Paired | null>;
    farms: () => Promise<readonly { id: string }[]>;
    notify: Notify;
  };

/** `look`, called every few seconds: tells it once for each pairing. */
export function createTellFenced(deps: TellFencedDeps) {
  const own = { told: null as string | null };
  return {
    async look(): Promise<void> {
      const paired = await deps.paired();
      if (paired?.state !== 'fenced' || own.told === paired.paired_at) return;
      const farms = await deps.farms();
      for (const { id: farmId } of farms)
        await perform(deps, null, async () => ({
          answer: undefined,
          changes: await deps.notify({ farmId, who: 'operators' }, newsOf(deps.gatewayId, paired)),
        }));
      own.told = paired.paired_at;
    },
  };
}

const WORDS = {
  en: {
    title: 'Two gateways with one key',
    message: (place: string) =>
      `Another box signs in at ${place} with the key of this gateway: its card was copied, or a copy of the whole box runs. Neither is let in, aeration goes on, nothing is lost. Switch the copy off, then pair this one again (here: ${atTheBox('pair')}).`,
  },
  'pt-BR': {
    title: 'Dois gateways com a mesma chave',
    message: (place: string) =>
      `Outro aparelho entra em ${place} com a chave deste gateway: o cartão foi copiado ou uma cópia completa está ligada. Nenhum dos dois entra, a aeração continua e nada se perde. Desligue a cópia e pareie este de novo (nele: ${atTheBox('pair')}).`,
  },
  es: {
    title: 'Dos gateways con la misma clave',
    message: (place: string) =>
      `Otro equipo entra en ${place} con la clave de este gateway: se copió la tarjeta o hay una copia completa encendida. Ninguno de los dos entra, la aireación continúa y no se pierde nada. Apague la copia y vincule este de nuevo (en él: ${atTheBox('pair')}).`,
  },
} as const;

const newsOf = (gatewayId: string, { paired_at, instance_name }: Paired): News => ({
  type: 'SYSTEM',
  severity: 'HIGH',
  title: (language) => WORDS[language].title,
  message: (language) => WORDS[language].message(instance_name),
  data: { event: 'gateway_fenced', gateway_id: gatewayId },
  cause: `gateway:${gatewayId}:fenced:${paired_at}`,
});
