import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DISCOVERY_QUESTION } from '#contract/discovery.ts';
import { lastingPort } from '#test/lasting-port.ts';
import { type StartedGateway, startGateway } from './started-gateway.ts';

// Anybody on the farm's network may ask where the gateway is and what time it is. The motors of the farm depend on this process:
// whatever a datagram says it comes from, it goes on.

const SEND_RAW = `
use Socket;
my ($port, $hex) = @ARGV;
socket(my $raw, PF_INET, SOCK_RAW, 17) or exit 3;
exit 0 if $port == 0;
my $data = pack('H*', $hex);
my $packet = pack('nnnn', 0, $port, 8 + length $data, 0) . $data;
send($raw, $packet, 0, sockaddr_in(0, inet_aton('127.0.0.1'))) or exit 4;
`;

/** Sends a datagram whose source port is 0, which a system does for nobody who asks in the usual way. */
const sendFromNowhere = (port: number, data: Buffer): number | null =>
  spawnSync('perl', ['-e', SEND_RAW, `${port}`, data.toString('hex')]).status;

const mayForge = sendFromNowhere(0, Buffer.alloc(0)) === 0;

const timeQuestion = Buffer.alloc(48);
timeQuestion[0] = 0x23;

let program: StartedGateway;
const ports = { time: 0, discovery: 0 };
beforeAll(async () => {
  Object.assign(ports, { time: await lastingPort(), discovery: await lastingPort() });
  const own = ['--ntp-port', `${ports.time}`, '--discovery-port', `${ports.discovery}`];
  // a gateway that only its own machine can call tells nobody anything
  program = await startGateway({ args: ['--host', '0.0.0.0', ...own] });
});
afterAll(() => program?.close());

/** What who asks in the usual way is answered, in bytes. */
async function answeredBytes(port: number, question: Buffer): Promise<number> {
  const socket = createSocket('udp4');
  const signal = AbortSignal.timeout(5_000);
  try {
    const answer = once(socket, 'message', { signal });
    socket.send(question, port, '127.0.0.1');
    const [message]: Buffer[] = await answer;
    return message?.length ?? 0;
  } finally {
    socket.close();
  }
}

it.runIf(mayForge).each([
  ['the time', () => [ports.time, timeQuestion] as const],
  ['where the gateway is', () => [ports.discovery, Buffer.from(DISCOVERY_QUESTION)] as const],
])(
  'a neighbour that asks %s from port 0 is passed over, and the next one is answered',
  async (_what, asked) => {
    expect(await answeredBytes(...asked())).toBeGreaterThan(0);
    expect(sendFromNowhere(...asked())).toBe(0);
    expect(await answeredBytes(...asked())).toBeGreaterThan(0);
  },
);
