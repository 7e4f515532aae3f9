import type { RowOf } from '#contract/resource.ts';
import type { farm } from '#contract/resources/farms.ts';
import type { logEntry } from '#contract/resources/logs.ts';
import type { user } from '#contract/resources/users.ts';

// Rows with nothing special about them.

const AT = '2026-03-01T12:00:00.000Z';
const idOf = (kind: number, n: number): string =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`;

export function aUserRow(n: number): RowOf<typeof user> {
  return {
    id: idOf(1, n),
    numeric_id: n,
    email: `maria-${n}@fazenda.br`,
    email_key: `maria-${n}@fazenda.br`,
    name: 'Maria',
    phone_number: null,
    role: 'OWNER',
    is_active: true,
    password_hash: 'nobody logs in here',
    password_version: 1,
    language: null,
    created_at: AT,
    updated_at: null,
  };
}

export function aFarmRow(n: number, owner_id: string): RowOf<typeof farm> {
  return {
    id: idOf(2, n),
    name: 'Fazenda Aurora',
    description: null,
    owner_id,
    address_id: null,
    lat: null,
    lng: null,
    timezone: 'America/Fortaleza',
    created_at: AT,
    updated_at: null,
  };
}

export function aLogRow(n: number, farm_id: string): RowOf<typeof logEntry> {
  return {
    id: idOf(3, n),
    farm_id,
    entity_type: 'SYSTEM',
    entity_id: farm_id,
    entity_name: 'Fazenda Aurora',
    action: 'LOOKED_AT',
    user_id: null,
    origin: 'LOCAL',
    details: { n },
    timestamp: AT,
    clock_quality: 'trusted',
  };
}
