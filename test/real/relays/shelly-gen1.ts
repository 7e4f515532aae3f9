import { connect } from 'mqtt';

// A Shelly of the first generation as its interface description has it: everything under shellies/<id>/, plain words,
// and its will on shellies/<id>/online. It knows no topic prefix.

export function startShellyGen1(options: { mqtt: string; id: string; user: string; password: string }) {
  const { id } = options;
  const topic = (name: string) => `shellies/${id}/${name}`;
  const client = connect(options.mqtt, {
    protocolVersion: 4,
    clientId: id,
    username: options.user,
    password: options.password,
    keepalive: 60,
    reconnectPeriod: 500,
    resubscribe: false,
    will: { topic: topic('online'), payload: Buffer.from('false'), qos: 0, retain: true },
  });
  const say = () => {
    if (!client.connected) return;
    client.publish(topic('relay/0'), 'off');
    client.publish(topic('relay/0/power'), '0.00');
  };
  client.on('error', () => undefined);
  client.on('connect', () => {
    client.publish(topic('online'), 'true', { retain: true });
    client.publish(
      'shellies/announce',
      JSON.stringify({ id, model: 'SHSW-25', mac: '98F4ABD0C9A1', fw_ver: 'v1.11.8' }),
    );
    client.subscribe(['shellies/command', topic('command'), topic('relay/0/command')], say);
  });
  const timer = setInterval(say, 1_000);
  return {
    stop() {
      clearInterval(timer);
      client.end(true);
    },
  };
}
