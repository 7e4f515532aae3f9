import type { BenchJobAnswer } from '#contract/resources/bench.ts';
import { WorkButton } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { JobView } from './job-view.tsx';
import type { BenchDesk } from './use-job.ts';
import { benchWords } from './words.ts';

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
          disabled={port === null || desk.isBusy}
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
