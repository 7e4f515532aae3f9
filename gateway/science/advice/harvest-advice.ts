import type { HarvestDecision } from '../harvest-decision.ts';
import { figure, type Language } from './language.ts';
import { type MissingFact, missingText } from './missing-words.ts';

export type HarvestAdviceFacts = {
  decision: HarvestDecision;
  batch: string;
  currency: 'BRL' | 'USD';
  animals: number;
  currentWeightG: number;
  marketPricePerKg: number;
  dailyOperationalCost: number;
  lastWeighingDaysAgo: number | null;
  /** Whole-cycle feed conversion; null: unknown. */
  fca: number | null;
  /** Feed and its price of the last days; null: nothing was fed. */
  feed: { kgPerDay: number; pricePerKg: number } | null;
  missing: readonly MissingFact[];
};

/** The figures behind a harvest decision, as a technician would explain them. */
export function harvestExplanation(facts: HarvestAdviceFacts, language: Language): string {
  if (facts.animals === 0) {
    return {
      'pt-BR': `Nenhum camarão vivo registrado no lote ${facts.batch}.`,
      en: `No live shrimp are recorded in batch ${facts.batch}.`,
      es: `Ningún camarón vivo registrado en el lote ${facts.batch}.`,
    }[language];
  }
  const sentences = [growthSentence(facts, language), balanceSentence(facts, language)];
  const { decision } = facts;
  if (decision.recommendation === 'MONITOR') sentences.unshift(untrusted(facts, language));
  const feed = feedSentence(facts, language);
  if (feed !== null) sentences.push(feed);
  // the samples say nothing of the feed that turns the account
  if (decision.confidencePercent !== null && !mayFeedTurnIt(facts))
    sentences.push(confidenceSentence(decision.confidencePercent, language));
  const unknown = missingText(facts.missing, language);
  if (unknown !== null) sentences.push(unknown);
  return sentences.join(' ');
}

/** What to do next, with the figures that would change the decision. */
export function harvestSuggestion(facts: HarvestAdviceFacts, language: Language): string {
  const { decision, batch } = facts;
  if (facts.animals === 0) {
    return {
      'pt-BR': `Confira a sobrevivência registrada; se nada restou, encerre o lote ${batch} e prepare o viveiro.`,
      en: `Check the recorded survival; if nothing is left, end batch ${batch} and prepare the pond.`,
      es: `Revise la supervivencia registrada; si no quedó nada, cierre el lote ${batch} y prepare la piscina.`,
    }[language];
  }
  switch (decision.recommendation) {
    case 'MONITOR':
      return {
        'pt-BR': `Pese ao menos 100 camarões do lote ${batch}, de três pontos do viveiro, e consulte de novo.`,
        en: `Weigh at least 100 shrimp of batch ${batch}, from three spots of the pond, and ask again.`,
        es: `Pese al menos 100 camarones del lote ${batch}, de tres puntos de la piscina, y consulte de nuevo.`,
      }[language];
    case 'CONTINUE': {
      if (feedTurnsIt(facts)) return checkFeed(facts, language);
      const price = money(facts, decision.breakEvenPricePerKg ?? 0, language);
      const growth = dailyGain(decision.breakEvenGrowthGPerDay ?? 0, language);
      return {
        'pt-BR': `Continue o lote ${batch} e pese de novo em 7 dias. Despesque se o ganho cair a ${growth} por dia ou o preço a ${price}/kg.`,
        en: `Go on with batch ${batch} and weigh again in 7 days. Harvest if growth falls to ${growth} a day or the price to ${price}/kg.`,
        es: `Continúe el lote ${batch} y pese de nuevo en 7 días. Coseche si la ganancia cae a ${growth} por día o el precio a ${price}/kg.`,
      }[language];
    }
    case 'HARVEST_NOW':
      return harvestNow(facts, language);
  }
}

