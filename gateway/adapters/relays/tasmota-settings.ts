import type { PasteFacts, RelayProtocol } from '#features/relays/ports.ts';

/**
 * What is pasted into the console of a Tasmota relay. The values are those a farm needs:
 * SetOption65 1: seven short power cuts would otherwise put it back to its factory settings, and a generator flickers.
 * Retain 0: a retained order switches a motor after a reconnect. SetOption0 1 keeps the state over a power cut.
 * SetOption4 0, StateText and SetOption90 0 keep the words this gateway reads.
 */
export function pasteTasmota(
  facts: PasteFacts & { powerOnState: number },
): ReturnType<RelayProtocol['paste']> {
  const { host, port, mqttId, key } = facts;
  const values: [string, string][] = [
    ['MqttHost', host],
    ['MqttPort', String(port)],
    ['MqttUser', mqttId],
    ...(key === null ? [] : ([['MqttPassword', key]] as [string, string][])),
    ['MqttClient', mqttId],
    ['Topic', mqttId],
    ['FullTopic', '%prefix%/%topic%/'],
    ['Prefix1', 'cmnd'],
    ['Prefix2', 'stat'],
    ['Prefix3', 'tele'],
    ['TelePeriod', '30'],
    ['PowerOnState', String(facts.powerOnState)],
    ['PowerRetain', '0'],
    ['SwitchRetain', '0'],
    ['ButtonRetain', '0'],
    ['SetOption0', '1'],
    ['SetOption3', '1'],
    ['SetOption4', '0'],
    ['SetOption65', '1'],
    ['MqttKeepAlive', '30'],
    ['MqttRetry', '10'],
    ['NtpServer1', host],
  ];
  const backlog = `Backlog ${values.map(([name, value]) => `${name} ${value}`).join('; ')}`;
  return {
    fields: values.map(([name, value]) => ({ name, value })),
    steps: [{ where: 'tasmota_console', text: backlog }],
  };
}
