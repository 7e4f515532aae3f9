import type { PasteFacts, RelayProtocol } from '#features/equipment/relays/ports.ts';

/** Its console takes 519 characters and 30 commands in a line. */
const LONGEST_LINE = 519;

/**
 * What is pasted into the console of a Tasmota relay. The values are those a farm needs:
 * SetOption65 1: seven short power cuts would otherwise put it back to its factory settings, and a generator flickers.
 * Retain 0: a retained order switches a motor after a reconnect. SetOption0 1 keeps the state over a power cut.
 * SetOption4 0, SetOption90 0 and the state texts are the words this gateway reads: one that says LIGADO never reports.
 * PowerDelta 110: a change of 10 W is told at once. WifiConfig 4: without its Wi-Fi it tries on and never restarts.
 */
export function pasteTasmota(
  facts: PasteFacts & { powerOnState: number },
): ReturnType<RelayProtocol['paste']> {
  const { host, port, mqttId, key } = facts;
  const whereTo: [string, string][] = [
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
  ];
  const behaviour: [string, string][] = [
    ['TelePeriod', '30'],
    ['PowerOnState', String(facts.powerOnState)],
    ['PowerRetain', '0'],
    ['SwitchRetain', '0'],
    ['ButtonRetain', '0'],
    ['SetOption0', '1'],
    ['SetOption3', '1'],
    ['SetOption4', '0'],
    ['SetOption65', '1'],
    ['SetOption90', '0'],
    ['StateText1', 'OFF'],
    ['StateText2', 'ON'],
    ['PowerDelta', '110'],
    ['WifiConfig', '4'],
    ['MqttKeepAlive', '30'],
    ['MqttRetry', '10'],
    ['NtpServer1', host],
  ];
  const whole = backlog([...whereTo, ...behaviour]);
  // what starts the relay anew comes last: the next line would be lost
  const lines = whole.length <= LONGEST_LINE ? [whole] : [backlog(behaviour), backlog(whereTo)];
  return {
    fields: [...whereTo, ...behaviour].map(([name, value]) => ({ name, value })),
    steps: lines.map((text) => ({ where: 'tasmota_console', text })),
  };
}

const backlog = (values: readonly [string, string][]): string =>
  `Backlog ${values.map(([name, value]) => `${name} ${value}`).join('; ')}`;