function harvestNow(facts: HarvestAdviceFacts, language: Language): string {
  const { decision, batch } = facts;
  const biomass = `${figure(decision.currentBiomassKg, 0, language)} kg`;
  const whole = {
    'pt-BR': `Marque a despesca do lote ${batch}: ${biomass} de ${grams(facts.currentWeightG, language)}.`,
    en: `Book the harvest of batch ${batch}: ${biomass} of ${grams(facts.currentWeightG, language)}.`,
    es: `Fije la cosecha del lote ${batch}: ${biomass} de ${grams(facts.currentWeightG, language)}.`,
  }[language];
  if (decision.breakEvenPricePerKg === null) return whole;
  const price = money(facts, decision.breakEvenPricePerKg, language);
  return {
    'pt-BR': `${whole} Esperar só compensa com preço acima de ${price}/kg.`,
    en: `${whole} Waiting pays only above ${price}/kg.`,
    es: `${whole} Esperar solo conviene con un precio por encima de ${price}/kg.`,
  }[language];
}

function growthSentence(facts: HarvestAdviceFacts, language: Language): string {
  const { decision } = facts;
  const animals = figure(facts.animals, 0, language);
  const growth = dailyGain(decision.growthGPerDay, language);
  const gain = figure(decision.dailyBiomassGainKg, 1, language);
  const isMeasured = decision.growthIs === 'MEASURED';
  return {
    'pt-BR': `${animals} camarões ganham ${growth} por dia (${isMeasured ? 'medido' : 'esperado da curva'}): ${gain} kg por dia.`,
    en: `${animals} shrimp gain ${growth} a day (${isMeasured ? 'measured' : 'expected from the curve'}): ${gain} kg a day.`,
    es: `${animals} camarones ganan ${growth} por día (${isMeasured ? 'medido' : 'esperado de la curva'}): ${gain} kg por día.`,
  }[language];
}

function balanceSentence(facts: HarvestAdviceFacts, language: Language): string {
  const { decision } = facts;
  const revenue = money(facts, decision.dailyGrowthRevenue, language);
  const price = money(facts, facts.marketPricePerKg, language);
  const cost = money(facts, facts.dailyOperationalCost, language);
  const outcome = outcomeOfADay(facts, language);
  return {
    'pt-BR': `A ${price}/kg isso vale ${revenue} por dia contra ${cost} de custo: ${outcome}.`,
    en: `At ${price}/kg that is worth ${revenue} a day against ${cost} of cost: ${outcome}.`,
    es: `A ${price}/kg eso vale ${revenue} por día contra ${cost} de costo: ${outcome}.`,
  }[language];
}

function outcomeOfADay(facts: HarvestAdviceFacts, language: Language): string {
  const { netDailyProfit } = facts.decision;
  const net = money(facts, Math.abs(netDailyProfit), language);
  if (Math.abs(netDailyProfit) < 0.005)
    return {
      'pt-BR': 'cada dia a mais nem rende nem perde',
      en: 'a further day neither earns nor loses',
      es: 'cada día más ni rinde ni pierde',
    }[language];
  if (language !== 'en') {
    const [more, earns, loses] =
      language === 'es' ? ['cada día más', 'rinde', 'pierde'] : ['cada dia a mais', 'rende', 'perde'];
    return `${more} ${netDailyProfit > 0 ? earns : loses} ${net}`;
  }
  return `each further day ${netDailyProfit > 0 ? 'earns' : 'loses'} ${net}`;
}

const feedPerDay = ({ feed }: HarvestAdviceFacts): number =>
  feed === null ? 0 : feed.kgPerDay * feed.pricePerKg;

/** Whether the day pays by the rule, and no longer once the feed on record is paid from it. */
export function feedTurnsIt(facts: HarvestAdviceFacts): boolean {
  const { netDailyProfit } = facts.decision;
  return netDailyProfit > 0 && netDailyProfit - feedPerDay(facts) < 0;
}

/** The same, or the day pays and nobody recorded what was fed. */
function mayFeedTurnIt(facts: HarvestAdviceFacts): boolean {
  return feedTurnsIt(facts) || (facts.missing.includes('FEED') && facts.decision.netDailyProfit > 0);
}

function checkFeed(facts: HarvestAdviceFacts, language: Language): string {
  const cost = money(facts, facts.dailyOperationalCost, language);
  return {
    'pt-BR': `Se os ${cost} por dia já incluem a ração, continue o lote ${facts.batch} e pese de novo em 7 dias; se não incluem, marque a despesca.`,
    en: `If the ${cost} a day include the feed, go on with batch ${facts.batch} and weigh again in 7 days; if not, book the harvest.`,
    es: `Si los ${cost} por día ya incluyen el balanceado, continúe el lote ${facts.batch} y pese de nuevo en 7 días; si no lo incluyen, fije la cosecha.`,
  }[language];
}

