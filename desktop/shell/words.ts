const pt = {
  title: 'Qual é o gateway da fazenda?',
  explain:
    'Ele aparece aqui quando está ligado na mesma rede. A chave dele fica guardada: um impostor não entra no lugar, e ele é encontrado mesmo com outro endereço.',
  searching: 'Procurando na rede…',
  none: 'Nenhum gateway respondeu. Confira se ele está ligado e se este computador está no Wi-Fi da fazenda.',
  again: 'Procurar de novo',
  address: 'Ou o endereço dele',
  use: 'Usar',
  asking: 'Perguntando…',
  nobody:
    'Nenhum gateway respondeu nesse endereço. Confira o número e se este computador está no Wi-Fi da fazenda.',
  isBox: 'Este computador é a caixa da fazenda?',
  boxMeans:
    'Então o gateway roda aqui e inicia junto com o computador. Deixe o computador entrar sem senha, ligar sozinho quando a luz volta e nunca dormir: sem ele ninguém cuida dos aeradores.',
  start: 'Iniciar o gateway aqui',
  starting: 'Iniciando o gateway… (até um minuto)',
  startingHere: 'INICIANDO O GATEWAY DESTE COMPUTADOR',
  late: 'O gateway deste computador foi iniciado há mais de 2 min e ainda não responde. Se não responder logo, chame o técnico.',
  runs: 'O gateway deste computador está rodando.',
  portTaken: (port: number) =>
    `O gateway não inicia: outro programa deste computador usa a porta ${port}. Se já há um gateway instalado aqui, escolha-o na lista; senão feche o outro programa. O gateway tenta de novo sozinho.`,
  fell: (sentence: string) =>
    `O gateway não fica de pé e é iniciado de novo a cada 10 s. Chame o técnico. Ele disse: ${sentence || '(nada)'}`,
  back: 'Voltar',
  plain: 'sem criptografia',
  code: 'código',
  compare:
    'Compare com o código na etiqueta da caixa, ou no painel de um aparelho que já a usa, em Sistema → Sobre. Todos os números iguais?',
  open: 'Esta caixa fala sem criptografia: quem está na mesma rede pode ler e imitar. Use só numa rede em que você confia.',
  known: 'Este endereço prova quem é do mesmo jeito que um banco na internet.',
  same: 'São iguais: usar esta caixa',
  useAnyway: 'Usar este endereço',
  differs: 'Não: voltar',
  notSame: 'Se o código não bate, não use: pode ser a caixa de outra fazenda, ou alguém se passando por ela.',
  lost: 'SEM CONTATO COM O GATEWAY',
  silent: (host: string) =>
    `Nada responde em ${host}. Se a caixa ganhou outro endereço, é encontrada sozinha.`,
  otherKey:
    'Quem responde ali tem outra chave. Se a caixa foi trocada ou reinstalada, escolha-a de novo e compare o código; se não foi, alguém se passa por ela: chame o técnico.',
  otherBox: 'Quem responde ali é outra caixa. A da fazenda é procurada na rede.',
  call: 'Quem chamar',
  since: (minutes: number) =>
    `${minutes === 0 ? 'há menos de 1 min' : `há ${minutes} min`}; tentando de novo a cada 3 s`,
  alarms: (text: string) => `Último alarme sem resposta: ${text}`,
  step1: 'Vá ver os aeradores. Eles seguem a agenda sozinhos, mas ninguém está avisando aqui.',
  step2: 'Confira se a caixa está ligada e com a luz acesa.',
  step3: 'Confira se este computador está no Wi-Fi da fazenda.',
  retry: 'Tentar agora',
  other: 'Escolher outro gateway',
};

const en: typeof pt = {
  title: 'Which is the farm’s gateway?',
  explain:
    'It shows up here when it is on in the same network. Its key is kept: no impostor takes its place, and it is found under another address, too.',
  searching: 'Looking in the network…',
  none: 'No gateway answered. Check that it is on and that this computer is on the farm’s Wi-Fi.',
  again: 'Look again',
  address: 'Or its address',
  use: 'Use',
  asking: 'Asking…',
  nobody:
    'No gateway answered at that address. Check the number, and that this computer is on the farm’s Wi-Fi.',
  isBox: 'Is this computer the farm’s box?',
  boxMeans:
    'Then the gateway runs here and starts with the computer. Let the computer sign in without a password, switch itself on when power returns and never sleep: without it nobody looks after the aerators.',
  start: 'Start the gateway here',
  starting: 'Starting the gateway… (up to a minute)',
  startingHere: 'STARTING THE GATEWAY OF THIS COMPUTER',
  late: 'The gateway of this computer was started more than 2 min ago and does not answer yet. If it does not soon, call the technician.',
  runs: 'The gateway of this computer runs.',
  portTaken: (port: number) =>
    `The gateway does not start: another program on this computer uses port ${port}. If a gateway is installed here already, choose it in the list; else close the other program. The gateway tries again by itself.`,
  fell: (sentence: string) =>
    `The gateway does not stay up, and is started again every 10 s. Call the technician. It said: ${sentence || '(nothing)'}`,
  back: 'Back',
  plain: 'not encrypted',
  code: 'code',
  compare:
    'Compare with the code on the label of the box, or in the console of a device that uses it already, under System → About. Are all digits the same?',
  open: 'This box speaks without encryption: who is in the same network can read and imitate it. Use it only in a network that you trust.',
  known: 'This address proves who it is in the same way as a bank on the internet.',
  same: 'The same: use this box',
  useAnyway: 'Use this address',
  differs: 'No: back',
  notSame:
    'If the code differs, do not use it: it may be another farm’s box, or somebody who poses as yours.',
  lost: 'NO CONTACT WITH THE GATEWAY',
  silent: (host: string) =>
    `Nothing answers at ${host}. If the box got another address, it is found by itself.`,
  otherKey:
    'Who answers there has another key. If the box was replaced or installed anew, choose it again and compare the code; if not, somebody poses as it: call the technician.',
  otherBox: 'Another box answers there. That of the farm is looked for in the network.',
  call: 'Whom to call',
  since: (minutes: number) =>
    `for ${minutes === 0 ? 'less than 1 min' : `${minutes} min`}; trying again every 3 s`,
  alarms: (text: string) => `Last alarm nobody answered: ${text}`,
  step1: 'Go and see the aerators. They follow their schedule by themselves, but nobody warns you here.',
  step2: 'Check that the box is on and its light is lit.',
  step3: 'Check that this computer is on the farm’s Wi-Fi.',
  retry: 'Try now',
  other: 'Choose another gateway',
};

