import { createServer } from 'node:net';

// A door behind which there is nothing: it refuses whoever knocks. What knocks cost the machine that also makes them, without
// a gateway.

const REFUSAL = Buffer.from([0x20, 2, 0, 5]);

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => socket.end(REFUSAL, () => socket.destroy()));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ msg: 'ready', mqtt: `mqtt://127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
