import '../../styles/bench.css';
import { useState } from 'preact/hooks';
import type { BenchFirmware, BenchJobAnswer } from '#contract/resources/bench.ts';
import { benchWords } from '#words/bench.ts';
import { systemWords } from '#words/system.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { farmControlPoints, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { useGet } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { SystemPage } from '../box/system-page.tsx';
import { PartList } from '../system/part-list.tsx';
import { type BenchDesk, JobView, useJob, whyNotNow } from './job-view.tsx';
import { type Identity, ProofStep, useIdentity } from './proof-step.tsx';
import { type Board, type Networks, PortStep, type Wifi, WifiStep } from './wifi-step.tsx';

/** From a blank board to a controller that proved itself, at a cable of the gateway. */
export function Bench() {
  const words = benchWords();
  if (isHosted.value || !mayOperate.value) {
    return (
      <SystemPage title={words.title}>
        <Empty text={isHosted.value ? words.onlyHere : systemWords().noRight} />
      </SystemPage>
    );
  }
  return <Steps />;
}

function Steps() {
  const words = benchWords();
  const [port, setPort] = useState<string | null>(null);
  const [board, setBoard] = useState<Board | null>(null);
  const [networks, setNetworks] = useState<Networks>([]);
  const [wifi, setWifi] = useState<Wifi>({ ssid: '', password: '', host: '' });
  const [proved, setProved] = useState<BenchJobAnswer | null>(null);
  const identity = useIdentity(board);
  const desk = useJob((job) => {
    setPort(job.port);
    if (job.state !== 'done') return;
    if (job.kind === 'detect') setBoard(job.result);
    if (job.kind === 'wifi_scan') setNetworks(job.result?.networks ?? []);
    if (job.kind === 'provision' || job.kind === 'self_test') setProved(job);
  });
  const choose = (path: string) => {
    setPort(path);
    setBoard(null);
    setProved(null);
    void desk.start('port', { kind: 'detect', port: path });
  };
  const chip = typeof board?.['chip'] === 'string' ? board['chip'] : null;
  return (
    <SystemPage title={words.title} narrow>
      <PartList parts={words.others} />
      <p class="muted">{words.intro}</p>
      <PortStep desk={desk} port={port} board={board} onChoose={choose} />
      <FirmwareStep desk={desk} port={port} chip={chip} />
      <IdentityStep identity={identity} />
      <WifiStep desk={desk} port={port} wifi={wifi} networks={networks} onChange={setWifi} />
      <ProofStep desk={desk} port={port} identity={identity} wifi={wifi} proved={proved} />
      <Tools desk={desk} port={port} />
    </SystemPage>
  );
}

function IdentityStep({ identity }: { identity: Identity }) {
  const words = benchWords();
  return (
    <section class="card stack" aria-labelledby="bench-identity">
      <h2 id="bench-identity">{words.identity}</h2>
      <SelectField
        label={words.point}
        value={identity.pointId}
        options={[
          { value: '', label: words.newPoint },
          ...farmControlPoints.value
            .filter(({ is_simulated }) => !is_simulated)
            .map((point) => ({
              value: point.id,
              label: `${point.cod} · ${point.device_id}`,
            })),
        ]}
        onChange={(event) => identity.choose(event.currentTarget.value)}
      />
      {identity.pointId === '' ? (
        <>
          <TextField
            label={words.code}
            value={identity.code}
            maxLength={255}
            onInput={(event) => identity.setCod(event.currentTarget.value)}
          />
          <TextField
            label={words.device}
            value={identity.deviceId}
            maxLength={255}
            autoCapitalize="none"
            spellcheck={false}
            onInput={(event) => identity.setDevice(event.currentTarget.value)}
          />
        </>
      ) : null}
      <p class="muted small">{words.identityText}</p>
    </section>
  );
}

