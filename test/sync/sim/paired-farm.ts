import type { Database } from '#adapters/sql/database.ts';
import type { RowOf } from '#contract/resource.ts';
import { address } from '#contract/resources/addresses.ts';
import { farm } from '#contract/resources/farms.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { pairedGateway, syncFarm } from '#contract/resources/sync-tables.ts';
import { NO_PASSWORD, user } from '#contract/resources/users.ts';
import { type Committed, insert, put } from '#core/changes.ts';

// An owner with a farm on the hosted instance, and a gateway that was paired with it a moment ago.

/** Stream of the one gateway in a simulated world. */
export const STREAM = 2;
export const GATEWAY_ID = '00000000-0000-4000-8000-000000000001';

const AT = '2026-03-01T12:00:00.000Z';
export const OWNER = '10000000-0000-4000-8000-000000000001';
const ADDRESS = '25000000-0000-4000-8000-000000000001';
export const FARM = '20000000-0000-4000-8000-000000000001';

/** The stream that a pairing makes on the hosted instance, which has an unused one of its own. */
export const PAIRED_STREAM = `update sync_stream set gateway_id = '00000000-0000-4000-8000-000000000002';
  insert into sync_stream (stream_id, gateway_id, epoch, hlc, tx, core_seq, core_chain,
  history_seq, history_chain) values (${STREAM}, '${GATEWAY_ID}', 1, null, 0, 0, '', 0, '')`;

export async function settleOwner(database: Database): Promise<Committed[]> {
  await database.commit({
    actor: null,
    changes: [put(pairedGateway, gatewayRow()), put(syncFarm, { id: FARM, stream_id: STREAM, bound_at: AT })],
  });
  return [
    await database.commit({ actor: null, changes: [insert(user, ownerRow())] }),
    await database.commit({
      actor: null,
      changes: [
        insert(address, addressRow()),
        insert(farm, farmRow()),
        insert(subscription, subscriptionRow()),
      ],
    }),
  ];
}

function ownerRow(): RowOf<typeof user> {
  return {
    id: OWNER,
    numeric_id: 1,
    email: 'maria@fazenda.br',
    email_key: 'maria@fazenda.br',
    name: 'Maria',
    phone_number: null,
    role: 'OWNER',
    is_active: true,
    password_hash: NO_PASSWORD,
    password_version: 1,
    language: null,
    created_at: AT,
    updated_at: null,
  };
}

function addressRow(): RowOf<typeof address> {
  return {
    id: ADDRESS,
    user_id: OWNER,
    street: 'Estrada do Camarão',
    number: 1,
    complement: null,
    city: 'Aracati',
    state: 'CE',
    zip_code: '62800-000',
    country: 'Brazil',
    lat: null,
    lng: null,
    is_primary: false,
    created_at: AT,
    updated_at: null,
  };
}

function farmRow(): RowOf<typeof farm> {
  return {
    id: FARM,
    name: 'Fazenda Aurora',
    description: null,
    owner_id: OWNER,
    address_id: ADDRESS,
    lat: null,
    lng: null,
    timezone: 'America/Fortaleza',
    created_at: AT,
    updated_at: null,
  };
}

function subscriptionRow(): RowOf<typeof subscription> {
  return {
    id: '30000000-0000-4000-8000-000000000001',
    user_id: OWNER,
    plan: 'FREE',
    status: 'ACTIVE',
    currency: 'BRL',
    payment_provider: null,
    payment_customer_id: null,
    payment_subscription_id: null,
    current_period_start: null,
    current_period_end: null,
    cancel_at_period_end: false,
    past_due_since: null,
    max_farms: null,
    max_ponds_per_farm: null,
    max_batches_per_pond: null,
    features: null,
    created_at: AT,
    updated_at: null,
  };
}

function gatewayRow(): RowOf<typeof pairedGateway> {
  return {
    id: GATEWAY_ID,
    stream_id: STREAM,
    owner_id: OWNER,
    name: 'Gateway',
    public_key: 'A'.repeat(43),
    next_public_key: null,
    key_retires_at: null,
    status: 'active',
    software: 'test',
    schema_version: 1,
    hardware: 'none',
    paired_at: AT,
    revoked_at: null,
    last_seen_at: null,
    last_report_json: null,
    outage_until: null,
    outage_reason: null,
    silent_since: null,
    runs_json: '[]',
  };
}
