import type { DeviceProfile } from '#contract/resources/adoption.ts';

const PATTERNS: readonly (readonly [DeviceProfile, RegExp])[] = [
  // "tasmota_1A2B3C", and DVES_ as its client id before anybody named it
  ['tasmota', /^(tasmota|dves|sonoff)[_-]/i],
  // "shellyplus1pm-a8032ab12345": model and MAC
  ['shelly', /^shelly/i],
  ['esphome', /^esp(home|32|8266)?[_-]/i],
  ['controller', /^(aer|sim|ctl|sf)[_-]/i],
];

/** A guess by the name a device came with; heartbeats over HTTP are the controller's own form. */
export function guessProfile(name: string, via: 'mqtt' | 'http'): DeviceProfile {
  const fitting = PATTERNS.find(([, pattern]) => pattern.test(name));
  return fitting?.[0] ?? (via === 'http' ? 'controller' : 'unknown');
}
