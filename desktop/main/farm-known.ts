import type { FarmTold, Person } from '../ipc.ts';

const MOST_PEOPLE = 6;

/**
 * What is kept of a farm for the page that is shown while its gateway is away: everybody who ever signed in here with a
 * phone, who was here last in front. The same as before when nothing is new.
 */
export function withFarm(known: FarmTold | null, told: FarmTold): FarmTold {
  const before = known !== null && known.name === told.name ? known.people : [];
  const isNew = ({ phone }: Person) => told.people.every((person) => person.phone !== phone);
  const farm = { name: told.name, people: [...told.people, ...before.filter(isNew)].slice(0, MOST_PEOPLE) };
  return known !== null && JSON.stringify(farm) === JSON.stringify(known) ? known : farm;
}
