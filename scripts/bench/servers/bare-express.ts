import express from 'express';

// The baseline of HTTP: express as it comes; it parses the body and sends it back.

const app = express();
app.post('/api/v1/devices/heartbeat', express.json(), (request, response) => {
  response.json(request.body);
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ msg: 'ready', http: `http://127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
