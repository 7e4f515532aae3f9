import { useState } from 'preact/hooks';
import type { AeratorAnswer } from '#contract/resources/aerators.ts';
import { pondWords } from '#words/pond.ts';
import { aeratorWords } from '#words/registers.ts';
import { systemWords } from '#words/system.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { ElsewhereNote, useRewritten } from '../../components/edited.tsx';
import { TextField } from '../../components/field.tsx';
import { FigureField, useFigure } from '../../components/figure-field.tsx';
import { Icon } from '../../components/icon.tsx';
import { del, get, put } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { useSend } from '../../data/corrections.ts';
import { mayOperate } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import type { Pond } from '../../data/places.ts';
import { refresh, useGet } from '../../data/query.ts';
import { age, asTyped, figure, quantity } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type Open = { aerator: AeratorAnswer | null; is: 'edit' | 'remove' };

/** The motors that stand in a pond: their power is what the energy and the sizing of the aeration rest on. */
export function Aerators({ pond }: { pond: Pond }) {
  const words = pondWords();
  const w = aeratorWords();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const known = useGet('/aerators/', { pond_id: pond.id, limit: 100 });
  return (
    <section class="card stack">
      <div class="row apart">
        <h2>{words.aerators}</h2>
        {mayOperate.value ? (
          <Button disabled={isBlind.value} onClick={() => setOpen({ aerator: null, is: 'edit' })}>
            {w.add}
          </Button>
        ) : null}
      </div>
      <Answer
        of={known}
        isEmpty={(found) => found.length === 0}
        empty={<p class="muted">{words.noAerators}</p>}
      >
        {(found) => (
          <>
            <ul class="stack">
              {found.map((aerator) => (
                <li key={aerator.id} class="row apart" data-aerator={aerator.name}>
                  <span>
                    <strong>{aerator.name}</strong>{' '}
                    <span class="muted small">
                      {quantity(aerator.power_kw, 1, 'kW')} · {aerator.device_id}
                    </span>
                  </span>
                  <Ordered aerator={aerator} />
                  {mayOperate.value ? (
                    <span class="row nowrap">
                      <Button
                        look="quiet"
                        aria-label={w.edit(aerator.name)}
                        onClick={() => setOpen({ aerator, is: 'edit' })}
                      >
                        <Icon name="edit" size={18} />
                      </Button>
                      <Button
                        look="quiet"
                        aria-label={w.remove(aerator.name)}
                        onClick={() => setOpen({ aerator, is: 'remove' })}
                      >
                        <Icon name="trash" size={18} />
                      </Button>
                    </span>
                  ) : null}
                </li>
              ))}
            </ul>
            <p class="muted small">
              {words.aeratorSum(
                figure(found.length),
                quantity(
                  found.reduce((kw, { power_kw }) => kw + power_kw, 0),
                  1,
                  'kW',
                ),
              )}{' '}
              {words.onlyOrdered}
            </p>
          </>
        )}
      </Answer>
      {open?.is === 'edit' ? (
        <AeratorDialog pond={pond} aerator={open.aerator} taken={known.data ?? []} onClose={close} />
      ) : null}
      {open?.is === 'remove' && open.aerator !== null ? (
        <Removal aerator={open.aerator} onClose={close} />
      ) : null}
    </section>
  );
}

const TOUCHES = ['aerators', 'ponds', 'dashboard'] as const;

/** Numbered on from those that are there. */
const nextNumber = (taken: readonly AeratorAnswer[], pond: Pond): string => {
  const numbers = taken.map(({ device_id }) => Number(/(\d+)$/.exec(device_id)?.[1] ?? 0));
  return `${pond.cod}-A${Math.max(0, ...numbers) + 1}`;
};

function AeratorDialog({
  pond,
  aerator,
  taken,
  onClose,
}: {
  pond: Pond;
  aerator: AeratorAnswer | null;
  taken: readonly AeratorAnswer[];
  onClose: () => void;
}) {
  const w = aeratorWords();
  const shared = systemWords();
  const { fault, run } = useWork({ CONFLICT: w.taken });
  const send = useSend();
  const [name, setName] = useState(aerator?.name ?? w.proposed(taken.length + 1));
  const [device, setDevice] = useState(aerator?.device_id ?? nextNumber(taken, pond));
  const power = useFigure(asTyped(aerator?.power_kw), { mayBeZero: false });
  const rewritten = useRewritten(aerator, () => get(`/aerators/${aerator?.id ?? ''}`));
  const save = async () => {
    const said = { name: name.trim(), device_id: device.trim(), power_kw: power.value };
    if (!(await rewritten.mayOverwrite(said))) return;
    const isDone = await run(async () => {
      if (aerator === null) await send('/aerators/', { pond_id: pond.id, ...said });
      else await put(`/aerators/${aerator.id}`, rewritten.changesOf(said));
      refresh(...TOUCHES);
    }, shared.saved);
    if (isDone) onClose();
  };
  return (
    <Dialog
      title={aerator === null ? w.addTo(pond.cod) : w.edit(aerator.name)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <WorkButton
            look="main"
            disabled={isBlind.value}
            unready={name.trim() === '' || device.trim() === '' || !power.isRight}
            work={save}
          >
            {shared.save}
          </WorkButton>
        </>
      }
    >
      <div class="form-grid">
        <TextField
          needed
          label={w.name}
          value={name}
          maxLength={255}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <FigureField label={w.power} unit="kW" hint={w.powerHint} figure={power} />
        <TextField
          needed
          label={w.number}
          hint={w.numberHint}
          value={device}
          maxLength={255}
          onInput={(event) => setDevice(event.currentTarget.value)}
        />
      </div>
      <p class="muted small">{w.text}</p>
      <ElsewhereNote
        of={rewritten.elsewhere}
        label={(field) => (field === 'name' ? w.name : field === 'power_kw' ? w.power : w.number)}
      />
      <FaultNote fault={fault} />
    </Dialog>
  );
}

function Removal({ aerator, onClose }: { aerator: AeratorAnswer; onClose: () => void }) {
  const w = aeratorWords();
  return (
    <ConfirmDialog
      title={w.remove(aerator.name)}
      label={systemWords().remove}
      isReady={!isBlind.value}
      work={async () => {
        await del(`/aerators/${aerator.id}`);
        refresh(...TOUCHES);
      }}
      onClose={onClose}
    >
      <p>{w.removeText}</p>
    </ConfirmDialog>
  );
}

/** Outlined, for nobody has said that it turns: what was ordered, and how long ago. */
function Ordered({ aerator: { status, last_command_at } }: { aerator: AeratorAnswer }) {
  const words = pondWords();
  // what was never ordered has no ordered state
  if (last_command_at === null) return <span class="muted small">{words.neverOrdered}</span>;
  return (
    <span>
      <span class="ordered">{words.ordered[status]}</span>{' '}
      <span class="muted small">{words.orderedAgo(age(now.value - Date.parse(last_command_at)))}</span>
    </span>
  );
}
