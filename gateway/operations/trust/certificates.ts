import { randomBytes } from 'node:crypto';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import type { SecureContext } from 'node:tls';
import { removeUnfinished, writeWhole } from '#adapters/backup/safe-files.ts';
import { qrSvg } from '#adapters/discovery/qr-code.ts';
import type { Metrics } from '#adapters/http/metrics.ts';
import type { Checks } from '#adapters/http/platform.ts';
import type { createRefusals } from '#adapters/log/refusals.ts';
import type { MakeTlsServer } from '#adapters/mqtt/listeners.ts';
import type { SupervisedBroker } from '#adapters/mqtt/supervise-broker.ts';
import { createConnectRate, perMinute } from '#adapters/mqtt/token-bucket.ts';
import type { Database } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { AUTHORITY_PIN, trustQueries } from '#adapters/sql/queries/system/trust.ts';
import { machineNetwork, programVersion } from '#adapters/system/machine-facts.ts';
import { createHandshakeGate } from '#adapters/tls/handshake-gate.ts';
import { certificateMaker } from '#adapters/tls/make-certificate.ts';
import { createTlsServer, secureContextOf } from '#adapters/tls/tls-server.ts';
import { trustFiles } from '#adapters/tls/trust-files.ts';
import { type Beacon, hostsOf } from '#contract/discovery.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { Notify } from '#core/notifying.ts';
import { type IdentityDeps, identityOf, type Ports } from '#features/system/trust/identity.ts';
import { keepTrust, type TrustKeeper, type TrustNews } from '#features/system/trust/keep-trust.ts';
import { trustRoutes } from '#features/system/trust/routes.ts';
import { bundleOf } from '#features/system/trust/trust-rules.ts';
import { newsOfTrust } from '#features/system/trust/trust-words.ts';
import type { Config } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';

export type TrustDeps = {
  config: Config;
  world: Pick<World, 'monotonic' | 'network'>;
  kernel: Kernel;
  database: Database;
  notify: Notify;
  checks: Checks;
  metrics: Metrics;
  refusals: ReturnType<typeof createRefusals>;
  /** True for addresses of the farm's own network. */
  isNear: (address: string) => boolean;
};

/** A whole farm behind one address may come back at once; a flood may not. */
const HTTPS_CONNECTS_PER_MINUTE = 1_200;
const DAY = 24 * 3_600_000;

