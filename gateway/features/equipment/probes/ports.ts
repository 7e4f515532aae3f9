import type { RowOf } from '#contract/resource.ts';
import type { BusKind, ProbeTroubleCode, probe, probeBus, probeProfile } from '#contract/resources/probes.ts';
import type { MeasurementCreate } from '#contract/resources/water-quality.ts';

export type ProbeRow = RowOf<typeof probe>;
export type BusRow = RowOf<typeof probeBus>;
export type ProfileRow = RowOf<typeof probeProfile>;

/** A probe with the pond it hangs in, both standing. */
export type ProbeInPond = ProbeRow & { pond_cod: string };

/** Where a bus is and how fast it speaks. */
export type BusAddress = {
  kind: BusKind;
  device: string | null;
  baud: number;
  parity: 'none' | 'even' | 'odd';
  stopBits: number;
  host: string | null;
  port: number;
};

/** `address` as on the wire, `count` registers of 16 bits from there, at most 125. */
export type RegisterRead = { unitId: number; functionCode: 3 | 4; address: number; count: number };

/** What came of reading. `exception`: the code a probe refused with, for example 2: no such register. */
export type WordsRead =
  | { is: 'words'; words: readonly number[] }
  | { is: 'trouble'; code: ProbeTroubleCode; exception: number | null };

/** `lateMs`: how long after a request its answer may still come; the unit is asked for nothing else meanwhile. */
export type Patience = { timeoutMs: number; tries: number; lateMs: number };

/** An open bus. Reads are carried out one after the other, in the order they were asked for. */
export type BusLink = {
  read: (read: RegisterRead, patience: Patience) => Promise<WordsRead>;
  /** False once the cable is out or the other side hung up; it does not open again by itself. */
  isOpen: () => boolean;
  close: () => Promise<void>;
};

export type BusOpened = { is: 'open'; link: BusLink } | { is: 'trouble'; code: ProbeTroubleCode };
export type OpenBus = (address: BusAddress) => Promise<BusOpened>;

/** Facts of the probes of this instance; what lies on a deleted farm or pond is left out. */
export type ProbeQueries = {
  buses: () => Promise<BusRow[]>;
  probes: () => Promise<ProbeInPond[]>;
  profiles: () => Promise<ProfileRow[]>;
  busById: (id: string) => Promise<BusRow | null>;
  probeById: (id: string) => Promise<ProbeInPond | null>;
  profileById: (id: string) => Promise<ProfileRow | null>;
  busesOf: (farmId: string) => Promise<BusRow[]>;
  probesOf: (farmId: string) => Promise<ProbeInPond[]>;
  profilesOf: (farmId: string) => Promise<ProfileRow[]>;
  /** By UUID or integer; null: there is none. */
  pondOf: (ref: string) => Promise<{ id: string; cod: string; farm_id: string } | null>;
};

/** Stores a measurement with all it means for alarms and aeration. */
export type RecordWater = (measured: MeasurementCreate) => Promise<void>;
