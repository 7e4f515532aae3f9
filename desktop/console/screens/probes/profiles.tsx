import type { UseQueryResult } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { ProbeProfileAnswer } from '#contract/resources/probes.ts';
import { busWords, probeWords, profileWords } from '#words/probes.ts';
import { systemWords } from '#words/system.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { ElsewhereNote, useRewritten } from '../../components/edited.tsx';
import { TextField } from '../../components/field.tsx';
import { del, get, put } from '../../data/api.ts';
import { useSend } from '../../data/corrections.ts';
import { mayOperate } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { saidIn, useWork } from '../system/use-work.ts';
import {
  faultsIn,
  NEW_REGISTER,
  RegisterFields,
  registerOf,
  type TypedRegister,
  typedOf,
} from './register-fields.tsx';

type Editing = { from: ProbeProfileAnswer | null; isCopy: boolean };

/** The models of probes that can be read, those of makers and those the farm has described. */
export function Profiles({
  farmId,
  profiles,
}: {
  farmId: string;
  profiles: UseQueryResult<ProbeProfileAnswer[]>;
}) {
  const words = profileWords();
  const [editing, setEditing] = useState<Editing | null>(null);
  return (
    <section class="stack" aria-labelledby="probe-models">
      <div class="row apart">
        <h2 id="probe-models">{words.title}</h2>
        {mayOperate.value ? (
          <Button disabled={isBlind.value} onClick={() => setEditing({ from: null, isCopy: false })}>
            {words.add}
          </Button>
        ) : null}
      </div>
      <p class="muted">{words.text}</p>
      <Answer of={profiles}>
        {(rows) => (
          <ul class="stack">
            {rows.map((profile) => (
              <Model
                key={profile.id}
                profile={profile}
                onEdit={(isCopy) => setEditing({ from: profile, isCopy })}
              />
            ))}
          </ul>
        )}
      </Answer>
      {editing === null ? null : (
        <ProfileDialog farmId={farmId} {...editing} onClose={() => setEditing(null)} />
      )}
    </section>
  );
}

