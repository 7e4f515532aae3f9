import { presence } from '../data/farm-store.ts';
import { dictionary } from '../i18n/language.ts';

// Whoever knows the name of a controller can say what its motor does, where calls without a key are taken for it.

export const notProvedWords = dictionary({
  'pt-BR': {
    mark: 'não comprovado',
    why: 'O último relato veio sem chave: quem está na rede e sabe o nome do controlador pode tê-lo mandado.',
  },
  en: {
    mark: 'not proved',
    why: 'The last report came without a key: whoever is on the network and knows the name of the controller may have sent it.',
  },
});

/** Whether what is shown of the motor was said by somebody without a key. */
export const isNotProved = (pointId: string): boolean => presence.value.get(pointId)?.is_proved === false;

export function NotProvedMark({ pointId }: { pointId: string }) {
  const words = notProvedWords();
  return isNotProved(pointId) ? (
    <strong class="not-proved-mark" title={words.why}>
      {words.mark}
    </strong>
  ) : null;
}
