import type { WaterSeverity } from '../severity.ts';
import type { WaterParameter } from '../water-limits.ts';
import type { Language } from './language.ts';
// The one dictionary of advice: alarms, alerts, notifications, trends, the ration and the console speak from here.

export type WaterProblem = 'LOW' | 'HIGH' | 'VOLATILE';

/** At this moment, before the day is over, in the days that follow. */
export const ADVICE_STAGES = ['now', 'today', 'week'] as const;

export type AdviceStage = (typeof ADVICE_STAGES)[number];

export type AdviceGrade = WaterSeverity | 'CRITICAL';

export type Advice = {
  parameter: WaterParameter;
  problem: WaterProblem;
  stage: AdviceStage;
  /** Left out: whatever the grade. */
  grades?: readonly AdviceGrade[];
  /** The value it is for, in the parameter's unit; left out: any. */
  from?: number;
  below?: number;
  /**
   * `{dose}` stands for what the pond needs, and of what; `[[ ]]` is left out where nothing
   * lives, and `[[# ]]` said there alone.
   */
  words: Readonly<Record<Language, string>>;
  /** More than one where they differ: then the words name the difference. */
  sources: readonly AdviceSource[];
};

// Where advice comes from. "PRACTICE" is the judgement of the trade without a study behind it, and is named as that.

export const ADVICE_SOURCES = {
  BOYD_OXYGEN:
    'Boyd, dissolved-oxygen concentrations in pond aquaculture (GSA): 3 mg/L and more keeps shrimp feeding',
  NUNES_MUSIG: 'Nunes & Musig, aeration procedures (GAA): stress below 3–4 mg/L for hours, death below 1',
  ZHOU_2014: 'Zhou et al. 2014, J. Chem. 574534: 12 h LC50 of adult vannamei 0.535 mg/L',
  MADENJIAN_1987:
    'Madenjian et al. 1987, Aquac. Eng. 6:191 and 6:209: half of the night’s loss is the bottom’s',
  AN_BINH: 'An Binh Bio, adjusting feed: −30 to −50 % below 20 °C, −10 to −15 % above 32 °C',
  LIMSUWAN_CHING: 'Limsuwan & Ching (GSA): at 33 °C feed the ration of 29 °C',
  SKRETTING: 'Skretting: intake is best at 29–31 °C',
  LIN_CHEN_2001: 'Lin & Chen 2001, JEMBE 259:109: safe 0.12–0.16 mg/L NH3-N, 96 h LC50 1.2–1.6',
  LIN_CHEN_2003: 'Lin & Chen 2003: safe nitrite 6.1, 15.2 and 25.7 mg/L NO2-N at 15, 25 and 35 ppt',
  LOW_SALT_2016:
    'Nitrite at low salinity, 2016: safe 0.28–0.62 mg/L NO2-N at 0.6–2 ppt, which alarms go by; chloride protects',
  BGU_2004:
    'Ben-Gurion University 2004, nitrite at 2 ppt: 96 h LC50 about 9 mg/L NO2-N and so safe below 0.45, where the study of 2016 has 12.4 and 0.62',
  ALVES_NETO_2019:
    'Alves Neto et al. 2019, Ciência Rural 49(1): safe nitrate 60 (5 ppt) and 127 mg/L NO3-N (10 ppt)',
  BOYD_LIMING: 'Boyd, correct liming (GSA): limestone dissolves until about 50 mg/L of alkalinity',
  SA_UFC:
    'Sá (UFC), total buffering capacity of shrimp ponds, tried at 11 ppt: limestone raised no alkalinity in the short term, bicarbonate did',
  VALDEZ_2008: 'Valdez et al. 2008, Hidrobiológica 18(2): vannamei spends least near 26 ppt',
  CULTURE_RANGE: 'Range of culture, quoted after Wickins & Lee 2008: vannamei stands 0.5 to 45 ppt',
  RENEW_BRAZIL:
    'Brazilian extension advice (weak carrier): below 3 mg/L or with a transparency under 30 cm renew water and start aerators',
  PRACTICE: 'Practice of the trade, no study cited',
} as const;
export type AdviceSource = keyof typeof ADVICE_SOURCES;
