import { useState } from 'preact/hooks';
import type { BenchFirmware } from '#contract/resources/bench.ts';
import { benchWords } from '#words/bench.ts';
import { Answer } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { CheckField, SelectField } from '../../components/field.tsx';
import { useGet } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { JobView } from './job-view.tsx';
import type { BenchDesk } from './use-job.ts';

/** What the board shall run; it is checked against chip and checksum before a byte is written. */
export function FirmwareStep({
  desk,
  port,
  chip,
}: {
  desk: BenchDesk;
  port: string | null;
  chip: string | null;
}) {
  const words = benchWords();
  const firmware = useGet<BenchFirmware[]>('/bench/firmware');
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
          disabled={port === null || desk.isBusy || chosen === undefined || !fits(chosen, chip) || !isTaken}
          work={flash}
        >
          {words.flash}
        </WorkButton>
      </div>
    </>
  );
}

function nameOf(row: BenchFirmware, chip: string | null): string {
  const words = benchWords();
  const facts = [row.version, row.chip, `${figure(row.bytes / 1024)} kB`].filter(Boolean).join(' · ');
  const why = row.trouble !== null ? words.cannot : fits(row, chip) ? null : words.otherChip;
  return `${row.name} · ${facts}${why === null ? '' : ` (${why})`}`;
}
