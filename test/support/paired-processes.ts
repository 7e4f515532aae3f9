import { pairGateway } from '../../scripts/hosted/pair-gateway.ts';
import { type FarmClock, startGatewayProcess } from './gateway-process.ts';

export type Program = Awaited<ReturnType<typeof startGatewayProcess>>;
export type Account = { token: string; userId: string };

/** A process of a hosted instance on this database. */
export const startHostedProcess = (clock: FarmClock, databaseUrl: string): Promise<Program> =>
  startGatewayProcess(clock, ['--role', 'hosted', '--database-url', databaseUrl, '--rate-limits', 'no']);

export async function anAccountAt(program: Program, email: string): Promise<Account> {
  const account = { email, password: 'camarao-do-norte' };
  const made = await program.call('POST', '/auth/register', {
    body: { ...account, name: 'Ana', role: 'OWNER' },
  });
  if (made.status !== 201) throw new Error(`not registered: ${JSON.stringify(made.body)}`);
  const session = await program.call('POST', '/auth/login', { body: { ...account, remember_me: true } });
  return { token: textOf(session.body, 'access_token'), userId: textOf(made.body, 'id') };
}

/** The ceremony; `port` is where the gateway finds the hosted instance. */
export async function pairOver(
  port: number,
  { gateway, hosted, owner }: { gateway: Program; hosted: Program; owner: Account },
) {
  await pairGateway({
    data: gateway.data,
    link: `http://127.0.0.1:${port}`,
    hosted: hosted.http(),
    ownerToken: owner.token,
  });
}

export const portOf = (program: Program): number => Number(new URL(program.http()).port);

/** A text of an answer. Throws when it is not there. */
export function textOf(body: unknown, name: string): string {
  const value =
    typeof body === 'object' && body !== null && name in body
      ? (body as Record<string, unknown>)[name]
      : null;
  if (typeof value !== 'string') throw new Error(`no ${name} in ${JSON.stringify(body)}`);
  return value;
}
