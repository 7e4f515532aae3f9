import type { SimulatorConditions } from '#contract/resources/simulator.ts';
import { simulatorWords } from '#words/simulator.ts';
import { figure, percent } from '../../i18n/format.ts';

/** Nothing is wrong. */
export const WELL: SimulatorConditions = {
  power: 'on',
  network: 'up',
  delay_ms: 0,
  loss: 0,
  clock_skew_s: 0,
  stuck_at: null,
  breaker: 'closed',
  hand_switch: 'AUTO',
};

/** What is wrong with a virtual controller, each in a few words. */
export function troublesOf(conditions: SimulatorConditions): string[] {
  const words = simulatorWords().troubles;
  const { power, network, delay_ms, loss, clock_skew_s: skew, stuck_at, breaker, hand_switch } = conditions;
  return [
    power === 'off' ? words.power : null,
    network === 'down' ? words.network : null,
    delay_ms > 0 ? words.delay(figure(delay_ms)) : null,
    loss > 0 ? words.loss(percent(loss * 100)) : null,
    skew > 0 ? words.ahead(figure(skew)) : null,
    skew < 0 ? words.behind(figure(-skew)) : null,
    stuck_at === null ? null : words.stuck[stuck_at],
    breaker === 'tripped' ? words.breaker : null,
    hand_switch === 'AUTO' ? null : words.hand[hand_switch],
  ].filter((trouble) => trouble !== null);
}
