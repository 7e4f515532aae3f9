import type { PasteFacts, RelayProtocol } from '#features/equipment/relays/ports.ts';

/**
 * What is opened in a browser for a Shelly: its requests may be written into the address line. The last one starts it
 * anew, because other settings of MQTT hold from the next start on.
 */
export function pasteShelly(
  facts: PasteFacts & { initialState: string },
): ReturnType<RelayProtocol['paste']> {
  const { host, port, mqttId, key, relayAddress, channel, initialState } = facts;
  const mqtt = {
    enable: true,
    server: `${host}:${port}`,
    client_id: mqttId,
    user: mqttId,
    ...(key === null ? {} : { pass: key }),
    topic_prefix: mqttId,
    ssl_ca: null,
    enable_rpc: true,
    rpc_ntf: true,
    status_ntf: true,
    enable_control: false,
  };
  const output = { initial_state: initialState, auto_on: false, auto_off: false };
  // without a known address a technician puts it in; no browser opens this word
  const base = `http://${relayAddress ?? 'RELAY-ADDRESS'}/rpc`;
  const open = (text: string) => ({ where: 'browser' as const, text: `${base}/${text}` });
  const written = (value: object) => encodeURIComponent(JSON.stringify(value));
  return {
    fields: [
      ['server', mqtt.server],
      ['client_id', mqttId],
      ['user', mqttId],
      ...(key === null ? [] : [['pass', key]]),
      ['topic_prefix', mqttId],
      ['rpc_ntf', 'true'],
      ['status_ntf', 'true'],
      ['initial_state', initialState],
      ['auto_off', 'false'],
    ].map(([name = '', value = '']) => ({ name, value })),
    steps: [
      open(`Switch.SetConfig?id=${channel - 1}&config=${written(output)}`),
      open(`MQTT.SetConfig?config=${written(mqtt)}`),
      open('Shelly.Reboot'),
    ],
  };
}
