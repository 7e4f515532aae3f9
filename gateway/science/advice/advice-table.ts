import { SCIENCE_DEFAULTS } from '../constants.ts';
import type { WaterParameter } from '../water-limits.ts';
import type { Advice, AdviceGrade, AdviceStage, WaterProblem } from './advice-sources.ts';
import { alkalinityDoseByArea, LIMESTONE_UP_TO_MG_L } from './alkalinity-dose.ts';
import { figure, type Language } from './language.ts';
import { NITROGEN_ADVICE } from './nitrogen-advice.ts';

const of = { parameter: 'dissolved_oxygen', problem: 'LOW' } as const;

/** Advice about oxygen: the only trouble of the water that kills within the hour, graded finest. */
const OXYGEN_ADVICE: readonly Advice[] = [
  {
    ...of,
    stage: 'now',
    grades: ['CRITICAL'],
    words: {
      'pt-BR':
        'Ligue todos os aeradores do viveiro agora.[[ Pare a ração até passar de {fed}.]] Meça de novo em 15 minutos; se não subir, ponha água de fora com mais oxigênio e chame ajuda.',
      en: 'Switch on every aerator of the pond now[[, stop feeding until it is above {fed}]] and measure again in 15 minutes; if it does not rise, take in water that holds more oxygen and call for help.',
      es: 'Encienda todos los aireadores de la piscina ahora.[[ Pare el balanceado hasta pasar de {fed}.]] Mida de nuevo en 15 minutos; si no sube, haga entrar agua con más oxígeno y pida ayuda.',
    },
    sources: ['NUNES_MUSIG', 'ZHOU_2014', 'RENEW_BRAZIL'],
  },
  {
    ...of,
    stage: 'now',
    grades: ['HIGH'],
    words: {
      'pt-BR':
        'Ligue todos os aeradores do viveiro agora[[. Segure esta refeição]] e meça de novo em 15 minutos[[; dê-a só acima de {fed}, e só a ração recomendada, que já desconta o oxigênio]].',
      en: 'Switch on every aerator of the pond now[[. Hold this meal]] and measure again in 15 minutes[[; give it only above {fed}, and only the recommended ration, which allows for the oxygen]].',
      es: 'Encienda todos los aireadores de la piscina ahora[[. Retenga esta ración]] y mida de nuevo en 15 minutos[[; dela solo por encima de {fed}, y solo el balanceado recomendado, que ya descuenta el oxígeno]].',
    },
    sources: ['BOYD_OXYGEN', 'NUNES_MUSIG', 'RENEW_BRAZIL'],
  },
  {
    ...of,
    stage: 'now',
    grades: ['MEDIUM', 'LOW'],
    words: {
      'pt-BR':
        'Ligue todos os aeradores do viveiro agora[[, dê só a ração recomendada, que já desconta o oxigênio,]] e meça de novo em 30 minutos.',
      en: 'Switch on every aerator of the pond now[[, give only the recommended ration, which allows for the oxygen,]] and measure again in 30 minutes.',
      es: 'Encienda todos los aireadores de la piscina ahora[[, dé solo el balanceado recomendado, que ya descuenta el oxígeno,]] y mida de nuevo en 30 minutos.',
    },
    sources: ['BOYD_OXYGEN', 'NUNES_MUSIG'],
  },
  {
    ...of,
    stage: 'today',
    words: {
      'pt-BR':
        'Deixe todos os aeradores ligados até uma hora depois do amanhecer[[, corte pelo menos 30% do que falta dar esta noite]] e meça de novo antes do amanhecer.',
      en: 'Keep every aerator running until an hour after dawn[[, cut the meals still due tonight by at least 30%]] and measure again before dawn.',
      es: 'Deje todos los aireadores encendidos hasta una hora después del amanecer[[, reduzca al menos 30% la ración que falta esta noche]] y mida de nuevo antes del amanecer.',
    },
    sources: ['MADENJIAN_1987', 'NUNES_MUSIG', 'PRACTICE'],
  },
  {
    ...of,
    stage: 'week',
    words: {
      'pt-BR':
        'Deixe todos os aeradores ligados das 22:00 às 06:00, meça às 05:00 por três dias e, se o mínimo não subir, [[corte 30% da refeição da noite e ]]renove 10% da água.',
      en: 'Run all aerators from 22:00 to 06:00, measure at 05:00 for three days and, if the minimum does not rise, [[cut the evening meal by 30% and ]]renew 10% of the water.',
      es: 'Deje todos los aireadores encendidos de 22:00 a 06:00, mida a las 05:00 por tres días y, si el mínimo no sube, [[reduzca 30% la ración de la noche y ]]recambie 10% del agua.',
    },
    sources: ['MADENJIAN_1987', 'PRACTICE'],
  },
  {
    parameter: 'dissolved_oxygen',
    problem: 'VOLATILE',
    stage: 'week',
    words: {
      'pt-BR':
        'Oscilação assim vem de floração densa: meça às 05:00 e às 15:00 e, se a diferença passar de 6 mg/L, renove 10% da água à tarde[[ e dê só a ração recomendada, que já desconta o oxigênio do amanhecer]].',
      en: 'Swings like these come from a dense bloom: measure at 05:00 and 15:00 and, if they differ by more than 6 mg/L, renew 10% of the water in the afternoon[[ and give only the recommended ration, which allows for the oxygen of the dawn]].',
      es: 'Una oscilación así viene de una floración densa: mida a las 05:00 y a las 15:00 y, si la diferencia pasa de 6 mg/L, recambie 10% del agua en la tarde[[ y dé solo el balanceado recomendado, que ya descuenta el oxígeno del amanecer]].',
    },
    sources: ['PRACTICE'],
  },
];

