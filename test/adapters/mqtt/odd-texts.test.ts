import { createServer } from 'node:http';
import { connectAsync } from 'mqtt';
import { afterEach, expect, it } from 'vitest';
import { hardenServer } from '#adapters/http/harden-server.ts';
import { parseJson } from '#adapters/mqtt/read-message.ts';
import { openBroker } from '#app/control/broker.ts';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function aFarmWithBroker(engine: 'sqlite' | 'postgres') {
  const app: App = await startApp(engine);
  const server = createServer();
  const broker = await openBroker(app.config, app, hardenServer(server));
  ends.push(
    () => app.close(),
    async () => server.close(),
    () => broker.stop(),
  );
  const { port } = await broker.listenTcp(0, '127.0.0.1');
  app.control.attach(broker.link);
  return { app, port };
}

it.each(['sqlite', 'postgres'] as const)(
  'a controller whose texts hold half a character, or U+0000, is heard as any other (%s)',
  async (engine) => {
    const { app, port } = await aFarmWithBroker(engine);
    const farm = await aFarmWith(app);
    const point = await aControlPoint(app, farm);
    const issued = await app.call('POST', `/control-points/${point.id}/device-key`, { token: farm.token });
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
      protocolVersion: 4,
      reconnectPeriod: 0,
      clientId: point.mqtt_id,
      username: point.mqtt_id,
      password: String(body(issued)['key']),
    });
    ends.push(() => client.endAsync(true));
    const own = `sf/v1/d/${point.mqtt_id}`;
    for (const [status, version] of [
      ['ON', '1.\\ud800'],
      ['OFF', '2.\\u0000'],
      ['ON', '3.\\udc00\\ud83d'],
    ]) {
      const heartbeat = `{"current_status":"${status}","firmware_version":"${version}","\\ud800":"\\u0000"}`;
      await client.publishAsync(`${own}/hb`, heartbeat, { qos: 1 });
      const seen = async () =>
        body(await app.call('GET', `/control-points/${point.id}`, { token: farm.token }));
      await expect.poll(async () => (await seen())['current_status']).toBe(status);
    }
    await client.publishAsync(
      `${own}/evt`,
      '{"id":"e1","t":"boot","at":null,"d":{"\\ud800":"\\u0000 \\udfff"}}',
      { qos: 1 },
    );
    expect(app.sentences.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
    expect(client.connected).toBe(true);
  },
);

it('whole characters, and texts about escapes, stay as they are sent', () => {
  for (const value of ['😀', 'ção', '\\ud800', '\\\\u0000', { 'a\\ud800': ['"', '\n'] }]) {
    expect(parseJson(JSON.stringify(value))).toEqual(value);
    const escaped = JSON.stringify(value).replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    expect(parseJson(escaped)).toEqual(value);
  }
  expect(parseJson('{"a\\ud800":"\\\\\\u0000\\uDFFFx"}')).toEqual({ 'a\ufffd': '\\\ufffd\ufffdx' });
});
