import type * as source from '../pt-BR/push-worker.ts';

export const pushWorkerWords: typeof source.pushWorkerWords = {
  unread: { title: 'Aviso de la camaronera', body: 'Abra el panel para verlo.' },
  moved: {
    title: 'Abra el panel',
    body: 'El navegador cambió la dirección de este dispositivo. Abra el panel para seguir recibiendo los avisos.',
  },
};
