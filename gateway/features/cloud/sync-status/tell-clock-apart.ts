import type { Language } from '#contract/words.ts';
import type { Kernel } from '#core/kernel.ts';
import type { News, Notify } from '#core/notifying.ts';
import { type PerformDeps, perform } from '#core/use-case.ts';
import { MOST_AHEAD_MS } from '#store/merge/accept-stamps.ts';

// Gateway: its clock counts as right (nothing speaks against it), and the hosted instance's is another. It is not moved by
// that, because schedules must not hang on whoever answers as the hosted instance; but people at the farm are told, with the
// first word of the hosted instance and before anything was sent to it. Stamps that lie ahead are set anew over there.

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export type TellClockApartDeps = PerformDeps &
  Pick<Kernel, 'now' | 'clockQuality' | 'log'> & {
    gatewayId: string;
    farmIds: () => Promise<readonly string[]>;
    notify: Notify;
  };

export function createTellClockApart(deps: TellClockApartDeps) {
  /** As it was last told; null: both agree, as far as is known. */
  const own = { told: null as number | null, telling: Promise.resolve() };

  async function tell(apartMs: number): Promise<void> {
    const cause = `clock_apart:${deps.gatewayId}:${Math.round((deps.now() - apartMs) / HOUR_MS)}`;
    for (const farmId of await deps.farmIds())
      await perform(deps, null, async () => ({
        answer: undefined,
        changes: await deps.notify({ farmId, who: 'operators' }, newsOf(apartMs, cause)),
      }));
  }

  return {
    /** How far its clock is ahead of the hosted instance's; below 0: behind. With every answer that tells it. */
    heard(apartMs: number): void {
      // one that is not trusted has an alert of its own, and is set by the hosted instance
      const isApart = Math.abs(apartMs) > MOST_AHEAD_MS && deps.clockQuality() === 'trusted';
      if (!isApart) own.told = null;
      if (!isApart || (own.told !== null && Math.abs(own.told - apartMs) < HOUR_MS)) return;
      own.told = apartMs;
      deps.log.warn(
        { aheadOfHostedMs: apartMs },
        'the clock of this gateway and that of the hosted instance are apart; one of both is wrong',
      );
      own.telling = own.telling
        .then(() => tell(apartMs))
        .catch((error: unknown) => {
          own.told = null;
          deps.log.warn({ err: error }, 'that the clocks are apart is told with the next answer');
        });
    },
    settled: () => own.telling,
  };
}

const WORDS = {
  en: {
    title: 'The clock of the gateway is another than the cloud’s',
    message: (by: string, side: string) =>
      `The clock of the gateway is ${by} ${side} that of the cloud. Schedules go by the gateway’s clock. If it is wrong, set it (by the network or by hand); what was edited meanwhile gets the cloud’s time.`,
    ahead: 'ahead of',
    behind: 'behind',
  },
  'pt-BR': {
    title: 'O relógio do gateway difere do da nuvem',
    message: (by: string, side: string) =>
      `O relógio do gateway está ${by} ${side} da nuvem. As programações seguem o relógio do gateway. Se estiver errado, acerte a hora (pela rede ou à mão); o que foi alterado enquanto isso recebe a hora da nuvem.`,
    ahead: 'à frente do relógio',
    behind: 'atrás do relógio',
  },
  es: {
    title: 'El reloj del gateway difiere del de la nube',
    message: (by: string, side: string) =>
      `El reloj del gateway está ${by} ${side} del de la nube. Las programaciones siguen el reloj del gateway. Si está mal, ajuste la hora (por la red o a mano); lo que se cambió mientras tanto recibe la hora de la nube.`,
    ahead: 'por delante',
    behind: 'por detrás',
  },
} as const;

const UNITS = [
  { ms: 365 * 24 * HOUR_MS, en: ['year', 'years'], 'pt-BR': ['ano', 'anos'], es: ['año', 'años'] },
  { ms: 24 * HOUR_MS, en: ['day', 'days'], 'pt-BR': ['dia', 'dias'], es: ['día', 'días'] },
  { ms: HOUR_MS, en: ['hour', 'hours'], 'pt-BR': ['hora', 'horas'], es: ['hora', 'horas'] },
  { ms: MINUTE_MS, en: ['minute', 'minutes'], 'pt-BR': ['minuto', 'minutos'], es: ['minuto', 'minutos'] },
] as const;

function lengthOf(ms: number, language: Language): string {
  const unit = UNITS.find((one) => ms >= one.ms) ?? UNITS[UNITS.length - 1];
  if (unit === undefined) return '';
  const count = Math.round(ms / unit.ms);
  return `${count} ${unit[language][count === 1 ? 0 : 1]}`;
}

const newsOf = (apartMs: number, cause: string): News => ({
  type: 'SYSTEM',
  severity: 'HIGH',
  title: (language) => WORDS[language].title,
  message: (language) => {
    const { message, ahead, behind } = WORDS[language];
    return message(lengthOf(Math.abs(apartMs), language), apartMs > 0 ? ahead : behind);
  },
  data: { event: 'clock_apart', ahead_of_hosted_ms: apartMs },
  cause,
});
