import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { GatewayAnswer } from '#contract/resources/gateways.ts';
import { gatewayWords } from '#words/cloud.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { DateField, TextField } from '../../components/field.tsx';
import { patch } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { refresh } from '../../data/query.ts';
import { TIME } from '../../data/schedules.ts';
import { clockTime, instantAt, isoDay } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

type Asked = { gateway: GatewayAnswer; onClose: () => void };

export function RenameDialog({ gateway, onClose }: Asked) {
  const words = gatewayWords();
  const [name, setName] = useState(gateway.name);
  return (
    <Change
      title={words.rename}
      path={`/sync/gateways/${gateway.id}`}
      body={name.trim() === '' ? null : { name: name.trim() }}
      onClose={onClose}
    >
      <TextField
        needed
        label={words.name}
        value={name}
        autoComplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
      />
    </Change>
  );
}

const HOURS_AHEAD_MS = 2 * 3_600_000;

/** Silence that is known beforehand is no alarm. */
export function OutageDialog({ gateway, onClose }: Asked) {
  const words = gatewayWords();
  const [start] = useState(() => now.value + HOURS_AHEAD_MS);
  const [day, setDay] = useState(isoDay(start));
  const [time, setTime] = useState(clockTime(start));
  const [reason, setReason] = useState('');
  const body =
    day === '' || !TIME.test(time)
      ? null
      : { outage_until: instantAt(day, time), outage_reason: reason.trim() === '' ? null : reason.trim() };
  return (
    <Change title={words.outage} path={`/sync/gateways/${gateway.id}`} body={body} onClose={onClose}>
      <p>{words.outageText}</p>
      <div class="row">
        <DateField label={words.outageDay} value={day} onDay={setDay} />
        <TextField
          label={words.outageTime}
          inputMode="numeric"
          maxLength={5}
          value={time}
          fault={TIME.test(time) ? null : words.badTime}
          onInput={(event) => setTime(event.currentTarget.value)}
        />
      </div>
      <TextField
        label={words.outageReason}
        value={reason}
        maxLength={200}
        autoComplete="off"
        onInput={(event) => setReason(event.currentTarget.value)}
      />
    </Change>
  );
}

function Change({
  title,
  path,
  body,
  onClose,
  children,
}: {
  title: string;
  path: `/sync/gateways/${string}`;
  /** null: it cannot be saved yet. */
  body: Record<string, unknown> | null;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const words = gatewayWords();
  const { fault, run } = useWork();
  const save = async () => {
    const isDone = await run(async () => {
      await patch(path, body);
      refresh('sync');
    }, words.saved);
    if (isDone) onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {words.cancel}
          </Button>
          <WorkButton big look="main" unready={body === null} work={save}>
            {words.save}
          </WorkButton>
        </>
      }
    >
      {children}
      <FaultNote fault={fault} />
    </Dialog>
  );
}