export const ADVICE: readonly Advice[] = [
  ...OXYGEN_ADVICE,
  {
    parameter: 'temperature',
    problem: 'LOW',
    stage: 'now',
    words: {
      'pt-BR': '[[Dê só a ração recomendada, que já desconta o frio, e ]]não renove água de madrugada.',
      en: '[[Give only the recommended ration, which allows for the cold, and ]]renew no water before sunrise.',
      es: '[[Dé solo el balanceado recomendado, que ya descuenta el frío, y ]]no recambie agua de madrugada.',
    },
    sources: ['AN_BINH', 'SKRETTING'],
  },
  {
    parameter: 'temperature',
    problem: 'LOW',
    stage: 'week',
    words: {
      'pt-BR':
        '[[Dê só a ração recomendada, nos horários dela, que com água fria ficam nas horas quentes; confira as bandejas a cada refeição, ]]meça às 05:00 e às 15:00 e não renove água de madrugada.',
      en: '[[Give only the recommended ration at its hours, which in cool water are the warm ones; check the trays at every meal, ]]measure at 05:00 and 15:00 and renew no water before sunrise.',
      es: '[[Dé solo el balanceado recomendado, en sus horarios, que con agua fría son las horas cálidas; revise los comederos en cada ración, ]]mida a las 05:00 y a las 15:00 y no recambie agua de madrugada.',
    },
    sources: ['AN_BINH', 'PRACTICE'],
  },
  {
    parameter: 'temperature',
    problem: 'HIGH',
    stage: 'now',
    words: {
      'pt-BR':
        'Ligue os aeradores agora, até a água esfriar, para misturar as camadas; água quente guarda menos oxigênio: meça o oxigênio.[[ Dê só a ração recomendada, que já desconta o calor.]]',
      en: 'Run the aerators now, until the water is cooler, to mix the layers; hot water holds less oxygen: measure oxygen.[[ Give only the recommended ration, which allows for the heat.]]',
      es: 'Encienda los aireadores ahora, hasta que el agua se enfríe, para mezclar las capas; el agua caliente guarda menos oxígeno: mida el oxígeno.[[ Dé solo el balanceado recomendado, que ya descuenta el calor.]]',
    },
    sources: ['AN_BINH', 'LIMSUWAN_CHING'],
  },
  {
    parameter: 'temperature',
    problem: 'HIGH',
    stage: 'week',
    words: {
      'pt-BR':
        'Suba o nível em 10 a 20 cm, ligue os aeradores das 12:00 às 16:00 para misturar as camadas[[ e dê só a ração recomendada, que já desconta o calor; confira as bandejas da refeição do meio-dia]].',
      en: 'Raise the level by 10 to 20 cm, run the aerators from 12:00 to 16:00 to mix the layers[[ and give only the recommended ration, which allows for the heat; check the trays of the midday meal]].',
      es: 'Suba el nivel de 10 a 20 cm, encienda los aireadores de 12:00 a 16:00 para mezclar las capas[[ y dé solo el balanceado recomendado, que ya descuenta el calor; revise los comederos de la ración del mediodía]].',
    },
    sources: ['PRACTICE'],
  },
  {
    parameter: 'ph',
    problem: 'LOW',
    stage: 'now',
    words: {
      'pt-BR': 'Meça a alcalinidade hoje e não mude o pH mais de 0,5 por dia.',
      en: 'Measure alkalinity today and change pH by no more than 0.5 a day.',
      es: 'Mida la alcalinidad hoy y no cambie el pH más de 0,5 por día.',
    },
    sources: ['PRACTICE'],
  },
  {
    parameter: 'ph',
    problem: 'LOW',
    stage: 'week',
    words: {
      'pt-BR':
        'Meça a alcalinidade hoje e corrija-a de manhã, até o pH da madrugada passar de 7,5: calcário dolomítico até cerca de 50 mg/L, bicarbonato de sódio acima disso, onde o calcário não dissolve a tempo; por dia, no máximo 30 mg/L, que em 1 m de água são 300 kg/ha de calcário ou 500 kg/ha de bicarbonato.',
      en: 'Measure alkalinity today and correct it in the morning, until pH before sunrise is above 7.5: dolomitic lime up to about 50 mg/L, sodium bicarbonate above that, where lime does not dissolve in time; no more than 30 mg/L a day, which in 1 m of water is 300 kg/ha of lime or 500 kg/ha of bicarbonate.',
      es: 'Mida la alcalinidad hoy y corríjala en la mañana, hasta que el pH de la madrugada pase de 7,5: cal dolomítica hasta cerca de 50 mg/L, bicarbonato de sodio por encima de eso, donde la cal no se disuelve a tiempo; por día, máximo 30 mg/L, que en 1 m de agua son 300 kg/ha de cal o 500 kg/ha de bicarbonato.',
    },
    sources: ['BOYD_LIMING', 'SA_UFC', 'PRACTICE'],
  },
  {
    parameter: 'ph',
    problem: 'HIGH',
    stage: 'now',
    words: {
      'pt-BR':
        'Meça a amônia agora: com pH alto a mesma amônia total é muito mais tóxica. Suspenda adubo e calcário e renove 10% da água à tarde.',
      en: 'Measure ammonia now: at a high pH the same total ammonia is far more toxic. Stop fertilizer and lime and renew 10% of the water in the afternoon.',
      es: 'Mida el amoníaco ahora: con pH alto el mismo amoníaco total es mucho más tóxico. Suspenda el fertilizante y la cal y recambie 10% del agua en la tarde.',
    },
    sources: ['LIN_CHEN_2001', 'PRACTICE'],
  },
  {
    parameter: 'ph',
    problem: 'HIGH',
    stage: 'week',
    words: {
      'pt-BR':
        'Renove 10% da água à tarde, suspenda adubo e calcário e meça a amônia às 16:00: com pH alto a mesma amônia total é muito mais tóxica.',
      en: 'Renew 10% of the water in the afternoon, stop fertilizer and lime and measure ammonia at 16:00: at a high pH the same total ammonia is far more toxic.',
      es: 'Recambie 10% del agua en la tarde, suspenda el fertilizante y la cal y mida el amoníaco a las 16:00: con pH alto el mismo amoníaco total es mucho más tóxico.',
    },
    sources: ['LIN_CHEN_2001', 'PRACTICE'],
  },
  {
    parameter: 'ph',
    problem: 'VOLATILE',
    stage: 'week',
    words: {
      'pt-BR':
        'Meça às 05:00 e às 16:00; variação acima de 0,5 no dia pede alcalinidade: meça-a, corrija-a com bicarbonato de sódio (calcário só abaixo de 50 mg/L) e meça de novo em três dias.',
      en: 'Measure at 05:00 and 16:00; more than 0.5 within a day asks for alkalinity: measure it, correct it with sodium bicarbonate (lime only below 50 mg/L) and measure again in three days.',
      es: 'Mida a las 05:00 y a las 16:00; una variación mayor de 0,5 en el día pide alcalinidad: mídala, corríjala con bicarbonato de sodio (cal solo por debajo de 50 mg/L) y mida de nuevo en tres días.',
    },
    sources: ['BOYD_LIMING', 'SA_UFC'],
  },
  {
    parameter: 'salinity',
    problem: 'LOW',
    stage: 'week',
    words: {
      'pt-BR':
        'O que faz mal é a mudança rápida: feche a entrada de água doce, drene a camada de cima depois de chuva e, onde houver água salgada, renove aos poucos, no máximo 2 ppt por dia. Em fazenda de água pouco salgada, confira a alcalinidade e o nitrito e ajuste os limites.',
      en: 'What harms is a quick change: close the fresh-water inlet, drain the surface layer after rain and, where there is salt water, renew little by little, 2 ppt a day at most. On a farm of low salinity watch alkalinity and nitrite, and set its own limits.',
      es: 'Lo que daña es el cambio rápido: cierre la entrada de agua dulce, drene la capa de arriba después de la lluvia y, donde haya agua salada, recambie poco a poco, máximo 2 ppt por día. En una camaronera de agua poco salada vigile la alcalinidad y el nitrito, y ajuste los límites.',
    },
    sources: ['VALDEZ_2008', 'CULTURE_RANGE', 'LOW_SALT_2016', 'PRACTICE'],
  },
  {
    parameter: 'salinity',
    problem: 'HIGH',
    stage: 'week',
    words: {
      'pt-BR':
        'Até cerca de 35 ppt o camarão vive bem (o menor gasto é perto de 26): não dilua só por isso. Acima, reponha a evaporação com água menos salgada, no máximo 2 ppt por dia, de manhã, e confira a troca de casca.',
      en: 'Up to about 35 ppt shrimp live well (they spend least near 26): do not dilute for this alone. Above, make up for evaporation with less salty water, 2 ppt a day at most, in the morning, and look at their molting.',
      es: 'Hasta cerca de 35 ppt el camarón vive bien (gasta menos cerca de 26): no diluya solo por eso. Por encima, reponga la evaporación con agua menos salada, máximo 2 ppt por día, en la mañana, y revise la muda.',
    },
    sources: ['VALDEZ_2008', 'CULTURE_RANGE', 'PRACTICE'],
  },
  ...(['now', 'week'] as const).flatMap((stage): Advice[] => [
    {
      parameter: 'alkalinity',
      problem: 'LOW',
      stage,
      below: LIMESTONE_UP_TO_MG_L,
      words: {
        'pt-BR':
          'Aplique {dose}, de manhã e em duas vezes, e meça de novo amanhã: não se sobe mais de 30 mg/L por dia. O calcário só dissolve até cerca de 50 mg/L (Boyd) e, em água de 11 ppt, não subiu a alcalinidade em dias (Sá): o que faltar, complete com bicarbonato de sódio.',
        en: 'Apply {dose}, in the morning and in two parts, and measure again tomorrow: no more than 30 mg/L is raised in a day. Lime dissolves to about 50 mg/L only (Boyd) and in water of 11 ppt raised no alkalinity within days (Sá): make up what is missing then with sodium bicarbonate.',
        es: 'Aplique {dose}, en la mañana y en dos partes, y mida de nuevo mañana: no se suben más de 30 mg/L por día. La cal solo se disuelve hasta cerca de 50 mg/L (Boyd) y, en agua de 11 ppt, no subió la alcalinidad en días (Sá): lo que falte, complételo con bicarbonato de sodio.',
      },
      sources: ['BOYD_LIMING', 'SA_UFC', 'PRACTICE'],
    },
    {
      parameter: 'alkalinity',
      problem: 'LOW',
      stage,
      from: LIMESTONE_UP_TO_MG_L,
      words: {
        'pt-BR':
          'Aplique {dose}, de manhã e em duas vezes, e meça de novo amanhã: não se sobe mais de 30 mg/L por dia. Calcário não dissolve acima de cerca de 50 mg/L.',
        en: 'Apply {dose}, in the morning and in two parts, and measure again tomorrow: no more than 30 mg/L is raised in a day. Lime does not dissolve above about 50 mg/L.',
        es: 'Aplique {dose}, en la mañana y en dos partes, y mida de nuevo mañana: no se suben más de 30 mg/L por día. La cal no se disuelve por encima de cerca de 50 mg/L.',
      },
      sources: ['SA_UFC', 'BOYD_LIMING', 'PRACTICE'],
    },
  ]),
  {
    parameter: 'alkalinity',
    problem: 'HIGH',
    stage: 'week',
    words: {
      'pt-BR': 'Suspenda calcário e bicarbonato e meça de novo em 7 dias.',
      en: 'Stop lime and bicarbonate and measure again in 7 days.',
      es: 'Suspenda la cal y el bicarbonato y mida de nuevo en 7 días.',
    },
    sources: ['PRACTICE'],
  },
  ...NITROGEN_ADVICE,
  {
    parameter: 'transparency',
    problem: 'LOW',
    stage: 'week',
    words: {
      'pt-BR':
        'Floração densa: renove 10% da água, suspenda o adubo e meça o oxigênio às 05:00 enquanto o disco não passar de 30 cm.',
      en: 'Dense bloom: renew 10% of the water, stop fertilizer and measure oxygen at 05:00 until the disc is still seen at 30 cm.',
      es: 'Floración densa: recambie 10% del agua, suspenda el fertilizante y mida el oxígeno a las 05:00 mientras el disco no pase de 30 cm.',
    },
    sources: ['RENEW_BRAZIL', 'PRACTICE'],
  },
  {
    parameter: 'transparency',
    problem: 'HIGH',
    stage: 'week',
    words: {
      'pt-BR':
        'Água clara demais: adube em doses pequenas por três dias, de manhã, e pare quando o disco sumir a 35 cm.',
      en: 'Water too clear: fertilize in small doses for three mornings and stop when the disc disappears at 35 cm.',
      es: 'Agua demasiado clara: fertilice en dosis pequeñas por tres días, en la mañana, y pare cuando el disco desaparezca a 35 cm.',
    },
    sources: ['PRACTICE'],
  },
];

