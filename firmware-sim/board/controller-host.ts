import type { KeyObject } from 'node:crypto';
import { askForIdentity } from '../boot/claim-identity.ts';
import { FACTORY_CONFIG } from '../controller/state.ts';
import { createFleet, type Fleet, newKeyIn } from '../fleet/fleet.ts';
import type { SimClock } from '../sim-clock.ts';
import { readPin } from '../transport/gateway-trust.ts';
import { type BoardIdentity, boardIdentity } from './nvs.ts';

// The controller program on the board: the same simulated controller as in a fleet, with the identity that came over the
// cable, against a real gateway.

export type ControllerHost = {
  /** Gives the controller power; answers false where the identity names no gateway it could call. */
  run(identity: BoardIdentity, firmwareVersion: string): boolean;
  /** The board was reset or lost power: nobody says goodbye. */
  cut(): void;
  close(): Promise<void>;
};

export type ControllerNews =
  | { kind: 'connected' }
  | { kind: 'lost'; reason: string }
  | { kind: 'heartbeat' }
  /** The gateway gave it another key, and that key has opened a connection: it is the one to keep. */
  | { kind: 'rekeyed'; key: string }
  /** Its key was refused, and a technician gave it another one by the claim code of its label. */
  | { kind: 'adopted'; identity: BoardIdentity };

export function createControllerHost(deps: {
  clock: SimClock;
  seed: number;
  mac: string;
  /** Whose firmware it takes over the air. */
  firmwareKeys?: readonly KeyObject[] | undefined;
  tell: (news: ControllerNews) => void;
}): ControllerHost {
  // What the gateway last ordered outlives a reset, so the same identity keeps its controller.
  let current: { fleet: Fleet; who: string } | null = null;
  const leaving: Promise<void>[] = [];

  let asking: AbortController | null = null;

  const cut = () => {
    asking?.abort();
    current?.fleet.power('all', 'off');
  };
  const drop = () => {
    if (current === null) return;
    cut();
    leaving.push(current.fleet.stop());
    current = null;
  };
  /** One try at the door for boards without a key; the next one comes with the next refusal. */
  const ask = async (identity: BoardIdentity, firmwareVersion: string) => {
    const { claim, gw_host, gw_mqtt, device_id } = identity;
    if (claim === null || gw_mqtt === 0 || asking !== null) return;
    const tried = new AbortController();
    asking = tried;
    const given = await askForIdentity({
      mqttUrl: `mqtt://${gw_host}:${gw_mqtt}`,
      mac: deps.mac.replaceAll(/[:.-]/g, '').toLowerCase(),
      claim,
      firmwareVersion,
      formerDeviceId: device_id,
      signal: tried.signal,
    });
    asking = null;
    if (given === null || tried.signal.aborted) return;
    const adopted = { ...given, claim };
    deps.tell({ kind: 'adopted', identity: adopted });
    run(adopted, firmwareVersion);
  };
  const run: ControllerHost['run'] = (identity, firmwareVersion) => {
    const who = whoIs(identity, firmwareVersion);
    if (current?.who === who) {
      current.fleet.power('all', 'on');
      return true;
    }
    drop();
    const gateway = addressesOf(identity);
    if (gateway === null) return false;
    const { device_id, mqtt_id, key, fail_safe } = identity;
    const { transport, ...addresses } = gateway;
    const factoryConfig = fail_safe === null ? FACTORY_CONFIG : { ...FACTORY_CONFIG, fail_safe };
    const fleet = createFleet({
      controllers: [{ device_id, mqtt_id, key, transport, profile: { firmwareVersion, factoryConfig } }],
      ...addresses,
      seed: deps.seed,
      clock: deps.clock,
      firmwareKeys: deps.firmwareKeys,
    });
    const took: { fleet: Fleet; who: string } = { fleet, who };
    fleet.listen((event) => {
      if (event.kind === 'effect') {
        const { effect } = event;
        const isHeartbeat = effect.kind === 'post' || (effect.kind === 'publish' && effect.path === 'hb');
        if (isHeartbeat) deps.tell({ kind: 'heartbeat' });
        return;
      }
      const { message } = event;
      if (message.kind === 'disconnected' || message.kind === 'http_failed')
        deps.tell({ kind: 'lost', reason: message.reason });
      if (message.kind === 'disconnected' && message.isRefused === true) void ask(identity, firmwareVersion);
      if (message.kind !== 'connected') return;
      asking?.abort();
      const newKey = newKeyIn(event);
      if (newKey !== null) {
        took.who = whoIs({ ...identity, key: newKey }, firmwareVersion);
        deps.tell({ kind: 'rekeyed', key: newKey });
      }
      deps.tell({ kind: 'connected' });
    });
    current = took;
    fleet.start();
    return true;
  };
  return {
    run,
    cut,
    close: async () => {
      drop();
      await Promise.all(leaving);
    },
  };
}

function whoIs(identity: BoardIdentity, firmwareVersion: string): string {
  return JSON.stringify({ ...identity, firmwareVersion }, [
    ...Object.keys(boardIdentity.shape),
    'firmwareVersion',
  ]);
}

/** TLS with the pin where both are known, else MQTT in the clear, else HTTP. */
function addressesOf(identity: BoardIdentity) {
  const { gw_host: host, gw_http, gw_mqtt, gw_mqtts, gw_pin } = identity;
  const pin = gw_pin === null ? null : readPin(gw_pin);
  const httpBase = `http://${host}:${gw_http || 80}`;
  if (gw_mqtts !== 0 && pin !== null)
    return {
      transport: 'mqtt',
      httpBase,
      mqttUrl: `mqtts://${host}:${gw_mqtts}`,
      trust: { pins: [pin] },
    } as const;
  const mqttUrl = `mqtt://${host}:${gw_mqtt}`;
  if (gw_mqtt !== 0) return { transport: 'mqtt', httpBase, mqttUrl } as const;
  return gw_http === 0 ? null : ({ transport: 'http', httpBase, mqttUrl } as const);
}
