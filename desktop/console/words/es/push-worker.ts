import type * as source from '../pt-BR/push-worker.ts';

export const pushWorkerWords: typeof source.pushWorkerWords = {
  unread: { title: 'Aviso de la camaronera', body: 'Abra el panel para verlo.' },
  moved: {
    title: 'Abra el panel',
    body: 'El navegador cambió la dirección de este dispositivo. Abra el panel para seguir recibiendo los avisos.',
  },
  actions: {
    ACKNOWLEDGE: () => 'Reconocer',
    TURN_ON: (name: string) => `Encender ${name}`,
  },
  done: {
    ACKNOWLEDGE: () => ({
      title: 'Hecho: alarma reconocida',
      body: 'El panel ya muestra que usted se ocupa.',
    }),
    TURN_ON: (name: string) => ({
      title: `Hecho: orden de encender ${name}`,
      body: 'Si el motor no lo confirma, llega otra alarma.',
    }),
  },
  onItsWay: (name: string) => ({
    title: `En camino: encender ${name}`,
    body: 'La orden va a la camaronera por internet. Si no llega en un minuto, ya no vale: revise en el panel.',
  }),
  notDone: (wanted: string) => `NO HECHO: ${wanted}`,
  uncertain: (wanted: string) => `Sin respuesta: ${wanted}`,
  why: {
    offline:
      'Sin contacto con la camaronera: no se hizo nada. Intente de nuevo cuando haya señal, o llame a quien está allá.',
    noAnswer: 'El pedido salió, pero la respuesta no llegó: no se sabe si se hizo. Abra el panel y revise.',
    other: 'La camaronera no lo aceptó y no se hizo nada. Abra el panel para ver.',
    LOCKED_OUT: 'El motor está bloqueado por servicio: alguien trabaja en él. No se hizo nada.',
    FORBIDDEN: 'Usted ya no puede hacer esto en esta camaronera. No se hizo nada.',
    NOT_FOUND: 'Lo que decía el aviso ya no existe. No se hizo nada.',
    ALERT_RESOLVED: 'La alarma ya terminó. No se hizo nada.',
    ACTION_USED: 'Este aviso ya fue usado antes. No se hizo nada de nuevo.',
    ACTION_EXPIRED: 'El aviso tiene más de una hora. No se hizo nada: abra la alarma y vea cómo está.',
    ACTION_UNKNOWN: 'Este aviso no vale en este dispositivo. No se hizo nada: abra el panel.',
    ACTION_SIGNED_OUT:
      'Este dispositivo ya no está conectado a su cuenta. No se hizo nada: abra el panel e ingrese.',
  },
};
