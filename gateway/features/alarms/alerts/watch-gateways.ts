import { pairedGateway } from '#contract/resources/sync-tables.ts';
import type { AlertCause, Alerting } from '#core/alerting.ts';
import { type Change, update } from '#core/changes.ts';
import type { ProcessPauses } from '#core/clock-trust.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Language, Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { SEVERITY_BY_TYPE } from './alert-words.ts';
import { silentGatewayWords } from './device-alert-words.ts';
import type { PairedGateway, SilenceQueries } from './ports.ts';

export type GatewayWatchDeps = Pick<Kernel, 'now' | 'commit' | 'pause' | 'random' | 'guard' | 'log'> & {
  monotonic: () => number;
  /** Since when this process could have heard of gateways, by the same clock. */
  listeningSince: number;
  pauses: ProcessPauses;
  alerting: Alerting;
  notify: Notify;
  queries: SilenceQueries;
};

export const SILENT_AFTER_MS = 5 * 60_000;
const MINUTE_MS = 60_000;
/** Links that broke while this process stood still are there again within a minute. */
const RECONNECTED_AFTER_MS = MINUTE_MS;
const MOST_A_LOOK = 100;

/**
 * The dead-man switch: a farm hears from the cloud that its gateway is silent, and that it is back. Nobody on the farm
 * could tell it. A silence that was announced is none.
 */
export function createGatewayWatch(deps: GatewayWatchDeps): { tick: () => Promise<void> } {
  async function tick(): Promise<void> {
    const now = deps.now();
    await each(await deps.queries.backSince(now - SILENT_AFTER_MS, MOST_A_LOOK), tellBack);
    // an instance that was down itself heard of nobody: everybody gets the time to come back first
    if (deps.monotonic() - deps.listeningSince < SILENT_AFTER_MS || wasAway()) return;
    await each(await deps.queries.silentSince(now - SILENT_AFTER_MS, now, MOST_A_LOOK), tellSilent);
  }

  /** It stood still a moment ago: then everybody gets as long as that lasted, and the time to connect again. */
  function wasAway(): boolean {
    const last = deps.pauses.all().at(-1);
    if (last === undefined) return false;
    return deps.monotonic() - last.to < Math.min(SILENT_AFTER_MS, last.to - last.from + RECONNECTED_AFTER_MS);
  }

  async function each(
    gateways: readonly PairedGateway[],
    tell: (gateway: PairedGateway) => Promise<Change[]>,
  ): Promise<void> {
    for (const { id } of gateways) {
      await perform(deps, null, async () => {
        const guard = await deps.guard('gateway', id);
        const gateway = await deps.queries.gatewayById(id);
        const changes = gateway === null ? [] : await tell(gateway);
        return { answer: undefined, changes, guards: [guard] };
      }).catch((error: unknown) =>
        deps.log.error(
          { err: error, gatewayId: id },
          'the silence of a gateway could not be told; it is tried again',
        ),
      );
    }
  }

  /** Looks once more: another process may have told it, or the gateway may have come back. */
  async function tellSilent(gateway: PairedGateway): Promise<Change[]> {
    const now = deps.now();
    const seenAt = Date.parse(gateway.last_seen_at ?? gateway.paired_at);
    const isMeant = gateway.outage_until !== null && Date.parse(gateway.outage_until) > now;
    if (gateway.silent_since !== null || isMeant || gateway.status !== 'active') return [];
    if (now - seenAt < SILENT_AFTER_MS) return [];
    const changes: Change[] = [update(pairedGateway, gateway.id, { silent_since: isoOf(seenAt) })];
    const farms = await deps.queries.farmsOfStream(gateway.stream_id);
    for (const farm of farms)
      changes.push(...(await deps.alerting.raise(silenceOf(farm, gateway, seenAt, now))));
    if (farms.length === 0) changes.push(...(await tellOwner(gateway, seenAt, now)));
    return changes;
  }

  function tellOwner(gateway: PairedGateway, seenAt: number, now: number): Promise<Change[]> {
    return deps.notify(
      { userIds: [gateway.owner_id] },
      {
        type: 'SYSTEM',
        severity: 'HIGH',
        title: (language) =>
          ({ 'pt-BR': 'Gateway sem comunicação', en: 'Gateway silent', es: 'Gateway sin comunicación' })[
            language
          ],
        message: silentGatewayWords(gateway.name, Math.floor((now - seenAt) / MINUTE_MS)),
        data: { event: 'gateway_silent', gateway_id: gateway.id },
        cause: `gateway_silent:${gateway.id}:${isoOf(seenAt)}`,
      },
    );
  }

  async function tellBack(gateway: PairedGateway): Promise<Change[]> {
    const { silent_since, last_seen_at } = gateway;
    if (silent_since === null) return [];
    const isBack = last_seen_at !== null && deps.now() - Date.parse(last_seen_at) < SILENT_AFTER_MS;
    if (!isBack && gateway.status === 'active') return [];
    const changes: Change[] = [update(pairedGateway, gateway.id, { silent_since: null })];
    const farms = await deps.queries.farmsOfStream(gateway.stream_id);
    for (const { id } of farms)
      changes.push(...(await deps.alerting.resolve({ type: 'GATEWAY_OFFLINE', farm_id: id })));
    if (!isBack) return changes;
    const minutes = Math.max(
      1,
      Math.round((Date.parse(last_seen_at) - Date.parse(silent_since)) / MINUTE_MS),
    );
    const news = {
      type: 'SYSTEM',
      title: (language: Language) =>
        ({ 'pt-BR': 'Gateway voltou', en: 'Gateway is back', es: 'El gateway volvió' })[language],
      message: backWords(gateway.name, minutes),
      data: { event: 'gateway_back', gateway_id: gateway.id, silent_minutes: minutes },
      cause: `gateway_back:${gateway.id}:${silent_since}`,
    } as const;
    const readers = farms.map(({ id }) => ({ farmId: id, who: 'attendants' }) as const);
    if (readers.length === 0)
      return [...changes, ...(await deps.notify({ userIds: [gateway.owner_id] }, news))];
    const told = new Map<string, Change>();
    // who operates several farms of it is told once: the cause is the gateway's
    for (const to of readers)
      for (const change of await deps.notify(to, news))
        told.set('row' in change ? change.row.id : change.id, change);
    return [...changes, ...told.values()];
  }

  return { tick };
}

function silenceOf(
  farm: { id: string; name: string },
  gateway: PairedGateway,
  seenAt: number,
  now: number,
): AlertCause {
  const words = silentGatewayWords(`${gateway.name} (${farm.name})`, Math.floor((now - seenAt) / MINUTE_MS));
  return {
    farm_id: farm.id,
    control_point_id: null,
    pond_id: null,
    type: 'GATEWAY_OFFLINE',
    severity: SEVERITY_BY_TYPE.GATEWAY_OFFLINE,
    message: words('pt-BR'),
    words,
    cause: `gateway_offline:${farm.id}:${isoOf(seenAt)}`,
  };
}

function backWords(name: string, minutes: number): (language: Language) => string {
  return (language) =>
    ({
      'pt-BR': `O gateway ${name} voltou depois de ${minutes} minutos sem comunicação.`,
      en: `The gateway ${name} is back after ${minutes} minutes of silence.`,
      es: `El gateway ${name} volvió después de ${minutes} minutos sin comunicación.`,
    })[language];
}
