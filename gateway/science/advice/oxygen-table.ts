import type { Advice } from './advice-sources.ts';

const of = { parameter: 'dissolved_oxygen', problem: 'LOW' } as const;

/** Advice about oxygen: the only trouble of the water that kills within the hour, graded finest. */
export const OXYGEN_ADVICE: readonly Advice[] = [
  {
    ...of,
    stage: 'now',
    grades: ['CRITICAL'],
    words: {
      'pt-BR':
        'Ligue todos os aeradores do viveiro agora. Pare a ração até passar de 3 mg/L. Meça de novo em 15 minutos; se não subir, renove água pela superfície e chame ajuda.',
      en: 'Switch on every aerator of the pond now, stop feeding until it is above 3 mg/L and measure again in 15 minutes; if it does not rise, renew surface water and call for help.',
      es: 'Encienda todos los aireadores de la piscina ahora. Pare el balanceado hasta pasar de 3 mg/L. Mida de nuevo en 15 minutos; si no sube, recambie agua por la superficie y pida ayuda.',
    },
    sources: ['NUNES_MUSIG', 'ZHOU_2014', 'RENEW_BRAZIL'],
  },
  {
    ...of,
    stage: 'now',
    grades: ['HIGH'],
    words: {
      'pt-BR':
        'Ligue todos os aeradores do viveiro agora. Segure esta refeição e meça de novo em 15 minutos; dê-a só acima de 3 mg/L, e só a ração recomendada, que já desconta o oxigênio.',
      en: 'Switch on every aerator of the pond now. Hold this meal and measure again in 15 minutes; give it only above 3 mg/L, and only the recommended ration, which allows for the oxygen.',
      es: 'Encienda todos los aireadores de la piscina ahora. Retenga esta ración y mida de nuevo en 15 minutos; dela solo por encima de 3 mg/L, y solo el balanceado recomendado, que ya descuenta el oxígeno.',
    },
    sources: ['BOYD_OXYGEN', 'NUNES_MUSIG', 'RENEW_BRAZIL'],
  },
  {
    ...of,
    stage: 'now',
    grades: ['MEDIUM', 'LOW'],
    words: {
      'pt-BR':
        'Ligue todos os aeradores do viveiro agora, dê só a ração recomendada, que já desconta o oxigênio, e meça de novo em 30 minutos.',
      en: 'Switch on every aerator of the pond now, give only the recommended ration, which allows for the oxygen, and measure again in 30 minutes.',
      es: 'Encienda todos los aireadores de la piscina ahora, dé solo el balanceado recomendado, que ya descuenta el oxígeno, y mida de nuevo en 30 minutos.',
    },
    sources: ['BOYD_OXYGEN', 'NUNES_MUSIG'],
  },
  {
    ...of,
    stage: 'today',
    words: {
      'pt-BR':
        'Deixe todos os aeradores ligados do pôr do sol até uma hora depois do amanhecer, corte 30% da refeição da noite e meça uma hora antes do amanhecer.',
      en: 'Keep every aerator running from sunset until an hour after dawn, cut the evening meal by 30% and measure an hour before dawn.',
      es: 'Deje todos los aireadores encendidos desde la puesta del sol hasta una hora después del amanecer, reduzca 30% la ración de la noche y mida una hora antes del amanecer.',
    },
    sources: ['MADENJIAN_1987', 'NUNES_MUSIG', 'PRACTICE'],
  },
  {
    ...of,
    stage: 'week',
    words: {
      'pt-BR':
        'Deixe todos os aeradores ligados das 22:00 às 06:00, meça às 05:00 por três dias e, se o mínimo não subir, corte 30% da refeição da noite e renove 10% da água.',
      en: 'Run all aerators from 22:00 to 06:00, measure at 05:00 for three days and, if the minimum does not rise, cut the evening meal by 30% and renew 10% of the water.',
      es: 'Deje todos los aireadores encendidos de 22:00 a 06:00, mida a las 05:00 por tres días y, si el mínimo no sube, reduzca 30% la ración de la noche y recambie 10% del agua.',
    },
    sources: ['MADENJIAN_1987', 'PRACTICE'],
  },
  {
    parameter: 'dissolved_oxygen',
    problem: 'VOLATILE',
    stage: 'week',
    words: {
      'pt-BR':
        'Oscilação assim vem de floração densa: meça às 05:00 e às 15:00 e, se a diferença passar de 6 mg/L, renove 10% da água à tarde e corte a ração em 20% por dois dias.',
      en: 'Swings like these come from a dense bloom: measure at 05:00 and 15:00 and, if they differ by more than 6 mg/L, renew 10% of the water in the afternoon and cut feed by 20% for two days.',
      es: 'Una oscilación así viene de una floración densa: mida a las 05:00 y a las 15:00 y, si la diferencia pasa de 6 mg/L, recambie 10% del agua en la tarde y reduzca el balanceado 20% por dos días.',
    },
    sources: ['PRACTICE'],
  },
];
