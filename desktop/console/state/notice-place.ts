import type { NoticeSubject } from '#contract/notice-subject.ts';

// Where in the console a notification leads. Pure; the push worker asks, too.

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const PLACES: Readonly<Record<NoticeSubject['is'], (id: string | null) => string>> = {
  ALARM: (id) => (id === null ? '/alarmes' : `/alarmes/${id}`),
  TASK: (id) => (id === null ? '/tarefas' : `/tarefas?tarefa=${id}`),
  ORDER: (id) => (id === null ? '/aeracao' : `/aeracao/${id}`),
  FEED_STOCK: () => '/lancar/estoque',
  SYNC: () => '/sistema/sincronia',
  GATEWAY: () => '/sistema/gateways',
  PROGRAM: () => '/sistema/sobre',
  BACKUP: () => '/sistema/backup',
  FIRMWARE: () => '/sistema/firmware',
  PROBE: () => '/sistema/sondas',
  DEVICE: (id) => (id === null ? '/sistema/dispositivos' : `/sistema/dispositivos/${id}`),
  BOX: () => '/sistema/diagnostico',
  CHANNEL: () => '/sistema/canais',
  PLAN: () => '/sistema/plano',
  ACCOUNT: () => '/sistema/preferencias',
};

/** Somebody with two farms sees the one it is about. */
export function noticePlace({ is, id }: NoticeSubject, farmId: string | null): string {
  const path = PLACES[is](id !== null && UUID.test(id) ? id : null);
  if (farmId === null || !UUID.test(farmId)) return path;
  return `${path}${path.includes('?') ? '&' : '?'}farm=${farmId}`;
}
