import { useState } from 'preact/hooks';
import type { ProbeProfileAnswer } from '#contract/resources/probes.ts';
import { profileWords } from '#words/probes.ts';
import { systemWords } from '#words/shell.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { put } from '../../data/api.ts';
import { useSend } from '../../data/corrections.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import {
  faultsIn,
  NEW_REGISTER,
  RegisterFields,
  registerOf,
  type TypedRegister,
  typedOf,
} from './register-fields.tsx';

const MOST_REGISTERS = 16;

/** A model of probe by the table in its maker's manual; a shipped one is copied and then changed. */
export function ProfileDialog({
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
  const save = async () => {
    const wanted = {
      name: name.trim(),
      notes: notes.trim() === '' ? null : notes.trim(),
      registers: registers.map(registerOf),
    };
    const isDone = await run(async () => {
      await (from === null || isCopy
        ? send('/probe-profiles/', { farm_id: farmId, ...wanted })
        : put(`/probe-profiles/${from.id}`, wanted));
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
          disabled={registers.length >= MOST_REGISTERS}
          onClick={() => setRegisters([...registers, NEW_REGISTER])}
        >
          {words.addRegister}
        </Button>
      </div>
      <FaultNote fault={fault} />
    </Dialog>
  );
}
