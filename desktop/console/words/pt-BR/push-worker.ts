/** What a browser says while no page is open. Plain, for a worker imports nothing while it runs. */
export const pushWorkerWords = {
  unread: { title: 'Aviso da fazenda', body: 'Abra o painel para ver.' },
  moved: {
    title: 'Abra o painel',
    body: 'O navegador trocou o endereço deste aparelho. Abra o painel para seguir recebendo os avisos.',
  },
};
