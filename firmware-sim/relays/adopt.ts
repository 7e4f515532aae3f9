import * as z from 'zod';
import { type RelayKind, relayAdopted } from '#contract/resources/relays.ts';
import { type ControlPoint, type GatewayApi, GatewayRefused } from '../cli/gateway-api.ts';
import type { Load, RelayPersona } from './relay-persona.ts';
import { createShelly } from './shelly-persona.ts';
import { createTasmota, readBacklog } from './tasmota-persona.ts';

const settings = relayAdopted.pick({ settings: true });
const failure = z.object({ detail: z.string() });

/** Has the gateway adopt a relay for this control point, and answers the lines it shows for pasting. */
export async function adoptAtGateway(
  base: string,
  api: Pick<GatewayApi, 'token'>,
  wish: { point: ControlPoint; kind: RelayKind },
): Promise<string[]> {
  const path = `/api/v1/control-points/${wish.point.id}/relay`;
  const response = await fetch(`${base}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: wish.kind, load: 'motor', mqtt_host: new URL(base).hostname }),
    signal: AbortSignal.timeout(15_000),
  });
  const body: unknown = await response.json();
  const parsed = settings.safeParse(body);
  if (response.ok && parsed.success) return parsed.data.settings.steps.map(({ text }) => text);
  const said = failure.safeParse(body);
  throw new GatewayRefused(
    `${path} answered ${response.status}: ${said.success ? said.data.detail : 'no reason given'}`,
  );
}

/** The relay after the lines were pasted into it, one after another; `before`: what a Tasmota was set to until then. */
export function pasteInto(
  kind: RelayKind,
  lines: readonly string[],
  of: { mac: string; channels: number; load: Load; nowMs: () => number; before?: Record<string, string> },
): RelayPersona {
  if (kind === 'shelly') {
    const opened = lines.map((line) => line.replace('RELAY-ADDRESS', '10.0.0.8'));
    return createShelly({ opened, ...of });
  }
  const before = Object.entries(of.before ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  const settings = new Map([...before, ...lines.flatMap((line) => [...readBacklog(line)])]);
  return createTasmota({ settings, ...of });
}
