import type { DeviceState, ShadowReported } from '#contract/mqtt/messages.ts';
import { commandResult, deviceState, revisionReported, shadowReported } from '#contract/mqtt/messages.ts';
import { commandTopic } from '#contract/mqtt/topics.ts';
import type { GatewaySide } from './gateway-side.ts';
import type { Observed } from './report.ts';

// What to look for among the things a controller was seen to do: each answers what it found, or null.

export type SessionSeen = Extract<Observed, { kind: 'session' }>;

export function sessionOf(seen: Observed): SessionSeen | null {
  return seen.kind === 'session' ? seen : null;
}

export function stateIn(seen: Observed): DeviceState | null {
  if (seen.kind !== 'message' || seen.path !== 'state') return null;
  return deviceState.safeParse(seen.body).data ?? null;
}

export function revisionOf(path: string, rev: number): (seen: Observed) => Observed | null {
  return (seen) => {
    const said = seen.kind === 'message' && seen.path === path ? revisionReported.safeParse(seen.body) : null;
    return said?.success === true && said.data.rev === rev ? seen : null;
  };
}

/** The answer to a level; with `ack` only that one. */
export function reportIn(
  { epoch, version }: { epoch: string; version: number },
  ack?: ShadowReported['ack'],
): (seen: Observed) => ShadowReported | null {
  return (seen) => {
    if (seen.kind !== 'message' || seen.path !== 'shadow/reported') return null;
    const said = shadowReported.safeParse(seen.body).data;
    if (said?.version !== version || said.epoch !== epoch) return null;
    return ack === undefined || said.ack === ack ? said : null;
  };
}

export function resultOf(correlation: string): (seen: Observed) => Observed | null {
  return (seen) => {
    if (seen.kind !== 'message' || !seen.topic.endsWith(`/res/${correlation}`)) return null;
    return commandResult.safeParse(seen.body).success ? seen : null;
  };
}

const RETURNS_WITHIN_S = 100;
const SUBSCRIBES_WITHIN_S = 10;

/** Its next session, once it listens to commands: what is sent before that, nobody hears. */
export async function returned(side: GatewaySide, since: number): Promise<SessionSeen> {
  const session = await side.until('it returns', since, RETURNS_WITHIN_S, sessionOf);
  await listens(side, session.place);
  return session;
}

/** Waits until it has subscribed to its commands. */
export async function listens(side: GatewaySide, since: number): Promise<void> {
  const wanted = commandTopic(side.identity.mqtt_id, '+');
  await side.until(`a subscription to ${wanted}`, since, SUBSCRIBES_WITHIN_S, (seen) =>
    seen.kind === 'subscribed' && seen.filter === wanted ? true : null,
  );
  await side.sleep(1);
}
