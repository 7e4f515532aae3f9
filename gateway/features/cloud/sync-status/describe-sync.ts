import type { SyncStateWord } from '#contract/resources/sync-status.ts';
import type { LogFigures, SyncFacts } from './ports.ts';

/** Without the socket the gateway asks every minute; twice that and some more is silence. */
export const STALE_AFTER_MS = 150_000;
const TROUBLED_AFTER_MS = 10_000;
/** Waiting longer than this is a backlog; readings are sent once a minute anyway. */
const BEHIND_AFTER_MS = { core: 15_000, history: 150_000 } as const;

/**
 * The state in one word. Green only on fresh proof: a link that said nothing for minutes is offline, whatever it was
 * before, and a socket that looks open proves nothing by itself.
 */
export function stateOf(
  facts: Pick<SyncFacts, 'phase' | 'contactAgeMs' | 'trouble'> & Partial<Pick<SyncFacts, 'moved'>>,
  { lanes }: Pick<LogFigures, 'lanes'>,
  nowMs: number,
): SyncStateWord {
  const { phase, contactAgeMs, trouble } = facts;
  if (phase === 'unpaired' || phase === 'revoked' || phase === 'fenced') return phase;
  if (phase === 'upgrade') return 'upgrade_needed';
  if (contactAgeMs === null || contactAgeMs > STALE_AFTER_MS) return 'offline';
  // one failed request is a hiccup; one that no success followed is the truth
  if (trouble !== null && contactAgeMs > TROUBLED_AFTER_MS) return 'offline';
  if (phase === 'resync') return 'comparing';
  // of such a farm the cloud hears nothing from here: nothing of it is the same
  if (facts.moved !== undefined && facts.moved.length > 0) return 'farm_moved';
  const isBehind = (['core', 'history'] as const).some((lane) => {
    const { waitingRows, oldestAtMs } = lanes[lane];
    return waitingRows > 0 && oldestAtMs !== null && nowMs - oldestAtMs > BEHIND_AFTER_MS[lane];
  });
  return phase === 'connecting' || isBehind ? 'catching_up' : 'connected';
}

const SENTENCES: Readonly<Record<'en' | 'pt-BR', Readonly<Record<SyncStateWord, string>>>> = {
  en: {
    unpaired: 'This gateway works alone: it is not paired with a cloud account.',
    connected: 'The farm and the cloud have the same data.',
    catching_up: 'The link is up; changes are on their way.',
    comparing: 'The link is up; everything is being compared with the cloud. Nothing is lost.',
    offline: 'No contact with the cloud. The farm runs on; changes are kept and sent later.',
    upgrade_needed: 'The versions of gateway and cloud do not fit; please upgrade. Changes are kept.',
    revoked: 'This gateway was unpaired from the cloud account. The farm runs on alone.',
    farm_moved:
      'A farm of this box was taken off it in the cloud. This box runs it no longer and takes no changes of it; what it kept can be read and exported here, and given to the cloud by binding the farm to this gateway again.',
    fenced: 'Another gateway took over the place of this one in the cloud. This one runs its farm alone.',
  },
  'pt-BR': {
    unpaired: 'Este gateway trabalha sozinho: não está pareado com uma conta na nuvem.',
    connected: 'A fazenda e a nuvem têm os mesmos dados.',
    catching_up: 'Há conexão; as alterações estão a caminho.',
    comparing: 'Há conexão; tudo está sendo comparado com a nuvem. Nada se perde.',
    offline:
      'Sem contato com a nuvem. A fazenda segue funcionando; as alterações ficam guardadas e vão depois.',
    upgrade_needed: 'As versões do gateway e da nuvem não combinam; atualize. As alterações ficam guardadas.',
    revoked: 'Este gateway foi desvinculado da conta na nuvem. A fazenda segue sozinha.',
    farm_moved:
      'Uma fazenda desta caixa foi retirada dela na nuvem. Esta caixa não a controla mais nem aceita alterações nela; o que ficou guardado pode ser lido e exportado aqui, e vai para a nuvem se a fazenda voltar a este gateway.',
    fenced: 'Outro gateway assumiu o lugar deste na nuvem. Este segue cuidando da fazenda sozinho.',
  },
};

export const sentenceOf = (state: SyncStateWord, language: 'en' | 'pt-BR'): string =>
  SENTENCES[language][state];
