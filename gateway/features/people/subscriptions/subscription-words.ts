import { unreachable } from '#contract/words.ts';
import type { Words } from '#core/notifying.ts';
import type { Counted, Place, SubscriptionRow } from './ports.ts';
import { hasRoom, type UsageLevel } from './usage-rules.ts';

type Told = { title: Words; message: Words };

type Pair = [title: string, message: string];

const told = (pt: Pair, en: Pair, es: Pair): Told => ({
  title: (language) => ({ 'pt-BR': pt[0], en: en[0], es: es[0] })[language],
  message: (language) => ({ 'pt-BR': pt[1], en: en[1], es: es[1] })[language],
});

type Things = { pt: string; en: string; es: string };
const THINGS: Readonly<Record<Counted, readonly [one: Things, many: Things]>> = {
  farms: [
    { pt: 'fazenda', en: 'farm', es: 'camaronera' },
    { pt: 'fazendas', en: 'farms', es: 'camaroneras' },
  ],
  ponds: [
    { pt: 'viveiro', en: 'pond', es: 'piscina' },
    { pt: 'viveiros', en: 'ponds', es: 'piscinas' },
  ],
  active_batches: [
    { pt: 'lote ativo', en: 'active batch', es: 'lote activo' },
    { pt: 'lotes ativos', en: 'active batches', es: 'lotes activos' },
  ],
};

const IN_PLACE = { farm: 'ponds', pond: 'active_batches' } as const satisfies Record<Place['kind'], Counted>;

const thingsOf = (resource: Counted, max: number): Things => THINGS[resource][max === 1 ? 0 : 1];

export function usageWords(
  resource: Counted,
  { level, current, max }: { level: UsageLevel; current: number; max: number },
): Told {
  const { pt, en, es } = thingsOf(resource, max);
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
      [
        'Límite del plan alcanzado',
        `Usted usa ${current} de ${max} ${es}. Para crear más, elija un plan mayor; lo que existe sigue funcionando.`,
      ],
    );
  }
  return told(
    ['80% do limite do plano em uso', `Você usa ${current} de ${max} ${pt} do seu plano.`],
    ['80% of the plan limit in use', `You use ${current} of the ${max} ${en} of your plan.`],
    ['80% del límite del plan en uso', `Usted usa ${current} de ${max} ${es} de su plan.`],
  );
}

/** Of one farm or pond whose own limit comes near, or is reached, while there may be room on others. */
export function placeWords(place: Place, { current, max }: { current: number; max: number }): Told {
  if (hasRoom(current, max)) return nearWords(place, { current, max });
  const things = thingsOf(IN_PLACE[place.kind], max);
  switch (place.kind) {
    case 'farm':
      return told(
        [
          `Limite do plano atingido: ${place.farmName}`,
          `A fazenda ${place.farmName} tem ${current} de ${max} ${things.pt} do seu plano. Para criar mais nela, escolha um plano maior; o que existe continua funcionando.`,
        ],
        [
          `Plan limit reached: ${place.farmName}`,
          `The farm ${place.farmName} has ${current} of the ${max} ${things.en} of your plan. To create more on it, choose a larger plan; what exists goes on working.`,
        ],
        [
          `Límite del plan alcanzado: ${place.farmName}`,
          `La camaronera ${place.farmName} tiene ${current} de ${max} ${things.es} de su plan. Para crear más en ella, elija un plan mayor; lo que existe sigue funcionando.`,
        ],
      );
    case 'pond':
      return told(
        [
          `Limite do plano atingido: ${place.cod}`,
          `O viveiro ${place.cod} (${place.farmName}) tem ${current} de ${max} ${things.pt} do seu plano. O que existe continua funcionando.`,
        ],
        [
          `Plan limit reached: ${place.cod}`,
          `The pond ${place.cod} (${place.farmName}) has ${current} of the ${max} ${things.en} of your plan. What exists goes on working.`,
        ],
        [
          `Límite del plan alcanzado: ${place.cod}`,
          `La piscina ${place.cod} (${place.farmName}) tiene ${current} de ${max} ${things.es} de su plan. Lo que existe sigue funcionando.`,
        ],
      );
    default:
      return unreachable(place);
  }
}

function nearWords(place: Place, { current, max }: { current: number; max: number }): Told {
  const { farmName } = place;
  const things = thingsOf(IN_PLACE[place.kind], max);
  const [name, pt, en, es] =
    place.kind === 'farm'
      ? [
          farmName,
          `A fazenda ${farmName} tem ${current} de ${max} ${things.pt}`,
          `The farm ${farmName} has ${current} of the ${max} ${things.en}`,
          `La camaronera ${farmName} tiene ${current} de ${max} ${things.es}`,
        ]
      : [
          place.cod,
          `O viveiro ${place.cod} (${farmName}) tem ${current} de ${max} ${things.pt}`,
          `The pond ${place.cod} (${farmName}) has ${current} of the ${max} ${things.en}`,
          `La piscina ${place.cod} (${farmName}) tiene ${current} de ${max} ${things.es}`,
        ];
  return told(
    [`80% do limite do plano em uso: ${name}`, `${pt} do seu plano.`],
    [`80% of the plan limit in use: ${name}`, `${en} of your plan.`],
    [`80% del límite del plan en uso: ${name}`, `${es} de su plan.`],
  );
}

export const createdWords = ({ plan }: SubscriptionRow): Told =>
  told(
    ['Assinatura criada', `Sua assinatura do plano ${plan} está ativa.`],
    ['Subscription created', `Your subscription to the ${plan} plan is active.`],
    ['Suscripción creada', `Su suscripción al plan ${plan} está activa.`],
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
      [
        'Cancelación programada',
        `El plan ${plan} vale hasta ${day ?? 'el fin del período'} y no se renovará.`,
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
    [
      'Suscripción cancelada',
      `La suscripción al plan ${plan} se canceló. No se puede crear nada nuevo; lo que existe sigue funcionando.`,
    ],
  );
}

export function updatedWords(before: SubscriptionRow, after: SubscriptionRow): Told {
  if (before.plan !== after.plan) {
    return told(
      ['Plano alterado', `Seu plano mudou de ${before.plan} para ${after.plan}.`],
      ['Plan changed', `Your plan has changed from ${before.plan} to ${after.plan}.`],
      ['Plan cambiado', `Su plan cambió de ${before.plan} a ${after.plan}.`],
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
      [
        'Pago pendiente',
        `El pago del plan ${after.plan} está pendiente. Por 14 días no cambia nada; después, no se puede crear nada nuevo.`,
      ],
    );
  }
  return told(
    ['Assinatura atualizada', `Sua assinatura do plano ${after.plan} foi atualizada.`],
    ['Subscription updated', `Your subscription to the ${after.plan} plan was updated.`],
    ['Suscripción actualizada', `Su suscripción al plan ${after.plan} se actualizó.`],
  );
}
