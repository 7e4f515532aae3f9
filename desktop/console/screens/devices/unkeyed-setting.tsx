import { unkeyedWords } from '#words/devices.ts';
import { Answer } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { ElsewhereNote, useEdited } from '../../components/edited.tsx';
import { SelectField } from '../../components/field.tsx';
import { put } from '../../data/api.ts';
import type { ControlPoint } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type Choice = 'yes' | 'no' | 'gateway';

/** Whether calls without a key are taken for a control point, and what that means. */
export function UnkeyedSetting({ point }: { point: ControlPoint }) {
  const words = unkeyedWords();
  const settings = useGet(`/control-points/${point.id}/settings`);
  // no call without a key was ever taken for one of the simulator
  if (point.is_simulated) return null;
  return (
    <section class="card stack" aria-labelledby="unkeyed">
      <h2 id="unkeyed">{words.title}</h2>
      <p class="muted">{words.text}</p>
      <Answer of={settings}>
        {({ allow_unkeyed: allowed }) => <Form key={point.id} point={point} allowed={allowed} />}
      </Answer>
    </section>
  );
}

function Form({ point, allowed }: { point: ControlPoint; allowed: boolean | null }) {
  const words = unkeyedWords();
  const { fault, run } = useWork(words.fault);
  const now: Choice = allowed === null ? 'gateway' : allowed ? 'yes' : 'no';
  const edited = useEdited<Readonly<{ choice: string }>>({ choice: now });
  const choices = [...(allowed === null ? (['gateway'] as const) : []), 'yes' as const, 'no' as const];
  const choice = choices.find((value) => value === edited.text.choice) ?? now;
  const save = () =>
    run(async () => {
      await put(`/control-points/${point.id}/settings`, { allow_unkeyed: choice === 'yes' });
      edited.saved();
      refresh('control-points', 'devices');
    }, words.saved);
  return (
    <>
      <SelectField
        label={words.label}
        value={choice}
        options={choices.map((value) => ({ value, label: words.choices[value] }))}
        onChange={(event) => edited.set({ choice: event.currentTarget.value })}
      />
      {choice === 'yes' ? <p class="note">{words.risk}</p> : null}
      <ElsewhereNote
        of={edited.elsewhere}
        label={() => words.label}
        shown={(_, text) => words.choices[choices.find((value) => value === text) ?? now]}
      />
      <FaultNote fault={fault} />
      <div>
        <WorkButton disabled={isBlind.value} why={choice === now ? words.same : null} work={save}>
          {words.save}
        </WorkButton>
      </div>
    </>
  );
}
