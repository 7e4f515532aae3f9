import { useState } from 'preact/hooks';
import type { ProbeAnswer, ProbeBusAnswer, ProbeProfileAnswer } from '#contract/resources/probes.ts';
import { probeWords } from '#words/probes.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { farm, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { useGet } from '../../data/query.ts';
import { SystemPage } from '../box/system-page.tsx';
import { Buses } from './buses.tsx';
import { ProbeCard } from './probe-card.tsx';
import { ProbeDialog, type ProbePlace } from './probe-dialog.tsx';
import { Profiles } from './profiles.tsx';

const NO_PROBES: readonly ProbeAnswer[] = [];

/** The probes in the water: what they say, what that is worth, and how they are reached. */
export function Probes() {
  const words = probeWords();
  if (isHosted.value || farm.value === null) {
    return (
      <SystemPage title={words.title}>
        <Empty text={isHosted.value ? words.onlyHere : words.none} />
      </SystemPage>
    );
  }
  return <OfFarm key={farm.value.id} farmId={farm.value.id} />;
}

function OfFarm({ farmId }: { farmId: string }) {
  const words = probeWords();
  const probes = useGet<ProbeAnswer[]>('/probes/', { farm_id: farmId });
  const buses = useGet<ProbeBusAnswer[]>('/probe-buses/', { farm_id: farmId });
  const profiles = useGet<ProbeProfileAnswer[]>('/probe-profiles/', { farm_id: farmId });
  const [editing, setEditing] = useState<ProbeAnswer | ProbePlace | null>(null);
  const known = buses.data ?? [];
  const [first] = known;
  return (
    <SystemPage
      title={words.title}
      action={
        mayOperate.value && first !== undefined ? (
          <Button
            look="main"
            disabled={isBlind.value}
            onClick={() => setEditing({ probe_bus_id: first.id, unit_id: null })}
          >
            {words.add}
          </Button>
        ) : undefined
      }
    >
      <p class="muted">{words.intro}</p>
      <Answer of={probes} isEmpty={(rows) => rows.length === 0} empty={<Empty text={words.none} />}>
        {(rows) => (
          <ul class="two-columns">
            {rows.map((probe) => (
              <ProbeCard key={probe.id} probe={probe} onEdit={() => setEditing(probe)} />
            ))}
          </ul>
        )}
      </Answer>
      <Buses
        farmId={farmId}
        buses={buses}
        probes={probes.data ?? NO_PROBES}
        profiles={profiles.data ?? []}
        onHang={setEditing}
      />
      <Profiles farmId={farmId} profiles={profiles} />
      {editing === null ? null : (
        <ProbeDialog
          of={editing}
          buses={known}
          profiles={profiles.data ?? []}
          count={probes.data?.length ?? 0}
          onClose={() => setEditing(null)}
        />
      )}
    </SystemPage>
  );
}
