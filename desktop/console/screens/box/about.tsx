import { codeOfPin } from '#contract/discovery.ts';
import { healthWords } from '#words/box.ts';
import { shellWords } from '#words/shell.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { useInterfaceVersion, useReadiness, useUptime } from '../../data/health.ts';
import { isHosted } from '../../data/instance.ts';
import { addressForOthers } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { ageOrDash } from '../../i18n/format.ts';
import { guideAddress } from '../../i18n/language.ts';
import { BoxQr } from './care.tsx';
import { SystemPage } from './system-page.tsx';

export function About() {
  const words = healthWords();
  const version = useInterfaceVersion();
  const uptime = useUptime();
  const readiness = useReadiness();
  const { data: identity } = useGet('/system/identity');
  const address = addressForOthers(location, identity);
  const pin = identity?.authority?.spki_sha256 ?? null;
  const rung = readiness.data?.checks['boot']?.rung;
  const rungs: Readonly<Record<string, string>> = words.rung;
  return (
    <SystemPage title={words.about} narrow>
      <section class="card stack">
        <h2>{shellWords().product}</h2>
        <p class="muted">{isHosted.value ? words.productAfar : words.product}</p>
        <dl class="facts">
          <div>
            <dt>{words.version}</dt>
            <dd>{version.isPending ? '…' : (version.data ?? '—')}</dd>
          </div>
          <div>
            <dt>{words.running}</dt>
            <dd>
              {uptime.isPending
                ? '…'
                : ageOrDash(typeof uptime.data === 'number' ? uptime.data * 1_000 : null)}
            </dd>
          </div>
          <div>
            <dt>{words.boot}</dt>
            <dd class="plain">
              {readiness.isPending ? '…' : rung === undefined ? '—' : (rungs[rung] ?? rung)}
            </dd>
          </div>
          <div>
            <dt>{words.licence}</dt>
            <dd class="plain">{words.proprietary}</dd>
          </div>
        </dl>
      </section>
      {address === null ? null : (
        <section class="card stack">
          <h2>{words.address}</h2>
          <p class="muted">{words.phoneText}</p>
          <CopyText label={words.address} text={address} />
        </section>
      )}
      {pin === null ? null : (
        <section class="card stack">
          <h2>{words.code}</h2>
          <p class="muted">{words.codeText}</p>
          <p>
            <strong class="mono">{codeOfPin(pin)}</strong>
          </p>
        </section>
      )}
      {identity?.qr == null ? null : <BoxQr text={identity.qr} />}
      <p>
        <a class="way" href={guideAddress()} target="_blank" rel="noreferrer">
          {words.guide}
        </a>
      </p>
      <p>
        <a class="way" href="/api/v1/docs" target="_blank" rel="noreferrer">
          {words.docs}
        </a>
      </p>
    </SystemPage>
  );
}
