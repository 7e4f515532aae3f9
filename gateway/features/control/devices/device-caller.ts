import type { SeenDevice } from '#contract/resources/devices.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { AppError, conflict, notFound } from '#core/errors.ts';
import { FIRST_GENERATION, isFirstGeneration } from '#core/first-generation.ts';
import { isoOf } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import { notAuthenticated } from '#core/request-checks.ts';
import type { Caller, FarmFound, Request } from '#core/route.ts';
import { perform } from '#core/use-case.ts';
import type { ControlView } from '../control-view.ts';
import { activateKey, type KeyDeps, type KeyUses, matchingKey, needsKey } from './device-keys.ts';
import type { ReportDeps } from './on-report.ts';

const MOST_KEPT = 1_000;

export type SeenDevices = {
  note: (sight: {
    deviceId: string;
    source: string;
    via: 'mqtt' | 'http';
    reason: SeenDevice['reason'];
  }) => void;
  /** Last seen first. */
  list: () => SeenDevice[];
  forget: (deviceId: string) => void;
};

type Seen = Omit<SeenDevice, 'first_seen' | 'last_seen' | 'unsupported'> & {
  firstSeenMs: number;
  lastSeenMs: number;
};

/** Devices that knocked and belong to nobody, for the technician who adopts them; the longest silent are forgotten. */
export function createSeenDevices(deps: { now: () => number; changed: () => void }): SeenDevices {
  // instants are written out when they are asked for: thousands may knock, and few look
  const seenById = new NewestMap<string, Seen>(MOST_KEPT);
  return {
    note({ deviceId, source, via, reason }) {
      const at = deps.now();
      const name = deviceId.slice(0, 255);
      const known = seenById.get(name);
      seenById.set(name, {
        device_id: name,
        source,
        via,
        reason,
        firstSeenMs: known?.firstSeenMs ?? at,
        lastSeenMs: at,
        count: (known?.count ?? 0) + 1,
      });
      deps.changed();
    },
    list: () => [...seenById.values()].reverse().map(rowOf),
    forget(deviceId) {
      if (seenById.delete(deviceId)) deps.changed();
    },
  };
}

function rowOf({ firstSeenMs, lastSeenMs, count, ...sight }: Seen): SeenDevice {
  const unsupported = isFirstGeneration(sight.device_id) ? FIRST_GENERATION.en : null;
  return { ...sight, first_seen: isoOf(firstSeenMs), last_seen: isoOf(lastSeenMs), count, unsupported };
}

export type DeviceCallerDeps = ReportDeps &
  KeyDeps & {
    seen: SeenDevices;
    authenticate: (bearer: string) => Promise<Caller>;
    accessTo: (of: 'control_point', id: string, userId: string) => Promise<FarmFound | null>;
    /** From where controllers without a key are served. */
    unkeyedFrom: 'near' | 'anywhere' | 'nowhere';
    allowsUnkeyed: KeyUses['allowsUnkeyed'];
    /** True for addresses of a farm's own network. */
    isNear: (address: string) => boolean;
  };

type DeviceCaller =
  | { kind: 'controller'; view: ControlView; authenticated: boolean }
  | { kind: 'user'; view: ControlView; caller: Caller };

/**
 * Who calls a device endpoint for `deviceId`: the controller by its key, a user by a token with access to the control
 * point, or, on a farm's own network, the controller without one, where `allow_unkeyed` of the control point lets it.
 * Where several farms of a hosted instance have a device of that name, it is the one that the credential opens.
 * Throws 404 for an unknown device (noted for technicians), 409 for one of several that a user sees, 401 otherwise.
 */