/** The authority of the farm network, the certificate of this box, and the ports that show it. */
export async function keepCertificates(deps: TrustDeps) {
  const { config, world, kernel, database, metrics } = deps;
  const network = world.network ?? machineNetwork;
  const queries = trustQueries(database.read, OWN_STREAM);
  const shown = { context: null as SecureContext | null };
  const open = { ports: portsOf(config), troubles: new Map<string, string>() };
  const gatewayId = await queries.gatewayId();
  const hasTls = config.role === 'gateway' && (config.httpsPort !== null || config.mqttsPort !== null);
  const keeper = hasTls
    ? keepTrust({
        ...kernel,
        monotonic: world.monotonic,
        store: trustFiles({ writeWhole, maker: certificateMaker }, config.data),
        maker: certificateMaker,
        network,
        // https by the names that it answers to on its network, too
        extraNames: [...hostsOf(gatewayId), ...config.tlsNames],
        newTicketKey: () => randomBytes(48).toString('base64'),
        // on a database of its own: another one may serve several boxes
        knownPin: config.databaseUrl === null ? queries.knownPin : async () => null,
        rememberPin: async (pin) => config.databaseUrl !== null || (await remember(kernel, pin)),
        show: (record) => {
          shown.context = secureContextOf(record);
        },
        tell: tellOnce(deps, queries.farmIds),
      })
    : null;
  const gate = createHandshakeGate({ monotonic: world.monotonic, later: timer });
  const tls = { gate, context: () => shown.context };
  if (keeper !== null) {
    await removeUnfinished(join(config.data, 'tls')).catch(() => undefined);
    await keeper.look();
    tellOutside(deps, keeper, open.troubles);
    metrics.counter('tls_handshakes_total', 'TLS handshakes begun', gate.begun);
    metrics.gauge('tls_handshakes_open', 'Connections before and within their TLS handshake', gate.open);
  }
  const software = programVersion();
  const identity: IdentityDeps = {
    gatewayId,
    role: config.role,
    software,
    keeper,
    facts: certificateMaker.facts,
    network,
    ports: () => open.ports,
  };
  const routes = trustRoutes({
    ...kernel,
    ...identity,
    qrSvg,
    isLocal: (source) => config.role === 'gateway' && deps.isNear(source),
  });
  return {
    routes,
    /** What is told to whoever looks for gateways on the farm's network. */
    beacon(): Beacon {
      const { authority, name, ports } = identityOf(identity, { isLocal: true });
      return {
        id: identity.gatewayId,
        name,
        software,
        http_port: ports.http ?? config.httpPort,
        https_port: ports.https,
        mqtt_port: ports.mqtt,
        mqtts_port: ports.mqtts,
        pin: authority?.spki_sha256 ?? null,
      };
    },
    gatewayId: identity.gatewayId,
    /** Where a controller finds this gateway, in the words of its identity; port 0: not open. */
    whereabouts() {
      const { authority, name, addresses, ports } = identityOf(identity, { isLocal: true });
      return {
        // a controller resolves no names: those of a local network are not everywhere
        gw_host: addresses.find((address) => address.includes('.')) ?? addresses[0] ?? name,
        gw_http: ports.http ?? 0,
        gw_mqtt: ports.mqtt ?? 0,
        gw_mqtts: ports.mqtts ?? 0,
        gw_pin: authority?.spki_sha256 ?? null,
      };
    },
    keeper,
    authorities: () => authoritiesOf(keeper),
    /** For the broker; absent where there is no TLS. */
    makeTlsServer: keeper === null ? undefined : (((hear) => createTlsServer(tls, hear)) as MakeTlsServer),
    openPorts: (plain: PlainPorts) => openPorts(deps, { keeper, tls, open }, plain),
  };
}

type PlainPorts = { server: HttpServer; broker: SupervisedBroker | null; http: number; mqtt: number | null };
type Inside = {
  keeper: TrustKeeper | null;
  tls: Parameters<typeof createTlsServer>[0];
  open: { ports: Ports; troubles: Map<string, string> };
};

/**
 * Opens the secured ports beside the plain ones, and looks after them. Whatever keeps one from opening is told and tried
 * again: controllers that speak in the clear are served meanwhile.
 */
async function openPorts(deps: TrustDeps, { keeper, tls, open }: Inside, plain: PlainPorts) {
  const { config, kernel, refusals } = deps;
  const rate = createConnectRate(perMinute(HTTPS_CONNECTS_PER_MINUTE), kernel.now);
  const servers: Server[] = [];
  open.ports = { http: plain.http, mqtt: plain.mqtt, https: null, mqtts: null };

  async function listenHttps(port: number): Promise<number> {
    const secured = createTlsServer(tls, {
      mayOpen: (source) => {
        const isAllowed = rate(source);
        if (!isAllowed) refusals.count('http', 'tls_rate', source);
        return isAllowed;
      },
      // within TLS it is the same server with the same bounds
      accept: (stream) => void plain.server.emit('connection', stream),
      refused: (why, source) => refusals.count('http', why, source),
    });
    const address = await listen(secured, port, config.host);
    servers.push(secured);
    return address.port;
  }

  async function ensure(
    name: 'https' | 'mqtts',
    wanted: number | null,
    start: (port: number) => Promise<number>,
  ) {
    if (wanted === null || open.ports[name] !== null || keeper?.server() == null) return;
    try {
      const port = await start(wanted);
      open.ports = { ...open.ports, [name]: port };
      if (open.troubles.delete(name)) kernel.log.info({ port, name }, 'a secured port is open at last');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!open.troubles.has(name))
        kernel.log.error({ name, reason }, 'a secured port could not be opened; it is tried again');
      open.troubles.set(name, reason);
    }
  }

  async function look(): Promise<void> {
    await keeper?.look();
    await ensure('https', config.httpsPort, listenHttps);
    const { broker } = plain;
    if (broker === null) return;
    await ensure('mqtts', config.mqttsPort, async (port) => (await broker.listenTls(port, config.host)).port);
  }

  await look();
  return {
    ports: () => open.ports,
    /** Every few seconds. */
    look,
    /** No further connections; those that are open end with the plain servers. */
    async stop(): Promise<void> {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: 4_096 }, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      // a server that listens on a port has an address with one
      resolve(server.address() as AddressInfo);
    });
  });
}

