import type { UseQueryResult } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { ControllerFirmware, FirmwareAnswer } from '#contract/resources/firmware.ts';
import { firmwareWords } from '#words/firmware.ts';
import { systemWords } from '#words/system.ts';
import { Awaited } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { usePonds } from '../../data/places.ts';
import { refresh } from '../../data/query.ts';
import { TIME } from '../../data/schedules.ts';
import { readCount } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

const SCOPES = ['all', 'ponds', 'points'] as const;
type Scope = (typeof SCOPES)[number];
const LIMITS = {
  canary_size: [1, 20],
  wave_size: [1, 50],
  soak: [0, 10_080],
  max_failures: [0, 50],
} as const;
type Count = keyof typeof LIMITS;

/** Where a version goes, at what hours, and how carefully. */
export function BeginDialog({
  farmId,
  image,
  asked,
  onClose,
}: {
  farmId: string;
  image: FirmwareAnswer;
  /** The controllers of the farm. */
  asked: UseQueryResult<ControllerFirmware[]>;
  onClose: () => void;
}) {
  const words = firmwareWords();
  const shared = systemWords();
  const { ponds } = usePonds();
  const { fault, run } = useWork(words.fault);
  const [scope, setScope] = useState<Scope>('all');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [hasWindow, setWindow] = useState(true);
  const [from, setFrom] = useState('09:00');
  const [to, setTo] = useState('15:00');
  const [typed, setTyped] = useState<Record<Count, string>>({
    canary_size: '1',
    wave_size: '3',
    soak: '10',
    max_failures: '0',
  });
  const [allowsOlder, setAllowsOlder] = useState(false);
  const controllers = asked.data ?? [];
  const aired = new Set(controllers.flatMap(({ ponds: codes }) => codes));
  const choices =
    scope === 'ponds'
      ? ponds.filter(({ cod }) => aired.has(cod)).map(({ id, cod }) => ({ id, label: cod }))
      : controllers.map((row) => ({
          id: row.control_point_id,
          label: `${row.cod} (${row.firmware_version ?? words.unheard})`,
        }));
  const counts = Object.fromEntries(
    Object.entries(typed).map(([name, text]) => [name, readCount(text) ?? Number.NaN]),
  ) as Record<Count, number>;
  const isWithin = (name: Count) => counts[name] >= LIMITS[name][0] && counts[name] <= LIMITS[name][1];
  const isTime = !hasWindow || (TIME.test(from) && TIME.test(to) && from !== to);
  const isRight =
    isTime && (scope === 'all' || chosen.length > 0) && (Object.keys(LIMITS) as Count[]).every(isWithin);
  const begin = async () => {
    const { soak, ...sizes } = counts;
    const isDone = await run(async () => {
      await post('/firmware/rollouts', {
        farm_id: farmId,
        firmware_id: image.id,
        ...(scope === 'ponds' ? { pond_ids: chosen } : {}),
        ...(scope === 'points' ? { control_point_ids: chosen } : {}),
        window: hasWindow ? { from, to } : null,
        ...sizes,
        soak_s: soak * 60,
        allow_older: allowsOlder,
      });
      refresh('firmware');
    }, words.started);
    if (isDone) onClose();
  };
  const count = (name: Count, label: string, hint?: string) => (
    <DecimalField
      label={label}
      hint={hint}
      inputMode="numeric"
      value={typed[name]}
      fault={isWithin(name) ? null : words.badCount}
      onInput={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
    />
  );
  return (
    <Dialog
      title={words.beginTitle(image.version)}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {shared.cancel}
          </Button>
          <WorkButton big look="main" disabled={isBlind.value} unready={!isRight} work={begin}>
            {words.start}
          </WorkButton>
        </>
      }
    >
      <SelectField
        label={words.to}
        value={scope}
        options={[
          { value: 'all', label: words.all },
          { value: 'ponds', label: words.somePonds },
          { value: 'points', label: words.somePoints },
        ]}
        onChange={({ currentTarget: { value } }) => {
          setScope(SCOPES.find((one) => one === value) ?? 'all');
          setChosen([]);
        }}
      />
      {scope === 'all' ? null : (
        <fieldset class="plain-set check-grid">
          <legend>{scope === 'ponds' ? words.ponds : words.controllers}</legend>
          {asked.data === undefined ? <Awaited of={[asked]} /> : null}
          {choices.map(({ id, label }) => (
            <CheckField
              key={id}
              label={label}
              checked={chosen.includes(id)}
              onChange={(event) =>
                setChosen(event.currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
              }
            />
          ))}
        </fieldset>
      )}
      <CheckField
        label={words.useWindow}
        checked={hasWindow}
        onChange={(event) => setWindow(event.currentTarget.checked)}
      />
      {hasWindow ? (
        <div class="form-grid">
          <TextField
            label={words.windowFrom}
            value={from}
            inputMode="numeric"
            maxLength={5}
            onInput={(event) => setFrom(event.currentTarget.value)}
          />
          <TextField
            label={words.windowTo}
            value={to}
            inputMode="numeric"
            maxLength={5}
            fault={isTime ? null : words.badTime}
            onInput={(event) => setTo(event.currentTarget.value)}
          />
        </div>
      ) : null}
      <p class="muted small">{words.windowHint}</p>
      <details>
        <summary>{words.more}</summary>
        <div class="form-grid">
          {count('canary_size', words.canary)}
          {count('wave_size', words.waveSize)}
          {count('soak', words.soak)}
          {count('max_failures', words.most, words.mostHint)}
        </div>
        <CheckField
          label={words.older}
          checked={allowsOlder}
          onChange={(event) => setAllowsOlder(event.currentTarget.checked)}
        />
      </details>
      <FaultNote fault={fault} />
    </Dialog>
  );
}
