import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { ControlPointAnswer } from '#contract/resources/control-points.ts';
import { deviceWords } from '#words/devices.ts';
import { systemWords } from '#words/shell.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { useSend } from '../../data/corrections.ts';
import { farm, farmControlPoints } from '../../data/farm-store.ts';
import { refresh } from '../../data/query.ts';
import { nextCode } from '../account/second-factor.tsx';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

/** A new control point, with the controller that knocked when there is one. */
export function PointDialog({
  deviceId,
  onMade,
  onClose,
}: {
  deviceId: string;
  /** What becomes of it here; without it, its page is opened. */
  onMade?: (pointId: string) => void;
  onClose: () => void;
}) {
  const words = deviceWords();
  const shared = systemWords();
  const [, go] = useLocation();
  const { fault, run } = useWork();
  const send = useSend();
  const [cod, setCod] = useState(() =>
    nextCode(farmControlPoints.value.filter(({ is_simulated }) => !is_simulated).map((point) => point.cod)),
  );
  const [device, setDevice] = useState(deviceId);
  const twin = farmControlPoints.value.find(({ device_id }) => device_id === device.trim());
  const create = async () => {
    let made: ControlPointAnswer | null = null;
    const isDone = await run(async () => {
      made = await send('/control-points/', {
        farm_id: farm.value?.id,
        cod: cod.trim(),
        device_id: device.trim(),
        target_status: 'OFF',
      });
      refresh('control-points', 'devices');
    }, words.created(cod.trim()));
    // the key comes next, and it is on the page of the point
    if (!isDone || made === null) return;
    const { id } = made as ControlPointAnswer;
    if (onMade === undefined) go(`/sistema/dispositivos/${id}`);
    else onMade(id);
  };
  return (
    <Dialog
      title={words.createTitle}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {shared.cancel}
          </Button>
          <WorkButton
            big
            look="main"
            unready={cod.trim() === '' || device.trim() === '' || twin !== undefined}
            work={create}
          >
            {words.create}
          </WorkButton>
        </>
      }
    >
      <TextField
        needed
        label={words.code}
        hint={words.codeHint}
        value={cod}
        maxLength={255}
        onInput={(event) => setCod(event.currentTarget.value)}
      />
      <TextField
        needed
        label={words.device}
        hint={words.deviceHint}
        value={device}
        maxLength={255}
        autoCapitalize="none"
        spellcheck={false}
        fault={twin === undefined ? null : words.taken(twin.cod)}
        onInput={(event) => setDevice(event.currentTarget.value)}
      />
      <p class="muted small">{words.startsOff}</p>
      <FaultNote fault={fault} />
    </Dialog>
  );
}
