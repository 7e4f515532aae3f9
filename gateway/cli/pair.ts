import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { KeyFileDamaged } from '#adapters/sync/pairing-http.ts';
import { usage } from '#contract/commands.ts';
import { AppError } from '#core/errors.ts';
import {
  type LocalPairingParts,
  type LocalPairingWiring,
  openLocalPairing,
  unreachable,
} from '#operations/pairing/local-pairing.ts';
import { type Config, databaseFile, readConfig, UsageError } from '#runtime/config.ts';
import { adminKernel, openPatiently } from './admin/session.ts';

const HELP = `${usage('pair [options]', 'works while the gateway runs')}

  --hosted-url URL   the hosted instance (HOSTED_URL)
  --name NAME        what the gateway is called there; by default the name of this box
  --status           say whether this gateway is paired, and change nothing
  --unpair           end the pairing from this side; the farm goes on by itself
  --new-key          give the gateway a new key; the old one opens for a week more
  --data DIR         folder of the gateway (DATA_DIR) [./data]

It shows a code. Whoever owns the farm logs in at the hosted instance, enters the code there, and the farms of this
gateway join that account. Exit codes: 0 done, 1 not possible, 2 called wrongly.
`;

export type PairWorld = {
  environment: Readonly<Record<string, string | undefined>>;
  print: (line: string) => void;
  pause: (ms: number) => Promise<unknown>;
  monotonic: () => number;
  /** Tests give another way out. */
  ask?: LocalPairingWiring['ask'];
};

/** Carries out npm run pair. Answers the exit code. */
export async function runPair(args: readonly string[], world: PairWorld): Promise<number> {
  try {
    const values = readArguments(args);
    if (values.help) {
      world.print(HELP);
      return 0;
    }
    const config = readConfig(
      [
        ...(values.data === undefined ? [] : ['--data', values.data]),
        ...(values['hosted-url'] === undefined ? [] : ['--hosted-url', values['hosted-url']]),
      ],
      world.environment,
    );
    if (!existsSync(databaseFile(config)))
      throw new AppError(
        404,
        `There is no database in ${config.data}; say --data with the folder of the gateway`,
      );
    return await withPairing(config, world, (parts) => act(parts, config, values, world));
  } catch (error) {
    if (error instanceof UsageError) {
      world.print(error.message);
      return 2;
    }
    if (!(error instanceof AppError) && !(error instanceof KeyFileDamaged)) throw error;
    world.print(error.message);
    return 1;
  }
}

async function withPairing(
  config: Config,
  world: PairWorld,
  run: (parts: LocalPairingParts) => Promise<number>,
): Promise<number> {
  const database = await openPatiently({ ...config, role: 'gateway' });
  try {
    const { ask, monotonic } = world;
    const given = ask === undefined ? {} : { ask };
    return await run(
      await openLocalPairing({
        config,
        kernel: adminKernel(database),
        monotonic,
        database,
        isCommand: true,
        // the gateway that runs looks at the file by itself
        tellChanged: () => undefined,
        ...given,
      }),
    );
  } finally {
    await database.close();
  }
}

async function act(
  { pairing, paired, rotate }: LocalPairingParts,
  config: Config,
  values: ReturnType<typeof readArguments>,
  world: PairWorld,
): Promise<number> {
  const { print } = world;
  if (values.status) {
    const { state, instance_name, owner_name, detail } = await pairing.show();
    const whom = instance_name === null ? '' : ` with ${instance_name}, account of ${owner_name ?? 'nobody'}`;
    print(`This gateway is ${state}${state === 'paired' ? whom : ''}${detail === null ? '' : `. ${detail}`}`);
    return 0;
  }
  if (values.unpair) {
    const known = await paired();
    await pairing.unpair(null);
    print(
      known === null
        ? 'This gateway was not paired'
        : 'Unpaired. Remove the gateway at the hosted instance, too',
    );
    return 0;
  }
  if (values['new-key']) {
    if ((await paired()) === null) throw new AppError(409, 'This gateway is not paired');
    const { oldKeyUntil } = await rotate().catch((error: unknown) => {
      throw unreachable(error);
    });
    print(`The gateway has a new key; the old one opens until ${oldKeyUntil}`);
    return 0;
  }
  if (config.hostedUrl === null)
    throw new UsageError('Say --hosted-url with the address of the hosted instance');
  return ceremony(pairing, { hostedUrl: config.hostedUrl, name: values.name }, world);
}

const SHOWN_EVERY_MS = 30_000;

async function ceremony(
  pairing: LocalPairingParts['pairing'],
  wish: { hostedUrl: string; name: string | undefined },
  { print, pause, monotonic }: PairWorld,
): Promise<number> {
  const begun = await pairing.start({ ...wish, startedBy: null }).catch((error: unknown) => {
    throw unreachable(error);
  });
  print(
    `Code: ${begun.user_code}\n\nLog in at ${wish.hostedUrl} and enter it, or open ${begun.verification_uri}`,
  );
  const startedAt = monotonic();
  let shownAt = startedAt;
  for (;;) {
    await pause(begun.interval_s * 1000);
    // the running gateway looks, too, and may have been first
    const state = await pairing.look().catch((error: unknown) => {
      print(unreachable(error).message);
      return 'waiting' as const;
    });
    if (state === 'claimed' || (state === 'none' && (await pairing.show()).state === 'paired')) {
      const { owner_name, instance_name } = await pairing.show();
      print(
        `Paired with ${instance_name}, account of ${owner_name}. The gateway compares everything now, then syncs.`,
      );
      return 0;
    }
    if (state !== 'waiting') {
      print('Nobody entered the code in time; start again');
      return 1;
    }
    if (monotonic() - shownAt >= SHOWN_EVERY_MS) {
      shownAt = monotonic();
      print(`Waiting for the code to be entered, since ${Math.round((shownAt - startedAt) / 1000)} s`);
    }
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        'hosted-url': { type: 'string' },
        name: { type: 'string' },
        status: { type: 'boolean' },
        unpair: { type: 'boolean' },
        'new-key': { type: 'boolean' },
        data: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error),
    );
  }
}
