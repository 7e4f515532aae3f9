import type * as z from 'zod';
import type { BootCredentials, BootIdentity } from '#contract/mqtt/boot.ts';
import type { RowOf } from '#contract/resource.ts';
import type { adoptNewInput } from '#contract/resources/adoption.ts';
import type { deviceKey, deviceMark } from '#contract/resources/local-tables.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { ControlPoint, ControlView } from '#features/control/control-view.ts';
import type { BootDesk, ProvisioningWindow } from './boot-desk.ts';

export type DeviceMark = RowOf<typeof deviceMark>;

export type MarkQueries = {
  marksOf: (ids: readonly string[]) => Promise<DeviceMark[]>;
  /** Ids of those that are older than the newest `kept`. */
  marksBeyond: (mark: DeviceMark['mark'], kept: number) => Promise<string[]>;
};

export type Keyed = Pick<ControlView, 'row' | 'keys'>;

export type AdoptDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  window: ProvisioningWindow;
  desk: BootDesk;
  queries: MarkQueries;
  freshView: (controlPointId: string) => Promise<ControlView | null>;
  isConnected: (mqttId: string) => boolean;
  mqttIdOf: (deviceId: string) => string;
  /** Decides that a control point has another device; its keys go with the old one. */
  nameDevice: (caller: Caller, of: Keyed, deviceId: string) => Promise<Decision<ControlPoint>>;
  createPoint: (caller: Caller, input: NewPoint) => Promise<Decision<ControlPoint>>;
  /** 256 random bits, base64url. */
  newKey: () => string;
  /** `isGiven`: the device itself has it, so that the one before ends with the first use of the new one. */
  issueKey: (
    of: Keyed,
    by: string,
    how: { isGiven: boolean; key: string },
  ) => Decision<{ row: RowOf<typeof deviceKey> }>;
  /** True when a key of it was used: a controller without one is refused. */
  needsKey: (of: Keyed) => boolean;
  /** Where a controller finds this gateway. */
  whereabouts: () => Pick<BootIdentity, 'gw_host' | 'gw_http' | 'gw_mqtt' | 'gw_mqtts' | 'gw_pin'>;
  seal: (what: { claim: string; mac: string; nonce: string; identity: BootIdentity }) => BootCredentials;
  proofOf: (key: string, nonce: string) => string;
};

export type NewPoint = Pick<z.infer<typeof adoptNewInput>, 'farm_id' | 'cod'> & { device_id: string };
