import { type App, body, startApp } from './app.ts';
import type { Engine } from './databases.ts';

/** A hosted instance and a gateway on real sockets, each with a clock of its own. */
export async function startBoth(
  engine: Engine,
  gatewayArgs: readonly string[] = [],
): Promise<{ hosted: App; gateway: App; close: () => Promise<void> }> {
  const hosted = await startApp(engine, ['--role', 'hosted']);
  const gateway = await startApp('sqlite', ['--hosted-url', hosted.base, ...gatewayArgs]);
  return {
    hosted,
    gateway,
    async close() {
      await gateway.close();
      await hosted.close();
    },
  };
}

export function localOf(gateway: App) {
  if (gateway.pairing === null) throw new Error('not a gateway');
  return gateway.pairing;
}

export function fleetOf(hosted: App) {
  if (hosted.fleet === null) throw new Error('not a hosted instance');
  return hosted.fleet;
}

/** The whole ceremony: started on the gateway, claimed by the owner on the hosted instance, heard of on the gateway. */
export async function pair(
  { hosted, gateway }: { hosted: App; gateway: App },
  { token, ...claim }: { token: string; name?: string; in_place_of?: string },
): Promise<Record<string, unknown>> {
  const begun = await localOf(gateway).pairing.start({
    hostedUrl: hosted.base,
    name: undefined,
    startedBy: null,
  });
  const claimed = await hosted.call('POST', '/sync/claims', {
    token,
    body: { user_code: begun.user_code, ...claim },
  });
  if (claimed.status !== 201) throw new Error(`not claimed: ${JSON.stringify(claimed.body)}`);
  await localOf(gateway).look();
  return body(claimed);
}
