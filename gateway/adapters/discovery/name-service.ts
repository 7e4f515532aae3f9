import multicastDns, { type ResponseOutgoingPacket } from 'multicast-dns';
import { type Beacon, hostsOf, SERVICE } from '#contract/discovery.ts';
import type { Log } from '#core/kernel.ts';

// The gateway in the name service of the local network (RFC 6762 and 6763): its service, the host it runs on, and its
// addresses, so that `http://camarao.local:8080` and the list of any DNS-SD browser lead to it.

type Answers = NonNullable<ResponseOutgoingPacket['answers']>;

const TTL_S = 120;
const ALL_SERVICES = '_services._dns-sd._udp.local';

export type NameServiceDeps = {
  log: Log;
  beacon: () => Beacon;
  /** IPv4 addresses of this box on the farm network. */
  addresses: () => readonly string[];
};

/** Announces itself at once, answers who asks, and says goodbye at its end. Never throws. */
export function announceService({ log, beacon, addresses }: NameServiceDeps): { close(): Promise<void> } {
  const mdns = multicastDns();
  let isReady = true;
  mdns.on('error', (error) => {
    isReady = false;
    log.warn({ err: error }, 'the name service of the local network does not work here');
  });
  mdns.on('warning', () => undefined);
  mdns.on('query', (query) => {
    if (!isReady) return;
    const asked = (query.questions ?? []).slice(0, 16).map(({ name }) => name.toLowerCase());
    const response = answerTo(asked, { beacon: beacon(), addresses: addresses() });
    if (response !== null) mdns.respond(response);
  });
  mdns.on('ready', () => {
    if (isReady) mdns.respond(everything({ beacon: beacon(), addresses: addresses() }, TTL_S));
  });
  return {
    async close() {
      // whoever has it in a list strikes it out at once
      if (isReady) {
        const goodbye = everything({ beacon: beacon(), addresses: addresses() }, 0);
        await new Promise<void>((resolve) => mdns.respond(goodbye, () => resolve()));
      }
      await new Promise<void>((resolve) => mdns.destroy(() => resolve()));
    },
  };
}

export type NameFacts = { beacon: Beacon; addresses: readonly string[] };

/** What is answered to these names; null: none of them is ours. Names come in lower case. */
export function answerTo(asked: readonly string[], facts: NameFacts): ResponseOutgoingPacket | null {
  const { instance, host } = namesOf(facts.beacon);
  if (asked.includes(SERVICE)) return everything(facts, TTL_S);
  const isInstance = asked.includes(instance.toLowerCase());
  const answers = [
    ...(asked.includes(ALL_SERVICES)
      ? ([{ name: ALL_SERVICES, type: 'PTR', ttl: TTL_S, data: SERVICE }] satisfies Answers)
      : []),
    ...(isInstance ? serviceRecords(facts, TTL_S) : []),
    ...hostsOf(facts.beacon.id).flatMap((name) =>
      asked.includes(name) ? addressRecords(facts, name, TTL_S) : [],
    ),
  ];
  if (answers.length === 0) return null;
  return { answers, additionals: isInstance ? addressRecords(facts, host, TTL_S) : [] };
}

/** The service with all that leads to it; a TTL of 0 takes it back. */
function everything(facts: NameFacts, ttl: number): ResponseOutgoingPacket {
  const { instance } = namesOf(facts.beacon);
  return {
    answers: [{ name: SERVICE, type: 'PTR', ttl, data: instance }],
    additionals: [
      ...serviceRecords(facts, ttl),
      ...hostsOf(facts.beacon.id).flatMap((name) => addressRecords(facts, name, ttl)),
    ],
  };
}

function serviceRecords({ beacon }: NameFacts, ttl: number): Answers {
  const { instance, host } = namesOf(beacon);
  const { http_port, https_port, pin, id } = beacon;
  return [
    { name: instance, type: 'SRV', ttl, data: { port: http_port, target: host } },
    {
      name: instance,
      type: 'TXT',
      ttl,
      data: [
        `id=${id}`,
        ...(https_port === null ? [] : [`https=${https_port}`]),
        ...(pin === null ? [] : [`pin=${pin}`]),
      ],
    },
  ];
}

function addressRecords({ addresses }: NameFacts, name: string, ttl: number): Answers {
  return addresses.slice(0, 8).map((data) => ({ name, type: 'A', ttl, data }));
}

function namesOf({ name, id }: Beacon): { instance: string; host: string } {
  const [host] = hostsOf(id);
  return { instance: `${name.replaceAll('.', ' ').slice(0, 60)}.${SERVICE}`, host };
}
