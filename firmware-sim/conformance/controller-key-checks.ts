import { createHmac, randomBytes } from 'node:crypto';
import { bootHello, bootResult, bootTopic } from '#contract/mqtt/boot.ts';
import { commandResult, deviceState } from '#contract/mqtt/messages.ts';
import { fitsBackOff } from './back-off.ts';
import type { ControllerCheck } from './controller-level-checks.ts';
import { listens, returned } from './controller-seen.ts';
import type { GatewaySide } from './gateway-side.ts';
import { demand, type Observed } from './report.ts';

const FIRST_WITHIN_S = 90;
const ANSWERS_WITHIN_S = 5;
const RETURNS_WITHIN_S = 100;
/** Its first try, or the next after one that failed. */
const KEY_WITHIN_S = 20;
/** A board answers within 8 s; the way takes a little. */
const RESULT_WITHIN_S = 9;

const aKey = () => randomBytes(32).toString('base64url');

// Afterwards it has the key again that it came with.
export const keyChecks: readonly ControllerCheck[] = [
  {
    id: 'key.rotated',
    clause: '4.8.1',
    title: 'it takes a new key, says "bye", and comes back with it at once; the key it came with likewise',
    run: async (side) => {
      for (const [name, key] of [
        ['conformance-key-1', aKey()],
        ['conformance-key-2', side.identity.key],
      ] as const) {
        const since = side.mark();
        side.rotateKey(name, key, 'taken');
        await side.until(`res/${name}`, since, ANSWERS_WITHIN_S, takenAs(name));
        const bye = await side.until('it says bye', since, ANSWERS_WITHIN_S, saidBye);
        const isBack = (seen: Observed) => (seen.kind === 'session' && seen.isNewKey ? seen : null);
        const back = await side.until('it is back with its new key', bye.place, ANSWERS_WITHIN_S, isBack);
        await listens(side, back.place);
        // whoever is not sure of the key would be refused from here on
        const kicked = side.mark();
        side.kick();
        await returned(side, kicked);
      }
    },
  },
  {
    id: 'key.refused',
    clause: '4.8.1',
    title: 'refused with a new key it comes back with the old one',
    needs: ['key.rotated'],
    run: async (side) => {
      const since = side.mark();
      side.rotateKey('conformance-key-3', aKey(), 'refused');
      const refused = await side.until('it comes with the new key', since, RETURNS_WITHIN_S, (seen) =>
        seen.kind === 'turned_away' ? seen : null,
      );
      await side.until('it is back with the old one', refused.place, RETURNS_WITHIN_S, sessionIn);
    },
  },
];

/** For a board without a key whose label shows this claim code; before all others. */
export function boardChecks(claim: string): readonly ControllerCheck[] {
  return [
    {
      id: 'boot.closed',
      clause: '10.2',
      title: 'a board without a key comes as "boot-<mac>" without a password; refused, it tries again',
      run: async (side) => {
        side.setWindow(false);
        const first = await side.until('a board without a key', 0, FIRST_WITHIN_S, guestIn);
        demand(!first.hasPassword, 'it sent a password');
        demand(first.isClean, 'the session is not clean');
        const again = await side.until('it tries again', first.place + 1, 20, guestIn);
        const gapS = (again.atMs - first.atMs) / 1000;
        demand(fitsBackOff([gapS]), `it waited ${gapS.toFixed(1)} s`);
      },
    },
    {
      id: 'boot.hello',
      clause: '10.3',
      title:
        'in the window it subscribes to its credentials and to nothing else, and says hello with a nonce',
      run: async (side) => {
        const since = side.mark();
        side.setWindow(true);
        const { mac } = await helloOf(side, since);
        const asked = side.observed.filter((seen) => seen.kind === 'subscribe' && seen.place >= since);
        const filters = asked.map((seen) => (seen.kind === 'subscribe' ? seen.filter : ''));
        const wanted = bootTopic(mac, 'credentials');
        demand(filters.includes(wanted), `it did not ask for ${wanted}`);
        const stray = filters.find((filter) => filter !== wanted);
        demand(stray === undefined, `it also asked for ${stray ?? ''}`);
      },
    },
    {
      id: 'boot.claim.other',
      clause: '10.5',
      title: 'credentials sealed with another claim code are answered "claim", and not used',
      run: async (side) => {
        const hello = await newestHello(side);
        const since = side.mark();
        side.offer(hello, otherThan(claim));
        const result = await side.until('a result', since, RESULT_WITHIN_S, resultIn);
        demand(!result.ok && result.error === 'claim', JSON.stringify(result));
      },
    },
    {
      id: 'boot.claim.own',
      clause: '10.4',
      title: 'credentials sealed with its own claim code are opened, stored and proved',
      run: async (side) => {
        const hello = await newestHello(side);
        const since = side.mark();
        side.offer(hello, claim);
        const result = await side.until('a result', since, RESULT_WITHIN_S, resultIn);
        demand(result.ok, JSON.stringify(result));
        const proof = createHmac('sha256', side.identity.key).update(hello.nonce).digest('base64url');
        demand(result.proof === proof, 'the proof is not that of the key');
      },
    },
    {
      id: 'boot.counts',
      clause: '10.6',
      title: 'its credentials count when the gateway ends the session, and not before',
      run: async (side) => {
        await side.sleep(2);
        const early = side.observed.find((seen) => seen.kind === 'session');
        demand(early === undefined, 'it came with its key before the session was ended');
        const ended = side.mark();
        side.setWindow(false);
        await side.until('it comes with its key', ended, KEY_WITHIN_S, sessionIn);
      },
    },
  ];
}

/** A code of the same form that is surely another. */
const otherThan = (claim: string) => (claim.startsWith('A') ? 'B' : 'A') + claim.slice(1);

type Hello = { mac: string; nonce: string };

const sessionIn = (seen: Observed) => (seen.kind === 'session' ? seen : null);
const guestIn = (seen: Observed) => (seen.kind === 'guest' ? seen : null);

function helloIn(seen: Observed): Hello | null {
  if (seen.kind !== 'guest_message' || seen.path !== 'hello') return null;
  const hello = bootHello.safeParse(seen.body);
  return hello.success ? { mac: seen.mac, nonce: hello.data.nonce } : null;
}

const helloOf = (side: GatewaySide, since: number) =>
  side.until('a hello in its form', since, FIRST_WITHIN_S, helloIn);

/** It may have said another one meanwhile: only the last counts. */
async function newestHello(side: GatewaySide): Promise<Hello> {
  const said = side.observed.map(helloIn).findLast((hello) => hello !== null);
  return said ?? helloOf(side, side.mark());
}

function resultIn(seen: Observed) {
  const isIt = seen.kind === 'guest_message' && seen.path === 'result';
  return isIt ? (bootResult.safeParse(seen.body).data ?? null) : null;
}

function takenAs(correlation: string): (seen: Observed) => Observed | null {
  return (seen) => {
    if (seen.kind !== 'message' || !seen.topic.endsWith(`/res/${correlation}`)) return null;
    const result = commandResult.safeParse(seen.body);
    return result.success && result.data.ok ? seen : null;
  };
}

function saidBye(seen: Observed): Observed | null {
  const state = seen.kind === 'message' && seen.path === 'state' ? deviceState.safeParse(seen.body) : null;
  return state?.success === true && state.data.s === 'bye' ? seen : null;
}
