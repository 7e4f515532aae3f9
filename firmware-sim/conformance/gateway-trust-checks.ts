import type { TLSSocket } from 'node:tls';
import * as z from 'zod';
import { connectTrusted, readPin } from '../transport/gateway-trust.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import type { Check } from './report.ts';
import { demand, orLate, Skipped } from './report.ts';

const identity = z.object({
  authority: z.object({ spki_sha256: z.string() }).nullable(),
  ports: z.object({ https: z.number().nullable(), mqtts: z.number().nullable() }),
});

const ANSWER_WITHIN_MS = 10_000;
const CURVE = 'prime256v1';

// Who the gateway is, where it offers TLS.
export const GATEWAY_TRUST_CHECKS: readonly Check<GatewayUnderTest>[] = [
  {
    id: 'tls.chain',
    clause: '9.2.2',
    title: 'where it offers TLS its certificate descends from the authority whose pin it tells, with P-256',
    needs: ['http.answers'],
    run: async (gateway) => {
      const { status, body } = await gateway.call('/api/v1/system/identity');
      const told = identity.safeParse(body);
      if (status !== 200 || !told.success || told.data.authority === null)
        throw new Skipped('the gateway tells of no authority: it offers no TLS');
      const pin = readPin(told.data.authority.spki_sha256);
      demand(pin !== null, `its pin is none: ${told.data.authority.spki_sha256}`);
      const { https, mqtts } = told.data.ports;
      for (const port of [https, mqtts]) if (port !== null) await demandTrusted(gateway, port, pin);
    },
  },
];

async function demandTrusted(gateway: GatewayUnderTest, port: number, pin: string): Promise<void> {
  const host = new URL(gateway.httpBase).hostname.replace(/^\[|\]$/g, '');
  let socket: TLSSocket | undefined;
  const proved = new Promise<{ wrong: string | null }>((resolve) => {
    socket = connectTrusted({ host, port }, { pins: [pin] }, (error) => {
      resolve({ wrong: error === null ? null : error.message });
    });
    socket.once('error', (error) => resolve({ wrong: error.message }));
  });
  try {
    const late = { wrong: `no TLS within ${ANSWER_WITHIN_MS / 1000} s` };
    const { wrong } = await orLate(gateway.clock, proved, ANSWER_WITHIN_MS, () => late);
    demand(wrong === null, `port ${port}: ${wrong}`);
    const key = socket?.getPeerX509Certificate()?.publicKey;
    const curve = key?.asymmetricKeyDetails?.namedCurve ?? key?.asymmetricKeyType;
    demand(curve === CURVE, `port ${port}: the key of its certificate is of ${curve}`);
  } finally {
    socket?.destroy();
  }
}
