import { deviceWords } from '#words/devices.ts';
import { Answer } from '../../components/answer.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { hostForOthers } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';

/** All that a controller is told so that it comes in: where the gateway is, by which name, with which key. */
export function KeyShown({ mqttId, secret }: { mqttId: string; secret: string }) {
  const words = deviceWords();
  const identity = useGet('/system/identity');
  return (
    <>
      <Answer of={identity}>
        {(known) => {
          const host = hostForOthers(location, known);
          const { mqtt, mqtts } = known.ports;
          const port = mqtt ?? mqtts;
          if (port === null) return <p class="note">{words.brokerOff}</p>;
          if (host === null) return <p class="note">{words.brokerUnknown}</p>;
          return (
            <div class="stack" data-broker={`${host}:${port}`}>
              <span class="label">{words.broker}</span>
              <CopyText label={words.broker} text={`${host}:${port}`} />
              <p class="muted small">
                {words.brokerText} {mqtt === null || mqtts === null ? '' : words.brokerTls(mqtts)}
              </p>
            </div>
          );
        }}
      </Answer>
      <span class="label">{words.mqttUser}</span>
      <CopyText label={words.mqttUser} text={mqttId} />
      <span class="label">{words.key}</span>
      <CopyText label={words.key} text={secret} />
      {identity.data === undefined ? null : (
        <QrCode text={cameraText(mqttId, secret, identity.data)} label={words.keyQr} />
      )}
    </>
  );
}

/** One address with everything in it, as programs that speak MQTT take it. */
function cameraText(
  mqttId: string,
  secret: string,
  identity: Parameters<typeof hostForOthers>[1] & object,
): string {
  const { mqtt, mqtts } = identity.ports;
  const host = hostForOthers(location, identity);
  const who = `${encodeURIComponent(mqttId)}:${encodeURIComponent(secret)}`;
  return host === null || (mqtt ?? mqtts) === null
    ? `mqtt://${who}`
    : mqtt === null
      ? `mqtts://${who}@${host}:${mqtts}`
      : `mqtt://${who}@${host}:${mqtt}`;
}
