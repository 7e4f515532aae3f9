import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts';
import { pairingQueries } from '#adapters/sql/queries/cloud/pairing.ts';
import { memberQueries } from '#adapters/sql/queries/people/members.ts';
import { invitationCodes } from '#adapters/tokens/invitation-code.ts';
import type { FleetGateway } from '#features/cloud/pairing/ports.ts';
import {
  leaveLost,
  lostPeopleAnswers,
  type TakeBackDeps,
  takeBack,
} from '#features/cloud/pairing/take-back.ts';
import { firstRowsOf } from '#operations/pairing/hosted-pairing.ts';
import { UsageError } from '#runtime/config.ts';
import { type Command, commitDecided, linesOf, required, type Session } from './session.ts';

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

/** What gateways know of people and a failover or a restore lost, with the word to take each back. */
export const listLostPeople: Command = async (session) => {
  const lost = await lostPeopleAnswers(takeBackDeps(session));
  const rows = lost.map((one) => [
    one.id,
    one.kind,
    one.email,
    one.name,
    one.role,
    one.farm_name,
    one.stands === null ? null : `here: ${one.stands}`,
    `says ${one.gateway_name} of ${one.gateway_owner}`,
    one.email_taken ? 'the address has another account here: invite that one' : null,
  ]);
  return { sentence: linesOf('No gateway knows of anybody who is lost here', rows), value: lost };
};

const AT_THE_COMMAND_LINE = { userId: null, source: 'admin' };

export const takeBackLostPerson: Command = async (session) => {
  const id = required(session, 'id');
  const taken = await commitDecided(session, () => takeBack(takeBackDeps(session), AT_THE_COMMAND_LINE, id));
  const sentence =
    taken.code === null
      ? taken.kind === 'membership'
        ? `${taken.email} is a member of the farm again`
        : `The ${taken.kind} of ${taken.email} is as the gateway says`
      : `${taken.email} chooses a password with the code ${taken.code} until ${taken.expires_at}; it is shown this once`;
  return { sentence, value: taken };
};

export const leaveLostPerson: Command = async (session) => {
  const id = required(session, 'id');
  await commitDecided(session, () => leaveLost(takeBackDeps(session), AT_THE_COMMAND_LINE, id));
  return { sentence: 'It stays lost here, and is offered no more', value: { id } };
};

function takeBackDeps({ config, database, kernel, passwordCost }: Session): TakeBackDeps {
  if (config.role !== 'hosted')
    throw new UsageError('Only a hosted instance has gateways; say --database-url');
  return {
    ...kernel,
    queries: { ...pairingQueries(database.read), ...memberQueries(database.read) },
    codes: invitationCodes,
    codeHash: argon2Passwords(passwordCost).codeHash,
    // whoever stands before it hands the code over
    sendLetter: null,
    firstRows: (userId) => firstRowsOf(kernel, database, userId),
  };
}