function tellOutside(
  { kernel, checks, metrics }: TrustDeps,
  keeper: TrustKeeper,
  troubles: Map<string, string>,
) {
  const daysLeft = () => {
    const server = keeper.server();
    return server === null ? Number.NaN : (server.notAfter - kernel.now()) / DAY;
  };
  checks.add('tls', () => {
    const { authority, server } = keeper.trouble();
    const wrong = [
      authority === null ? null : `authority: ${authority}`,
      server === null ? null : `certificate: ${server}`,
      ...[...troubles].map(([name, reason]) => `${name}: ${reason}`),
    ].filter((sentence) => sentence !== null);
    if (wrong.length > 0) return { ok: false, detail: wrong.join('; ') };
    return { ok: daysLeft() > 0, detail: `the certificate holds for ${Math.floor(daysLeft())} days` };
  });
  metrics.gauge(
    'tls_certificate_days_left',
    'Days until the certificate of this box ends; it is renewed by itself',
    daysLeft,
  );
}

/** Causes name their day: older ones do not come again. */
const MOST_TOLD = 100;

/** Tells the people of every farm, once for each cause; never waits, never throws. */
function tellOnce(
  { kernel, notify }: Pick<TrustDeps, 'kernel' | 'notify'>,
  farmIds: () => Promise<string[]>,
): (news: TrustNews) => void {
  const told = new NewestMap<string, true>(MOST_TOLD);
  const tell = async (news: TrustNews): Promise<void> => {
    const { cause, ...words } = newsOfTrust(news, isoOf(kernel.now()).slice(0, 10));
    if (told.has(cause)) return;
    told.set(cause, true);
    try {
      const farms = await farmIds();
      const changes = await Promise.all(
        farms.map((id) =>
          notify({ farmId: id, who: 'operators' }, { ...words, cause: `${cause}:${id}`, farmId: id }),
        ),
      );
      if (changes.flat().length > 0) await kernel.commit({ changes: changes.flat(), actor: null });
      // where nobody could hear it, it is told again
      if (farms.length === 0) told.delete(cause);
    } catch (error) {
      told.delete(cause);
      kernel.log.warn(
        { err: error },
        'people could not be notified of the farm authority; it is tried again',
      );
    }
  };
  return (news) => void tell(news);
}

async function remember(kernel: Kernel, pin: string): Promise<boolean> {
  try {
    await kernel.commit({ changes: [put(instanceValue, { id: AUTHORITY_PIN, value: pin })], actor: null });
    return true;
  } catch (error) {
    kernel.log.warn({ err: error }, 'the pin of the farm authority was not stored; it is tried again');
    return false;
  }
}

function authoritiesOf(keeper: TrustKeeper | null): readonly string[] | null {
  const state = keeper?.state() ?? null;
  if (state !== null) return bundleOf(state);
  // while the authority cannot be read, its certificate still stands behind that of the box
  const root = keeper?.server()?.chain.at(-1);
  return root === undefined ? null : [root];
}

const portsOf = ({ role, httpPort, httpsPort, mqttPort, mqttsPort }: Config): Ports =>
  role === 'gateway'
    ? { http: httpPort, https: httpsPort, mqtt: mqttPort, mqtts: mqttsPort }
    : { http: null, https: null, mqtt: null, mqtts: null };

function timer(ms: number, run: () => void): () => void {
  const running = setTimeout(run, ms);
  return () => clearTimeout(running);
}
