import { inEach } from './each-language.ts';

// Shelly relays of the first generation speak another protocol than those that came after them.

const MODELS =
  /^shelly(1|1pm|1l|switch|switch25|4pro|plug|plug-s|plug-u1|em|em3|ix3|uni|dimmer|dimmer2|rgbw2|vintage|bulb|bulbduo)$/;

export const FIRST_GENERATION = inEach(
  'Shelly da primeira geração: não serve; use um da segunda geração ou mais novo (Plus, Pro, Gen3, Gen4) ou um Tasmota',
  'Shelly of the first generation: not supported; use one of the second or later (Plus, Pro, Gen3, Gen4), or a Tasmota',
  'Shelly de la primera generación: no sirve; use uno de la segunda generación o más nuevo (Plus, Pro, Gen3, Gen4) o un Tasmota',
);

/** By the name it came with from the factory: its model, and the end of its MAC. */
export function isFirstGeneration(name: string): boolean {
  const model = /^(.{1,40})-[0-9a-f]{6,12}$/i.exec(name)?.[1];
  return model !== undefined && MODELS.test(model.toLowerCase());
}
