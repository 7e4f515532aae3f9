import * as z from 'zod';
import type { DemoFarm } from './demo-farm.ts';
import { asPerson, type Person } from './interface.ts';

// Somebody walks the round of the demo all day and all night, so that no pond stands without oxygen, whatever the hour.

const ROUND_MS = 10 * 60_000;
const DAY_MS = 86_400_000;
/** At six in the morning by the farm's zone (UTC-3) oxygen is lowest. */
const LOWEST_MS = 9 * 3_600_000;

const cards = z.object({
  ponds: z.array(z.object({ pond_id: z.string(), status: z.string() })),
});

/** Enters oxygen, temperature and pH of every pond in use, at once and then every ten minutes; answers how to end it. */
export function startLiveWater(farm: Pick<DemoFarm, 'farm_id' | 'round_token'>, base: string): () => void {
  if (farm.round_token === undefined) return () => undefined;
  const person = asPerson(base, farm.round_token);
  // a gateway that ends meanwhile, or a token that somebody revoked, is no trouble of the demo
  const walk = () => void walkRound(person, farm.farm_id).catch(() => undefined);
  walk();
  const timer = setInterval(walk, ROUND_MS);
  return () => clearInterval(timer);
}

async function walkRound(person: Person, farmId: string): Promise<void> {
  const { ponds } = await person.get(`/ponds/summary-cards?farm_id=${farmId}`, cards);
  const now = Date.now();
  const light = (1 - Math.cos((2 * Math.PI * ((now - LOWEST_MS) % DAY_MS)) / DAY_MS)) / 2;
  for (const [place, { pond_id }] of ponds.filter(({ status }) => status === 'ACTIVE').entries()) {
    // neighbours differ; none of them is in danger of its own
    const differs = ((place * 7) % 10) / 10;
    await person.send('POST', '/water-quality/', {
      pond_id,
      dissolved_oxygen: Number((4.6 + 2.6 * light + differs).toFixed(1)),
      temperature: Number((27.4 + 2.2 * light + differs / 2).toFixed(1)),
      ph: Number((7.8 + 0.4 * light).toFixed(2)),
    });
  }
}
