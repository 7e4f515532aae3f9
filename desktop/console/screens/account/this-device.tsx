import { useEffect, useState } from 'preact/hooks';
import type { ChannelAnswer } from '#contract/resources/notification-channels.ts';
import { pushWords } from '#words/account.ts';
import type { AppInfo } from '../../../ipc.ts';
import { faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { program } from '../../data/program.ts';
import {
  NoPushService,
  NotAllowed,
  type PushWay,
  pushEndpoint,
  pushWay,
  receiveHere,
  stopHere,
  stopOthers,
} from '../../data/push.ts';
import { ownChannel } from '../../data/push-start.ts';
import { refresh, useGet } from '../../data/query.ts';
import { user } from '../../data/session.ts';
import { FaultNote } from '../box/system-page.tsx';

type Standing = Exclude<PushWay, 'possible'> | 'looking' | 'off' | 'others' | 'paused' | 'on';

const ICONS: Readonly<Record<Standing, IconName>> = {
  looking: 'clock',
  program: 'check',
  insecure: 'lock',
  unsupported: 'close',
  denied: 'close',
  off: 'mute',
  others: 'user',
  paused: 'mute',
  on: 'check',
};

/** Whether notifications come to the very phone or PC that is looked at, and one press to make it so. */
export function ThisDevice({ channels }: { channels: readonly ChannelAnswer[] | undefined }) {
  const words = pushWords();
  const [way, setWay] = useState(pushWay);
  const [endpoint, setEndpoint] = useState<string | null | undefined>(undefined);
  const [fault, setFault] = useState<string | null>(null);
  const look = async () => {
    setWay(pushWay());
    setEndpoint(await pushEndpoint().catch(() => null));
  };
  // a channel that came or went may be this one, and permission is given and taken in another window
  useEffect(() => void look(), [channels]);
  useEffect(() => {
    const again = () => void look();
    addEventListener('focus', again);
    return () => removeEventListener('focus', again);
  }, []);
  const own = channels?.find(({ kind, address }) => kind === 'WEB_PUSH' && address === endpoint);
  const isOthers = user.value !== null && typeof endpoint === 'string' && ownChannel() === null;
  const standing = standingOf(way, channels === undefined || endpoint === undefined, own, isOthers);
  const work = async (what: () => Promise<unknown>, done: string) => {
    setFault(null);
    try {
      await what();
      toast(done, null, 4_000);
    } catch (error) {
      setFault(
        error instanceof NotAllowed
          ? words.fault.notAllowed
          : error instanceof NoPushService
            ? words.fault.noService
            : faultText(error),
      );
    }
    refresh('notification-channels');
    await look();
  };
  return (
    <section class="card stack" data-push={standing}>
      <h2>{words.title}</h2>
      <p class="row" role="status">
        <Icon name={ICONS[standing]} /> <strong>{words.standing[standing]}</strong>
      </p>
      {standing === 'insecure' ? <Insecure /> : null}
      {standing === 'program' ? <Versions /> : null}
      {standing === 'program' || standing === 'unsupported' || standing === 'denied' ? (
        <p>{words.why[standing]}</p>
      ) : null}
      {standing === 'off' || standing === 'paused' || standing === 'others' ? (
        <>
          <p class="muted">{standing === 'others' ? words.othersText : words.text}</p>
          <div class="row">
            <WorkButton
              big
              look="main"
              disabled={isBlind.value}
              work={() => work(() => receiveHere(channels ?? []), words.isOn)}
            >
              {standing === 'others' ? words.mineInstead : words.on}
            </WorkButton>
            {standing === 'others' ? (
              <WorkButton big work={() => work(stopOthers, words.standing.off)}>
                {words.stopOthers}
              </WorkButton>
            ) : null}
          </div>
        </>
      ) : null}
      {standing === 'on' && own !== undefined ? (
        <>
          <p class="muted">{words.wishes}</p>
          <div class="row">
            <WorkButton
              big
              disabled={isBlind.value}
              work={() => work(() => post(`/notification-channels/${own.id}/test`), words.tested)}
            >
              {words.test}
            </WorkButton>
            <WorkButton
              big
              disabled={isBlind.value}
              work={() => work(() => stopHere(own.id), words.standing.off)}
            >
              {words.off}
            </WorkButton>
          </div>
        </>
      ) : null}
      <FaultNote fault={fault} />
      {standing === 'program' ? null : <p class="muted small">{words.silent}</p>}
    </section>
  );
}

/** `isOthers`: this browser is told things, and not for whoever is signed in. */
function standingOf(
  way: PushWay,
  isLooking: boolean,
  own: ChannelAnswer | undefined,
  isOthers: boolean,
): Standing {
  if (way !== 'possible') return way;
  if (isLooking) return 'looking';
  if (own === undefined) return isOthers ? 'others' : 'off';
  return own.is_active ? 'on' : 'paused';
}

/** Which program it is, and whether it fits the gateway whose console it shows. */
function Versions() {
  const words = pushWords();
  const [info, setInfo] = useState<AppInfo | null>(null);
  useEffect(() => void program?.appInfo().then(setInfo, () => undefined), []);
  if (info === null) return null;
  return (
    <>
      <p class="muted small">{words.versions(info.version, info.gatewayVersion)}</p>
      {info.skew ? <p class="note p2">{words.skew[info.skew]}</p> : null}
    </>
  );
}

/** Why not, and the two ways out. */
function Insecure() {
  const words = pushWords();
  const { data: identity } = useGet('/system/identity');
  const port = identity?.ports.https ?? null;
  return (
    <>
      <p>{words.why.insecure}</p>
      <p>{words.copy}</p>
      {port === null ? null : (
        <>
          <p>{words.box}</p>
          <div class="row">
            <a class="button" href="/ca.crt">
              {words.certificate}
            </a>
            <a class="button" href={`https://${location.hostname}:${port}${location.pathname}`}>
              {words.byHttps}
            </a>
          </div>
        </>
      )}
    </>
  );
}
