import type { WaterParameter } from '../water-limits.ts';
import { figure, type Language } from './language.ts';

export type WaterProblem = 'LOW' | 'HIGH' | 'VOLATILE';

/** What an action may need to know of the pond. */
export type PondWater = {
  /** The latest value of the parameter. */
  value: number;
  /** The limit it should keep to. */
  limit: number;
  /** m³; null: surface or depth unknown. */
  volumeM3: number | null;
};

type Action = (pond: PondWater) => string;
type Actions = Readonly<Partial<Record<WaterProblem, Readonly<Record<Language, Action>>>>>;

/** What a technician does next about a parameter that is, or soon will be, out of range; null: nothing in particular. */
export function waterAction(
  parameter: WaterParameter,
  problem: WaterProblem,
  told: { pond: PondWater; language: Language },
): string | null {
  const action = ACTIONS[parameter][problem];
  return action === undefined ? null : action[told.language](told.pond);
}

/**
 * Lime (CaCO₃ equivalent) that lifts alkalinity to its limit: 1 mg/L is 1 g per m³; by experience no more than 30 mg/L
 * at a time.
 */
export function limeKg({ value, limit, volumeM3 }: PondWater): number | null {
  return volumeM3 === null || value >= limit ? null : (Math.min(30, limit - value) * volumeM3) / 1000;
}

function limeDose(pond: PondWater, language: Language, perHectare: string): string {
  const kg = limeKg(pond);
  return kg === null ? perHectare : `${figure(kg, 0, language)} kg`;
}

const ACTIONS: Readonly<Record<WaterParameter, Actions>> = {
  dissolved_oxygen: {
    LOW: {
      'pt-BR': () =>
        'Deixe todos os aeradores ligados das 22:00 às 06:00, meça às 05:00 por três dias e, se o mínimo não subir, corte 30% da refeição da noite e renove 10% da água.',
      en: () =>
        'Run all aerators from 22:00 to 06:00, measure at 05:00 for three days and, if the minimum does not rise, cut the evening meal by 30% and renew 10% of the water.',
    },
    VOLATILE: {
      'pt-BR': () =>
        'Oscilação assim vem de floração densa: meça às 05:00 e às 15:00 e, se a diferença passar de 6 mg/L, renove 10% da água à tarde e corte a ração em 20% por dois dias.',
      en: () =>
        'Swings like these come from a dense bloom: measure at 05:00 and 15:00 and, if they differ by more than 6 mg/L, renew 10% of the water in the afternoon and cut feed by 20% for two days.',
    },
  },
  temperature: {
    LOW: {
      'pt-BR': () =>
        'Alimente só nas horas quentes (08:00, 13:00 e 18:00), confira as bandejas a cada refeição e não renove água de madrugada.',
      en: () =>
        'Feed in the warm hours only (08:00, 13:00 and 18:00), check the trays at every meal and renew no water before sunrise.',
    },
    HIGH: {
      'pt-BR': () =>
        'Suba o nível em 10 a 20 cm, ligue os aeradores das 12:00 às 16:00 para misturar as camadas e passe a refeição do meio-dia para depois das 17:00.',
      en: () =>
        'Raise the level by 10 to 20 cm, run the aerators from 12:00 to 16:00 to mix the layers and move the midday meal to after 17:00.',
    },
  },
  ph: {
    LOW: {
      'pt-BR': () =>
        'Meça a alcalinidade hoje; abaixo de 80 mg/L aplique 100 kg/ha de calcário dolomítico por dia, de manhã, até o pH da madrugada passar de 7,5.',
      en: () =>
        'Measure alkalinity today; below 80 mg/L spread 100 kg/ha of dolomitic lime a day, in the morning, until pH before sunrise is above 7.5.',
    },
    HIGH: {
      'pt-BR': () =>
        'Renove 10% da água à tarde, suspenda adubo e calcário e meça a amônia às 16:00: com pH alto a mesma amônia total é muito mais tóxica.',
      en: () =>
        'Renew 10% of the water in the afternoon, stop fertilizer and lime and measure ammonia at 16:00: at a high pH the same total ammonia is far more toxic.',
    },
    VOLATILE: {
      'pt-BR': () =>
        'Meça às 05:00 e às 16:00; variação acima de 0,5 no dia pede alcalinidade: aplique 100 kg/ha de calcário e meça de novo em três dias.',
      en: () =>
        'Measure at 05:00 and 16:00; more than 0.5 within a day asks for alkalinity: spread 100 kg/ha of lime and measure again in three days.',
    },
  },
  salinity: {
    LOW: {
      'pt-BR': () =>
        'Feche a entrada de água doce e renove com água salgada aos poucos, no máximo 2 ppt por dia; drene a camada de cima depois de chuva.',
      en: () =>
        'Close the fresh-water inlet and renew with salt water little by little, 2 ppt a day at most; drain the surface layer after rain.',
    },
    HIGH: {
      'pt-BR': () => 'Reponha a evaporação com água doce, no máximo 2 ppt por dia, de manhã.',
      en: () => 'Make up for evaporation with fresh water, 2 ppt a day at most, in the morning.',
    },
  },
  alkalinity: {
    LOW: {
      'pt-BR': (pond) =>
        `Aplique ${limeDose(pond, 'pt-BR', '300 kg/ha')} de calcário, de manhã e em duas vezes, e meça de novo em três dias.`,
      en: (pond) =>
        `Spread ${limeDose(pond, 'en', '300 kg/ha')} of lime, in the morning and in two parts, and measure again in three days.`,
    },
    HIGH: {
      'pt-BR': () => 'Suspenda calcário e bicarbonato e meça de novo em 7 dias.',
      en: () => 'Stop lime and bicarbonate and measure again in 7 days.',
    },
  },
  ammonia: {
    HIGH: {
      'pt-BR': () =>
        'Corte a ração em 30% por três dias, renove 10 a 15% da água, mantenha a aeração e não aplique calcário: pH mais alto solta mais amônia tóxica. Meça de novo em 24 horas.',
      en: () =>
        'Cut feed by 30% for three days, renew 10 to 15% of the water, keep aerating and spread no lime: a higher pH frees more toxic ammonia. Measure again in 24 hours.',
    },
  },
  nitrite: {
    HIGH: {
      'pt-BR': () =>
        'Corte a ração em 30%, mantenha o oxigênio acima de 5 mg/L e renove 10% da água; abaixo de 5 ppt de salinidade, renove com água mais salgada, pois o cloreto protege. Meça de novo em dois dias.',
      en: () =>
        'Cut feed by 30%, keep oxygen above 5 mg/L and renew 10% of the water; below 5 ppt of salinity renew with saltier water, because chloride protects. Measure again in two days.',
    },
  },
  nitrate: {
    HIGH: {
      'pt-BR': () => 'Renove 10% da água por dia durante três dias e meça de novo.',
      en: () => 'Renew 10% of the water a day for three days and measure again.',
    },
  },
  transparency: {
    LOW: {
      'pt-BR': () =>
        'Floração densa: renove 10% da água, suspenda o adubo e meça o oxigênio às 05:00 enquanto o disco não passar de 30 cm.',
      en: () =>
        'Dense bloom: renew 10% of the water, stop fertilizer and measure oxygen at 05:00 until the disc is seen below 30 cm.',
    },
    HIGH: {
      'pt-BR': () =>
        'Água clara demais: adube em doses pequenas por três dias, de manhã, e pare quando o disco sumir a 35 cm.',
      en: () =>
        'Water too clear: fertilize in small doses for three mornings and stop when the disc disappears at 35 cm.',
    },
  },
};
