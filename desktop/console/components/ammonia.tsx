import type { AmmoniaAs } from '#contract/resources/water-quality.ts';
import { systemWords } from '#words/system.ts';
import { waterWords } from '#words/water.ts';
import { type AmmoniaBasis, keepAmmoniaBasis, useFarmWater } from '../data/farm-science.ts';
import { farm, mayManage } from '../data/farm-store.ts';
import { isBlind } from '../data/live.ts';
import { WATER } from '../data/water.ts';
import { quantity } from '../i18n/format.ts';
import { faultText } from './answer.tsx';
import { WorkButton } from './button.tsx';
import { toast } from './toast.tsx';

const BASES: readonly AmmoniaBasis[] = ['TAN', 'NH3'];

/** Asked once on a farm, where ammonia is entered; whoever may not answer is told what counts meanwhile. */
export function AmmoniaQuestion() {
  const words = waterWords().ammonia;
  const { told } = useFarmWater();
  if (farm.value === null || told === null || told.isChosen) return null;
  if (!mayManage.value) return <p class="note">{words.untold}</p>;
  return (
    <section class="note stack" data-ammonia-question>
      <strong>{words.ask}</strong>
      <p>{words.askText}</p>
      <AmmoniaBasisButtons chosen={null} />
    </section>
  );
}

/** The setting, with what holds now. */
export function AmmoniaBasisButtons({ chosen }: { chosen: AmmoniaBasis | null }) {
  const words = waterWords().ammonia;
  const id = farm.value?.id;
  if (id === undefined) return null;
  return (
    <div class="row" role="group" aria-label={words.basis}>
      {BASES.map((basis) => (
        <WorkButton
          key={basis}
          big
          look={basis === chosen ? 'main' : 'plain'}
          aria-pressed={basis === chosen}
          disabled={isBlind.value}
          why={mayManage.value ? null : systemWords().noRight}
          work={() => keepAmmoniaBasis(id, basis).catch((error: unknown) => toast(faultText(error)))}
        >
          {words.bases[basis]}
        </WorkButton>
      ))}
    </div>
  );
}

/** The basis a value is typed on, for its label; empty until the farm has answered. */
export function useBasisLabel(): string {
  const { told } = useFarmWater();
  return told === null ? '' : waterWords().ammonia.short[told.basis];
}

/** The same ammonia on the other basis than the farm's, mg/L; null: it cannot be worked out. */
export const otherBasis = ({ basis, nh3_n, tan }: AmmoniaAs): { basis: AmmoniaBasis; mgL: number | null } =>
  basis === 'TAN' ? { basis: 'NH3', mgL: nh3_n } : { basis: 'TAN', mgL: tan };

/** The same in words, or what it cannot be worked out from. */
export function ammoniaTwin(as: AmmoniaAs): string {
  const words = waterWords().ammonia;
  const { decimals } = WATER.ammonia;
  const other = otherBasis(as);
  const gaps = as.gaps.map((gap) => words.gaps[gap]).join(', ');
  if (other.mgL === null) return `${words.short[as.basis]}, ${words.noTwin} (${gaps})`;
  const amount = quantity(other.mgL, decimals, words.unit(other.basis));
  const twin = as.certainty === 'WORST_CASE' ? `${words.worst(amount)} (${gaps})` : words.twin(amount);
  return `${words.short[as.basis]} ${twin}`;
}
