import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { DeletedFarmAnswer } from '#contract/resources/farms.ts';
import { BLIND_CHARTS } from '#science/constants.ts';
import { BLIND_SOURCES } from '#science/feeding-ration.ts';
import { componentWords } from '#words/components.ts';
import { farmWords, removalWords } from '#words/farms.ts';
import { scienceWords } from '#words/science.ts';
import { systemWords } from '#words/system.ts';
import { waterWords } from '#words/water.ts';
import { AmmoniaBasisButtons } from '../../components/ammonia.tsx';
import { Answer, Empty, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import { toast } from '../../components/toast.tsx';
import { post } from '../../data/api.ts';
import { keepBlindChart, useBlindChart, useFarmWater } from '../../data/farm-science.ts';
import { controlPoints, farm, isOwner, mayManage } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { type Pond, usePonds } from '../../data/places.ts';
import { refresh, useGet } from '../../data/query.ts';
import { calendarDay, quantity } from '../../i18n/format.ts';
import { SystemPage } from '../box/system-page.tsx';
import { Story } from '../pond/pond-story.tsx';
import { saidIn } from '../system/use-work.ts';
import { FarmForm } from './farm-form.tsx';
import { Gone, type GoneFarm, Removal } from './farm-removal.tsx';
import { PondBulk } from './pond-bulk.tsx';
import { PondDialog } from './pond-dialog.tsx';
import { PondPatternForm } from './pond-pattern-form.tsx';
import { ScienceSettings } from './science.tsx';

/** The farm and its ponds; at an address below it, what its figures are reckoned with. */
export function FarmSettings({ params }: { params: Readonly<Record<string, string>> }) {
  return params['part'] === 'calculos' ? <ScienceSettings /> : <Farm />;
}

function Farm() {
  const words = farmWords();
  const noRight = systemWords().noRight;
  const science = scienceWords();
  const [, go] = useLocation();
  const [gone, setGone] = useState<GoneFarm | null>(null);
  const shown = farm.value;
  const detail = useGet(shown === null ? null : `/farms/${shown.id}`);
  if (gone !== null) {
    return (
      <SystemPage title={words.title} narrow>
        <Gone of={gone} onRead={() => go('/')} />
      </SystemPage>
    );
  }
  if (shown === null) {
    return (
      <SystemPage title={words.title}>
        <Empty text={words.noFarm}>
          <Link class="button main" href="/bem-vindo/fazenda">
            {words.createFarm}
          </Link>
        </Empty>
        <DeletedFarms />
      </SystemPage>
    );
  }
  return (
    <SystemPage title={words.title}>
      {mayManage.value ? null : <p class="note">{noRight}</p>}
      <section class="card stack">
        <h2>{words.farm}</h2>
        <Answer of={detail}>{(known) => <FarmForm key={known.id} known={known} />}</Answer>
      </section>
      <AmmoniaSetting />
      <BlindFeedingSetting farmId={shown.id} />
      <section class="card stack">
        <h2>{science.title}</h2>
        <p class="muted">{science.openText}</p>
        <div>
          <Link class="button" href="/sistema/fazenda/calculos">
            {science.open}
          </Link>
        </div>
      </section>
      <PondRegister farmId={shown.id} />
      <Story path={`/logs/farms/${shown.id}`} />
      <DeletedFarms />
      {isOwner.value ? <Removal key={shown.id} id={shown.id} name={shown.name} onGone={setGone} /> : null}
    </SystemPage>
  );
}

/** What the farm's kit measures; nobody is shown as chosen while nobody chose. */
function AmmoniaSetting() {
  const words = waterWords().ammonia;
  const { told } = useFarmWater();
  return (
    <section class="card stack" data-ammonia-basis>
      <h2>{words.basis}</h2>
      <p class="muted">{words.basisHint}</p>
      {told === null ? <p class="muted">{words.notKnown}</p> : null}
      {told?.isChosen === false ? <p class="note">{words.askText}</p> : null}
      {told === null ? null : <AmmoniaBasisButtons chosen={told.isChosen ? told.basis : null} />}
    </section>
  );
}

/** How postlarvae are fed until somebody weighs them, each chart with its source. */
function BlindFeedingSetting({ farmId }: { farmId: string }) {
  const words = farmWords();
  const chosen = useBlindChart();
  if (chosen === null) return null;
  return (
    <section class="card stack" data-blind-chart={chosen}>
      <h2>{words.blindFeeding}</h2>
      <p class="muted">{words.blindHint}</p>
      {BLIND_CHARTS.map((chart) => (
        <div key={chart} class="row">
          <WorkButton
            look={chart === chosen ? 'main' : 'plain'}
            aria-pressed={chart === chosen}
            disabled={isBlind.value}
            why={mayManage.value ? null : systemWords().noRight}
            work={() => keepBlindChart(farmId, chart).catch((error: unknown) => toast(faultText(error)))}
          >
            {words.blindCharts[chart]}
          </WorkButton>
          <span class="muted small">{BLIND_SOURCES[chart]}</span>
        </div>
      ))}
    </section>
  );
}

/** Farms that the person deleted and can still bring back; nothing where there are none. */
function DeletedFarms() {
  const words = removalWords();
  const { data = [] } = useGet('/farms/deleted');
  const [asked, setAsked] = useState<DeletedFarmAnswer | null>(null);
  if (data.length === 0) return null;
  const bringBack = async ({ id, name }: DeletedFarmAnswer) => {
    await post(`/farms/${id}/restore`).catch((error: unknown) => {
      throw saidIn(error, words.refused);
    });
    refresh('farms', 'ponds', 'control-points');
    toast(words.isBack(name), null, 6_000);
  };
  return (
    <section class="card stack" data-trash>
      <h2>{words.trash}</h2>
      <ul class="stack">
        {data.map((one) => (
          <li key={one.id} class="row">
            <span>
              <strong>{one.name}</strong>{' '}
              <span class="muted small">
                {words.until(calendarDay(one.deleted_at), calendarDay(one.restorable_until))}
              </span>
            </span>
            <Button disabled={isBlind.value} onClick={() => setAsked(one)}>
              {words.bringBack}
            </Button>
          </li>
        ))}
      </ul>
      {asked === null ? null : (
        <ConfirmDialog
          title={words.bringBackTitle(asked.name)}
          label={words.bringBack}
          work={() => bringBack(asked)}
          onClose={() => setAsked(null)}
        >
          <p class="note p2">{words.bringBackText}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

/** Ponds of a farm: many made at once by a pattern, each changed or deleted by itself. */
function PondRegister({ farmId }: { farmId: string }) {
  const words = farmWords();
  const result = usePonds();
  const [isAdding, setAdding] = useState(false);
  const [editing, setEditing] = useState<Pond | null>(null);
  return (
    <section class="stack">
      <div class="row apart">
        <h2>{words.ponds}</h2>
        {mayManage.value ? (
          <Button look="main" disabled={isBlind.value} onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        ) : null}
      </div>
      <Answer of={result} isEmpty={(rows) => rows.length === 0} empty={<p class="muted">{words.none}</p>}>
        {() => <PondTable ponds={result.ponds} onEdit={setEditing} />}
      </Answer>
      {isAdding ? (
        <Dialog
          title={words.patternTitle}
          onClose={() => setAdding(false)}
          actions={<Button onClick={() => setAdding(false)}>{componentWords().cancel}</Button>}
        >
          <PondPatternForm
            farmId={farmId}
            existing={result.ponds.map(({ cod }) => cod)}
            onDone={() => setAdding(false)}
          />
        </Dialog>
      ) : null}
      {editing === null ? null : <PondDialog pond={editing} onClose={() => setEditing(null)} />}
    </section>
  );
}

function PondTable({ ponds, onEdit }: { ponds: readonly Pond[]; onEdit: (pond: Pond) => void }) {
  const words = farmWords();
  const { edit } = systemWords();
  const typeOf = ({ pond_type }: Pond) => (pond_type === null ? words.noType : words.types[pond_type]);
  const pointOf = ({ control_point_id: id }: Pond) => controlPoints.value.get(id ?? '')?.cod ?? words.noPoint;
  return (
    <RecordTable<Pond>
      label={words.ponds}
      address="viveiros"
      rows={ponds}
      keyOf={({ id }) => id}
      columns={[
        { name: words.code, of: ({ cod }) => cod, raw: ({ cod }) => cod },
        { name: words.type, of: typeOf, raw: typeOf },
        {
          name: words.size,
          isNumber: true,
          of: ({ size_m2 }) => quantity(size_m2, 0, 'm²'),
          raw: ({ size_m2 }) => size_m2,
        },
        {
          name: words.depth,
          isNumber: true,
          of: ({ depth_m }) => quantity(depth_m, 1, 'm'),
          raw: ({ depth_m }) => depth_m,
        },
        { name: words.pointShort, of: pointOf, raw: pointOf },
      ]}
      bulk={
        mayManage.value
          ? {
              nameOf: ({ cod }) => cod,
              edit: (chosen, onClose) => <PondBulk ponds={chosen} onClose={onClose} />,
            }
          : undefined
      }
      actionsName={edit}
      actions={
        mayManage.value
          ? (pond) => (
              <Button aria-label={`${edit} ${pond.cod}`} onClick={() => onEdit(pond)}>
                {edit}
              </Button>
            )
          : undefined
      }
    />
  );
}
