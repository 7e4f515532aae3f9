import { randomUUID } from 'node:crypto';
import type { Aedes } from 'aedes';

/** Nobody outside may publish or subscribe to it. */
const LOOP_TOPIC = 'self-check';

/** True when a message still finds its way through the broker in time: brokers have been seen to fall silent alone. */
export function checkLoop(broker: Aedes, deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const mark = randomUUID();
    const onMessage = (packet: { payload: Buffer | string }, taken: () => void): void => {
      if (packet.payload.toString() === mark) finish(true);
      taken();
    };
    const deadline = setTimeout(() => finish(false), deadlineMs);
    function finish(isWell: boolean): void {
      clearTimeout(deadline);
      if (!broker.closed) broker.unsubscribe(LOOP_TOPIC, onMessage, () => {});
      resolve(isWell);
    }
    if (broker.closed) return finish(false);
    broker.subscribe(LOOP_TOPIC, onMessage, () => {
      broker.publish(
        { cmd: 'publish', topic: LOOP_TOPIC, payload: mark, qos: 0, dup: false, retain: false },
        () => {},
      );
    });
  });
}
