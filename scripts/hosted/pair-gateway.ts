import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { MAIN_FILE } from '../built-program.ts';
import { asPerson } from '../demo/interface.ts';

const claimed = z.object({ id: z.string(), stream_id: z.number().optional() });

export type Ceremony = {
  /** Folder of the gateway, which may run meanwhile. */
  data: string;
  /** Under which the gateway reaches the hosted instance: possibly a bad line. */
  link: string;
  /** Under which the owner reaches it. */
  hosted: string;
  ownerToken: string;
  name?: string;
  /** Of another version than today's. */
  program?: string;
};

/**
 * The ceremony as people do it: `pair` at the box shows a code, and its owner enters it at the hosted instance. Answers
 * the id of the gateway there. Throws with what `pair` said when it did not come about.
 */
export async function pairGateway({
  data,
  link,
  hosted,
  ownerToken,
  name,
  program = MAIN_FILE,
}: Ceremony): Promise<string> {
  const named = name === undefined ? [] : ['--name', name];
  const child = spawn(process.execPath, [program, 'pair', '--data', data, '--hosted-url', link, ...named], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve));
  const said: string[] = [];
  let gatewayId: string | null = null;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      const code = /^Code: (\S+)$/.exec(line)?.[1];
      if (code === undefined) continue;
      const owner = asPerson(hosted, ownerToken);
      gatewayId = (await owner.post('/sync/claims', { user_code: code }, claimed)).id;
    }
  } finally {
    child.kill();
  }
  if ((await exitCode) !== 0 || gatewayId === null)
    throw new Error(`the gateway was not paired:\n${said.join('\n')}`);
  return gatewayId;
}
