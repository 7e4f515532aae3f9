import { useState } from 'preact/hooks';
import type { ControllerFirmware, FirmwareAnswer } from '#contract/resources/firmware.ts';
import { firmwareWords } from '#words/firmware.ts';
import { systemWords } from '#words/system.ts';
import { Answer, Empty, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { CheckField, FileField } from '../../components/field.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError, ask, del } from '../../data/api.ts';
import { farm, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { dayAndTime, quantity } from '../../i18n/format.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { saidIn } from '../system/use-work.ts';
import { BeginDialog } from './begin-dialog.tsx';
import { RolloutCard } from './rollout-card.tsx';

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
  const controllers = useGet('/firmware/controllers', { farm_id: farmId });
  const rollouts = useGet('/firmware/rollouts', { farm_id: farmId });
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
        <BeginDialog farmId={farmId} image={choosing} asked={controllers} onClose={() => setChoosing(null)} />
      )}
    </SystemPage>
  );
}

function Controllers({ rows }: { rows: readonly ControllerFirmware[] }) {
  const words = firmwareWords();
  const stateOf = ({ state, can_update }: ControllerFirmware) =>
    state !== null
      ? `${words.inRollout}: ${words.targetState[state]}`
      : can_update
        ? words.canUpdate
        : words.cannotUpdate;
  const pondsOf = ({ ponds }: ControllerFirmware) => (ponds.length === 0 ? '—' : ponds.join(', '));
  return (
    <RecordTable<ControllerFirmware>
      label={words.controllers}
      address="controladores"
      keyOf={({ control_point_id }) => control_point_id}
      rows={rows}
      attributesOf={({ cod }) => ({ 'data-controller': cod })}
      columns={[
        { name: words.code, of: ({ cod }) => cod, raw: ({ cod }) => cod },
        {
          name: words.version,
          of: ({ firmware_version }) => <span class="mono">{firmware_version ?? words.unheard}</span>,
          raw: ({ firmware_version }) => firmware_version,
        },
        { name: words.state, of: stateOf, raw: stateOf },
        { name: words.ponds, of: pondsOf, raw: pondsOf },
      ]}
    />
  );
}

/** Four MiB of image and its manifest; the gateway takes no more. */
const MOST_BYTES = 4 * 1_048_576 + 8_192;

/** The versions on the gateway, and the door for a new one. */
function Store({ onBegin }: { onBegin: (image: FirmwareAnswer) => void }) {
  const words = firmwareWords();
  const images = useGet('/firmware/');
  return (
    <section class="stack" aria-labelledby="firmware-store">
      <h2 id="firmware-store">{words.store}</h2>
      <Answer of={images} isEmpty={(rows) => rows.length === 0} empty={<p class="muted">{words.noFiles}</p>}>
        {(rows) => (
          <ul class="stack">
            {rows.map((image) => (
              <ImageCard key={image.id} image={image} onBegin={() => onBegin(image)} />
            ))}
          </ul>
        )}
      </Answer>
      <Upload />
    </section>
  );
}

function ImageCard({ image, onBegin }: { image: FirmwareAnswer; onBegin: () => void }) {
  const words = firmwareWords();
  const [isAsking, setAsking] = useState(false);
  const size = quantity(image.size / 1024, 0, 'kB');
  return (
    <li class="card stack" data-firmware={image.version}>
      <div>
        <h3>{words.rolloutName(image.version, image.chip)}</h3>
        <p class="muted small breaks">
          {words.meta(size, dayAndTime(image.uploaded_at))} · {words.signedBy(image.signed_by)}
          {image.is_in_use ? ` · ${words.used}` : ''}
        </p>
        {image.notes === null ? null : <p class="pre-line">{image.notes}</p>}
      </div>
      <div class="row">
        <Button look="main" disabled={isBlind.value} onClick={onBegin}>
          {words.begin}
        </Button>
        <Button
          look="danger"
          disabled={isBlind.value}
          why={image.is_in_use ? words.inUseText : null}
          onClick={() => setAsking(true)}
        >
          {words.remove}
        </Button>
      </div>
      {isAsking ? (
        <ConfirmDialog
          title={words.removeTitle(image.version)}
          label={words.remove}
          work={async () => {
            await del(`/firmware/${image.id}`).catch((error: unknown) => {
              throw saidIn(error, words.fault);
            });
            refresh('firmware');
          }}
          onClose={() => setAsking(false)}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}

function Upload() {
  const words = firmwareWords();
  const [file, setFile] = useState<File | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isOlder, setOlder] = useState(false);
  const [allowsOlder, setAllowsOlder] = useState(false);
  const isTooLarge = file !== null && file.size > MOST_BYTES;
  const choose = (chosen: File | null) => {
    setFile(chosen);
    setFault(null);
    setOlder(false);
    setAllowsOlder(false);
  };
  const send = async () => {
    if (file === null) return;
    try {
      const body = new Blob([file], { type: 'application/octet-stream' });
      const made = await ask<FirmwareAnswer>('/firmware/', {
        method: 'POST',
        body,
        query: { allow_older: allowsOlder },
      });
      refresh('firmware');
      toast(words.sent(made.version), null, 4_000);
      choose(null);
    } catch (error) {
      setOlder(error instanceof ApiError && error.code === 'OLDER_VERSION');
      setFault(faultText(saidIn(error, words.fault)));
    }
  };
  return (
    <div class="card stack">
      <FileField
        label={words.file}
        hint={words.storeText}
        accept=".sfw,application/octet-stream"
        file={file}
        onChoose={choose}
      />
      <FaultNote fault={isTooLarge ? words.tooLarge : fault} />
      {isOlder ? (
        <CheckField
          label={words.allowOlder}
          checked={allowsOlder}
          onChange={(event) => setAllowsOlder(event.currentTarget.checked)}
        />
      ) : null}
      <div>
        <WorkButton
          look="main"
          disabled={isBlind.value}
          unready={file === null || isTooLarge || (isOlder && !allowsOlder)}
          work={send}
        >
          {words.send}
        </WorkButton>
      </div>
    </div>
  );
}
