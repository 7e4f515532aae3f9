import { unreachable } from '#contract/words.ts';
import type { Words } from '#core/notifying.ts';
import type { Counted, Place, SubscriptionRow } from './ports.ts';
import { hasRoom, type UsageLevel } from './usage-rules.ts';

type Told = { title: Words; message: Words };

const told = (pt: [title: string, message: string], en: [title: string, message: string]): Told => ({
  title: (language) => (language === 'en' ? en[0] : pt[0]),
  message: (language) => (language === 'en' ? en[1] : pt[1]),
});

const THINGS: Readonly<Record<Counted, { pt: string; en: string }>> = {
  farms: { pt: 'fazendas', en: 'farms' },
  ponds: { pt: 'viveiros', en: 'ponds' },
  active_batches: { pt: 'lotes ativos', en: 'active batches' },
};

export function usageWords(
  resource: Counted,
  { level, current, max }: { level: UsageLevel; current: number; max: number },
): Told {
  const { pt, en } = THINGS[resource];
  if (level === 100) {
    return told(
      [
        'Limite do plano atingido',
        `Você usa ${current} de ${max} ${pt}. Para criar mais, escolha um plano maior; o que existe continua funcionando.`,
      ],
      [
        'Plan limit reached',
        `You use ${current} of ${max} ${en}. To create more, choose a larger plan; what exists goes on working.`,
      ],
    );
  }
  return told(
    ['80% do limite do plano em uso', `Você usa ${current} de ${max} ${pt} do seu plano.`],
    ['80% of the plan limit in use', `You use ${current} of the ${max} ${en} of your plan.`],
  );
}

/** Of one farm or pond whose own limit comes near, or is reached, while there may be room on others. */
export function placeWords(place: Place, { current, max }: { current: number; max: number }): Told {
  if (hasRoom(current, max)) return nearWords(place, { current, max });
  switch (place.kind) {
    case 'farm':
      return told(
        [
          `Limite do plano atingido: ${place.farmName}`,
          `A fazenda ${place.farmName} tem ${current} de ${max} viveiros do seu plano. Para criar mais nela, escolha um plano maior; o que existe continua funcionando.`,
        ],
        [
          `Plan limit reached: ${place.farmName}`,
          `The farm ${place.farmName} has ${current} of the ${max} ponds of your plan. To create more on it, choose a larger plan; what exists goes on working.`,
        ],
      );
    case 'pond':
      return told(
        [
          `Limite do plano atingido: ${place.cod}`,
          `O viveiro ${place.cod} (${place.farmName}) tem ${current} de ${max} lotes ativos do seu plano. O que existe continua funcionando.`,
        ],
        [
          `Plan limit reached: ${place.cod}`,
          `The pond ${place.cod} (${place.farmName}) has ${current} of the ${max} active batches of your plan. What exists goes on working.`,
        ],
      );
    default:
      return unreachable(place);
  }
}

function nearWords(place: Place, { current, max }: { current: number; max: number }): Told {
  const { farmName } = place;
  const [name, pt, en] =
    place.kind === 'farm'
      ? [
          farmName,
          `A fazenda ${farmName} tem ${current} de ${max} viveiros`,
          `The farm ${farmName} has ${current} of the ${max} ponds`,
        ]
      : [
          place.cod,
          `O viveiro ${place.cod} (${farmName}) tem ${current} de ${max} lotes ativos`,
          `The pond ${place.cod} (${farmName}) has ${current} of the ${max} active batches`,
        ];
  return told(
    [`80% do limite do plano em uso: ${name}`, `${pt} do seu plano.`],
    [`80% of the plan limit in use: ${name}`, `${en} of your plan.`],
  );
}

export const createdWords = ({ plan }: SubscriptionRow): Told =>
  told(
    ['Assinatura criada', `Sua assinatura do plano ${plan} está ativa.`],
    ['Subscription created', `Your subscription to the ${plan} plan is active.`],
  );

export function cancelledWords({ plan, cancel_at_period_end, current_period_end, status }: SubscriptionRow) {
  if (status !== 'CANCELED' && cancel_at_period_end) {
    const day = current_period_end?.slice(0, 10) ?? null;
    return told(
      ['Cancelamento agendado', `O plano ${plan} vale até ${day ?? 'o fim do período'} e não será renovado.`],
      [
        'Cancellation scheduled',
        `The ${plan} plan holds until ${day ?? 'the end of the period'} and is not renewed.`,
      ],
    );
  }
  return told(
    [
      'Assinatura cancelada',
      `A assinatura do plano ${plan} foi cancelada. Nada novo pode ser criado; o que existe continua funcionando.`,
    ],
    [
      'Subscription cancelled',
      `The subscription to the ${plan} plan was cancelled. Nothing new can be created; what exists goes on working.`,
    ],
  );
}

export function updatedWords(before: SubscriptionRow, after: SubscriptionRow): Told {
  if (before.plan !== after.plan) {
    return told(
      ['Plano alterado', `Seu plano mudou de ${before.plan} para ${after.plan}.`],
      ['Plan changed', `Your plan has changed from ${before.plan} to ${after.plan}.`],
    );
  }
  if (after.status === 'PAST_DUE' && before.status !== 'PAST_DUE') {
    return told(
      [
        'Pagamento pendente',
        `O pagamento do plano ${after.plan} está pendente. Por 14 dias nada muda; depois, nada novo pode ser criado.`,
      ],
      [
        'Payment missing',
        `The payment of the ${after.plan} plan is missing. For 14 days nothing changes; then nothing new can be created.`,
      ],
    );
  }
  return told(
    ['Assinatura atualizada', `Sua assinatura do plano ${after.plan} foi atualizada.`],
    ['Subscription updated', `Your subscription to the ${after.plan} plan was updated.`],
  );
}
