import { dictionary } from '../../i18n/language.ts';
import type { TaskKind } from '../../state/tasks.ts';

export const taskWords = dictionary({
  'pt-BR': {
    title: 'Tarefas de hoje',
    overdue: (n: number) => `Atrasadas (${n})`,
    later: (n: number) => `Ainda hoje (${n})`,
    none: 'Nada atrasado e nada mais para hoje.',
    noneOverdue: 'Nada atrasado.',
    round: (done: number, all: number) => `Água medida hoje em ${done} de ${all} viveiros`,
    startRound: 'Começar a ronda',
    asking: 'Conferindo tratos, biometrias e kits…',
    kinds: {
      alarm: 'Responder alarme',
      oxygen: 'Medir oxigênio',
      meal: 'Dar o trato',
      weighing: 'Pesar amostra',
      kit: 'Kit de amônia e nitrito',
    } satisfies Record<TaskKind, string>,
    since: (age: string) => `há ${age}`,
    never: 'nunca',
    until: (at: string) => `até ${at}`,
    lastly: (age: string) => `última há ${age}`,
  },
  en: {
    title: 'Tasks of today',
    overdue: (n: number) => `Overdue (${n})`,
    later: (n: number) => `Still today (${n})`,
    none: 'Nothing is overdue and nothing is left for today.',
    noneOverdue: 'Nothing is overdue.',
    round: (done: number, all: number) => `Water measured today in ${done} of ${all} ponds`,
    startRound: 'Begin the round',
    asking: 'Looking at meals, weighings and kits…',
    kinds: {
      alarm: 'Answer the alarm',
      oxygen: 'Measure oxygen',
      meal: 'Give the meal',
      weighing: 'Weigh a sample',
      kit: 'Kit for ammonia and nitrite',
    } satisfies Record<TaskKind, string>,
    since: (age: string) => `${age} ago`,
    never: 'never',
    until: (at: string) => `until ${at}`,
    lastly: (age: string) => `last ${age} ago`,
  },
});
