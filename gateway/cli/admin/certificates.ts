import { randomBytes } from 'node:crypto';
import { freeName, timeName, writeWhole } from '#adapters/backup/safe-files.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { AUTHORITY_PIN, trustQueries } from '#adapters/sql/queries/system/trust.ts';
import { machineNetwork } from '#adapters/system/machine-facts.ts';
import { certificateMaker } from '#adapters/tls/make-certificate.ts';
import { copyAside, trustFiles } from '#adapters/tls/trust-files.ts';
import { atTheBox } from '#contract/commands.ts';
import { hostsOf } from '#contract/discovery.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { authorityRotationInput } from '#contract/resources/system.ts';
import { put } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { authorityAnswerOf, cancelRotation, rotateAuthority } from '#features/system/trust/identity.ts';
import { keepTrust, type TrustKeeper } from '#features/system/trust/keep-trust.ts';
import { authorityValidity, namesOf } from '#features/system/trust/trust-rules.ts';
import { UsageError } from '#runtime/config.ts';
import { type Command, linesOf, type Session, type Told, valid } from './session.ts';

// The authority of the farm network from the command line. It works on the files; a running gateway looks at them every
// few seconds, shows what changed, and tells people.

export const showAuthority: Command = async (session) => told(await keeperOf(session));

export const rotateFarmAuthority: Command = async (session) => {
  const input = {
    ...given('cross_over_at', session.text('cross-over-at')),
    ...given('retire_at', session.text('retire-at')),
  };
  const keeper = await keeperOf(session);
  await rotateAuthority({ ...session.kernel, keeper }, valid(authorityRotationInput.safeParse(input)));
  return told(keeper);
};

export const cancelAuthorityRotation: Command = async (session) => {
  const keeper = await keeperOf(session);
  await cancelRotation({ keeper });
  return told(keeper);
};

export const newAuthority: Command = async (session) => {
  if (!session.isForced) {
    throw new UsageError(
      `Everything that pinned the authority must pin the new one; bring the old one back from a backup if you can (${atTheBox('restore --from FOLDER --authority-only')}), else say --force`,
    );
  }
  const { kernel, config } = session;
  const now = isoOf(kernel.now());
  await copyAside(config.data, (file) => freeName(`${file}.replaced-${timeName(now)}`));
  const names = namesOf(machineNetwork(), await extraNamesOf(session));
  const present = certificateMaker.authority(names, authorityValidity(kernel.now()));
  const { pin } = certificateMaker.facts(present.certificate);
  await filesOf(session).writeState({
    format: 1,
    revision: 1,
    present,
    next: null,
    former: null,
    retired: [],
  });
  await kernel.commit({ changes: [put(instanceValue, { id: AUTHORITY_PIN, value: pin })], actor: null });
  return told(await keeperOf(session));
};

const given = (name: string, text: string | undefined) => (text === undefined ? {} : { [name]: text });

const filesOf = ({ config }: Session) => trustFiles({ writeWhole, maker: certificateMaker }, config.data);

const extraNamesOf = async ({ config, database }: Session): Promise<string[]> => [
  ...hostsOf(await trustQueries(database.read, OWN_STREAM).gatewayId()),
  ...config.tlsNames,
];

/** It keeps the files and shows nothing: the ports are those of the running gateway. */
async function keeperOf(session: Session): Promise<TrustKeeper> {
  const { database, kernel } = session;
  const queries = trustQueries(database.read, OWN_STREAM);
  const keeper = keepTrust({
    ...kernel,
    monotonic: () => performance.now(),
    store: {
      ...filesOf(session),
      // the certificate of the box is made by who shows it
      readServer: async () => ({ is: 'absent' }),
      writeServer: async () => undefined,
    },
    maker: certificateMaker,
    network: machineNetwork,
    // the next authority is made here, for the names of the box
    extraNames: await extraNamesOf(session),
    newTicketKey: () => randomBytes(48).toString('base64'),
    knownPin: queries.knownPin,
    rememberPin: async () => true,
    show: () => undefined,
    tell: () => undefined,
  });
  await keeper.look();
  const { authority } = keeper.trouble();
  if (authority !== null) throw new Error(`The farm authority is lost: ${authority}`);
  return keeper;
}

function told(keeper: TrustKeeper): Told {
  const value = authorityAnswerOf({ keeper, facts: certificateMaker.facts });
  const { authority, next_authority: next, former_authority: former } = value;
  const line = (word: string, one: typeof authority, date: string) =>
    one === null ? [] : [[word, one.fingerprint_sha256, `pin ${one.spki_sha256}`, date]];
  const rows = [
    ...line('present', authority, limitsNote(keeper)),
    ...line('next', next, `signs from ${next?.cross_over_at}`),
    ...line('former', former, `served until ${former?.retire_at}`),
  ];
  return { sentence: linesOf('There is no authority yet', rows), value };
}

/** Earlier versions made authorities that may sign for any site. */
function limitsNote(keeper: TrustKeeper): string {
  const state = keeper.state();
  if (state === null || certificateMaker.facts(state.present.certificate).isLimited) return '';
  return `may sign for ANY site: rotate it (${atTheBox('admin rotate-authority')}) and delete it from phones`;
}
