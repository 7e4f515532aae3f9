import { useState } from 'preact/hooks';
import type { GatewayAnswer } from '#contract/resources/gateways.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { del, post } from '../../data/api.ts';
import { farms } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { gatewayWords } from './words.ts';

type Farm = GatewayAnswer['farms'][number];

/** The farms that a gateway runs. Taking one off is safe only once that box is off: both would steer the same motors. */
export function GatewayFarms({ gateway, all }: { gateway: GatewayAnswer; all: readonly GatewayAnswer[] }) {
  const words = gatewayWords();
  const [leaving, setLeaving] = useState<Farm | null>(null);
  const runFarms = new Set(all.flatMap((one) => one.farms.map(({ id }) => id)));
  const free = farms.value.filter(({ id, role }) => role === 'OWNER' && !runFarms.has(id));
  return (
    <>
      <h3>{words.farms}</h3>
      {gateway.farms.length === 0 ? <p class="muted">{words.noFarms}</p> : null}
      <ul class="lines">
        {gateway.farms.map((farm) => (
          <li key={farm.id} class="row apart">
            <strong>{farm.name}</strong>
            <Button
              disabled={isBlind.value}
              aria-label={words.unbind(farm.name)}
              onClick={() => setLeaving(farm)}
            >
              {words.unbindButton}
            </Button>
          </li>
        ))}
      </ul>
      {gateway.status === 'active' && free.length > 0 ? <Bind gatewayId={gateway.id} free={free} /> : null}
      {leaving === null ? null : <Unbind gateway={gateway} farm={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

function Unbind({ gateway, farm, onClose }: { gateway: GatewayAnswer; farm: Farm; onClose: () => void }) {
  const words = gatewayWords();
  const isLetIn = gateway.status === 'active';
  return (
    <ConfirmDialog
      title={words.unbindTitle(farm.name)}
      label={words.unbindButton}
      mustType={{
        label: (isLetIn ? words.unbindTyped : words.typeName)(farm.name),
        text: farm.name,
      }}
      work={async () => {
        await del(`/sync/gateways/${gateway.id}/farms/${farm.id}${isLetIn ? '?force=true' : ''}`);
        refresh('sync');
      }}
      onClose={onClose}
    >
      <p>{words.unbindText}</p>
    </ConfirmDialog>
  );
}

function Bind({ gatewayId, free }: { gatewayId: string; free: readonly Farm[] }) {
  const words = gatewayWords();
  const { fault, run } = useWork();
  const [chosen, setChosen] = useState('');
  const farmId = free.some(({ id }) => id === chosen) ? chosen : (free[0]?.id ?? '');
  const bind = () =>
    run(async () => {
      await post(`/sync/gateways/${gatewayId}/farms`, { farm_id: farmId });
      refresh('sync');
    }, words.bound);
  return (
    <details>
      <summary>{words.bind}</summary>
      <div class="row end-aligned">
        <SelectField
          needed
          label={words.bindFarm}
          value={farmId}
          options={free.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        <WorkButton disabled={isBlind.value} unready={farmId === ''} work={bind}>
          {words.bindButton}
        </WorkButton>
      </div>
      <FaultNote fault={fault} />
    </details>
  );
}
