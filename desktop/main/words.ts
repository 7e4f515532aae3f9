import { spokenIn } from '#contract/words.ts';

// What the program around the console says itself: tray, questions, the system's own messages.

const pt = {
  open: 'Abrir o painel',
  quit: 'Encerrar…',
  startsWithSystem: 'Iniciar com o computador',
  kiosk: 'Painel de parede (tela cheia)',
  calm: 'Camarão: sem alarmes',
  blind: 'Camarão: SEM VISÃO da fazenda, nenhum alarme chega aqui',
  blindTitle: 'Sem visão da fazenda',
  blindText: 'Este computador não vê a fazenda e não avisa. Abra o painel e vá ver os aeradores.',
  stays: 'O painel continua de olho',
  staysText:
    'Fechar a janela não encerra: os alarmes continuam aqui. Para encerrar, use o ícone ao lado do relógio.',
  keep: 'Continuar',
  end: {
    gateway: {
      title: 'Encerrar para o gateway da fazenda',
      text: 'Este computador é a caixa da fazenda. Sem ele ninguém liga aeradores por oxigênio baixo, ninguém avisa e nada é registrado. Os controladores seguem sozinhos a agenda que já têm.',
      button: 'Parar o gateway e encerrar',
    },
    watch: {
      title: 'Encerrar o painel',
      text: 'Este computador deixa de avisar. A caixa da fazenda continua trabalhando.',
      button: 'Encerrar',
    },
    box: {
      title: 'Este computador deixa de ser a caixa',
      text: 'O gateway daqui para: ninguém liga aeradores por oxigênio baixo e nada é registrado por ele. Só troque se a outra caixa já cuida da fazenda.',
      button: 'Parar o gateway daqui e trocar',
    },
    autostart: {
      title: 'Não iniciar com o computador',
      text: 'Este computador é a caixa da fazenda. Depois de uma queda de energia o gateway fica parado até alguém abrir o programa.',
      button: 'Não iniciar',
    },
  },
  versions: (own: string, gateway: string | null) =>
    gateway === null ? `Programa ${own}` : `Programa ${own} · gateway ${gateway}`,
  outdated: 'versões diferentes, atualize o programa',
  newer: 'versões diferentes, atualize o gateway',
};

export type Words = typeof pt;

const en: Words = {
  open: 'Open the console',
  quit: 'Quit…',
  startsWithSystem: 'Start with the computer',
  kiosk: 'Wall panel (full screen)',
  calm: 'Camarão: no alarms',
  blind: 'Camarão: BLIND, no alarm of the farm reaches this computer',
  blindTitle: 'Blind',
  blindText:
    'This computer does not see the farm and warns of nothing. Open the console, and go and see the aerators.',
  stays: 'The console keeps watching',
  staysText:
    'Closing the window does not end it: alarms still come here. To quit, use the icon beside the clock.',
  keep: 'Keep on',
  end: {
    gateway: {
      title: 'Quitting stops the farm’s gateway',
      text: 'This computer is the farm’s box. Without it nobody starts aerators for low oxygen, nobody is warned and nothing is recorded. Controllers follow the schedule they have by themselves.',
      button: 'Stop the gateway and quit',
    },
    watch: {
      title: 'Quit the console',
      text: 'This computer warns no more. The farm’s box goes on.',
      button: 'Quit',
    },
    box: {
      title: 'This computer is no longer the box',
      text: 'The gateway here stops: it starts no aerator for low oxygen and records nothing any more. Change only if the other box looks after the farm already.',
      button: 'Stop the gateway here and change',
    },
    autostart: {
      title: 'Do not start with the computer',
      text: 'This computer is the farm’s box. After a power cut the gateway stays stopped until somebody opens the program.',
      button: 'Do not start',
    },
  },
  versions: (own, gateway) => (gateway === null ? `Program ${own}` : `Program ${own} · gateway ${gateway}`),
  outdated: 'different versions, update the program',
  newer: 'different versions, update the gateway',
};

const es: Words = {
  open: 'Abrir el panel',
  quit: 'Cerrar…',
  startsWithSystem: 'Iniciar con la computadora',
  kiosk: 'Panel de pared (pantalla completa)',
  calm: 'Camarão: sin alarmas',
  blind: 'Camarão: SIN VISTA de la camaronera, ninguna alarma llega aquí',
  blindTitle: 'Sin vista de la camaronera',
  blindText: 'Esta computadora no ve la camaronera y no avisa. Abra el panel y vaya a ver los aireadores.',
  stays: 'El panel sigue vigilando',
  staysText:
    'Cerrar la ventana no lo termina: las alarmas siguen llegando aquí. Para cerrarlo, use el ícono junto al reloj.',
  keep: 'Continuar',
  end: {
    gateway: {
      title: 'Cerrar detiene el gateway de la camaronera',
      text: 'Esta computadora es la caja de la camaronera. Sin ella nadie enciende aireadores por oxígeno bajo, nadie avisa y no se registra nada. Los controladores siguen solos la programación que ya tienen.',
      button: 'Detener el gateway y cerrar',
    },
    watch: {
      title: 'Cerrar el panel',
      text: 'Esta computadora deja de avisar. La caja de la camaronera sigue trabajando.',
      button: 'Cerrar',
    },
    box: {
      title: 'Esta computadora deja de ser la caja',
      text: 'El gateway de aquí se detiene: ya no enciende aireadores por oxígeno bajo ni registra nada. Cambie solo si la otra caja ya cuida la camaronera.',
      button: 'Detener el gateway de aquí y cambiar',
    },
    autostart: {
      title: 'No iniciar con la computadora',
      text: 'Esta computadora es la caja de la camaronera. Después de un corte de energía el gateway queda detenido hasta que alguien abra el programa.',
      button: 'No iniciar',
    },
  },
  versions: (own, gateway) => (gateway === null ? `Programa ${own}` : `Programa ${own} · gateway ${gateway}`),
  outdated: 'versiones distintas, actualice el programa',
  newer: 'versiones distintas, actualice el gateway',
};

export type Question = keyof Words['end'];

/** In the language of the system. */
export const words = (locale: string): Words => ({ 'pt-BR': pt, en, es })[spokenIn(locale) ?? 'en'];