/** What the feed on record makes of the day; where feed is being wasted, what the last kilogram costs in feed. */
function feedSentence(facts: HarvestAdviceFacts, language: Language): string | null {
  const { fca, feed, decision } = facts;
  if (feed === null) return null;
  if (fca === null || fca <= 2 || decision.dailyBiomassGainKg <= 0) return feedOfADay(facts, language);
  const perKg = (feed.kgPerDay / decision.dailyBiomassGainKg) * feed.pricePerKg;
  const cost = money(facts, perKg, language);
  return {
    'pt-BR': `FCA ${figure(fca, 2, language)}: o quilo que cresce agora custa ${cost} só de ração.`,
    en: `FCA ${figure(fca, 2, language)}: the kilogram that grows now costs ${cost} in feed alone.`,
    es: `FCA ${figure(fca, 2, language)}: el kilo que crece ahora cuesta ${cost} solo de balanceado.`,
  }[language];
}

function feedOfADay(facts: HarvestAdviceFacts, language: Language): string {
  const { kgPerDay, pricePerKg } = facts.feed ?? { kgPerDay: 0, pricePerKg: 0 };
  const net = facts.decision.netDailyProfit - feedPerDay(facts);
  const [cost, price, left] = [feedPerDay(facts), pricePerKg, Math.abs(net)].map((value) =>
    money(facts, value, language),
  );
  const kg = figure(kgPerDay, 1, language);
  return {
    'pt-BR': `A ração lançada, ${kg} kg por dia a ${price}, custa ${cost}: se ela não está no custo diário, cada dia a mais ${net < 0 ? 'perde' : 'rende'} ${left}.`,
    en: `The feed on record, ${kg} kg a day at ${price}, costs ${cost}: unless the daily cost includes it, each further day ${net < 0 ? 'loses' : 'earns'} ${left}.`,
    es: `El balanceado registrado, ${kg} kg por día a ${price}, cuesta ${cost}: si no está en el costo diario, cada día más ${net < 0 ? 'pierde' : 'rinde'} ${left}.`,
  }[language];
}

function untrusted({ decision, lastWeighingDaysAgo }: HarvestAdviceFacts, language: Language): string {
  const days = lastWeighingDaysAgo ?? 0;
  if (decision.reason === 'NEVER_WEIGHED') {
    return {
      'pt-BR': 'O lote ainda não foi pesado; as contas a seguir usam só a curva esperada.',
      en: 'The batch has not been weighed yet; what follows is the expected curve only.',
      es: 'El lote todavía no se ha pesado; las cuentas que siguen usan solo la curva esperada.',
    }[language];
  }
  return {
    'pt-BR': `A última biometria tem ${days} dias; as contas a seguir podem já não valer.`,
    en: `The last weighing is ${days} days old; what follows may no longer hold.`,
    es: `El último muestreo tiene ${days} días; las cuentas que siguen pueden ya no valer.`,
  }[language];
}

function confidenceSentence(percent: number, language: Language): string {
  // samples never make anything certain
  const over = { 'pt-BR': 'mais de 99%', en: 'more than 99%', es: 'más de 99%' }[language];
  const sure = percent > 99 ? over : `${figure(percent, 0, language)}%`;
  return {
    'pt-BR': `Pelo erro das amostras, isso está certo com ${sure} de chance.`,
    en: `By the error of the samples this is right with a chance of ${sure}.`,
    es: `Por el error de las muestras, esto es correcto con ${sure} de probabilidad.`,
  }[language];
}

function money({ currency }: HarvestAdviceFacts, value: number, language: Language): string {
  return `${currency === 'BRL' ? 'R$' : 'US$'} ${figure(value, 2, language)}`;
}

/** g/day; what small shrimp gain keeps its digits. */
function dailyGain(value: number, language: Language): string {
  const digits = Math.abs(value) < 0.01 ? 4 : Math.abs(value) < 0.1 ? 3 : 2;
  return `${figure(value, digits, language)} g`;
}

function grams(value: number, language: Language): string {
  return `${figure(value, 2, language)} g`;
}