export type AdviceAsked = {
  parameter: WaterParameter;
  problem: WaterProblem;
  stage: AdviceStage;
  /** null: not graded, the gravest words hold. */
  grade: AdviceGrade | null;
  /** Where it is known; null: words that hold for any value, else those for the worse one. */
  value?: number | null;
  /** Nothing lives there, so that nothing is fed. */
  isPondEmpty?: boolean | undefined;
  /** Oxygen above which a meal is given, mg/L, where the farm has its own. */
  fedAboveMgL?: number | undefined;
};

/** The line of the table that holds; null: nothing in particular is to be done. */
export function adviceFor({ parameter, problem, stage, grade, value = null }: AdviceAsked): Advice | null {
  const graded = grade ?? 'HIGH';
  const found = ADVICE.find(
    (line) =>
      line.parameter === parameter &&
      line.problem === problem &&
      line.stage === stage &&
      (line.grades?.includes(graded) ?? true) &&
      (value === null || (value >= (line.from ?? value) && value < (line.below ?? Number.POSITIVE_INFINITY))),
  );
  return found ?? null;
}

/** Its words, with the dose where it asks for one. */
export function adviceOf(asked: AdviceAsked, language: Language, dose: string | null = null): string | null {
  const line = adviceFor(asked);
  if (line === null) return null;
  const words = line.words[language]
    .replace(
      '{dose}',
      dose ?? alkalinityDoseByArea(line.from === undefined ? 'lime' : 'bicarbonate', language),
    )
    .replace('{fed}', fedAboveText(asked.fedAboveMgL ?? FED_ABOVE_MG_L, language));
  return asked.isPondEmpty === true ? withoutFeed(words) : wordsOf(words);
}

/** Words as they are where shrimp are fed. */
export const wordsOf = (words: string): string =>
  words.replaceAll(/\[\[#.*?\]\]/g, '').replaceAll(/\[\[|\]\]/g, '');

/** What is left where nothing is fed; it may then begin within a sentence. */
function withoutFeed(words: string): string {
  const left = words.replaceAll(/\[\[#(.*?)\]\]/g, '$1').replaceAll(/\[\[.*?\]\]/g, '');
  return left.charAt(0).toLocaleUpperCase() + left.slice(1);
}

/** The least that keeps shrimp feeding; its source stands with the figure in constants.ts. */
const FED_ABOVE_MG_L = SCIENCE_DEFAULTS.water.alerts.LOW_OXYGEN.highFrom;

export const fedAboveText = (mgL: number, language: Language): string =>
  `${figure(mgL, Number.isInteger(mgL) ? 0 : 1, language)} mg/L`;
