/** What a browser says while no page is open. Plain, for a worker imports nothing while it runs. */
export const pushWorkerWords = {
  unread: { title: 'Aviso da fazenda', body: 'Abra o painel para ver.' },
  moved: {
    title: 'Abra o painel',
    body: 'O navegador trocou o endereço deste aparelho. Abra o painel para seguir recebendo os avisos.',
  },
  actions: {
    ACKNOWLEDGE: () => 'Reconhecer',
    TURN_ON: (name: string) => `Ligar ${name}`,
  },
  done: {
    ACKNOWLEDGE: () => ({
      title: 'Feito: alarme reconhecido',
      body: 'O painel já mostra que você está cuidando.',
    }),
    TURN_ON: (name: string) => ({
      title: `Feito: ordem de ligar ${name}`,
      body: 'Se o motor não confirmar, chega outro alarme.',
    }),
  },
  onItsWay: (name: string) => ({
    title: `A caminho: ligar ${name}`,
    body: 'A ordem vai à fazenda pela internet. Se não chegar em um minuto, não vale mais: confira no painel.',
  }),
  notDone: (wanted: string) => `NÃO FEITO: ${wanted}`,
  uncertain: (wanted: string) => `Sem resposta: ${wanted}`,
  why: {
    offline:
      'Sem contato com a fazenda: nada foi feito. Tente de novo quando houver sinal, ou ligue para quem está lá.',
    noAnswer: 'O pedido saiu, mas a resposta não veio: não se sabe se foi feito. Abra o painel e confira.',
    other: 'A fazenda não aceitou e nada foi feito. Abra o painel para ver.',
    LOCKED_OUT: 'O motor está bloqueado para serviço: alguém trabalha nele. Nada foi feito.',
    FORBIDDEN: 'Você não pode mais fazer isso nesta fazenda. Nada foi feito.',
    NOT_FOUND: 'O que o aviso dizia não existe mais. Nada foi feito.',
    ALERT_RESOLVED: 'O alarme já acabou. Nada foi feito.',
    ACTION_USED: 'Este aviso já foi usado antes. Nada foi feito de novo.',
    ACTION_EXPIRED: 'O aviso tem mais de uma hora. Nada foi feito: abra o alarme e veja como está.',
    ACTION_UNKNOWN: 'Este aviso não vale neste aparelho. Nada foi feito: abra o painel.',
    ACTION_SIGNED_OUT:
      'Este aparelho não está mais conectado à sua conta. Nada foi feito: abra o painel e entre.',
  },
};