/** Listening to a board, and emptying it. */
function Tools({ desk, port }: { desk: BenchDesk; port: string | null }) {
  const words = benchWords();
  const [asking, setAsking] = useState<'all' | 'identity' | null>(null);
  const why = whyNotNow(desk, port);
  const monitor = async (reset: boolean) => {
    if (port !== null) await desk.start('tools', { kind: 'monitor', port, reset });
  };
  const erase = async () => {
    if (port !== null && asking !== null) await desk.start('tools', { kind: 'erase', port, what: asking });
  };
  return (
    <section class="card stack" aria-labelledby="bench-tools">
      <h2 id="bench-tools">{words.tools}</h2>
      <div class="row">
        <WorkButton why={why} work={() => monitor(false)}>
          {words.monitor}
        </WorkButton>
        <WorkButton why={why} work={() => monitor(true)}>
          {words.monitorReset}
        </WorkButton>
        <Button look="danger" why={why} onClick={() => setAsking('identity')}>
          {words.eraseIdentity}
        </Button>
        <Button look="danger" why={why} onClick={() => setAsking('all')}>
          {words.erase}
        </Button>
      </div>
      <JobView desk={desk} place="tools" />
      {asking === null ? null : (
        <ConfirmDialog
          title={asking === 'all' ? words.eraseTitle : words.forgetTitle}
          label={asking === 'all' ? words.erase : words.eraseIdentity}
          work={erase}
          onClose={() => setAsking(null)}
        >
          <p>{asking === 'all' ? words.eraseText : words.forgetText}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

/** What the board shall run; it is checked against chip and checksum before a byte is written. */
function FirmwareStep({ desk, port, chip }: { desk: BenchDesk; port: string | null; chip: string | null }) {
  const words = benchWords();
  const firmware = useGet('/bench/firmware');
  return (
    <section class="card stack" aria-labelledby="bench-firmware">
      <h2 id="bench-firmware">{words.firmware}</h2>
      <Answer of={firmware} isEmpty={(rows) => rows.length === 0} empty={<p>{words.noFirmware}</p>}>
        {(rows) => <Choice rows={rows} desk={desk} port={port} chip={chip} />}
      </Answer>
      <JobView desk={desk} place="firmware" />
    </section>
  );
}

const plain = (chip: string): string => chip.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
/** ESP32-D0WD is an ESP32; an ESP32-S3 is not. */
function fits(firmware: BenchFirmware, chip: string | null): boolean {
  if (firmware.trouble !== null) return false;
  if (firmware.chip === null || chip === null) return true;
  const [wanted, found] = [plain(firmware.chip), plain(chip)];
  return wanted === found || (found.startsWith(wanted) && !/^(s|c|h|p)\d/.test(found.slice(wanted.length)));
}

function Choice({
  rows,
  desk,
  port,
  chip,
}: {
  rows: readonly BenchFirmware[];
  desk: BenchDesk;
  port: string | null;
  chip: string | null;
}) {
  const words = benchWords();
  const [asked, setAsked] = useState<string | null>(null);
  const [wantsBackup, setBackup] = useState(false);
  const [forgets, setForgets] = useState(false);
  const [takenUnsigned, setTakenUnsigned] = useState<string | null>(null);
  const chosen = rows.find(({ name }) => name === asked) ?? rows.findLast((row) => fits(row, chip));
  const isUnsigned = chosen !== undefined && chosen.trouble === null && chosen.signature !== 'valid';
  const isTaken = !isUnsigned || takenUnsigned === chosen.name;
  const flash = async () => {
    if (port === null || chosen === undefined) return;
    await desk.start('firmware', {
      kind: 'flash',
      port,
      firmware: chosen.name,
      ...(isUnsigned ? { allow_unsigned: isTaken } : {}),
      backup: wantsBackup,
      identity: forgets ? 'erase' : 'keep',
    });
  };
  return (
    <>
      <SelectField
        label={words.choose}
        value={chosen?.name ?? ''}
        options={rows.map((row) => ({ value: row.name, label: nameOf(row, chip) }))}
        onChange={(event) => setAsked(event.currentTarget.value)}
      />
      {chosen?.trouble ? <p class="note p2">{chosen.trouble}</p> : null}
      {isUnsigned ? (
        <>
          <p class="note p2" data-signature={chosen.signature}>
            {words.signature[chosen.signature === 'none' ? 'none' : 'unknown']}
          </p>
          <CheckField
            label={words.takeUnsigned}
            checked={isTaken}
            onChange={(event) => setTakenUnsigned(event.currentTarget.checked ? chosen.name : null)}
          />
        </>
      ) : null}
      <CheckField
        label={words.backup}
        checked={wantsBackup}
        onChange={(event) => setBackup(event.currentTarget.checked)}
      />
      <CheckField
        label={words.forget}
        checked={forgets}
        onChange={(event) => setForgets(event.currentTarget.checked)}
      />
      <div>
        <WorkButton
          look="main"
          why={whyNotNow(desk, port) ?? whyNotThis(chosen, chip)}
          unready={!isTaken}
          work={flash}
        >
          {words.flash}
        </WorkButton>
      </div>
    </>
  );
}

function whyNotThis(chosen: BenchFirmware | undefined, chip: string | null): string | null {
  const words = benchWords();
  if (chosen === undefined) return words.noneFits;
  return fits(chosen, chip) ? null : (chosen.trouble ?? words.noneFits);
}

function nameOf(row: BenchFirmware, chip: string | null): string {
  const words = benchWords();
  const facts = [row.version, row.chip, `${figure(row.bytes / 1024)} kB`].filter(Boolean).join(' · ');
  const why = row.trouble !== null ? words.cannot : fits(row, chip) ? null : words.otherChip;
  return `${row.name} · ${facts}${why === null ? '' : ` (${why})`}`;
}
