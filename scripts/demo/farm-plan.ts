import type { MemberRole } from '#contract/words.ts';
import type { TransportKind } from '#sim/controller/state.ts';

// A shrimp farm on the lower Jaguaribe, Ceará: four nursery ponds that breathe all day, sixteen fattening ponds that
// need air from dusk to dawn, two feeders.

export const FARM = {
  name: 'Fazenda Barra do Jaguaribe',
  description: 'Litopenaeus vannamei, four nursery and sixteen fattening ponds',
  address: {
    street: 'Estrada do Canoé',
    number: 1400,
    city: 'Aracati',
    state: 'CE',
    zip_code: '62800-000',
    lat: '-4.5617',
    lng: '-37.7697',
    is_primary: true,
  },
} as const;

export const farmIn = (language: 'pt-BR' | 'en') =>
  language === 'en'
    ? FARM
    : { ...FARM, description: 'Litopenaeus vannamei, quatro berçários e dezesseis viveiros de engorda' };

export const OWNER = { name: 'Marina Duarte', email: 'demo@fazenda.example' } as const;

export const MEMBERS: readonly { name: string; email: string; role: MemberRole }[] = [
  { name: 'Raimundo Alves', email: 'manager@fazenda.example', role: 'MANAGER' },
  { name: 'Jéssica Lima', email: 'technician@fazenda.example', role: 'TECHNICIAN' },
  { name: 'Cícero Nunes', email: 'operator@fazenda.example', role: 'OPERATOR' },
  { name: 'Caio Teles', email: 'viewer@fazenda.example', role: 'VIEWER' },
];

export type PlannedAerator = { name: string; device_id: string; power_kw: number };
export type PlannedPond = {
  cod: string;
  pond_type: 'NURSERY' | 'FATTENING';
  size_m2: number;
  depth_m: number;
  aerators: readonly PlannedAerator[];
};
export type PlannedPoint = {
  cod: string;
  device_id: string;
  transport: TransportKind;
  feeder: 'A' | 'B';
  /** Without schedule: nursery ponds always breathe. */
  base: 'ON' | 'OFF';
  ponds: readonly PlannedPond[];
};

const NURSERY_M2 = [420, 420, 480, 510];
const FATTENING_M2 = [
  6_200, 6_400, 7_100, 7_350, 8_000, 8_200, 8_150, 9_400, 9_600, 10_100, 10_250, 10_900, 11_300, 11_800,
  12_000, 12_400,
];
/** Ponds V-01 to V-16 on the control points CP-02 to CP-08. */
const PONDS_PER_POINT = [2, 2, 2, 2, 2, 3, 3];

export const POINTS: readonly PlannedPoint[] = [nurseryPoint(), ...fatteningPoints()];

/** The controller that fell silent half an hour ago and stays so. */
export const SILENT = 'CP-08';
/** The controller whose contactor sticks while you look. */
export const STUCK = 'CP-05';

export function powerOf({ ponds }: PlannedPoint): number {
  return ponds.flatMap(({ aerators }) => aerators).reduce((sum, { power_kw }) => sum + power_kw, 0);
}

function nurseryPoint(): PlannedPoint {
  const ponds = NURSERY_M2.map((size_m2, index) => pond('NURSERY', index + 1, size_m2));
  return { cod: 'CP-01', device_id: 'aer-ctl-01', transport: 'mqtt', feeder: 'A', base: 'ON', ponds };
}

function fatteningPoints(): PlannedPoint[] {
  const starts = PONDS_PER_POINT.map((_count, index) =>
    PONDS_PER_POINT.slice(0, index).reduce((sum, count) => sum + count, 0),
  );
  return PONDS_PER_POINT.map((count, index): PlannedPoint => {
    const first = starts[index] ?? 0;
    const number = `0${index + 2}`;
    return {
      cod: `CP-${number}`,
      device_id: `aer-ctl-${number}`,
      // older panels poll; the newer ones hold a connection
      transport: index % 3 === 2 ? 'http' : 'mqtt',
      feeder: index < 4 ? 'A' : 'B',
      base: 'OFF',
      ponds: FATTENING_M2.slice(first, first + count).map((size_m2, place) =>
        pond('FATTENING', first + place + 1, size_m2),
      ),
    };
  });
}

function pond(pond_type: PlannedPond['pond_type'], number: number, size_m2: number): PlannedPond {
  const isNursery = pond_type === 'NURSERY';
  const cod = `${isNursery ? 'N' : 'V'}-${String(number).padStart(2, '0')}`;
  // 2 hp paddle wheels, one for every 3,000 m²; a nursery tank has one small blower
  const count = isNursery ? 1 : Math.round(size_m2 / 3_000);
  return {
    cod,
    pond_type,
    size_m2,
    depth_m: isNursery ? 1.1 : 1.4 + (number % 3) / 10,
    aerators: Array.from({ length: count }, (_each, index) => ({
      name: isNursery ? `Blower ${cod}` : `Paddle wheel ${cod}/${index + 1}`,
      device_id: `${isNursery ? 'blw' : 'pdw'}-${cod.toLowerCase()}-${index + 1}`,
      power_kw: isNursery ? 0.75 : 1.5,
    })),
  };
}
