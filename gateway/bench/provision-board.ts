import { inEach, verbatim } from '#core/each-language.ts';
import type { Identity } from './identity.ts';
import { askImprovInfo, joinWifi } from './improv-client.ts';
import { type JobContext, type JobOf, type JobResult, sentence } from './job.ts';
import { atConsole } from './provision-at-console.ts';
import type { BoardConsole } from './provision-console.ts';
import { askBoardInfo, type BoardInfo, rebootBoard, writeIdentity } from './sfprov-client.ts';

/**
 * Gives the board at a port its identity and its Wi-Fi, in this order, so that it knows whom to call when it gets in.
 * Whether it really calls is for the gateway to say. Started again, it writes the same anew: nothing is half done.
 */
export async function provisionBoard(job: JobOf<'provision'>, context: JobContext): Promise<JobResult> {
  return atConsole(job, context, async (console) => {
    context.tell(
      sentence(
        'ask',
        inEach(
          'perguntando à placa quem ela é',
          'asking the board who it is',
          'preguntando a la placa quién es',
        ),
      ),
    );
    const before = await askBoardInfo(console);
    context.tell(
      sentence('ask', verbatim(`${before.chip} ${before.mac}, firmware ${before.firmware_version}`)),
    );
    const keepsClaim =
      before.has_claim === true &&
      job.labelled_mac !== null &&
      plainMac(before.mac) === plainMac(job.labelled_mac);
    const identity = job.identity === null || !keepsClaim ? job.identity : { ...job.identity, claim: null };
    const after = identity === null ? before : await identified(console, context, identity);
    const address = job.wifi === null ? null : await connected(console, context, job.wifi);
    const wasAnother = before.device_id !== null && job.identity !== null;
    if (job.wifi === null || wasAnother) {
      context.tell(
        sentence(
          'restart',
          inEach('reiniciando o firmware', 'starting the firmware anew', 'reiniciando el firmware'),
        ),
      );
      await rebootBoard(console);
    }
    return {
      ...shown(after),
      has_claim: after.has_claim,
      ...(job.identity === null ? {} : { claim_kept: keepsClaim }),
      previous_device_id: before.device_id,
      wifi: job.wifi === null ? after.wifi : 'provisioned',
      address,
    };
  });
}

const plainMac = (mac: string) => mac.replaceAll(/[:.-]/g, '').toLowerCase();

/** The part of it that a result shows. */
export function shown({ device_id, mac, chip, firmware_version }: BoardInfo) {
  return { device_id, mac, chip, firmware_version };
}

const NO_CLAIM = inEach(
  'este firmware não guarda o código da etiqueta: com ela a placa não será adotada pelo Wi-Fi',
  'this firmware keeps no claim code: the board cannot be adopted over the Wi-Fi by its label',
  'este firmware no guarda el código de la etiqueta: con ella la placa no será adoptada por el Wi-Fi',
);

async function identified(
  console: BoardConsole,
  context: JobContext,
  identity: Identity,
): Promise<BoardInfo> {
  context.tell(
    sentence(
      'identity',
      inEach(
        `gravando a identidade ${identity.device_id}`,
        `writing identity ${identity.device_id}`,
        `grabando la identidad ${identity.device_id}`,
      ),
    ),
  );
  const info = await writeIdentity(console, identity);
  const id = info.device_id ?? '';
  context.tell(
    sentence(
      'identity',
      inEach(`a placa agora é ${id}`, `the board is ${id} now`, `la placa ahora es ${id}`),
    ),
  );
  if (identity.claim !== null && info.has_claim !== true)
    context.tell(sentence('identity', NO_CLAIM, 'warning'));
  return info;
}

async function connected(
  console: BoardConsole,
  context: JobContext,
  wifi: { ssid: string; password: string },
): Promise<string | null> {
  const info = await askImprovInfo(console);
  const name = info === null ? '' : ` (${info.firmware} ${info.version})`;
  context.tell(
    sentence(
      'wifi',
      inEach(
        `entrando em "${wifi.ssid}"${name}`,
        `joining "${wifi.ssid}"${name}`,
        `entrando en "${wifi.ssid}"${name}`,
      ),
    ),
  );
  const address = await joinWifi(console, wifi);
  const joined =
    address === null
      ? inEach(
          `a placa está em "${wifi.ssid}"`,
          `the board is in "${wifi.ssid}"`,
          `la placa está en "${wifi.ssid}"`,
        )
      : inEach(
          `a placa está em "${wifi.ssid}", em ${address}`,
          `the board is in "${wifi.ssid}", at ${address}`,
          `la placa está en "${wifi.ssid}", en ${address}`,
        );
  context.tell(sentence('wifi', joined));
  return address;
}
