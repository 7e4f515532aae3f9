import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { FarmAnswer } from '#contract/resources/farms.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { del } from '../../data/api.ts';
import { farm, farmControlPoints, isOwner, mayManage } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { usePondCards } from '../../data/places.ts';
import { refresh, useGet } from '../../data/query.ts';
import { figure, quantity } from '../../i18n/format.ts';
import { Story } from '../pond/pond-story.tsx';
import { FarmForm } from './farm-form.tsx';
import { farmWords } from './farm-words.ts';
import { PondRegister } from './pond-register.tsx';
import { SystemPage } from './system-page.tsx';
import { systemWords } from './words.ts';

export function FarmSettings() {
  const words = farmWords();
  const noRight = systemWords().noRight;
  const shown = farm.value;
  const detail = useGet<FarmAnswer>(shown === null ? null : `/farms/${shown.id}`);
  if (shown === null) {
    return (
      <SystemPage title={words.title}>
        <Empty text={words.noFarm}>
          <Link class="button main" href="/bem-vindo/fazenda">
            {words.createFarm}
          </Link>
        </Empty>
      </SystemPage>
    );
  }
  return (
    <SystemPage title={words.title}>
      {mayManage.value ? null : <p class="note">{noRight}</p>}
      <section class="card stack">
        <h2>{words.farm}</h2>
        <Answer of={detail}>
          {(known) => <FarmForm key={`${known.id} ${known.updated_at}`} known={known} />}
        </Answer>
      </section>
      <PondRegister farmId={shown.id} />
      <Story path={`/logs/farms/${shown.id}`} />
      {isOwner.value ? <Removal id={shown.id} name={shown.name} /> : null}
    </SystemPage>
  );
}

function Removal({ id, name }: { id: string; name: string }) {
  const words = farmWords();
  const [, go] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const cards = usePondCards();
  const remove = async () => {
    await del(`/farms/${id}`);
    refresh('farms', 'ponds', 'control-points');
    toast(words.removed(name), null, 6_000);
    go('/');
  };
  return (
    <section class="card stack">
      <h2>{words.danger}</h2>
      <p class="muted">{words.dangerText}</p>
      <div>
        <Button look="danger" disabled={isBlind.value} onClick={() => setAsking(true)}>
          {words.removeFarm}
        </Button>
      </div>
      {isAsking ? (
        <ConfirmDialog
          title={words.removeFarmTitle(name)}
          label={words.removeFarm}
          mustType={{ label: words.typeName(name), text: name }}
          isReady={cards.data !== undefined && !isBlind.value}
          work={remove}
          onClose={() => setAsking(false)}
        >
          <p>{words.dangerText}</p>
          <Lost of={cards} />
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

/** Counted, so that nobody takes a farm at work for an empty one. */
function Lost({ of: cards }: { of: ReturnType<typeof usePondCards> }) {
  const words = farmWords();
  return (
    <Answer of={cards}>
      {({ summary }) => (
        <ul class="stack" data-lost>
          <li>
            <strong>{words.lostPonds(figure(summary.total_ponds), figure(summary.active_ponds))}</strong>
            {summary.total_biomass_kg > 0
              ? ` · ${words.lostShrimp(quantity(summary.total_biomass_kg, 0, 'kg'))}`
              : ''}
          </li>
          <li>
            <strong>{words.lostPoints(figure(farmControlPoints.value.length))}</strong>
          </li>
        </ul>
      )}
    </Answer>
  );
}
