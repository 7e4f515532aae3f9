import { createHash, createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod';
import {
  BOOT_USER,
  type BootIdentity,
  bootClientId,
  bootCredentials,
  bootTopic,
} from '#contract/mqtt/boot.ts';
import { deviceCommand } from '#contract/mqtt/messages.ts';
import { commandTopic } from '#contract/mqtt/topics.ts';
import { openCredentials } from '../boot/claim-identity.ts';
import type { HttpAnswer } from '../fetch-firmware.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { openSession, parseAs, readJson } from './gateway-under-test.ts';
import type { Probe, ProbeIdentity } from './mqtt-probe.ts';
import { type Check, demand, Skipped } from './report.ts';

type GatewayCheck = Check<GatewayUnderTest>;

const CLAIM = 'K7QX9M2P4RTW6H3N';
const OTHER_CLAIM = 'A7QX9M2P4RTW6H3N';
const ENDS_WITHIN_MS = 10_000;
/** 256 bits in base64url; in hexadecimal it is longer. */
const KEY_CHARACTERS = 43;
const NEEDS = ['mqtt.answers', 'http.answers'];

const point = z.object({ id: z.string(), farm_id: z.string() });
const issued = z.object({ mqtt_id: z.string(), key: z.string() });
const window = z.object({ is_open: z.boolean() });

// Keys that change, and boards that come without one. Each check makes a control point of its own and removes it: the
// device under test keeps its key.
export const GATEWAY_KEY_CHECKS: readonly GatewayCheck[] = [
  {
    id: 'key.mqtt-id',
    clause: '2.1',
    title: 'a device_id that is no client id gets an mqtt_id of its SHA-256, and opens with it',
    needs: NEEDS,
    run: (gateway) =>
      withOwnDevice(
        gateway,
        async (own) => {
          const issued = await own.newKey();
          const wanted = `d-${createHash('sha256').update(own.deviceId).digest('hex').slice(0, 16)}`;
          demand(issued.clientId === wanted, `mqtt_id ${issued.clientId}, not ${wanted}`);
          await demandOpens(gateway, issued, 'the key of that mqtt_id');
        },
        (name) => `${name} viveiro 7`,
      ),
  },
  {
    id: 'key.bits',
    clause: '9.1',
    title: 'a key has room for 256 bits, and no two are the same',
    needs: NEEDS,
    run: (gateway) =>
      withOwnDevice(gateway, async (own) => {
        const keys = [await own.newKey(), await own.newKey()].map(({ password }) => password ?? '');
        for (const key of keys) demand(key.length >= KEY_CHARACTERS, `a key of ${key.length} characters`);
        demand(keys[0] !== keys[1], 'the second key is the first again');
      }),
  },
  {
    id: 'key.overlap',
    clause: '2.5',
    title: 'a new key is pending until its first use, and the old one opens meanwhile and for a time after',
    needs: NEEDS,
    run: (gateway) =>
      withOwnDevice(gateway, async (own) => {
        const first = await own.newKey();
        await demandOpens(gateway, first, 'the first key');
        const second = await own.newKey();
        await demandOpens(gateway, first, 'the old key while the new one is pending');
        await demandOpens(gateway, second, 'the new key');
        await demandOpens(gateway, first, 'the old key after the first use of the new one');
      }),
  },
  {
    id: 'key.rotated',
    clause: '4.8.1',
    title: 'rotate_key brings a key that opens beside the old one, and alone once it was used',
    needs: [...NEEDS, 'mqtt.subscribe.own'],
    run: (gateway) =>
      withOwnDevice(gateway, async (own) => {
        const old = await own.newKey();
        const probe = await openSession(gateway, old);
        const sent = await rotated(own, probe, old.clientId);
        await probe.leave();
        await demandOpens(gateway, old, 'the old key before the new one was used');
        await demandOpens(gateway, { ...old, password: sent }, 'the new key');
        const { code, probe: late } = await gateway.open(old);
        late?.vanish();
        demand(code === 4 || code === 5, `the old key still opens after the new one was used (${code})`);
      }),
  },
  {
    id: 'boot.closed',
    clause: '10.2',
    title: 'while the window is closed a board without a key is refused with CONNACK 5',
    needs: ['mqtt.answers'],
    run: async (gateway) => {
      const { code, probe } = await gateway.open(guest(aMac()));
      probe?.vanish();
      if (code === 0 && (gateway.user === null || (await isWindowOpen(gateway))))
        throw new Skipped('the provisioning window is open');
      demand(code === 5, `CONNACK ${code}`);
    },
  },
  {
    id: 'boot.topics',
    clause: '10.2',
    title: 'in the window a board may listen for its own credentials, and for nothing else',
    needs: ['boot.closed', 'http.answers'],
    run: (gateway) =>
      withBoard(gateway, async ({ probe, mac }) => {
        const others = [bootTopic(aMac(), 'credentials'), 'sf/v1/boot/#', bootTopic(mac, 'hello'), '#'];
        for (const filter of others)
          demand((await probe.subscribe(filter)) === 128, `it was let listen to ${filter}`);
      }),
  },
  {
    id: 'boot.claim.other',
    clause: '10.5',
    title: 'a board that cannot open its credentials gets no place, and nothing is changed',
    needs: ['boot.closed', 'http.answers'],
    run: (gateway) =>
      withBoard(gateway, async ({ probe, mac, nonce }) => {
        const cod = `conformance-${mac}`;
        const adopting = adopt(gateway, { cod, mac, claim: OTHER_CLAIM });
        const opened = await credentialsFor(probe, { mac, nonce });
        demand(opened === null, 'it was sealed with another code than the one that was given');
        await probe.publish(bootTopic(mac, 'result'), { ok: false, error: 'claim' });
        const { status } = await adopting;
        demand(status >= 400 && status < 500, `it was adopted all the same (${status})`);
        const known = await call(gateway, 'GET', `/control-points/?farm_id=${await farmOf(gateway)}`);
        demand(!JSON.stringify(known.body).includes(cod), 'a control point was made for it');
      }),
  },
  {
    id: 'boot.claim.own',
    clause: '10.4',
    title: 'a board gets an identity that its claim code opens, and comes with it when its session was ended',
    needs: ['boot.closed', 'http.answers'],
    run: (gateway) =>
      withBoard(gateway, async ({ probe, mac, nonce }) => {
        const adopting = adopt(gateway, { cod: `conformance-${mac}`, mac, claim: CLAIM });
        const given = await credentialsFor(probe, { mac, nonce });
        demand(given !== null, 'its claim code does not open its credentials');
        const proof = createHmac('sha256', given.key).update(nonce).digest('base64url');
        await probe.publish(bootTopic(mac, 'result'), { ok: true, proof });
        const { status, body } = await adopting;
        demand(status === 201, `adopting answered ${status}`);
        const { control_point_id: id } = parseAs('adopted', z.object({ control_point_id: z.string() }), body);
        try {
          demand(await probe.endsWithin(ENDS_WITHIN_MS), 'its session was not ended');
          await demandOpens(gateway, identityFor(given), 'its new key');
        } finally {
          await call(gateway, 'DELETE', `/control-points/${id}`);
        }
      }),
  },
  {
    id: 'boot.window.ends',
    clause: '10.2',
    title: 'when the window closes, the session of a board is ended',
    needs: ['boot.closed', 'http.answers'],
    run: (gateway) =>
      withBoard(gateway, async ({ probe }) => {
        await call(gateway, 'DELETE', '/adoption/window');
        demand(await probe.endsWithin(ENDS_WITHIN_MS), 'its session went on');
      }),
  },
];

type OwnDevice = {
  id: string;
  deviceId: string;
  newKey: () => Promise<ProbeIdentity>;
  rotate: () => Promise<HttpAnswer>;
};

/** A control point that nothing hangs on, gone afterwards. */
export async function withOwnDevice(
  gateway: GatewayUnderTest,
  use: (own: OwnDevice) => Promise<void>,
  deviceIdOf: (name: string) => string = (name) => name,
): Promise<void> {
  const farm_id = await farmOf(gateway);
  const name = `conformance-${randomBytes(4).toString('hex')}`;
  const deviceId = deviceIdOf(name);
  const sent = { farm_id, cod: name, device_id: deviceId, target_status: 'OFF' };
  const made = await call(gateway, 'POST', '/control-points/', sent);
  const { id } = parseAs('control point', point, made.body);
  try {
    await use({
      id,
      deviceId,
      async newKey() {
        const answer = await call(gateway, 'POST', `/control-points/${id}/device-key`);
        return identityFor(parseAs('device key', issued, answer.body));
      },
      rotate: () => call(gateway, 'POST', `/control-points/${id}/rotate-key`),
    });
  } finally {
    await call(gateway, 'DELETE', `/control-points/${id}`);
  }
}

/** Rotates as a controller does that says yes; answers the new key. */
async function rotated(own: OwnDevice, probe: Probe, mqttId: string): Promise<string> {
  await probe.subscribe(commandTopic(mqttId, '+'));
  const { status } = await own.rotate();
  demand(status === 202, `rotate-key answered ${status}`);
  const head = commandTopic(mqttId, '');
  const message = await probe.until('rotate_key', ({ topic }) => topic.startsWith(head), 5_000);
  demand(!message.isRetained, 'the command carries the retain flag');
  const { op, key } = parseAs('command', deviceCommand, readJson(message.text));
  demand(op === 'rotate_key' && key !== undefined, `it was told to ${op}`);
  await probe.publish(message.topic.replace('/cmd/', '/res/'), { ok: true });
  return key;
}

type Waiting = { probe: Probe; mac: string; nonce: string };

/** A board without a key that said hello in an open window, which is closed afterwards. */
async function withBoard(gateway: GatewayUnderTest, use: (board: Waiting) => Promise<void>): Promise<void> {
  await call(gateway, 'POST', '/adoption/window', { minutes: 2 });
  const mac = aMac();
  const nonce = randomBytes(16).toString('base64url');
  try {
    const probe = await openSession(gateway, guest(mac));
    const granted = await probe.subscribe(bootTopic(mac, 'credentials'));
    demand(granted !== 128, 'it may not listen for its credentials');
    await probe.publish(bootTopic(mac, 'hello'), { nonce, chip: 'conformance' });
    await use({ probe, mac, nonce }).finally(() => probe.vanish());
  } finally {
    await call(gateway, 'DELETE', '/adoption/window');
  }
}

async function adopt(gateway: GatewayUnderTest, board: { cod: string; mac: string; claim: string }) {
  const body = { farm_id: await farmOf(gateway), ...board };
  return gateway.call('/api/v1/adoption/create', { bearer: tokenOf(gateway), body });
}

/** What the board was sent, opened with the claim code of its label; null: that does not open it. */
async function credentialsFor(
  probe: Probe,
  { mac, nonce }: { mac: string; nonce: string },
): Promise<BootIdentity | null> {
  const topic = bootTopic(mac, 'credentials');
  const message = await probe.until('credentials', (each) => each.topic === topic, 5_000);
  const credentials = parseAs('credentials', bootCredentials, readJson(message.text));
  demand(credentials.nonce === nonce, 'they do not answer its hello');
  return openCredentials(credentials, { claim: CLAIM, topic });
}

async function demandOpens(gateway: GatewayUnderTest, identity: ProbeIdentity, what: string): Promise<void> {
  const { code, probe } = await gateway.open(identity);
  await probe?.leave();
  demand(code === 0, `${what} was refused (CONNACK ${code})`);
}

function identityFor({ mqtt_id, key }: { mqtt_id: string; key: string }): ProbeIdentity {
  return { clientId: mqtt_id, username: mqtt_id, password: key };
}

/** Of the addresses that nobody was given. */
const aMac = () => `02${randomBytes(5).toString('hex')}`;

const guest = (mac: string): ProbeIdentity => ({
  clientId: bootClientId(mac),
  username: BOOT_USER,
  password: '',
});

async function isWindowOpen(gateway: GatewayUnderTest): Promise<boolean> {
  const { body } = await call(gateway, 'GET', '/adoption/window');
  return parseAs('window', window, body).is_open;
}

async function farmOf(gateway: GatewayUnderTest): Promise<string> {
  const { body } = await call(gateway, 'GET', `/control-points/${gateway.user?.controlPointId ?? ''}`);
  return parseAs('control point', point, body).farm_id;
}

function tokenOf({ user }: GatewayUnderTest): string {
  if (user === null) throw new Skipped('needs --email and --password');
  return user.token;
}

/** As a technician; whatever is refused ends the check. */
export async function call(
  gateway: GatewayUnderTest,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<HttpAnswer> {
  const bearer = tokenOf(gateway);
  const asked = { method, bearer, ...(body === undefined ? {} : { body }) };
  const answer = await gateway.call(`/api/v1${path}`, asked);
  demand(answer.status < 300, `${method} ${path} answered ${answer.status}`);
  return answer;
}