function Model({ profile, onEdit }: { profile: ProbeProfileAnswer; onEdit: (isCopy: boolean) => void }) {
  const words = profileWords();
  const [isAsking, setAsking] = useState(false);
  const { serial, registers, notes } = profile;
  return (
    <li class="card" data-model={profile.id}>
      <details>
        <summary>
          <span>
            <strong>{profile.name}</strong>
            <span class="by-line muted small">
              {profile.is_shipped ? words.shipped : words.own}
              {serial === null
                ? ''
                : ` · ${words.serial(serial.baud, busWords().parities[serial.parity], serial.unit_id)}`}
            </span>
          </span>
        </summary>
        <div class="stack">
          {notes === null ? null : <p>{notes}</p>}
          <Registers registers={registers} />
          {mayOperate.value ? (
            <div class="row">
              <Button disabled={isBlind.value} onClick={() => onEdit(profile.is_shipped)}>
                {profile.is_shipped ? words.copy : words.edit}
              </Button>
              {profile.is_shipped ? null : (
                <Button look="danger" disabled={isBlind.value} onClick={() => setAsking(true)}>
                  {words.remove}
                </Button>
              )}
            </div>
          ) : null}
        </div>
      </details>
      {isAsking ? (
        <ConfirmDialog
          title={words.removeTitle(profile.name)}
          label={words.remove}
          work={async () => {
            await del(`/probe-profiles/${profile.id}`).catch((error: unknown) => {
              throw saidIn(error, { PROFILE_IN_USE: words.inUse });
            });
            refresh('probe-profiles');
          }}
          onClose={() => setAsking(false)}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}

function Registers({ registers }: Pick<ProbeProfileAnswer, 'registers'>) {
  const words = profileWords();
  const names = probeWords().parameter;
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={words.table}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{words.what}</th>
            <th scope="col">{words.address}</th>
            <th scope="col">{words.type}</th>
            <th scope="col" class="number">
              {words.scale}
            </th>
            <th scope="col" class="number">
              {words.offset}
            </th>
          </tr>
        </thead>
        <tbody>
          {registers.map(({ parameter, unit, function_code, address, type, word_order, scale, offset }) => (
            <tr key={parameter}>
              <th scope="row">
                {unit === '' || parameter === 'ph' ? names[parameter] : `${names[parameter]} (${unit})`}
              </th>
              <td class="mono">
                {function_code}:{address}
              </td>
              <td class="mono">{type.endsWith('16') ? type : `${type} ${word_order}`}</td>
              <td class="number">{figure(scale, decimalsIn(scale))}</td>
              <td class="number">{figure(offset, decimalsIn(offset))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** As many as it has, six at most. */
const decimalsIn = (value: number): number => (/\.(\d+)$/.exec(String(value))?.[1] ?? '').slice(0, 6).length;

const MOST_REGISTERS = 16;

/** A model of probe by the table in its maker's manual; a shipped one is copied and then changed. */
function ProfileDialog({
  farmId,
  from,
  isCopy,
  onClose,
}: {
  farmId: string;
  from: ProbeProfileAnswer | null;
  isCopy: boolean;
  onClose: () => void;
}) {
  const words = profileWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const send = useSend();
  const [name, setName] = useState(from === null ? '' : isCopy ? `${from.name} (2)` : from.name);
  const [notes, setNotes] = useState(from?.notes ?? '');
  const [registers, setRegisters] = useState<readonly TypedRegister[]>(
    from === null ? [NEW_REGISTER] : from.registers.map(typedOf),
  );
  const isRight = registers.every((register) => Object.keys(faultsIn(register)).length === 0);
  const shape = (row: ProbeProfileAnswer) => ({
    name: row.name,
    notes: row.notes,
    registers: row.registers.map(typedOf).map(registerOf),
  });
  const rewritten = useRewritten(from === null || isCopy ? null : shape(from), async () => {
    const found = (await get('/probe-profiles/', { farm_id: farmId })).find(({ id }) => id === from?.id);
    return found && shape(found);
  });
  const save = async () => {
    const wanted = {
      name: name.trim(),
      notes: notes.trim() === '' ? null : notes.trim(),
      registers: registers.map(registerOf),
    };
    if (!(await rewritten.mayOverwrite(wanted))) return;
    const isDone = await run(async () => {
      await (from === null || isCopy
        ? send('/probe-profiles/', { farm_id: farmId, ...wanted })
        : put(`/probe-profiles/${from.id}`, rewritten.changesOf(wanted)));
      refresh('probe-profiles', 'probes');
    }, words.saved);
    if (isDone) onClose();
  };
  return (
    <Dialog
      title={from === null ? words.add : isCopy ? words.copy : words.edit}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {shared.cancel}
          </Button>
          <WorkButton
            big
            look="main"
            disabled={isBlind.value}
            unready={name.trim() === '' || !isRight}
            work={save}
          >
            {shared.save}
          </WorkButton>
        </>
      }
    >
      <TextField
        needed
        label={words.name}
        value={name}
        maxLength={255}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <TextField
        label={words.notes}
        value={notes}
        maxLength={2_000}
        onInput={(event) => setNotes(event.currentTarget.value)}
      />
      {registers.map((register, index) => (
        <RegisterFields
          key={index}
          label={words.register(index + 1)}
          register={register}
          onChange={(next) => setRegisters(registers.with(index, next))}
          onDrop={registers.length === 1 ? null : () => setRegisters(registers.toSpliced(index, 1))}
        />
      ))}
      <div>
        <Button
          why={registers.length >= MOST_REGISTERS ? words.mostRegisters(figure(MOST_REGISTERS)) : null}
          onClick={() => setRegisters([...registers, NEW_REGISTER])}
        >
          {words.addRegister}
        </Button>
      </div>
      <ElsewhereNote
        of={rewritten.elsewhere}
        label={(field) => (field === 'name' ? words.name : field === 'notes' ? words.notes : words.table)}
      />
      <FaultNote fault={fault} />
    </Dialog>
  );
}
