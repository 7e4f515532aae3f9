import type { UseQueryResult } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { ProbeAnswer, ProbeBusAnswer, ProbeProfileAnswer } from '#contract/resources/probes.ts';
import { componentWords } from '#words/components.ts';
import { busWords, probeWords } from '#words/probes.ts';
import { AllAnswered, Answer, Awaited, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { del } from '../../data/api.ts';
import { farm, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { SystemPage } from '../box/system-page.tsx';
import { saidIn } from '../system/use-work.ts';
import { BusDialog } from './bus-dialog.tsx';
import { BusScan } from './bus-scan.tsx';
import { ProbeCard, TroubleNote } from './probe-card.tsx';
import { ProbeDialog, type ProbePlace } from './probe-dialog.tsx';
import { Profiles } from './profiles.tsx';

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
  const probes = useGet('/probes/', { farm_id: farmId });
  const buses = useGet('/probe-buses/', { farm_id: farmId });
  const profiles = useGet('/probe-profiles/', { farm_id: farmId });
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
      <Buses farmId={farmId} buses={buses} probes={probes} profiles={profiles} onHang={setEditing} />
      <Profiles farmId={farmId} profiles={profiles} />
      {/* what it proposes rests on all three */}
      {editing === null ? null : probes.data === undefined || profiles.data === undefined ? (
        <Waiting of={[probes, profiles]} onClose={() => setEditing(null)} />
      ) : (
        <ProbeDialog
          of={editing}
          buses={known}
          profiles={profiles.data}
          count={probes.data.length}
          onClose={() => setEditing(null)}
        />
      )}
    </SystemPage>
  );
}

type Props = {
  farmId: string;
  probes: UseQueryResult<ProbeAnswer[]>;
  profiles: UseQueryResult<ProbeProfileAnswer[]>;
  onHang: (place: ProbePlace) => void;
};

/** The question comes once everything is known that its answer rests on. */
function Waiting({ of: asked, onClose }: { of: Parameters<typeof Awaited>[0]['of']; onClose: () => void }) {
  return (
    <Dialog
      title={probeWords().title}
      onClose={onClose}
      actions={
        <Button big autofocus onClick={onClose}>
          {componentWords().cancel}
        </Button>
      }
    >
      <Awaited of={asked} />
    </Dialog>
  );
}

/** The lines that probes hang on, and the search along them. */
function Buses({ buses, ...props }: Props & { buses: UseQueryResult<ProbeBusAnswer[]> }) {
  const words = busWords();
  const [editing, setEditing] = useState<ProbeBusAnswer | 'new' | null>(null);
  return (
    <section class="stack" aria-labelledby="probe-buses">
      <div class="row apart">
        <h2 id="probe-buses">{words.title}</h2>
        {mayOperate.value ? (
          <Button disabled={isBlind.value} onClick={() => setEditing('new')}>
            {words.add}
          </Button>
        ) : null}
      </div>
      <AllAnswered of={[buses, props.probes, props.profiles]}>
        {(rows, probes) =>
          rows.length === 0 ? (
            <p class="muted">{probeWords().noneBus}</p>
          ) : (
            <ul class="stack">
              {rows.map((bus) => (
                <BusCard
                  key={bus.id}
                  bus={bus}
                  probes={probes}
                  onHang={props.onHang}
                  onEdit={() => setEditing(bus)}
                />
              ))}
            </ul>
          )
        }
      </AllAnswered>
      {editing === null ? null : buses.data === undefined || props.profiles.data === undefined ? (
        <Waiting of={[buses, props.profiles]} onClose={() => setEditing(null)} />
      ) : (
        <BusDialog
          bus={editing === 'new' ? null : editing}
          farmId={props.farmId}
          count={buses.data.length}
          profiles={props.profiles.data}
          onClose={() => setEditing(null)}
        />
      )}
    </section>
  );
}

function BusCard({
  bus,
  probes,
  onHang,
  onEdit,
}: {
  bus: ProbeBusAnswer;
  probes: readonly ProbeAnswer[];
  onHang: (place: ProbePlace) => void;
  onEdit: () => void;
}) {
  const words = busWords();
  const [isAsking, setAsking] = useState(false);
  const place =
    bus.kind === 'serial'
      ? `${bus.device ?? ''} · ${bus.baud} baud · ${words.parity} ${words.parities[bus.parity]}`
      : `${bus.host ?? ''}:${bus.port} · ${words.kinds[bus.kind]}`;
  const { reads, no_answer, garbled } = bus.figures;
  const remove = async () => {
    try {
      await del(`/probe-buses/${bus.id}`);
    } catch (error) {
      throw saidIn(error, { BUS_IN_USE: words.busInUse });
    }
    refresh('probe-buses');
  };
  return (
    <li class="card stack" data-bus={bus.name} data-state={bus.state}>
      <div>
        <h3>{bus.name}</h3>
        <p class="muted small breaks">
          <strong>{words.state[bus.state]}</strong> · {words.probes(bus.probes)} · {place}
        </p>
        {reads + no_answer + garbled === 0 ? null : (
          <p class="muted small">{words.figures(figure(reads), figure(no_answer), figure(garbled))}</p>
        )}
      </div>
      <TroubleNote trouble={bus.trouble} />
      <BusScan
        bus={bus}
        probes={probes.filter(({ probe_bus_id }) => probe_bus_id === bus.id)}
        onHang={onHang}
      />
      {mayOperate.value ? (
        <div class="row">
          <Button disabled={isBlind.value} onClick={onEdit}>
            {words.edit}
          </Button>
          <Button
            look="danger"
            disabled={isBlind.value}
            why={bus.probes > 0 ? words.hasProbes(bus.probes) : null}
            onClick={() => setAsking(true)}
          >
            {words.remove}
          </Button>
        </div>
      ) : null}
      {isAsking ? (
        <ConfirmDialog
          title={words.removeTitle(bus.name)}
          label={words.remove}
          work={remove}
          onClose={() => setAsking(false)}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}
