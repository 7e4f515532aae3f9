const pt = {
  title: 'Qual é o gateway da fazenda?',
  explain:
    'Ele aparece aqui quando está ligado na mesma rede. A chave dele fica guardada: um impostor não entra no lugar.',
  searching: 'Procurando na rede…',
  none: 'Nenhum gateway respondeu. Confira se ele está ligado e se este computador está no Wi-Fi da fazenda.',
  again: 'Procurar de novo',
  address: 'Ou o endereço dele',
  use: 'Usar',
  isBox: 'Este computador é a caixa da fazenda?',
  start: 'Iniciar o gateway aqui',
  starting: 'Iniciando…',
  plain: 'sem criptografia',
  pinned: 'chave',
  lost: 'SEM CONTATO COM O GATEWAY',
  since: (minutes: number) => `há ${minutes} min; tentando de novo a cada 3 s`,
  alarms: (text: string) => `Último alarme sem resposta: ${text}`,
  step1: 'Vá ver os aeradores. Eles seguem a agenda sozinhos, mas ninguém está avisando aqui.',
  step2: 'Confira se a caixa está ligada e com luz.',
  step3: 'Confira se este computador está no Wi-Fi da fazenda.',
  retry: 'Tentar agora',
  other: 'Escolher outro gateway',
};

const en: typeof pt = {
  title: 'Which is the farm’s gateway?',
  explain:
    'It shows up here when it is on in the same network. Its key is kept: no impostor takes its place.',
  searching: 'Looking in the network…',
  none: 'No gateway answered. Check that it is on and that this computer is on the farm’s Wi-Fi.',
  again: 'Look again',
  address: 'Or its address',
  use: 'Use',
  isBox: 'Is this computer the farm’s box?',
  start: 'Start the gateway here',
  starting: 'Starting…',
  plain: 'not encrypted',
  pinned: 'key',
  lost: 'NO CONTACT WITH THE GATEWAY',
  since: (minutes: number) => `for ${minutes} min; trying again every 3 s`,
  alarms: (text: string) => `Last alarm nobody answered: ${text}`,
  step1: 'Go and see the aerators. They follow their schedule by themselves, but nobody warns you here.',
  step2: 'Check that the box is on and has light.',
  step3: 'Check that this computer is on the farm’s Wi-Fi.',
  retry: 'Try now',
  other: 'Choose another gateway',
};

export const words = navigator.language.toLowerCase().startsWith('pt') ? pt : en;

/** Puts the words where the page asks for them. */
export function speak(): void {
  document.documentElement.lang = words === pt ? 'pt-BR' : 'en';
  for (const place of document.querySelectorAll<HTMLElement>('[data-word]')) {
    const word = words[place.dataset['word'] as keyof typeof words];
    if (typeof word === 'string') place.textContent = word;
  }
}
