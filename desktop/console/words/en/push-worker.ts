import type * as source from '../pt-BR/push-worker.ts';

export const pushWorkerWords: typeof source.pushWorkerWords = {
  unread: { title: 'News of the farm', body: 'Open the console to see it.' },
  moved: {
    title: 'Open the console',
    body: 'The browser changed the address of this device. Open the console to go on receiving notifications.',
  },
};
