import { DEADLY_NH3_MG_L } from '../ammonia.ts';
import type { Advice } from './advice-sources.ts';

/** Advice about what feed and waste leave in the water. */
export const NITROGEN_ADVICE: readonly Advice[] = [
  {
    parameter: 'ammonia',
    problem: 'HIGH',
    stage: 'now',
    grades: ['HIGH'],
    from: DEADLY_NH3_MG_L,
    words: {
      'pt-BR':
        'Tanta amônia tóxica mata em poucos dias: ligue a aeração toda, renove agora toda a água que puder e chame ajuda. [[Segure a ração até medir]][[#Meça]] de novo, com pH e temperatura, em 3 horas. Não aplique calcário nem bicarbonato: pH mais alto solta mais amônia tóxica.',
      en: 'So much toxic ammonia kills within a few days: run all aeration, renew as much water as you can now and call for help. [[Hold the feed until you have measured]][[#Measure]] again, with pH and temperature, in 3 hours. No lime and no bicarbonate: a higher pH frees more toxic ammonia.',
      es: 'Tanto amoníaco tóxico mata en pocos días: encienda toda la aireación, recambie ahora toda el agua que pueda y pida ayuda. [[Retenga el balanceado hasta medir]][[#Mida]] de nuevo, con pH y temperatura, en 3 horas. No aplique cal ni bicarbonato: un pH más alto libera más amoníaco tóxico.',
    },
    sources: ['LIN_CHEN_2001', 'PRACTICE'],
  },
  {
    parameter: 'ammonia',
    problem: 'HIGH',
    stage: 'now',
    grades: ['HIGH'],
    below: DEADLY_NH3_MG_L,
    words: {
      'pt-BR':
        'Ligue a aeração toda e renove 10 a 15% da água agora[[; dê só a ração recomendada, que já desconta a amônia]]. Não aplique calcário nem bicarbonato: pH mais alto solta mais amônia tóxica. Meça de novo, com pH e temperatura, em 12 horas.',
      en: 'Run all aeration and renew 10 to 15% of the water now[[; give only the recommended ration, which allows for the ammonia]]. No lime and no bicarbonate: a higher pH frees more toxic ammonia. Measure again, with pH and temperature, in 12 hours.',
      es: 'Encienda toda la aireación y recambie de 10 a 15% del agua ahora[[; dé solo el balanceado recomendado, que ya descuenta el amoníaco]]. No aplique cal ni bicarbonato: un pH más alto libera más amoníaco tóxico. Mida de nuevo, con pH y temperatura, en 12 horas.',
    },
    sources: ['LIN_CHEN_2001', 'PRACTICE'],
  },
  {
    parameter: 'ammonia',
    problem: 'HIGH',
    stage: 'now',
    grades: ['MEDIUM', 'LOW'],
    words: {
      'pt-BR':
        '[[Dê só a ração recomendada, que já desconta a amônia, ]]mantenha a aeração e não aplique calcário: pH mais alto solta mais amônia tóxica. Meça de novo, com pH e temperatura, em 24 horas.',
      en: '[[Give only the recommended ration, which allows for the ammonia, ]]keep aerating and spread no lime: a higher pH frees more toxic ammonia. Measure again, with pH and temperature, in 24 hours.',
      es: '[[Dé solo el balanceado recomendado, que ya descuenta el amoníaco, ]]mantenga la aireación y no aplique cal: un pH más alto libera más amoníaco tóxico. Mida de nuevo, con pH y temperatura, en 24 horas.',
    },
    sources: ['LIN_CHEN_2001', 'PRACTICE'],
  },
  {
    parameter: 'ammonia',
    problem: 'HIGH',
    stage: 'week',
    words: {
      'pt-BR':
        '[[Dê só a ração recomendada enquanto a amônia não baixar, ]]renove 10 a 15% da água por dia, mantenha a aeração e não aplique calcário: pH mais alto solta mais amônia tóxica. Meça de novo em 24 horas.',
      en: '[[Give only the recommended ration until ammonia is down, ]]renew 10 to 15% of the water a day, keep aerating and spread no lime: a higher pH frees more toxic ammonia. Measure again in 24 hours.',
      es: '[[Dé solo el balanceado recomendado mientras el amoníaco no baje, ]]recambie de 10 a 15% del agua por día, mantenga la aireación y no aplique cal: un pH más alto libera más amoníaco tóxico. Mida de nuevo en 24 horas.',
    },
    sources: ['LIN_CHEN_2001', 'PRACTICE'],
  },
  ...(['now', 'week'] as const).flatMap((stage): Advice[] => [
    {
      parameter: 'nitrite',
      problem: 'HIGH',
      stage,
      grades: ['HIGH'],
      words: {
        'pt-BR':
          'Mantenha o oxigênio acima de 5 mg/L, dia e noite, e renove 10% da água por dia até baixar; abaixo de 5 ppt de salinidade, renove com água mais salgada, pois o cloreto protege.[[ Não aumente a ração.]] Meça de novo amanhã; se não tiver baixado, renove 20% e chame ajuda.',
        en: 'Keep oxygen above 5 mg/L, day and night, and renew 10% of the water a day until it has fallen; below 5 ppt of salinity renew with saltier water, because chloride protects.[[ Do not raise the ration.]] Measure again tomorrow; if it has not fallen, renew 20% and call for help.',
        es: 'Mantenga el oxígeno por encima de 5 mg/L, día y noche, y recambie 10% del agua por día hasta que baje; por debajo de 5 ppt de salinidad, recambie con agua más salada, pues el cloruro protege.[[ No aumente el balanceado.]] Mida de nuevo mañana; si no ha bajado, recambie 20% y pida ayuda.',
      },
      sources: ['LIN_CHEN_2003', 'LOW_SALT_2016', 'BGU_2004', 'PRACTICE'],
    },
    {
      parameter: 'nitrite',
      problem: 'HIGH',
      stage,
      grades: ['MEDIUM'],
      words: {
        'pt-BR':
          'Mantenha o oxigênio acima de 5 mg/L e renove 10% da água; abaixo de 5 ppt de salinidade, renove com água mais salgada, pois o cloreto protege.[[ Não aumente a ração.]] Meça de novo em dois dias.',
        en: 'Keep oxygen above 5 mg/L and renew 10% of the water; below 5 ppt of salinity renew with saltier water, because chloride protects.[[ Do not raise the ration.]] Measure again in two days.',
        es: 'Mantenga el oxígeno por encima de 5 mg/L y recambie 10% del agua; por debajo de 5 ppt de salinidad, recambie con agua más salada, pues el cloruro protege.[[ No aumente el balanceado.]] Mida de nuevo en dos días.',
      },
      sources: ['LIN_CHEN_2003', 'LOW_SALT_2016', 'BGU_2004'],
    },
    {
      parameter: 'nitrite',
      problem: 'HIGH',
      stage,
      grades: ['LOW'],
      words: {
        'pt-BR':
          'Ainda longe do que faz mal na salinidade medida; se ninguém a mediu, meça-a hoje: em água quase doce o nitrito faz mal muito antes (a 2 ppt as fontes diferem: 0,45 ou 0,62 mg/L). [[Não aumente a ração, mantenha]][[#Mantenha]] o oxigênio acima de 5 mg/L e meça de novo em dois dias.',
        en: 'Still far from what harms at the salinity measured; if nobody measured it, do so today: in almost fresh water nitrite harms much earlier (at 2 ppt sources differ: 0.45 or 0.62 mg/L). [[Do not raise the ration, keep]][[#Keep]] oxygen above 5 mg/L and measure again in two days.',
        es: 'Todavía lejos de lo que daña a la salinidad medida; si nadie la midió, mídala hoy: en agua casi dulce el nitrito daña mucho antes (a 2 ppt las fuentes difieren: 0,45 o 0,62 mg/L). [[No aumente el balanceado, mantenga]][[#Mantenga]] el oxígeno por encima de 5 mg/L y mida de nuevo en dos días.',
      },
      sources: ['LIN_CHEN_2003', 'LOW_SALT_2016', 'BGU_2004'],
    },
    {
      parameter: 'nitrate',
      problem: 'HIGH',
      stage,
      grades: ['HIGH'],
      words: {
        'pt-BR': 'Renove 10% da água por dia até baixar.[[ Não aumente a ração.]] Meça de novo amanhã.',
        en: 'Renew 10% of the water a day until it has fallen.[[ Do not raise the ration.]] Measure again tomorrow.',
        es: 'Recambie 10% del agua por día hasta que baje.[[ No aumente el balanceado.]] Mida de nuevo mañana.',
      },
      sources: ['ALVES_NETO_2019', 'PRACTICE'],
    },
    {
      parameter: 'nitrate',
      problem: 'HIGH',
      stage,
      grades: ['MEDIUM'],
      words: {
        'pt-BR':
          'Renove 10% da água por dia durante três dias e meça de novo em três dias.[[ Não aumente a ração.]]',
        en: 'Renew 10% of the water a day for three days and measure again in three days.[[ Do not raise the ration.]]',
        es: 'Recambie 10% del agua por día durante tres días y mida de nuevo en tres días.[[ No aumente el balanceado.]]',
      },
      sources: ['ALVES_NETO_2019', 'PRACTICE'],
    },
    {
      parameter: 'nitrate',
      problem: 'HIGH',
      stage,
      grades: ['LOW'],
      words: {
        'pt-BR': 'Ainda longe do que faz mal: [[não aumente a ração e ]]meça de novo em 7 dias.',
        en: 'Still far from what harms: [[do not raise the ration and ]]measure again in 7 days.',
        es: 'Todavía lejos de lo que daña: [[no aumente el balanceado y ]]mida de nuevo en 7 días.',
      },
      sources: ['ALVES_NETO_2019'],
    },
  ]),
];
