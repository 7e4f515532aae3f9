import type { RowOf } from '#contract/resource.ts';
import type { controlPoint } from '#contract/resources/control-points.ts';
import type { farm, farmMember } from '#contract/resources/farms.ts';
import type { pond } from '#contract/resources/ponds.ts';
import type { user } from '#contract/resources/users.ts';
import type { measurement } from '#contract/resources/water-quality.ts';
import { numberOf } from '#core/numeric-id.ts';
import { controlPointRow } from '#test/farm-rows.ts';

// Rows of one small farm; each is named by a number.

export const at = '2026-03-01T12:00:00.000Z';
export const idOf = (kind: number, n: number): string =>
  `01900000-000${kind}-7000-8000-${n.toString(16).padStart(12, '0')}`;

export const ana = idOf(1, 1);
export const norte = idOf(2, 1);

export const aUser = (fields: Partial<RowOf<typeof user>> = {}): RowOf<typeof user> => {
  const id = fields.id ?? ana;
  return {
    id,
    numeric_id: numberOf(id, 0),
    email: 'Ana@farm.br',
    email_key: 'ana@farm.br',
    name: 'Ana',
    phone_number: null,
    role: 'OWNER',
    is_active: true,
    password_hash: 'x',
    password_version: 1,
    language: null,
    created_at: at,
    updated_at: null,
    ...fields,
  };
};

export const aFarm = (fields: Partial<RowOf<typeof farm>> = {}): RowOf<typeof farm> => ({
  id: norte,
  name: 'Norte',
  description: null,
  owner_id: ana,
  address_id: null,
  lat: null,
  lng: null,
  timezone: 'America/Fortaleza',
  created_at: at,
  updated_at: null,
  ...fields,
});

export const aMember = (fields: Partial<RowOf<typeof farmMember>>): RowOf<typeof farmMember> => ({
  id: idOf(6, 1),
  farm_id: norte,
  user_id: ana,
  role: 'MANAGER',
  created_at: at,
  updated_at: null,
  ...fields,
});

export const aPond = (n: number, fields: Partial<RowOf<typeof pond>> = {}): RowOf<typeof pond> => {
  const id = idOf(3, n);
  return {
    id,
    numeric_id: numberOf(id, 0),
    farm_id: norte,
    cod: `V-${n}`,
    pond_type: null,
    size_m2: 2000,
    depth_m: 1.5,
    lat: null,
    lng: null,
    aerator_count: 0,
    control_point_id: null,
    created_at: at,
    updated_at: null,
    ...fields,
  };
};

export const aControlPoint = (
  n: number,
  fields: Partial<RowOf<typeof controlPoint>> = {},
): RowOf<typeof controlPoint> => ({
  ...controlPointRow(idOf(4, n), norte, ana),
  cod: `CP-${n}`,
  device_id: `dev-${n}`,
  ...fields,
});

export const aMeasurement = (
  n: number,
  fields: Partial<RowOf<typeof measurement>> = {},
): RowOf<typeof measurement> => ({
  id: idOf(5, n),
  pond_id: idOf(3, 1),
  measurement_date: at,
  temperature: 28,
  dissolved_oxygen: 5.2,
  ph: 8,
  salinity: null,
  alkalinity: null,
  ammonia: null,
  nitrite: null,
  nitrate: null,
  transparency: null,
  notes: null,
  source: 'manual',
  created_by: null,
  clock_quality: 'trusted',
  created_at: at,
  updated_at: null,
  ...fields,
});
