import type { Client } from 'aedes';

type Parser = {
  prependListener: (
    event: 'packet',
    listener: (packet: { cmd: string; subscriptions?: { qos: number }[] }) => void,
  ) => void;
};

/**
 * Nothing is sent above QoS 1, so nothing above it is granted (section 3.8.4 lets a server grant less). aedes answers
 * with the QoS that was asked for, whatever its authorisation makes of it, so it is lowered where the packet is read.
 */
export function lowerGrantedQos(client: Client): void {
  // aedes does not type its parser; a test subscribes with QoS 2 and looks at what is granted
  const { _parser: parser } = client as Client & { _parser?: Parser };
  parser?.prependListener('packet', ({ cmd, subscriptions = [] }) => {
    if (cmd !== 'subscribe') return;
    for (const subscription of subscriptions) subscription.qos = Math.min(subscription.qos, 1);
  });
}
