import type { BenchJobAnswer, BenchPort } from '#contract/resources/bench.ts';
import { benchWords } from '#words/bench.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { refresh, useGet } from '../../data/query.ts';
import { figure } from '../../i18n/format.ts';
import { type BenchDesk, JobView, whyNotNow } from './job-view.tsx';

/** `host`: where the board finds the gateway; empty: the gateway says it. */
export type Wifi = { ssid: string; password: string; host: string };
export type Networks = NonNullable<NonNullable<BenchJobAnswer['result']>['networks']>;

/** The network of the farm, as the board itself hears it. */
export function WifiStep({
  desk,
  port,
  wifi,
  networks,
  onChange,
}: {
  desk: BenchDesk;
  port: string | null;
  wifi: Wifi;
  networks: Networks;
  onChange: (wifi: Wifi) => void;
}) {
  const words = benchWords();
  return (
    <section class="card stack" aria-labelledby="bench-wifi">
      <div class="row apart">
        <h2 id="bench-wifi">{words.wifi}</h2>
        <WorkButton
          why={whyNotNow(desk, port)}
          work={async () => {
            if (port !== null) await desk.start('wifi', { kind: 'wifi_scan', port });
          }}
        >
          {words.scan}
        </WorkButton>
      </div>
      <TextField
        label={words.network}
        hint={words.keepWifi}
        value={wifi.ssid}
        maxLength={32}
        list="bench-networks"
        autoCapitalize="none"
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => onChange({ ...wifi, ssid: event.currentTarget.value })}
      />
      <datalist id="bench-networks">
        {networks.map(({ ssid, rssi }) => (
          <option key={ssid} value={ssid}>
            {rssi} dBm
          </option>
        ))}
      </datalist>
      <TextField
        label={words.password}
        type="password"
        value={wifi.password}
        maxLength={64}
        autoComplete="off"
        onInput={(event) => onChange({ ...wifi, password: event.currentTarget.value })}
      />
      <details>
        <summary>{words.hostSummary}</summary>
        <TextField
          label={words.host}
          hint={words.hostHint}
          value={wifi.host}
          maxLength={253}
          autoCapitalize="none"
          spellcheck={false}
          onInput={(event) => onChange({ ...wifi, host: event.currentTarget.value })}
        />
      </details>
      <JobView desk={desk} place="wifi" />
    </section>
  );
}

/** What detecting found out about the board. */
export type Board = Readonly<Record<string, unknown>>;

/** Which board: choosing a port looks at what is there at once. */
export function PortStep({
  desk,
  port,
  board,
  onChoose,
}: {
  desk: BenchDesk;
  port: string | null;
  board: Board | null;
  onChoose: (path: string) => void;
}) {
  const words = benchWords();
  const ports = useGet('/bench/ports');
  return (
    <section class="card stack" aria-labelledby="bench-port">
      <div class="row apart">
        <h2 id="bench-port">{words.port}</h2>
        <Button onClick={() => refresh('bench')}>{words.look}</Button>
      </div>
      <Answer of={ports} isEmpty={(rows) => rows.length === 0} empty={<p>{words.noPorts}</p>}>
        {(rows) => (
          <ul class="lines">
            {rows.map((row) => (
              <li key={row.path} class="row apart" data-port={row.path}>
                <div>
                  <strong class="mono breaks">{row.path}</strong>
                  <p class="muted small">{factsOf(row)}</p>
                </div>
                <Button
                  look={row.path === port ? 'plain' : 'main'}
                  aria-pressed={row.path === port}
                  why={
                    row.in_use_by.length > 0
                      ? words.inUse(row.in_use_by.map(({ name }) => name).join(', '))
                      : desk.isBusy
                        ? words.waitForJob
                        : null
                  }
                  onClick={() => onChoose(row.path)}
                >
                  {words.detect}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {board === null ? null : <BoardFacts board={board} />}
      <JobView desk={desk} place="port" />
    </section>
  );
}

function factsOf(port: BenchPort): string {
  const words = benchWords();
  const [user] = port.in_use_by;
  return [
    [port.manufacturer, port.product].filter(Boolean).join(' '),
    port.vendor_id === null ? '' : `${port.vendor_id}:${port.product_id ?? ''}`,
    port.device === port.path ? '' : port.device,
    user === undefined ? '' : words.inUse(`${user.name} (${user.pid})`),
    port.is_busy ? words.busyHere : '',
  ]
    .filter((text) => text !== '')
    .join(' · ');
}

function BoardFacts({ board }: { board: Board }) {
  const words = benchWords();
  const bytes = board['flash_bytes'];
  const rows: [string, unknown][] = [
    [words.chip, board['chip']],
    ['MAC', board['mac']],
    [words.flashSize, typeof bytes === 'number' ? `${figure(bytes / 1_048_576)} MB` : null],
  ];
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => typeof value === 'string')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{String(value)}</dd>
          </div>
        ))}
    </dl>
  );
}
