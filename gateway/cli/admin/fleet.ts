import { pairingQueries } from '#adapters/sql/queries/cloud/pairing.ts';
import type { FleetGateway } from '#features/cloud/pairing/ports.ts';
import { type Command, linesOf } from './session.ts';

/** Gateways of a hosted instance, the one that was silent longest first. */
export const listFleet: Command = async ({ database, kernel }) => {
  const gateways = await pairingQueries(database.read).fleet();
  const shown = gateways
    .map((gateway) => seenAs(gateway, kernel.now()))
    .toSorted((a, b) => (b.silent_s ?? Number.MAX_SAFE_INTEGER) - (a.silent_s ?? Number.MAX_SAFE_INTEGER));
  const rows = shown.map((one) => [
    one.name,
    one.status,
    one.owner_email,
    one.software,
    one.silent_s === null ? 'never seen' : `seen ${inWords(one.silent_s)} ago`,
    `${one.farms} farms`,
    one.feed_pending === 0 ? 'up to date' : `${one.feed_pending} changes behind`,
    one.gateway_behind === null || one.gateway_behind === 0 ? null : `${one.gateway_behind} to come`,
    one.conflicts === 0 ? null : `${one.conflicts} conflicts`,
    one.parked === 0 ? null : `${one.parked} parked`,
    one.outage_until === null ? null : `outage until ${one.outage_until}`,
  ]);
  return { sentence: linesOf('No gateway is paired', rows), value: shown };
};

function seenAs(gateway: FleetGateway, nowMs: number) {
  const { last_seen_at: seen, behind, last_report_json: report } = gateway;
  return {
    id: gateway.id,
    name: gateway.name,
    status: gateway.status,
    owner_email: gateway.owner_email,
    software: gateway.software,
    schema_version: gateway.schema_version,
    hardware: gateway.hardware,
    paired_at: gateway.paired_at,
    last_seen_at: seen,
    silent_s: seen === null ? null : Math.max(0, Math.round((nowMs - Date.parse(seen)) / 1000)),
    epoch: gateway.epoch,
    farms: gateway.farms,
    feed_pending: behind,
    gateway_behind: behindOf(gateway, report),
    conflicts: gateway.conflicts,
    parked: gateway.parked,
    outage_until: gateway.outage_until,
  };
}

/** Changes of the gateway that have not come, as far as its last report tells. */
function behindOf({ in_core, in_history }: FleetGateway, report: string | null): number | null {
  if (report === null) return null;
  const { head } = JSON.parse(report) as { head?: { core?: unknown; history?: unknown } };
  if (typeof head?.core !== 'number' || typeof head.history !== 'number') return null;
  return Math.max(0, head.core - in_core) + Math.max(0, head.history - in_history);
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}
