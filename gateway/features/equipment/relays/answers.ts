import type { RelayAnswer, RelayWarning } from '#contract/resources/relays.ts';
import { isoOf } from '#core/kernel.ts';
import { type ControlViews, targetOf } from '#features/control/control-view.ts';
import type { Relay } from './ports.ts';
import type { RelayBook } from './relay-book.ts';
import type { RelayWork } from './relay-desk.ts';
import { type Channel, type Session, targetNow } from './relay-session.ts';
import { troubleOf } from './relay-troubles.ts';

export type ShownBy = {
  now: () => number;
  monotonic: () => number;
  views: Pick<ControlViews, 'byId'>;
  book: Pick<RelayBook, 'meterOf'>;
  work: Pick<RelayWork, 'sessionOfRelay' | 'wantedPowerOn' | 'canEnd'>;
};

/** A relay as its readers see it; null when its control point is gone. */
export function relayAnswerOf(deps: ShownBy, row: Relay): RelayAnswer | null {
  const view = deps.views.byId(row.id);
  if (view === null) return null;
  const session = deps.work.sessionOfRelay(row);
  const channel = session?.channels.get(row.channel) ?? null;
  const facts = channel?.facts ?? {};
  const device = session?.device ?? {};
  const meter = deps.book.meterOf(row.id);
  const waitsMs = channel?.deferredTo == null ? null : channel.deferredTo - deps.monotonic();
  return {
    control_point_id: row.id,
    farm_id: view.row.farm_id,
    cod: view.row.cod,
    kind: row.kind,
    channel: row.channel,
    carrier_id: row.carrier_id === row.id ? null : row.carrier_id,
    load: row.load,
    mqtt_id: session?.mqttId ?? view.mqttId,
    mac: device.mac ?? row.mac,
    model: device.model ?? row.model,
    created_at: row.created_at,
    is_connected: session?.controller != null,
    is_listening: session?.isListening ?? false,
    last_message_at: session?.heard == null ? null : isoOf(session.heard.atMs),
    target_status: targetOf(view).target_status,
    current_status: facts.current ?? null,
    sends_in_s: waitsMs === null ? null : Math.max(0, Math.ceil(waitsMs / 1000)),
    sends_at: waitsMs === null ? null : isoOf(deps.now() + waitsMs),
    firmware_version: device.firmware ?? null,
    address: device.address ?? null,
    restart_reason: device.restartReason ?? null,
    uptime_s: device.uptimeS ?? null,
    rssi: device.rssi ?? null,
    power_w: facts.powerW ?? null,
    voltage_v: facts.voltageV ?? null,
    current_a: facts.currentA ?? null,
    power_factor: facts.powerFactor ?? null,
    temperature_c: facts.temperatureC ?? null,
    energy:
      meter === null
        ? null
        : { counted_wh: meter.counted_wh, epoch: meter.epoch, refused_jumps: meter.refused },
    warnings: session === null || channel === null ? [] : warningsOf(deps, row, session, channel),
  };
}

/** What is not as it should be, each with what to do next. */
function warningsOf(
  { work, monotonic }: ShownBy,
  row: Relay,
  session: Session,
  channel: Channel,
): { code: RelayWarning; message: string }[] {
  const warnings: { code: RelayWarning; message: string }[] = [];
  const warn = (code: RelayWarning, message: string) => void warnings.push({ code, message });
  const { facts, sent, changeCause, errors, refused } = channel;
  const powerOn = work.wantedPowerOn(row.carrier_id, row);
  const trouble = troubleOf(session, channel, monotonic());
  if (trouble !== null) warn(trouble.code, trouble.sentence.en);
  const isDeaf = session.controller !== null && !session.isListening && session.unsupported === null;
  if (isDeaf && trouble?.code !== 'NOT_LISTENING')
    warn(
      'NOT_LISTENING',
      `It came in and does not hear its orders: its topic must be ${session.mqttId}; paste the settings again`,
    );
  if (session.hasFastCycleReset === true)
    warn(
      'FAST_CYCLE_RESET',
      'A few short power cuts put this relay back to its factory settings: type SetOption65 1 into its console',
    );
  if (facts.powerOn !== undefined && facts.powerOn !== powerOn)
    warn(
      'POWER_ON_STATE',
      'After a power cut this relay does not do what the fail-safe of the control point says: paste the settings again',
    );
  if (facts.autoOffS !== undefined && facts.autoOffS > 0)
    warn(
      'AUTO_OFF',
      `This relay switches itself off after ${facts.autoOffS} s: take its timer out (PulseTime, auto off)`,
    );
  if (facts.autoOnS !== undefined && facts.autoOnS > 0)
    warn(
      'AUTO_OFF',
      `This relay switches itself on again after ${facts.autoOnS} s: take its timer out (auto on)`,
    );
  if (!work.canEnd(row))
    warn(
      'NO_END_TIMER',
      'This relay cannot end an order by itself: without the gateway the pause or the run goes on beyond its end',
    );
  const isElsewhere = facts.current !== targetNow(channel, monotonic());
  if (sent !== null && sent.tries > 1 && changeCause === null && isElsewhere)
    warn('NOT_CONFIRMED', 'It was told several times and does not do it: look at the relay and its load');
  if (refused !== null && trouble?.code !== 'REFUSED_BY_RELAY')
    warn('REFUSED_BY_RELAY', `The relay refused the order: ${refused}`);
  if (errors.length > 0)
    warn('OVERLOAD', `The relay protects itself (${errors.join(', ')}): look at the motor and its wiring`);
  return warnings;
}
