import { createServer } from 'node:net';
import { Aedes } from 'aedes';

// The baseline of MQTT: aedes as it comes, with one subscriber in the same process, as the gateway takes its messages.

const broker = await Aedes.createBroker();
const heard = { count: 0 };
broker.subscribe(
  'sf/v1/d/+/hb',
  (_packet, taken) => {
    heard.count += 1;
    taken();
  },
  () => {
    const server = createServer({ noDelay: true }, (socket) => void broker.handle(socket));
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      process.stdout.write(`${JSON.stringify({ msg: 'ready', mqtt: `mqtt://127.0.0.1:${port}` })}\n`);
    });
  },
);
process.on('SIGTERM', () => process.exit(0));
