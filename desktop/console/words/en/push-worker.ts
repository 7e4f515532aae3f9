import type * as source from '../pt-BR/push-worker.ts';

export const pushWorkerWords: typeof source.pushWorkerWords = {
  unread: { title: 'News of the farm', body: 'Open the console to see it.' },
  moved: {
    title: 'Open the console',
    body: 'The browser changed the address of this device. Open the console to go on receiving notifications.',
  },
  actions: {
    ACKNOWLEDGE: () => 'Acknowledge',
    TURN_ON: (name: string) => `Turn on ${name}`,
  },
  done: {
    ACKNOWLEDGE: () => ({ title: 'Done: alarm acknowledged', body: 'The console shows that you are on it.' }),
    TURN_ON: (name: string) => ({
      title: `Done: ${name} ordered on`,
      body: 'If the motor does not confirm it, another alarm comes.',
    }),
  },
  onItsWay: (name: string) => ({
    title: `On its way: turn on ${name}`,
    body: 'The order goes to the farm by the internet. It is void unless it arrives within a minute: look at the console.',
  }),
  notDone: (wanted: string) => `NOT DONE: ${wanted}`,
  uncertain: (wanted: string) => `No answer: ${wanted}`,
  why: {
    offline:
      'No contact with the farm: nothing was done. Try again where there is a signal, or call who is there.',
    noAnswer: 'It was sent and no answer came: nobody knows whether it was done. Open the console and look.',
    other: 'The farm did not accept it and nothing was done. Open the console to see.',
    LOCKED_OUT: 'The motor is locked out: somebody works at it. Nothing was done.',
    FORBIDDEN: 'You may no longer do this on this farm. Nothing was done.',
    NOT_FOUND: 'What the notification is about is no more. Nothing was done.',
    ALERT_RESOLVED: 'The alarm is over already. Nothing was done.',
    ACTION_USED: 'This notification was used before. Nothing was done again.',
    ACTION_EXPIRED:
      'The notification is more than an hour old. Nothing was done: open the alarm and see how it stands.',
    ACTION_UNKNOWN: 'This notification does not count on this device. Nothing was done: open the console.',
    ACTION_SIGNED_OUT:
      'This device is not signed in to your account any more. Nothing was done: open the console and sign in.',
  },
};