export async function deviceCaller(
  deps: DeviceCallerDeps,
  deviceId: string,
  request: Pick<Request<unknown, unknown, unknown>, 'bearer' | 'source'>,
): Promise<DeviceCaller> {
  const { bearer, source } = request;
  const isNear = deps.isNear(source);
  const mayLackKey = deps.unkeyedFrom === 'anywhere' || (deps.unkeyedFrom === 'near' && isNear);
  // from afar nobody learns which devices exist
  if (bearer === null && !mayLackKey) throw notAuthenticated();
  const named = deps.views.byDeviceId(deviceId);
  const [first] = named;
  if (first === undefined) {
    if (bearer !== null && !isNear) await deps.authenticate(bearer);
    deps.seen.note({ deviceId, source, via: 'http', reason: 'unknown' });
    throw notFound('Device');
  }
  if (bearer === null) {
    // those of the simulator come with keys only: nothing real ever speaks for one; nor does a name alone for one of two
    if (named.length > 1 || first.row.is_simulated || needsKey(first))
      throw new AppError(401, 'This device has a key; send it as a Bearer token', {
        code: 'DEVICE_KEY_REQUIRED',
      });
    if (!deps.allowsUnkeyed(first)) {
      deps.seen.note({ deviceId, source, via: 'http', reason: 'no_key' });
      throw unkeyedRefused();
    }
    return { kind: 'controller', view: first, authenticated: false };
  }
  for (const view of named) {
    const used = matchingKey(deps, view, bearer);
    if (used === null) continue;
    if (used.state === 'pending') {
      await perform(deps, null, async () => ({ answer: undefined, changes: activateKey(deps, view, used) }));
    }
    return { kind: 'controller', view: deps.views.byId(view.row.id) ?? view, authenticated: true };
  }
  const caller = await deps.authenticate(bearer).catch((error: unknown) => {
    // a token of a login has three parts, a key has none: a wrong key is told to the technician
    if (bearer.split('.').length !== 3)
      deps.seen.note({ deviceId, source, via: 'http', reason: 'wrong_key' });
    throw error;
  });
  return { kind: 'user', view: await ofUser(deps, named, caller), caller };
}

/** More farms with one name are not looked through for somebody who owns none of them. */
const MOST_LOOKED_AT = 50;

/** The one of that name that the user may see. Throws 404 for none, 409 for several. */
async function ofUser(
  deps: Pick<DeviceCallerDeps, 'accessTo'>,
  named: readonly ControlView[],
  { userId }: Caller,
): Promise<ControlView> {
  const ownFirst = named.toSorted(
    (a, b) => Number(b.row.owner_id === userId) - Number(a.row.owner_id === userId),
  );
  const seen: ControlView[] = [];
  for (const view of ownFirst.slice(0, MOST_LOOKED_AT)) {
    const found = await deps.accessTo('control_point', view.row.id, userId);
    if (found?.role != null) seen.push(view);
  }
  const [view, other] = seen;
  if (view === undefined) throw notFound('Device');
  if (other !== undefined)
    throw conflict(
      'Several of your farms have a device of that name; ask for the control point',
      'DEVICE_AMBIGUOUS',
    );
  return view;
}

/** The same for what nobody learns by a name alone: 401 without a credential. */
export async function provedCaller(
  deps: DeviceCallerDeps,
  deviceId: string,
  request: Pick<Request<unknown, unknown, unknown>, 'bearer' | 'source'>,
): Promise<ControlView> {
  const who = await deviceCaller(deps, deviceId, request);
  if (who.kind === 'controller' && !who.authenticated) throw keyRequired();
  return who.view;
}

const keyRequired = () =>
  new AppError(401, 'This needs the key of the device; send it as a Bearer token', {
    code: 'DEVICE_KEY_REQUIRED',
  });

const unkeyedRefused = () =>
  new AppError(
    401,
    'Calls without a key are not taken for this control point: make a key at System, Devices and send it as a Bearer token, or let a technician switch on `allow_unkeyed` in its settings',
    { code: 'DEVICE_KEY_REQUIRED' },
  );

/** 403 unless the caller is the controller itself or a user who may operate it. */
export async function mayReport(deps: DeviceCallerDeps, who: DeviceCaller): Promise<boolean> {
  if (who.kind === 'controller') return true;
  const found = await deps.accessTo('control_point', who.view.row.id, who.caller.userId);
  return found?.role != null && mayOnFarm(found.role, 'operate');
}
