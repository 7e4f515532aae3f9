import { useState } from 'preact/hooks';
import type { ControllerFirmware, FirmwareAnswer, RolloutAnswer } from '#contract/resources/firmware.ts';
import { firmwareWords } from '#words/firmware.ts';
import { systemWords } from '#words/shell.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { farm, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { useGet } from '../../data/query.ts';
import { SystemPage } from '../box/system-page.tsx';
import { BeginDialog } from './begin-dialog.tsx';
import { RolloutCard } from './rollout-card.tsx';
import { Store } from './store.tsx';

/** Which firmware runs where, which versions the gateway has, and how a new one comes to the ponds. */
export function Firmware() {
  const words = firmwareWords();
  if (isHosted.value || farm.value === null || !mayOperate.value) {
    return (
      <SystemPage title={words.title}>
        <Empty text={isHosted.value ? words.onlyHere : systemWords().noRight} />
      </SystemPage>
    );
  }
  return <OfFarm key={farm.value.id} farmId={farm.value.id} />;
}

function OfFarm({ farmId }: { farmId: string }) {
  const words = firmwareWords();
  const controllers = useGet<ControllerFirmware[]>('/firmware/controllers', { farm_id: farmId });
  const rollouts = useGet<RolloutAnswer[]>('/firmware/rollouts', { farm_id: farmId });
  const [choosing, setChoosing] = useState<FirmwareAnswer | null>(null);
  return (
    <SystemPage title={words.title}>
      <p class="muted">{words.intro}</p>
      <section class="stack" aria-labelledby="firmware-rollouts">
        <h2 id="firmware-rollouts">{words.rollouts}</h2>
        <Answer
          of={rollouts}
          isEmpty={(rows) => rows.length === 0}
          empty={<p class="muted">{words.noRollouts}</p>}
        >
          {(rows) => (
            <ul class="stack">
              {rows.map((rollout) => (
                <RolloutCard key={rollout.id} rollout={rollout} />
              ))}
            </ul>
          )}
        </Answer>
      </section>
      <Store onBegin={setChoosing} />
      <section class="stack" aria-labelledby="firmware-controllers">
        <h2 id="firmware-controllers">{words.controllers}</h2>
        <Answer
          of={controllers}
          isEmpty={(rows) => rows.length === 0}
          empty={<p class="muted">{words.noControllers}</p>}
        >
          {(rows) => <Controllers rows={rows} />}
        </Answer>
      </section>
      {choosing === null ? null : (
        <BeginDialog
          farmId={farmId}
          image={choosing}
          controllers={controllers.data ?? []}
          onClose={() => setChoosing(null)}
        />
      )}
    </SystemPage>
  );
}

function Controllers({ rows }: { rows: readonly ControllerFirmware[] }) {
  const words = firmwareWords();
  return (
    <div class="table-frame">
      <table class="table stacks">
        <thead>
          <tr>
            <th scope="col">{words.code}</th>
            <th scope="col">{words.version}</th>
            <th scope="col">{words.state}</th>
            <th scope="col">{words.ponds}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.control_point_id} data-controller={row.cod}>
              <th scope="row">{row.cod}</th>
              <td data-label={words.version}>
                <span class="mono">{row.firmware_version ?? words.unheard}</span>
              </td>
              <td data-label={words.state}>
                {row.state !== null
                  ? `${words.inRollout}: ${words.targetState[row.state]}`
                  : row.can_update
                    ? words.canUpdate
                    : words.cannotUpdate}
              </td>
              <td data-label={words.ponds}>{row.ponds.length === 0 ? '—' : row.ponds.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