const es: typeof pt = {
  title: '¿Cuál es el gateway de la camaronera?',
  explain:
    'Aparece aquí cuando está encendido en la misma red. Su clave queda guardada: un impostor no entra en su lugar, y se lo encuentra aunque tenga otra dirección.',
  searching: 'Buscando en la red…',
  none: 'Ningún gateway respondió. Revise que esté encendido y que esta computadora esté en el Wi-Fi de la camaronera.',
  again: 'Buscar de nuevo',
  address: 'O su dirección',
  use: 'Usar',
  asking: 'Preguntando…',
  nobody:
    'Ningún gateway respondió en esa dirección. Revise el número y que esta computadora esté en el Wi-Fi de la camaronera.',
  isBox: '¿Esta computadora es la caja de la camaronera?',
  boxMeans:
    'Entonces el gateway corre aquí y arranca con la computadora. Deje que la computadora entre sin contraseña, se encienda sola cuando vuelve la energía y nunca se suspenda: sin ella nadie cuida los aireadores.',
  start: 'Arrancar el gateway aquí',
  starting: 'Arrancando el gateway… (hasta un minuto)',
  startingHere: 'ARRANCANDO EL GATEWAY DE ESTA COMPUTADORA',
  late: 'El gateway de esta computadora arrancó hace más de 2 min y todavía no responde. Si no responde pronto, llame al técnico.',
  runs: 'El gateway de esta computadora está funcionando.',
  portTaken: (port: number) =>
    `El gateway no arranca: otro programa de esta computadora usa el puerto ${port}. Si ya hay un gateway instalado aquí, elíjalo en la lista; si no, cierre el otro programa. El gateway intenta de nuevo solo.`,
  fell: (sentence: string) =>
    `El gateway no se mantiene en pie y se arranca de nuevo cada 10 s. Llame al técnico. Dijo: ${sentence || '(nada)'}`,
  back: 'Volver',
  plain: 'sin cifrado',
  code: 'código',
  compare:
    'Compare con el código en la etiqueta de la caja, o en el panel de un dispositivo que ya la usa, en Sistema → Acerca de. ¿Son iguales todos los números?',
  open: 'Esta caja habla sin cifrado: quien está en la misma red puede leer e imitar. Úsela solo en una red en la que usted confíe.',
  known: 'Esta dirección prueba quién es de la misma forma que un banco en internet.',
  same: 'Son iguales: usar esta caja',
  useAnyway: 'Usar esta dirección',
  differs: 'No: volver',
  notSame:
    'Si el código no coincide, no la use: puede ser la caja de otra camaronera, o alguien que se hace pasar por ella.',
  lost: 'SIN CONTACTO CON EL GATEWAY',
  silent: (host: string) =>
    `Nada responde en ${host}. Si la caja recibió otra dirección, se la encuentra sola.`,
  otherKey:
    'Quien responde ahí tiene otra clave. Si la caja se cambió o se reinstaló, elíjala de nuevo y compare el código; si no, alguien se hace pasar por ella: llame al técnico.',
  otherBox: 'Quien responde ahí es otra caja. La de la camaronera se busca en la red.',
  call: 'A quién llamar',
  since: (minutes: number) =>
    `${minutes === 0 ? 'desde hace menos de 1 min' : `desde hace ${minutes} min`}; intentando de nuevo cada 3 s`,
  alarms: (text: string) => `Última alarma sin respuesta: ${text}`,
  step1: 'Vaya a ver los aireadores. Siguen solos la programación, pero nadie avisa aquí.',
  step2: 'Revise que la caja esté encendida y con la luz prendida.',
  step3: 'Revise que esta computadora esté en el Wi-Fi de la camaronera.',
  retry: 'Intentar ahora',
  other: 'Elegir otro gateway',
};

const asked = navigator.language.toLowerCase();
const spoken = asked.startsWith('pt') ? 'pt-BR' : asked.startsWith('es') ? 'es' : 'en';
export const words = { 'pt-BR': pt, en, es }[spoken];

/** Puts the words where the page asks for them. */
export function speak(): void {
  document.documentElement.lang = spoken;
  for (const place of document.querySelectorAll<HTMLElement>('[data-word]')) {
    const word = words[place.dataset['word'] as keyof typeof words];
    if (typeof word === 'string') place.textContent = word;
  }
}
